"""The protocol of thought, object and action: what is read out of free text, however it is written, and how it is played."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Struct

from tests.support.playing import notes, observations
from tests.support.scripted_model import ScriptedModel, says
from touchstone.agents.react import LINES, ReactAgent, ReactConfig
from touchstone.agents.tags_protocol import TAGS, explain, parse
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.benchmarks.sql_episode import TOOLS as BIRD_TOOLS
from touchstone.errors import InputError
from touchstone.protocols import AgentContext, Hints
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome, Tool

GOLD = "SELECT name FROM item WHERE price > 1.0"


class Sql(Struct):
    sql: str


class Question(Struct):
    question: str


class Nothing(Struct):
    pass


class Column(Struct):
    table_name: str
    column_name: str


TOOLS = (
    Tool("execute", "Run SQL.", Sql),
    Tool("get_schema", "See the tables.", Nothing),
    Tool("get_column_meaning", "See what a column means.", Column),
    Tool("ask", "Ask the user.", Question),
    Tool("submit", "Hand in the SQL.", Sql),
)


def parsed(text: str) -> tuple[str, Any] | None:
    """The tool's name and what it is given: the only argument, or all of them by name."""
    call = parse(text, TOOLS, "id")
    if call is None:
        return None
    arguments = json.loads(call.arguments)
    return call.name, next(iter(arguments.values())) if len(arguments) == 1 else arguments


def acted(written: str) -> tuple[str, Any] | None:
    return parsed(f"<thought>so</thought><interaction_object>Environment</interaction_object><action>{written}</action>")


def sql_in(written: str) -> str:
    """The SQL in `execute(…)`."""
    found = acted(f"execute({written})")
    assert found is not None
    assert found[0] == "execute"
    return found[1]


anything = st.text(st.characters(codec="utf-8"), max_size=200) | st.text("'\"\\\n()<>/action; execute", max_size=60)
statement = st.builds(
    lambda head, rest: f"{head} {rest}".strip(),
    st.sampled_from(["SELECT", "WITH", "(SELECT", "-- a comment\nSELECT", "/* so */ SELECT", "select"]),
    anything,
)


class TestAnySql:
    """Comes back exactly, whatever it holds."""

    @given(anything)
    @example("SELECT ')</action>' AS \"a\", '\\d', 'it''s' -- ask(\n<action>submit(1)</action>\nObservation: x")
    @example("'''")
    @example("\\")
    def test_as_a_literal_as_json_and_with_its_name(self, sql: str) -> None:
        assert sql_in(repr(sql)) == sql
        assert sql_in(f"\n  sql = {sql!r} ,") == sql
        for ascii_only in (True, False):
            assert sql_in(json.dumps({"sql": sql}, ensure_ascii=ascii_only)) == sql

    @given(statement.filter(lambda sql: "action>" not in sql))
    @example("SELECT 'it''s'")
    @example("SELECT 'a' AS \"b\";")
    @example("SELECT f(')', '((', \"ask(\") FROM t WHERE a = 'x\\n'")
    @example("SELECT 'Observation: 1\nObservation: 2'")
    @example("SELECT 'submit(1)'\nask(what)")
    def test_bare(self, sql: str) -> None:
        assert sql_in(sql) == sql
        assert sql_in(f"sql={sql}") == sql
        assert acted(f" submit(\n{sql}\n) ;\n") == ("submit", sql)

    @given(statement.filter(lambda sql: "`" not in sql and "action>" not in sql))
    def test_in_a_code_fence(self, sql: str) -> None:
        assert sql_in(f"```sql\n{sql}\n```") == sql
        assert sql_in(f"\n```\n{sql}```\n") == sql
        assert acted(f"\n```python\nexecute({sql!r})\n```\n") == ("execute", sql)
        assert parsed(f"<t>So:\n```postgresql\n{sql}\n```\nThat is it.</t>") == ("submit", sql)

    @given(anything)
    def test_on_a_last_line_without_tags(self, sql: str) -> None:
        assert parsed(f"I look.\nexecute({sql!r})") == ("execute", sql)

    @given(
        anything,
        st.sampled_from(["", "\nObservation: 4 rows", "<thought>then</thought><action>submit('x')</action>", ")</action>"]),
    )
    def test_whatever_follows_the_action(self, sql: str, more: str) -> None:
        assert parsed(f"<action>execute({sql!r})</action>{more}") == ("execute", sql)


TAGGED = "<action> </action> <s> </s> <t> </t> <think> </think> <thought> </thought> ```".split()
OTHERS = r"""execute( ask submit( ( ) ' " ''' { } "sql": = , ; \ a Observation:""".split()


@given(st.lists(st.sampled_from([*TAGGED, *OTHERS, "\n", " "])))
def test_no_text_whatsoever_breaks_the_parser(pieces: list[str]) -> None:
    call = parse("".join(pieces), TOOLS, "id")
    assert call is None or (call.id == "id" and call.name)


@given(st.text(), st.sampled_from(["", "<action>", "<action>execute(", "<action>get_column_meaning(", "<s>", "execute("]))
def test_nor_does_any_character(text: str, before: str) -> None:
    parse(before + text, TOOLS, "id")


class TestQuotes:
    @pytest.mark.parametrize(
        ("written", "sql"),
        [
            ("'SELECT 1'", "SELECT 1"),
            ("'''SELECT \"a\", 'b'\nFROM t'''", "SELECT \"a\", 'b'\nFROM t"),
            ('"""SELECT "a""""', 'SELECT "a"'),
            ('"SELECT 1\nFROM t"', "SELECT 1\nFROM t"),
            ("\"SELECT 'it''s'\"", "SELECT 'it''s'"),
            (r"'SELECT \'a\'\n'", "SELECT 'a'\n"),
            (r"'SELECT a ~ \'\d+\b\1\''", r"SELECT a ~ '\d+\b\1'"),
            (r"r'a\nb'", r"a\nb"),
            (r'"\ud83d\ude00 \U0001F600"', "😀 😀"),
            (r"'half: \ud83d'", r"half: \ud83d"),
            ('"SELECT 1 "\n    "FROM t"', "SELECT 1 FROM t"),
            ("''", ""),
            ("", ""),
        ],
    )
    def test_a_literal_means_what_it_means_in_python(self, written: str, sql: str) -> None:
        assert sql_in(written) == sql

    @pytest.mark.parametrize(
        ("written", "sql"),
        [
            ("'it''s'", "it''s"),
            ("'SELECT a FROM t WHERE b = ''", "SELECT a FROM t WHERE b = '"),
            ("'SELECT a FROM t WHERE b = '''", "SELECT a FROM t WHERE b = ''"),
            ("'SELECT 'it''s''", "SELECT 'it''s'"),
            ("'SELECT * FROM t WHERE a = 'x''", "SELECT * FROM t WHERE a = 'x'"),
            ('"SELECT "a", f("b") FROM "t""', 'SELECT "a", f("b") FROM "t"'),
            ("`SELECT 1`", "SELECT 1"),
            ("sql='SELECT ''a'''", "SELECT ''a''"),
        ],
    )
    def test_sql_between_quotes_keeps_all_its_own(self, written: str, sql: str) -> None:
        assert sql_in(written) == sql

    @pytest.mark.parametrize(
        "question",
        ['"active" means what?', 'What\'s "active" (in 2024)?', "is it 'a' or b?", "status = 'x', right", "a, b or c?", ":-)"],
    )
    def test_a_question_keeps_its_quotes(self, question: str) -> None:
        assert acted(f"ask({question})") == ("ask", question)

    @pytest.mark.parametrize("written", ['{"query": "SELECT 1"}', '{"sql": "SELECT 1"', '{"sql": "\\ud800"}', '{"a":' * 5000])
    def test_what_is_not_the_json_it_seems_is_text(self, written: str) -> None:
        assert sql_in(written) == written


class TestOtherTools:
    @pytest.mark.parametrize(
        "written",
        ["get_schema()", "get_schema", " get_schema();\n", "`get_schema()`", "get_schema( ) ;", "GET_SCHEMA()", "get_schema(",
         "```\nget_schema()\n```", "get_schema('all')", "get_schema({})"],
    )  # fmt: skip
    def test_no_argument(self, written: str) -> None:
        for text in (f"<action>{written}</action>", f"<action>{written}", f"<action>{written}\nObservation: many tables"):
            call = parse(text, TOOLS, "id")
            assert call is not None
            assert (call.name, call.arguments) == ("get_schema", "{}")

    @pytest.mark.parametrize(
        "written",
        ["'person', 'age'", "person, age", ' "person" ,\n"age", ', "`person`, `age`", "'person', age",
         "table_name='person', column_name='age'", "column_name=age, table_name = person", "'person', column_name=\"age\"",
         '{"table_name": "person", "column_name": "age"}'],
    )  # fmt: skip
    def test_two_arguments(self, written: str) -> None:
        assert acted(f"get_column_meaning({written})") == ("get_column_meaning", {"table_name": "person", "column_name": "age"})

    @given(anything, anything)
    def test_two_literals_come_back_exactly(self, table: str, column: str) -> None:
        expected = ("get_column_meaning", {"table_name": table, "column_name": column})
        assert acted(f"get_column_meaning({table!r}, {column!r})") == expected
        assert acted(f"get_column_meaning(column_name={column!r}, table_name={table!r})") == expected

    @pytest.mark.parametrize("written", ["a, b, c", "'a', 'b', 'c'", "table_name=a, table_name=b"])
    def test_too_many_arguments_are_passed_on_as_written(self, written: str) -> None:
        call = parse(f"<action>get_column_meaning({written})</action>", TOOLS, "id")
        assert call is not None
        assert call.arguments == written

    @pytest.mark.parametrize("name", ["subtask", "execute_sql", "drop", "Überprüfe"])
    def test_an_unknown_name_is_a_call_too(self, name: str) -> None:
        call = parse(f"<action>{name}(SELECT (1))</action>", TOOLS, "id")
        assert call is not None
        assert (call.name, call.arguments) == (name, "SELECT (1)")

    @pytest.mark.parametrize("whom", ["User", "Environment", "user", "Nobody", ""])
    def test_the_object_does_not_matter(self, whom: str) -> None:
        text = f"<interaction_object>{whom}</interaction_object><action>submit(SELECT 1)</action>"
        assert parsed(text) == ("submit", "SELECT 1")


@pytest.mark.parametrize(
    "text",
    [
        "<action>execute(SELECT 1)</action>",
        "<ACTION>execute(SELECT 1)</Action >",
        "<action>execute(SELECT 1)",
        "<action>execute(SELECT 1",
        "<action>execute(SELECT 1</action>",
        "<action>execute('SELECT 1'</action>",
        "<action>execute(SELECT 1)</action>\nI hope (so) that this works.</action>",
        "<action>execute(SELECT 1)\n\nThis tells how many there are (I hope).\nLet us see.",
        "<action>execute(SELECT 1)\nObservation: (4 rows)\n<action>submit(SELECT 2)</action>",
        "<action>execute(SELECT 1)</action><action>submit(SELECT 2)</action>",
        "<action>execute(SELECT 1\n<action>submit(SELECT 2)</action>",
        "<thought>I could <action>submit(SELECT 2)</action> now</thought><action>execute(SELECT 1)</action>",
        "<thought>never closed <action>execute(SELECT 1)</action>",
        "I write an <action> now.\n<action>execute(SELECT 1)</action>",
        "<think>Or <action>submit(SELECT 2)</action>?</think>\n<action>execute(SELECT 1)</action>",
        "Or <action>submit(SELECT 2)</action>?</think>\n<action>execute(SELECT 1)</action>",
        "hm, <s>what?</s></think><action>execute(SELECT 1)</action>",
        "I ask( nobody ).\n\nexecute(SELECT 1);\n",
        "<thought>so</thought>\n<interaction_object>Environment</interaction_object>execute(SELECT 1)",
        "Action: execute('SELECT 1')",
        "ask(what?)\nexecute(SELECT 1)",
        "ask('what?')\n```\nexecute(SELECT 1)\n```",
        "execute(SELECT 1)\nObservation: 1\nsubmit(SELECT 2)",
        "<s>what?</s><action>execute(SELECT 1)</action>",
    ],
)
def test_many_ways_of_writing_the_same_action(text: str) -> None:
    assert parsed(text) == ("execute", "SELECT 1")


def test_what_looks_like_a_call_in_a_literal_is_a_part_of_it() -> None:
    assert parsed("execute('SELECT 1\nask(x)')") == ("execute", "SELECT 1\nask(x)")
    assert parsed("<action>execute(SELECT '</think>')</action>") == ("execute", "SELECT '</think>'")


@pytest.mark.parametrize(
    "text",
    ["", "SELECT 1", "<action></action>", "<action>", "<action>I look at the tables</action>", "do a subtask(x)", "subtask(x)",
     "I would execute(SELECT 1)", "execute(SELECT 1)\nThat is what I would do.", "execute('SELECT 1') and so on",
     "<think>still at it <action>execute(SELECT 1)</action>", "<s>what", "ask",
     "<action>hm, hm</action>\nObservation: x\n<action>submit(SELECT 2)</action>"],
)  # fmt: skip
def test_text_without_an_action_has_none(text: str) -> None:
    assert parse(text, TOOLS, "id") is None


class TestConversation:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("<s>What is <b>active</b>?</s>", ("ask", "What is <b>active</b>?")),
            ("I ask.\n<S>\nwhat?\n</S>", ("ask", "what?")),
            ("<t>SELECT 1;</t>", ("submit", "SELECT 1;")),
            ("<t>```SELECT 1```</t>", ("submit", "SELECT 1")),
            ("<t>```sql SELECT 1 ```</t>", ("submit", "SELECT 1")),
            ("<s>what?</s><t>SELECT 1</t>", ("ask", "what?")),
            ("<t>SELECT 1</t><s>right?</s>", ("submit", "SELECT 1")),
            ("<s>or not <t>SELECT 1</t>", ("submit", "SELECT 1")),
            ("<think><s>what?</s></think><t>SELECT 1</t>", ("submit", "SELECT 1")),
        ],
    )
    def test_a_question_or_the_sql(self, text: str, found: tuple[str, str]) -> None:
        assert parsed(text) == found

    def test_only_where_there_are_such_tools(self) -> None:
        assert parse("<s>what?</s><t>SELECT 1</t>", BIRD_TOOLS, "id") is None


UNITS = [
    *TAGGED,
    *OTHERS,
    "<action>x y",
    "execute(\n",
    "execute('\n",
    'execute({"sql":"\n',
    "get_schema\n",
    "'' ",
    " ",
    "\n",
    "); ",
]


@pytest.mark.parametrize("unit", UNITS)
def test_long_replies_are_read_in_one_go(unit: str) -> None:
    """A parser that goes back over what it has read would take minutes for these, not the blink of an eye."""
    for before in ("", "<action>", "<action>execute(", "<action>execute('", '<action>execute({"sql": "', "execute(", "<t>"):
        text = before + unit * (200_000 // len(unit)) + ")"
        started = time.process_time()
        parse(text, TOOLS, "id")
        assert time.process_time() - started < 10


def test_the_explanation_names_every_tool_and_every_tag() -> None:
    text = explain(TOOLS)
    for words in ("<thought>", "<interaction_object>User for ask and submit, else Environment<", "<action>name(arguments)<"):
        assert words in text
    for words in ("execute(sql): Run SQL.", "get_schema(): See the tables.", "get_column_meaning(table_name, column_name): "):
        assert f"\n- {words}" in text
    assert "<interaction_object>Environment</interaction_object>" in explain(BIRD_TOOLS)
    assert "<interaction_object>User</interaction_object>" in explain(TOOLS[-2:])


def test_the_settings_choose_the_protocol() -> None:
    model = ScriptedModel([])
    plain, tagged = AgentContext(model=model), AgentContext(model=model, hints=Hints(text_protocol="tags"))
    assert vars(ReactConfig().build(plain))["_protocol"] is LINES
    assert vars(ReactConfig().build(tagged))["_protocol"] is TAGS
    assert vars(ReactConfig(protocol="tags").build(plain))["_protocol"] is TAGS
    assert vars(ReactConfig(protocol="lines").build(tagged))["_protocol"] is LINES
    with pytest.raises(InputError, match="protocol='xml': expected one of lines, tags"):
        ReactConfig(protocol="xml")  # pyright: ignore


@pytest.mark.asyncio(loop_scope="module")
async def test_it_plays_a_task_and_recovers_from_its_mistakes(bird: Bird) -> None:
    answers = [
        "I do not know.",
        "<action>run(SELECT 1)</action>",
        "<action>execute_sql(SELECT count(*) AS n FROM item)</action>",
        f"<thought>done</thought><action>submit_sql({GOLD!r})</action>",
    ]
    model = ScriptedModel(map(says, answers))
    record, _ = await play(bird, ReactAgent(model, 20, TAGS), bird.tasks()[0])
    assert record.outcome is Outcome.passed
    assert notes(record) == [TAGS.reminder]
    unknown, counted, _ = observations(record)
    assert unknown.text.startswith("There is no tool named 'run'.")
    assert model.asked[3][-1] == {"role": "user", "content": f"Observation: {counted.text}"}
    assert explain(BIRD_TOOLS) in model.asked[0][0]["content"]
