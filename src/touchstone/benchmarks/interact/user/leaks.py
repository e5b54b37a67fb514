"""What an answer gives away: words, values and passages of the gold that the user was not meant to tell.

An answer may use whatever is in the texts that are allowed: the chosen piece, the question, the request. Of the rest of
the gold these count, as whole words and in any case:

- telling names and literals: with an underscore, a digit, a capital inside (`SnrRatio`), of three words and more, or no
  ordinary English (`expemplref`, see `ordinary`);
- plain ones (`name`, `signals`, 'High'), which may be ordinary English, only where the answer writes them as code: within
  backticks, alone in quotes, next to a dot, before a bracket or a comparison, behind a keyword in capitals, with a
  capital inside or all in capitals; a literal also where it has its own capital in the middle of a sentence, is told as
  a value ("marked automated"), is long, or has two words of meaning ('Dry Ice');
- numbers but the integers up to ten and the powers of ten, whatever they count, and days, as `figures` reads them;
- passages: six tokens and more in a row, three of them words or numbers, qualifiers (`s.`) left out;
- names and literals in disguise, as `disguises` reads them: in another spelling, spelled out or encoded;
- the gold's sort direction and its number of decimals (`order`), unless what may be told has the same.

Keywords, types, the everyday functions and names of one or two letters never count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import pairwise

from .clauses import Dialect, Token, lex
from .disguises import SHORTEST, Hidden, Run, Words, canonical, name_parts, singular
from .figures import dates, plain, values
from .order import told_direction, told_places
from .ordinary import is_everyday, is_ordinary, may_be_a_word

RUN = 6
LONGEST_ALLOWED = 10_000
"""Characters of a text that may be told. A longer question is the agent's, and must not keep the run waiting."""
_ORDINARY = frozenset(
    """abs all alter analyze and any array as asc avg begin between bigint bool boolean both by cascade case cast ceil
    char check coalesce column commit concat conflict constraint count create cross cube current current_date
    current_timestamp date date_part datetime day decimal declare default delete desc distinct do double drop each else
    end escape except execute exists explain extract false fetch filter first float floor following for foreign from
    full function glob greatest group grouping having hour if ilike in index inner insert int integer intersect
    interval into is join json jsonb key language last lateral least left length like limit list lower match
    materialized max merge min minute month natural next no not nothing null nullif nulls numeric of offset on only or
    order out outer over partition power preceding precision primary procedure range real recursive references refresh
    rename replace return returning returns right rollup round row rows second select set sets share similar smallint
    some sqrt substring sum table temp temporary text then time timestamp to trigger trim true truncate unbounded union
    unique update upper using value values varchar varying view when where window with within without year zone""".split()
)
_FUNCTION_WORDS = frozenset(
    """all and any are both but can could did does done each few for from had has have her here his how into its just less
    many may more most much must need not now off one only other our out over own per same she should some such
    than that the their them then there these they this those too two under until upon very was were what when where
    which who why will with within without would yet you your""".split()
)
_LONG_VALUE = 11
_GRADE = re.compile(r"([A-Z]\w*) ([A-Z0-9]{1,3})")
"""'Priority A', 'Level 3', 'Type II'."""
_SAID_CODES = frozenset(("AM", "HR", "ID", "IT", "NO", "OK", "PC", "PM", "TV"))
"""Two capitals that people write anyway; of others ('NY') a literal is a secret."""
_WORDS = re.compile(r"\w+")
_TELLING = re.compile(r"[_\d]|[a-z][A-Z]|[A-Z]{2}[a-z]")
_CODE = re.compile(
    r"""`([^`]+)` | \b(\w+)(?=\.\w|\(|\s*[<>=]) | (?<=\w\.)(\w+)
    | \b(?:SELECT|FROM|JOIN|WHERE|BY|AND|OR|ON|AS|SET|INTO|UPDATE)\s+(\w+)
    | \b([a-z]\w*[A-Z]\w* | [A-Z]+[a-z]+[A-Z]\w* | [A-Z]{2,}\w*)\b""",
    re.VERBOSE,
)
_CAPITALS = re.compile(r"\b[A-Z]{2}\w*(?: [A-Z]{2}\w*)+\b")
_QUOTED = re.compile(r'"([^"\n]+)"|“([^”\n]+)”|(?<!\w)\'([^\'\n]+)\'(?!\w)')
_INSIDE = re.compile(r"(?<=[\w,;:()*/] )[*(\[]*([A-Z]\w*(?: [A-Z]\w*)*)")
_NAMED = (
    re.compile(
        r"\b(?:\w+ ){1,2}\w+[,)]? (?:\(?(?:the|that) |is (?:the|a|our|its) (?:\w+ )?)?(?:column|field|table|attribute)\b"
    ),
    re.compile(
        r"\b(?:column|field|table|attribute|called|named|(?:name|call) (?:it|them|this)|insert into|delete from) (?:\w+ ?){1,5}"
    ),
)
_VALUE = re.compile(
    r"\b(?:(?:says|reads|equals|equal to|set to|rated|(?:marked|flagged|labell?ed|tagged|classified)(?: as)?)"
    r"|(?:status|state|level|type|kind|category|class|role|mode|value) (?:is|are|was|(?:must|should|has to|have to) be))"
    r" (\w+)(?! enough)"
)
"""What a sentence gives as a value: "where the link says disconnected"."""
_STATEMENT = re.compile(
    r"\b(?:SELECT\b[^.]*?\bFROM\s+\S+|INSERT\s+INTO\s+\S+|UPDATE\s+\S+\s+SET\s+\S+|DELETE\s+FROM\s+\S+"
    r"|CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP\w*\s+|MATERIALIZED\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|INDEX)\s+\S+"
    r"|ALTER\s+TABLE\s+\S+|WITH\s+\w+\s+AS\s*\()"
    r"|```\w*\s[^`]+```",
    re.DOTALL,
)
_QUALIFIER = re.compile(r"\b[^\W\d]\w*\s*\.\s*(?=[^\W\d]|\")")
_PIECE = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?|[^\w\s]")
_SIGNS = str.maketrans({"×": "*", "·": "*", "−": "-", "–": "-", "÷": "/", "≥": ">=", "≤": "<=", "`": "", '"': ""})


def leaks(answer: str, gold: Sequence[str], allowed: Sequence[str], dialect: Dialect) -> tuple[str, ...]:
    """Names and literals in the order of the gold, then numbers, then passages, then what is told of order and rounding."""
    answer, allowed = plain(answer), [plain(text[:LONGEST_ALLOWED]) for text in allowed]
    text = _Text(answer)
    known = _Text(" \0 ".join(allowed))
    tokens = [token for sql in gold for token in lex(sql, dialect)]
    named = [
        secret
        for secret, literal in dict.fromkeys(_secrets(tokens))
        if (text.tells(secret, literal) and not known.has(secret))
        or (text.describes(secret) and not (known.describes(secret) or known.has(secret)))
    ]
    answer_in_clear = f"{answer} \n {text.decoded}"
    named += _dates(answer_in_clear, tokens, allowed)
    numbers = (values(answer_in_clear) & _numbers(tokens)) - values(" \n ".join(allowed))
    runs = _runs(answer, " ".join(token.text for token in tokens), tuple(allowed))
    whole = "\n".join(gold)
    more = (told_direction(answer, whole, allowed), told_places(answer, whole, allowed))
    return (*dict.fromkeys(named), *(f"{number:f}" for number in sorted(numbers)), *runs, *filter(None, more))


def verbatim_sql(answer: str, question: str) -> tuple[str, ...]:
    """Statements in an answer: nobody who does not know SQL says them, whatever they were told. Not those of the question."""
    asked = " ".join(question.casefold().split())
    statements = (" ".join(statement[0].split()) for statement in _STATEMENT.finditer(answer))
    return tuple(statement for statement in statements if statement.casefold() not in asked)


class _Text:
    """The words of a text, and which of them are written as code or with a capital where none is due."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._all = _phrase(text)
        spans = [" ".join(filter(None, match)) for match in _CODE.findall(text)]
        self._code = " \0 ".join(map(_phrase, [*spans, *_CAPITALS.findall(text)]))
        self._quoted = {_phrase("".join(match)) for match in _QUOTED.findall(text)}
        self._capital = {match for run in _INSIDE.findall(text) for match in (run, *run.split())}
        self._values = {_phrase(match) for match in _VALUE.findall(text.casefold())}
        self._named = [_phrase(match) for named in _NAMED for match in named.findall(text.casefold())]
        self._words = Words(text)
        self._hidden = Hidden(text)
        self.decoded = self._hidden.decoded

    def tells(self, secret: str, literal: bool) -> bool:
        """Whether it has the secret in a way that counts."""
        phrase = _phrase(secret)
        if phrase in self._all:
            if _is_telling(secret) or phrase in self._code or phrase in self._quoted:
                return True
            grade = _GRADE.fullmatch(secret)
            graded = grade and re.search(rf"\b(?i:{grade[1]}) {grade[2]}\b", self._text)
            return literal and bool(graded or secret in self._capital or phrase in self._values or _is_telling_value(secret))
        if len(canonical(secret)) < SHORTEST:
            return False
        if self._hidden.has(secret) or self._words.glued(secret) or self._words.abbreviated(secret):
            return True
        return any(self._is_name(run, literal) and self._is_apart(secret, run) for run in self._words.runs(secret))

    def describes(self, secret: str) -> bool:
        """Whether it has the secret's words in full."""
        return self._words.expanded(secret)

    def has(self, secret: str) -> bool:
        """In whatever form."""
        return _phrase(secret) in self._all or bool(self._words.runs(secret)) or self.tells(secret, literal=True)

    def _is_apart(self, secret: str, run: Run) -> bool:
        return len(name_parts(secret)) > 1 or _is_telling(secret) or not all(map(is_ordinary, run.words))

    def _is_name(self, run: Run, literal: bool) -> bool:
        """Whether words that make up a name cannot be two ordinary words of a sentence."""
        if literal or run.is_tight or len(run.words) > 2 or not all(map(is_ordinary, run.words)):
            return True
        apart = _phrase(" ".join(run.words))
        written = apart in self._quoted or apart in self._code or any(apart in named for named in self._named)
        return written or apart in map(_phrase, self._capital)


def _is_telling(secret: str) -> bool:
    """Whether nobody says it by chance."""
    words = _WORDS.findall(secret.casefold())
    return bool(_TELLING.search(secret)) or len(words) > 2 or not all(map(may_be_a_word, words))


def _is_telling_value(literal: str) -> bool:
    """Two words that mean something ('Dry Ice', not 'On Loan'), or a long one that is not everyday ('Disconnected')."""
    words = _WORDS.findall(literal.casefold())
    if len(words) == 1:
        return len(literal) >= _LONG_VALUE and not is_everyday(words[0])
    return len(words) == 2 and all(len(word) > 2 and word not in _FUNCTION_WORDS for word in words)


def _phrase(text: str) -> str:
    """Its words, such that one phrase is in another as whole words or not at all."""
    words = _WORDS.findall(text.replace(chr(0), " __between__ ").casefold())
    return f" {' '.join(map(singular, words))} "


def _secrets(tokens: Iterable[Token]) -> Iterator[tuple[str, bool]]:
    """Names and literals worth keeping, and whether each is a literal."""
    for token in tokens:
        text = token.text
        if token.kind == "string":
            text = text.partition("'")[2][:-1].replace("''", "'").strip("%_ ")
        elif token.kind == "name":
            text = text[1:-1]
        elif token.kind != "word":
            continue
        speaks = any(map(str.isalpha, text)) or len(_WORDS.findall(text)) > 1
        is_code = token.kind == "string" and len(text) == 2 and text.isupper() and text not in _SAID_CODES
        if speaks and (len(text) > 2 or is_code) and text.casefold() not in _ORDINARY:
            yield text, token.kind == "string"


def _numbers(tokens: Iterable[Token]) -> set[Decimal]:
    """The numbers that mean something by themselves."""
    numbers: set[Decimal] = set()
    for token in tokens:
        text = token.text.strip("'")
        if token.kind in ("number", "string"):
            try:
                numbers.add(Decimal(text.replace("_", "")).normalize())
            except InvalidOperation:
                continue
    return {number for number in numbers if number.is_finite() and not _everyday(number)}


def _dates(answer: str, tokens: Iterable[Token], allowed: Sequence[str]) -> list[str]:
    """The gold's days that the answer names, in whatever form."""
    known = dates(" \n ".join(allowed))
    told_days = dates(answer) - known - {day[5:] for day in known}
    days = (day for token in tokens if token.kind == "string" for day in dates(token.text))
    return [day for day in days if {day, day[5:]} & told_days]


def _everyday(number: Decimal) -> bool:
    return (number == number.to_integral_value() and number <= 10) or (number > 1 and number.as_tuple().digits == (1,))


def _runs(answer: str, gold: str, allowed: tuple[str, ...]) -> list[str]:
    """The longest passages that the answer and the gold share and no allowed text has."""
    pieces = _pieces(answer)
    secret = _windows((gold,)) - _windows(allowed)
    starts = [at for at in range(len(pieces) - RUN + 1) if pieces[at : at + RUN] in secret]
    ends = [start for start, following in pairwise([*starts, -1]) if following != start + 1]
    begins = [start for before, start in pairwise([-2, *starts]) if start != before + 1]
    runs = (pieces[begin : end + RUN] for begin, end in zip(begins, ends, strict=True))
    allowed_texts = [f" {' '.join(_pieces(text))} " for text in allowed]
    return [
        " ".join(run)
        for run in runs
        if sum(piece[0].isalnum() for piece in run) >= RUN // 2 and not _is_told(run, allowed_texts)
    ]


def _is_told(run: Sequence[str], allowed_texts: Sequence[str]) -> bool:
    """Up to commas and stops around it, which are the sentence's."""
    bare = f" {' '.join(run).strip(' ,.;:')} "
    return any(bare in text for text in allowed_texts)


@lru_cache(maxsize=256)
def _windows(texts: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(pieces[at : at + RUN] for pieces in map(_pieces, texts) for at in range(len(pieces) - RUN + 1))


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(_QUALIFIER.sub("", text.replace("**", "").translate(_SIGNS)).casefold()))
