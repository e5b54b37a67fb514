"""What a query looks at, read from its syntax tree: tables, columns, conditions, literals, and the places it leaves open.

A query that cannot be parsed has no tree; everything here then says that nothing is known, and proof goes on by execution.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, cast

import sqlglot
from msgspec import Struct
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ..engines.sqlite.guard import is_volatile, statements
from .source import Source, TableInfo

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.Glob, exp.In, exp.Between, exp.Is)
_POSTGRES_CLOCK = re.compile(
    r"\b(?:random|gen_random_uuid|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|nextval)\s*\("
    r"|\blocaltime(?:stamp)?\b|\bage\s*\([^,()]*\)|'(?:today|yesterday|tomorrow)'",
    re.IGNORECASE,
)
_MOST_CASES = 4
_DEEPEST = 60
_LONGEST = 20_000


class Atom(Struct, frozen=True):
    """One comparison that is about a single table."""

    table: str
    columns: tuple[str, ...]
    sql: str
    """With the columns unqualified."""
    literals: tuple[Any, ...]
    """What the columns are compared with."""
    sides: tuple[str, str] | None = None
    """Both sides of a comparison of order: where they are equal, it turns over."""
    equates: bool = False
    """It asks for the literals themselves, not for something like them or beyond them."""


class Query:
    """One statement as written, and its tree where there is one."""

    def __init__(self, sql: str, source: Source) -> None:
        parts = statements(sql)
        self.sql = parts[0].strip().rstrip(";").rstrip() if len(parts) == 1 else sql
        self.single = len(parts) == 1
        self._source = source
        self.tree = parsed(self.sql, source.dialect) if self.single else None
        if self.tree is not None and source.dialect == "sqlite":
            _read_strings(self.tree, source)

    @cached_property
    def volatile(self) -> bool:
        return is_volatile(self.sql) or (self._source.dialect == "postgres" and _POSTGRES_CLOCK.search(self.sql) is not None)

    def written(self, tree: exp.Expr) -> str:
        """A tree as text, in the dialect of the query's own database."""
        return text(tree, self._source.dialect)

    @cached_property
    def tables(self) -> dict[str, TableInfo]:
        """By name in lower case; too many rather than too few. Those behind views, too."""
        mentioned: dict[str, TableInfo] = {}
        texts = [self.sql.lower()]
        while texts:
            text = texts.pop()
            for name, table in self._source.tables.items():
                if name not in mentioned and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                    mentioned[name] = table
                    if table.is_view:
                        texts.append(table.sql.lower())
        if self.tree is not None and not any(table.is_view for table in mentioned.values()):
            named = {table.name.lower() for table in self.tree.find_all(exp.Table)}
            return {name: table for name, table in mentioned.items() if name in named}
        return mentioned

    def mentions(self, table: TableInfo) -> set[str] | None:
        """The columns of a table that the query may look at, in lower case; None for all of them."""
        if table.is_view or any(other.is_view for other in self.tables.values()) or self.tree is None or self._stars:
            return None
        return {column.lower() for column in table.columns} & self._identifiers

    @cached_property
    def _identifiers(self) -> set[str]:
        assert self.tree is not None
        return {node.name.lower() for node in self.tree.find_all(exp.Identifier)}

    @cached_property
    def _stars(self) -> bool:
        assert self.tree is not None
        if any(str(join.args.get("method") or "").upper() == "NATURAL" for join in self.tree.find_all(exp.Join)):
            return True
        return any(not isinstance(star.parent, exp.Count) for star in self.tree.find_all(exp.Star))

    @cached_property
    def columns(self) -> list[tuple[str, str]]:
        """Tables and columns, in lower case, as far as the tree tells whose they are."""
        return self._owned(self._all(exp.Column))

    def owner(self, column: exp.Column) -> tuple[str, str] | None:
        """Whose column it is: table and column in lower case, or None where that cannot be told."""
        name, qualifier = column.name.lower(), column.table.lower()
        node: exp.Expr | None = column
        while (node := cast("exp.Expr | None", node.find_ancestor(exp.Select))) is not None:
            sources = _sources(cast(exp.Select, node))
            if qualifier:
                if qualifier in sources:
                    table = self._source.tables.get(sources[qualifier])
                    return (sources[qualifier], name) if table is not None and table.has(name) else None
                continue
            for table_name in sources.values():
                table = self._source.tables.get(table_name)
                if table is not None and table.has(name):
                    return table_name, name
        return None

    @cached_property
    def atoms(self) -> list[Atom]:
        candidates = (self.atom(node) for node in self._all(*COMPARISONS))
        return list(dict.fromkeys(atom for atom in candidates if atom is not None))

    def atom(self, node: exp.Expr) -> Atom | None:
        """A comparison that is about a single table."""
        if node.find(exp.Select, exp.Window):
            return None
        holder = exp.Paren(this=node.copy())
        if not _for_one_row(holder):
            return None
        left = {(column.table, column.name) for column in holder.find_all(exp.Column)}
        columns = [column for column in node.find_all(exp.Column) if (column.table, column.name) in left]
        owners = [self.owner(column) for column in columns]
        if not owners or None in owners:
            return None
        known = [owner for owner in owners if owner is not None]
        if len({column.table.lower() for column in columns}) > 1 or len({table for table, _ in known}) > 1:
            return None
        for column in list(holder.find_all(exp.Column)):
            column.set("table", None)
        names = tuple(dict.fromkeys(name for _, name in known))
        equates = isinstance(node, exp.EQ | exp.In) and len(names) == 1
        return Atom(known[0][0], names, text(holder.this), tuple(_literals(node)), _sides(holder.this), equates)

    @cached_property
    def witnesses(self) -> list[tuple[list[tuple[str, str]], str, str]]:
        """For each SELECT over real tables: its (alias, table)s, a query for rows that meet its conditions, and one for any."""
        forms = (form for written in self._all(exp.Select) for form in _forms(written))
        return [(sources, *_witness(select, [alias for alias, _ in sources])) for select, sources in self._over_tables(forms)]

    def _over_tables(self, selects: Iterable[exp.Select]) -> Iterator[tuple[exp.Select, list[tuple[str, str]]]]:
        """Those that read real tables alone, with their (alias, table)s."""
        for select in selects:
            sources = list(_sources(select).items())
            tables = [self._source.tables.get(name) for _, name in sources]
            if sources and all(table is not None and not table.is_view for table in tables):
                yield select, sources

    @cached_property
    def group_keys(self) -> list[tuple[str, str]]:
        """Tables and columns by which some SELECT groups or a window is partitioned, in lower case."""
        nodes = self._all(exp.Group, exp.Window)
        keys = (key for node in nodes for key in (node.args.get("partition_by") or node.expressions))
        return self._owned(key for key in keys if isinstance(key, exp.Column))

    @cached_property
    def order_keys(self) -> list[tuple[str, str]]:
        """Tables and columns by which rows are ordered, alone or in an expression."""
        return self._owned(column for order in self._all(exp.Ordered) for column in order.find_all(exp.Column))

    def _all(self, *kinds: type[exp.Expr]) -> Iterator[Any]:
        """Nodes of these kinds, as far as there is a tree."""
        return self.tree.find_all(*kinds) if self.tree is not None else iter(())

    def _owned(self, columns: Iterable[exp.Column]) -> list[tuple[str, str]]:
        owners = (self.owner(column) for column in columns)
        return list(dict.fromkeys(owner for owner in owners if owner is not None))

    @cached_property
    def groups(self) -> list[tuple[list[tuple[str, str]], str, tuple[int, ...]]]:
        """For each SELECT that groups by a column, or has a window with a partition: its (alias, table)s, a query for (key, row
        numbers…) of groups that it keeps, and the whole numbers that groups or positions in them are compared with."""
        listed: list[tuple[list[tuple[str, str]], str, tuple[int, ...]]] = []
        for select, sources in self._over_tables(self._all(exp.Select)):
            aliases = [alias for alias, _ in sources]
            if (query := _grouped(select, aliases)) is not None:
                listed.append((sources, query, _whole_numbers(select.args.get("having"))))
            windows = (window for window in select.find_all(exp.Window) if window.find_ancestor(exp.Select) is select)
            partitions = (_partition(select, window, aliases) for window in windows)
            listed += [(sources, query, _whole_numbers(self.tree)) for query in partitions if query is not None]
        return listed

    def stripped(self, idle: Callable[[exp.Expr], bool]) -> str | None:
        """The query without its conditions, or None where it has none. Joins stay, and so does what is `idle`: conditions that
        can decide nothing."""
        if self.tree is None:
            return None
        bare, shortened = self.tree.copy(), False
        for select in bare.find_all(exp.Select):
            where, having = select.args.get("where"), select.args.get("having")
            if where is not None:
                parts = list(conjuncts(where.this))
                kept = [part for part in parts if is_join(part) or idle(part)]
                shortened = shortened or len(kept) < len(parts)
                select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
            if having is not None:
                shortened = True
                select.set("having", None)
        for case in list(bare.find_all(exp.If)):
            if isinstance(case.parent, exp.Case):
                case.set("this", exp.true())
                shortened = True
        return self.written(bare) if shortened else None

    @cached_property
    def decided(self) -> list[str]:
        """The query with what it leaves open decided one way and the other; empty where it leaves nothing open."""
        if self.tree is None:
            return []
        selects = self.tree.find_all(exp.Select, exp.SetOperation)
        limited = any(select.args.get("limit") or select.args.get("offset") for select in selects)
        sqlite = self._source.dialect == "sqlite"  # the only one that lets a select leave them open
        if not limited and not (sqlite and _loose_columns(self.tree)):
            return []
        row_number = "ctid" if self._source.dialect == "postgres" else "rowid"
        decided: list[str] = []
        for descending in (False, True):
            tree = self.tree.copy()
            for column in _loose_columns(tree) if sqlite else ():
                column.replace((exp.Max if descending else exp.Min)(this=column.copy()))
            decided.append(self.written(_decided(tree, descending, row_number)))
        return decided


def _loose_columns(tree: exp.Expr) -> list[exp.Column]:
    """Columns that a select takes from any row of a group, as SQLite lets it; beside MAX or MIN they are of that row."""
    return [column for select in tree.find_all(exp.Select) for column in _loose_in(select)]


def _loose_in(select: exp.Select) -> Iterator[exp.Column]:
    def own(kind: type[exp.Expr], within: exp.Expr) -> Iterator[Any]:
        return (node for node in within.find_all(kind) if node.find_ancestor(exp.Select) is select)

    group = select.args.get("group")
    aggregates = [node for node in own(exp.AggFunc, select) if node.find_ancestor(exp.Window, exp.Select) is select]
    if any(isinstance(node, exp.Max | exp.Min) for node in aggregates) or not (group or aggregates):
        return
    keys = {text(key).lower() for key in group.expressions} if group else set[str]()
    names = {column.name.lower() for key in (group.expressions if group else ()) for column in key.find_all(exp.Column)}
    for number, projection in enumerate(select.expressions, 1):
        if {str(number), projection.alias_or_name.lower(), text(projection.unalias()).lower()} & (keys | names):
            continue
        for column in own(exp.Column, projection):
            inside = column.find_ancestor(exp.AggFunc, exp.Window, exp.Select)
            if inside is select and column.name.lower() not in names and not isinstance(column.this, exp.Star):
                yield column


def _for_one_row(holder: exp.Expr) -> bool:
    """What a condition on a group says of its row, where there is one: SUM(x) is x then, and COUNT(x) is 1."""
    for aggregate in list(holder.find_all(exp.AggFunc)):
        inner = aggregate.this
        if isinstance(aggregate, exp.Count):
            aggregate.replace(exp.Literal.number(1))
        elif isinstance(aggregate, exp.Sum | exp.Avg | exp.Max | exp.Min) and isinstance(inner, exp.Expr):
            aggregate.replace(exp.Paren(this=inner.copy()))
        else:
            return False
    return True


def _sides(comparison: exp.Expr) -> tuple[str, str] | None:
    if not isinstance(comparison, exp.GT | exp.GTE | exp.LT | exp.LTE):
        return None
    return text(comparison.left), text(comparison.right)


def parsed(sql: str, dialect: str = "sqlite") -> exp.Expr | None:
    if len(sql) > _LONGEST:
        return None
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return None
    query = isinstance(tree, exp.Query) and _depth(tree) <= _DEEPEST
    return cast(exp.Expr, tree) if query else None


def _read_strings(tree: exp.Expr, source: Source) -> None:
    """In SQLite, a name in double quotes that is no column's is text: `city = "Reno"`."""
    tables = [source.tables.get(table.name.lower()) for table in tree.find_all(exp.Table)]
    names = {column.lower() for table in tables if table is not None for column in table.columns} | {"rowid", "oid", "_rowid_"}
    names |= {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
    names |= {column.name.lower() for alias in tree.find_all(exp.TableAlias) for column in alias.columns}
    for column in list(tree.find_all(exp.Column)):
        if column.this.args.get("quoted") and not column.table and column.name.lower() not in names:
            column.replace(exp.Literal.string(column.name))


def _depth(tree: Any) -> int:
    deepest, level = 0, [tree]
    while level and deepest <= _DEEPEST:
        deepest += 1
        level = [child for node in level for child in node.iter_expressions()]
    return deepest


def text(tree: exp.Expr, dialect: str = "sqlite") -> str:
    return tree.sql(dialect=dialect, comments=False)


def _sources(select: exp.Select) -> dict[str, str]:
    """Tables by alias, in lower case; what is not a table is there under an impossible name."""
    aliases: dict[str, str] = {}
    parts = [select.args.get("from_") or select.args.get("from"), *(select.args.get("joins") or ())]
    common = {cte.alias.lower() for node in _enclosing(select) for cte in _ctes(node)}
    for part in parts:
        if part is None:
            continue
        table = part.this
        name = table.name.lower() if isinstance(table, exp.Table) else ""
        alias = (table.alias_or_name or f"?{len(aliases)}").lower()
        aliases[alias] = "?" if not name or name in common else name
    return aliases


def _enclosing(node: exp.Expr | None) -> Iterator[exp.Expr]:
    while node is not None:
        yield node
        node = node.parent


def _ctes(node: exp.Expr) -> list[exp.Expr]:
    clause = node.args.get("with_") or node.args.get("with")
    return list(clause.expressions) if clause is not None else []


def _literals(node: exp.Expr) -> Iterator[Any]:
    for literal in node.find_all(exp.Literal):
        if literal.is_string:
            yield literal.this
            continue
        value = float(literal.this) if "." in literal.this or "e" in literal.this.lower() else int(literal.this)
        yield -value if isinstance(literal.parent, exp.Neg) else value


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(condition, exp.And):
        yield from conjuncts(condition.left)
        yield from conjuncts(condition.right)
    elif isinstance(condition, exp.Paren) and isinstance(condition.this, exp.And):
        yield from conjuncts(condition.this)
    else:
        yield condition


def is_join(part: exp.Expr) -> bool:
    """An equation between columns of two tables."""
    return (
        isinstance(part, exp.EQ)
        and isinstance(part.left, exp.Column)
        and isinstance(part.right, exp.Column)
        and part.left.table.lower() != part.right.table.lower()
    )


def _grouped(select: exp.Select, aliases: list[str], order: exp.Order | None = None) -> str | None:
    group = select.args.get("group")
    keys = [key for key in group.expressions if isinstance(key, exp.Column)] if group is not None else []
    if not keys:
        return None
    outer = _row_numbers(select, aliases)
    outer.set("expressions", [keys[0].copy(), *outer.expressions])
    _keep_groups(outer, select, keys[0], order, exp.Limit(expression=exp.Literal.number(3)))
    return f"{text(outer)} LIMIT 150"


def _row_numbers(select: exp.Select, aliases: list[str]) -> exp.Select:
    """Of the rows that meet the conditions, instead of the result that is made of them."""
    rows = select.copy()
    for clause in ("group", "having", "limit", "offset", "distinct", "order", "windows", "qualify"):
        rows.set(clause, None)
    rows.set("expressions", [_row_number(alias) for alias in aliases])
    return rows


def _row_number(alias: str) -> exp.Column:
    return exp.Column(this=exp.to_identifier("rowid"), table=exp.to_identifier(alias, quoted=True))


def _keep_groups(
    rows: exp.Select, select: exp.Select, key: exp.Column, order: exp.Order | None = None, limit: exp.Limit | None = None
) -> None:
    """Only rows of the groups that a SELECT keeps: the first of them, with a limit."""
    groups = select.copy()
    groups.set("expressions", [key.copy()])
    for clause, value in {"order": order, "limit": limit, "offset": None, "distinct": None}.items():
        groups.set(clause, value)
    where = rows.args.get("where")
    kept = exp.In(this=key.copy(), query=exp.Subquery(this=groups))
    rows.set("where", exp.Where(this=exp.and_(*([where.this] if where is not None else []), kept)))


def _partition(select: exp.Select, window: exp.Window, aliases: list[str]) -> str | None:
    """As `_grouped`, for the partitions of a window: those of the most rows."""
    keys = [key for key in window.args.get("partition_by") or () if isinstance(key, exp.Column)]
    if not keys:
        return None
    grouped = select.copy()
    grouped.set("group", exp.Group(expressions=[keys[0].copy()]))
    return _grouped(grouped, aliases, exp.Order(expressions=[exp.Ordered(this=exp.Count(this=exp.Star()), desc=True)]))


def _whole_numbers(node: exp.Expr | None) -> tuple[int, ...]:
    return tuple(n for n in _literals(node) if isinstance(n, int) and 0 <= n <= 60) if node is not None else ()


def _forms(select: exp.Select) -> Iterator[exp.Select]:
    """A SELECT as it is; joined with what its EXISTS and IN ask for; and with each condition of a CASE asked of its rows."""
    yield select
    where = select.args.get("where")
    joined = _joined_with_subqueries(select)
    if joined is not None:
        yield joined
    for case in [case for column in select.selects for case in column.find_all(exp.If)][:_MOST_CASES]:
        if case.find_ancestor(exp.Select) is select and case.this.find(exp.Select, exp.AggFunc) is None:
            asking = _beside(select)
            parts = [where.this.copy()] if where is not None else []
            asking.set("where", exp.Where(this=exp.and_(*parts, case.this.copy())))
            yield asking


def _beside(select: exp.Select) -> exp.Select:
    """A copy whose place in the query is known, too: common tables are found through it."""
    copy = select.copy()
    copy.parent = select.parent
    return copy


def _joined_with_subqueries(select: exp.Select) -> exp.Select | None:
    where, joined = select.args.get("where"), _beside(select)
    parts: list[exp.Expr] = []
    for part in conjuncts(where.this) if where is not None else ():
        query = part.args.get("query") if isinstance(part, exp.In) else part.this if isinstance(part, exp.Exists) else None
        inner = query.this if isinstance(query, exp.Subquery) else query
        start = inner.args.get("from_") if isinstance(inner, exp.Select) else None
        clauses = ("group", "having", "limit", "distinct", "with_")
        if not isinstance(inner, exp.Select) or start is None or any(inner.args.get(clause) for clause in clauses):
            parts.append(part.copy())
            continue
        if _sources(inner).keys() & _sources(joined).keys():
            return None
        joined.append("joins", exp.Join(this=start.this.copy(), kind="CROSS"))
        for join in inner.args.get("joins") or ():
            joined.append("joins", join.copy())
        inner_where = inner.args.get("where")
        parts += [part.copy() for part in conjuncts(inner_where.this)] if inner_where is not None else []
        if isinstance(part, exp.In):
            parts.append(exp.EQ(this=part.this.copy(), expression=inner.selects[0].unalias().copy()))
    joined.set("where", exp.Where(this=exp.and_(*parts)) if parts else None)
    return joined if len(_sources(joined)) > len(_sources(select)) else None


def _witness(select: exp.Select, aliases: list[str]) -> tuple[str, str]:
    """Row numbers instead of results. A group that HAVING keeps is met by rows with its key."""
    bare = _row_numbers(select, aliases)
    group, where = select.args.get("group"), select.args.get("where")
    keys = list(group.expressions) if group is not None else []
    joins = [part.copy() for part in conjuncts(where.this) if is_join(part)] if where is not None else []
    if select.args.get("having") is not None and len(keys) == 1 and isinstance(keys[0], exp.Column):
        _keep_groups(bare, select, keys[0])
    meeting = f"{text(bare)} LIMIT 12"
    start = exp.GTE(this=_row_number(aliases[0]), expression=exp.Placeholder())
    bare.set("where", exp.Where(this=exp.and_(*joins, start)))
    return meeting, f"{text(bare)} LIMIT 6"


def _decided(tree: exp.Expr, descending: bool, row_number: str) -> exp.Expr:
    """Further keys behind those of each ORDER BY that a LIMIT cuts: all columns of the result, and all group keys."""
    for select in list(tree.find_all(exp.Select, exp.SetOperation)):
        if not (select.args.get("limit") or select.args.get("offset")):
            continue
        order = select.args.get("order")
        keys = list(order.expressions) if order is not None else []
        width = len(select.selects)
        more: list[exp.Expr] = [exp.Literal.number(position + 1) for position in range(min(width, 50))]
        if any(column.is_star for column in select.selects):
            more = []
        group = select.args.get("group")
        if group is not None:
            more += [key.copy() for key in group.expressions if not isinstance(key, exp.Literal)]
        elif isinstance(select, exp.Select) and len(_sources(select)) == 1 and not select.args.get("distinct"):
            more += _row_key(select, row_number)
        added = [exp.Ordered(this=key, desc=descending, nulls_first=not descending) for key in more]
        if keys or added:
            select.set("order", exp.Order(expressions=[*keys, *added]))
    return tree


def _row_key(select: exp.Select, name: str) -> list[exp.Expr]:
    if "?" in _sources(select).values() or any(node.find(exp.AggFunc) for node in select.selects):
        return []
    return [exp.column(name)]


def same_statement(one: Query, other: Query) -> bool:
    """The same after parsing: the writing of names, aliases and blanks does not count."""
    if one.sql == other.sql:
        return True
    if one.tree is None or other.tree is None:
        return False
    return _canonical(one) == _canonical(other)


def _canonical(query: Query) -> str:
    assert query.tree is not None
    tree = query.tree.copy()
    names = _table_aliases(tree)
    known = {column.lower() for table in query.tables.values() for column in table.columns} | query.tables.keys() | names.keys()
    for node in tree.find_all(exp.Identifier):
        name = node.this.lower()
        if name in known or not node.args.get("quoted"):
            role = isinstance(node.parent, exp.TableAlias) or (isinstance(node.parent, exp.Column) and node.arg_key == "table")
            node.set("this", names.get(name, name) if role else name)
            node.set("quoted", False)
    for select in tree.find_all(exp.Select):
        select.set(
            "expressions",
            [part.this if isinstance(part, exp.Alias) and select is tree else part for part in select.expressions],
        )
    return text(tree)


def _table_aliases(tree: exp.Expr) -> Mapping[str, str]:
    aliases: dict[str, str] = {}
    for table in tree.find_all(exp.Table):
        aliases.setdefault(table.alias_or_name.lower(), f"t{len(aliases) + 1}")
    return aliases
