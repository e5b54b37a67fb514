"""A service under test: whatever it answers, the episode ends with the right outcome, kind and reason."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import formatdate
from typing import Any

import pytest

from tests.support.ports import nobody_listens
from tests.support.sql_service import (
    Answer,
    Script,
    SqlService,
    failing,
    hang,
    html,
    large,
    reset,
    says,
    slow,
    sql,
    trickle,
)
from touchstone.agents.http import HttpAgent, HttpConfig, fill, sql_of
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.errors import EpisodeFailure, InputError, ServiceFailure, ServiceNonsense, ServiceUnreachable
from touchstone.options import OptionError
from touchstone.protocols import AgentContext, Hints
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome, Record, ServiceStep, ToolStep

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOLD = "SELECT name FROM item WHERE price > 1.0"
FIELDS = {"question": "Which items are dear?", "database": "shop", "evidence": "dear means price > 1"}


TEMPLATE = Hints().service_template


async def ask(
    bird: Bird,
    script: Script,
    *,
    attempts: int = 1,
    seconds: float = 10.0,
    template: Mapping[str, Any] = TEMPLATE,
    headers: Mapping[str, str] | None = None,
    sql_field: str = "sql",
) -> tuple[Record, EpisodeFailure | None, SqlService]:
    """The first task's record when the service answers so, the failure if it was one, and the service."""
    header = tuple(f"{name}={value}" for name, value in (headers or {}).items())
    with SqlService(script) as service:
        config = HttpConfig(api_url=service.url, api_timeout=seconds, header=header, sql_field=sql_field)
        agent = HttpAgent(config, template, attempts)
        try:
            record, failure = await play(bird, agent, bird.tasks()[0])
        finally:
            await agent.close()
    return record, failure, service


async def ask_at(bird: Bird, url: str) -> tuple[Record, EpisodeFailure | None]:
    agent = HttpAgent(HttpConfig(api_url=url), TEMPLATE, attempts=1)
    try:
        return await play(bird, agent, bird.tasks()[0])
    finally:
        await agent.close()


def exchange(record: Record) -> ServiceStep:
    (step,) = [step for step in record.steps if isinstance(step, ServiceStep)]
    return step


class TestAnAnswerWithSql:
    async def test_it_is_handed_in_and_judged(self, bird: Bird) -> None:
        record, failure, service = await ask(bird, [sql(GOLD, input_sequence="...")])
        assert (record.outcome, failure) == (Outcome.passed, None)
        assert service.requests == [{"question": "Which items are dear?", "db_id": "shop"}]
        assert service.headers[0]["Content-Type"] == "application/json"
        assert [type(step) for step in record.steps] == [ServiceStep, ToolStep]
        assert exchange(record).request == service.requests[0]
        assert exchange(record).status == 200
        assert exchange(record).response == {"sql": GOLD, "execution_success": True, "error": None, "input_sequence": "..."}
        assert record.usage.calls == 0

    @pytest.mark.parametrize(
        "written",
        [
            f"{GOLD};",
            f"  {GOLD} ; ;\n",
            f"```sql\n{GOLD}\n```",
            f"```sql\r\n{GOLD};\r\n```",
            f"```\n{GOLD};\n```",
            f"```sql {GOLD} ```",
            f"```SQLite\n{GOLD}",
            f"Here it is:\n```sql\n{GOLD};\n```\nIt lists what is dear.",
            f"-- the dear ones\n{GOLD} -- that is all",
            f"/* the dear ones; all */ {GOLD}; -- that is all;",
        ],
    )
    async def test_fences_comments_and_semicolons_do_no_harm(self, bird: Bird, written: str) -> None:
        record, _, _ = await ask(bird, [sql(written)])
        assert record.outcome is Outcome.passed, record.reason

    async def test_a_slow_answer_is_waited_for(self, bird: Bird) -> None:
        record, _, _ = await ask(bird, [slow(sql(GOLD), 0.4)], seconds=10)
        assert record.outcome is Outcome.passed
        assert 0.4 <= exchange(record).seconds < 10

    @pytest.mark.parametrize("status", [200, 201])
    async def test_every_status_of_success_will_do(self, bird: Bird, status: int) -> None:
        record, _, _ = await ask(bird, [says({"sql": GOLD}, status=status)])
        assert record.outcome is Outcome.passed

    async def test_what_the_service_says_of_its_own_try_does_not_count(self, bird: Bird) -> None:
        record, _, _ = await ask(bird, [says({"sql": GOLD, "execution_success": False, "error": "no such table"})])
        assert record.outcome is Outcome.passed

    @pytest.mark.parametrize(
        ("written", "reason"),
        [
            ("SELECT nam FROM item", "The prediction cannot be run: no such column: nam"),
            ("DELETE FROM item", "The prediction changes the database; only a query can be judged."),
            ("-- I do not know", "The prediction is empty."),
        ],
    )
    async def test_sql_that_gives_no_table_fails(self, bird: Bird, written: str, reason: str) -> None:
        record, failure, _ = await ask(bird, [sql(written)])
        assert (record.outcome, failure, record.reason) == (Outcome.failed, None, reason)

    async def test_an_answer_just_below_the_limit_is_taken(self, bird: Bird) -> None:
        record, _, _ = await ask(bird, [sql(GOLD, input_sequence="x" * (15 * 2**20))], seconds=60)
        assert record.outcome is Outcome.passed


class TestAnAnswerWithoutSql:
    @pytest.mark.parametrize(
        ("answer", "kind", "reason"),
        [
            (says({}), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (sql(None), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (sql(42), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (sql(" \n"), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (sql(";"), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (sql("```sql\n```"), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (sql("sql placeholder"), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (sql("SQL Placeholder;"), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (
                sql(None, error="out of\nbeams"),
                "no_sql",
                "there is no SQL at 'sql' in the service's answer; it says: out of beams",
            ),
            (says([GOLD]), "no_sql", "there is no SQL at 'sql' in the service's answer"),
            (says(42), "api_not_json", "the service's answer is not a JSON object: 42"),
            (says(None), "api_not_json", "the service's answer is not a JSON object: null"),
            (says(GOLD), "api_not_json", f'the service\'s answer is not a JSON object: "{GOLD}"'),
            (Answer(), "api_not_json", "the service's answer is not a JSON object: an empty body"),
            (Answer(b'{"sql": "SEL'), "api_not_json", 'the service\'s answer is not a JSON object: {"sql": "SEL'),
            (Answer(b"\xff\xfe\x00"), "api_not_json", "the service's answer is not a JSON object: "),
            (Answer(b"[" * 100_000), "api_not_json", "the service's answer is not a JSON object: [["),
            (html(), "api_not_json", "the service's answer is not a JSON object: <html><head><title>Sign in</title></head>"),
            (
                Answer(b"not packed", headers={"Content-Encoding": "gzip"}),
                "api_not_json",
                "the service's answer cannot be unpacked: ",
            ),
        ],
    )
    async def test_it_fails_and_says_what_came(self, bird: Bird, answer: Answer, kind: str, reason: str) -> None:
        record, failure, service = await ask(bird, [answer], attempts=3)
        assert isinstance(failure, ServiceNonsense)
        assert (record.outcome, record.evidence["kind"]) == (Outcome.failed, kind)
        assert record.reason.startswith(reason)
        assert len(record.reason) < 300
        assert len(service.requests) == 1

    async def test_what_the_service_says_at_length_is_cut(self, bird: Bird) -> None:
        record, _, _ = await ask(bird, [sql(None, error="Traceback\n" * 1000)])
        assert len(record.reason) < 300
        assert "\n" not in record.reason

    async def test_an_answer_of_50_mb_is_not_read_to_its_end(self, bird: Bird) -> None:
        record, failure, service = await ask(bird, [large(50)], attempts=3, seconds=60)
        assert isinstance(failure, ServiceNonsense)
        assert (record.outcome, record.evidence["kind"]) == (Outcome.failed, "api_too_large")
        assert record.reason == "the service's answer is larger than 16 MB"
        assert len(service.requests) == 1


class TestNoAnswer:
    @pytest.mark.parametrize("answer", [hang(), trickle()])
    async def test_one_that_does_not_come_in_time_is_an_error(self, bird: Bird, answer: Answer) -> None:
        began = time.monotonic()
        record, failure, _ = await ask(bird, [answer], seconds=0.3)
        assert time.monotonic() - began < 60  # and not as long as the service would take
        assert isinstance(failure, ServiceFailure)
        assert (record.outcome, record.evidence["kind"]) == (Outcome.error, "api_timeout")
        assert record.reason == "no answer within 0.3 seconds"

    async def test_a_connection_that_is_reset_is_an_error(self, bird: Bird) -> None:
        record, failure, service = await ask(bird, [reset()])
        assert isinstance(failure, ServiceUnreachable)
        assert (record.outcome, record.evidence["kind"]) == (Outcome.error, "api_refused")
        assert record.reason.startswith(f"nothing usable answers at {service.url}: ")
        assert not record.reason.endswith(": ")

    async def test_nobody_at_the_address_is_an_error_and_tells_no_secrets(self, bird: Bird) -> None:
        with nobody_listens() as port:
            record, failure = await ask_at(bird, f"http://me:secret@127.0.0.1:{port}/infer?key=secret")
        assert isinstance(failure, ServiceUnreachable)
        assert record.reason.startswith(f"nothing usable answers at http://127.0.0.1:{port}/infer: ")
        assert "secret" not in record.reason

    @pytest.mark.parametrize("status", [301, 400, 401, 404, 422])
    async def test_a_refusal_is_an_error_and_is_not_tried_again(self, bird: Bird, status: int) -> None:
        record, failure, service = await ask(bird, [failing(status, said="not like this"), sql(GOLD)], attempts=3)
        assert isinstance(failure, ServiceFailure)
        assert (record.outcome, record.evidence["kind"]) == (Outcome.error, "api_status")
        assert record.reason == f'the service answered with status {status}: {{"detail": "not like this"}}'
        assert exchange(record).status == status
        assert exchange(record).response == {"detail": "not like this"}
        assert len(service.requests) == 1

    async def test_a_wrong_path_is_an_error(self, bird: Bird) -> None:
        with SqlService([sql(GOLD)]) as service:
            record, _ = await ask_at(bird, service.url + "/no")
        assert record.reason == 'the service answered with status 404: {"detail": "Not Found"}'


class TestAnotherTry:
    @pytest.mark.parametrize("status", [429, 500, 503])
    async def test_a_passing_failure_is_tried_again(self, bird: Bird, status: int) -> None:
        record, _, service = await ask(bird, [failing(status, after=0), sql(GOLD)], attempts=2)
        assert record.outcome is Outcome.passed
        assert len(service.requests) == 2
        assert exchange(record).status == 200

    async def test_only_so_often(self, bird: Bird) -> None:
        record, failure, service = await ask(bird, [failing(500, after=0)], attempts=3)
        assert isinstance(failure, ServiceFailure)
        assert (record.outcome, record.evidence["kind"]) == (Outcome.error, "api_status")
        assert record.reason == 'the service answered with status 500: {"detail": "out of order"}'
        assert len(service.requests) == 3

    async def test_after_as_long_as_the_service_asks_for(self, bird: Bird) -> None:
        record, _, service = await ask(bird, [failing(429, after=2), sql(GOLD)], attempts=2)
        assert record.outcome is Outcome.passed
        assert service.times[1] - service.times[0] >= 2

    async def test_after_a_pause_of_its_own_if_the_service_asks_for_none(self, bird: Bird) -> None:
        _, _, service = await ask(bird, [failing(503), sql(GOLD)], attempts=2)
        assert 1 <= service.times[1] - service.times[0] < 5

    @pytest.mark.parametrize("after", ["0", formatdate(0, usegmt=True)])
    async def test_at_once_if_the_service_says_so(self, bird: Bird, after: str) -> None:
        _, _, service = await ask(bird, [failing(503, after=after), sql(GOLD)], attempts=2)
        assert service.times[1] - service.times[0] < 0.9

    @pytest.mark.parametrize("after", ["soon", "²"])
    async def test_a_pause_that_cannot_be_read_is_passed_over(self, bird: Bird, after: str) -> None:
        record, _, _ = await ask(bird, [failing(429, after=after.encode().decode("latin-1")), sql(GOLD)], attempts=2)
        assert record.outcome is Outcome.passed

    @pytest.mark.parametrize("answer", [reset(), hang()])
    async def test_no_answer_is_tried_again(self, bird: Bird, answer: Answer) -> None:
        record, _, service = await ask(bird, [answer, sql(GOLD)], attempts=2, seconds=0.4)
        assert record.outcome is Outcome.passed
        assert len(service.requests) == 2


class TestHeaders:
    async def test_they_are_sent_and_not_recorded(self, bird: Bird) -> None:
        headers = {"Authorization": "Bearer sk-very-secret", "X-Team": "data "}
        record, _, service = await ask(bird, [sql(GOLD)], headers=headers)
        assert service.headers[0]["Authorization"] == "Bearer sk-very-secret"
        assert service.headers[0]["X-Team"] == "data"
        assert "sk-very-secret" not in repr(record)

    @pytest.mark.parametrize("said", ["bad key sk-very-secret", {"deep": ["Bearer sk-very-secret"]}])
    async def test_a_service_that_quotes_a_key_does_not_bring_it_into_the_record(self, bird: Bird, said: Any) -> None:
        record, _, _ = await ask(bird, [failing(401, said=said)], headers={"Authorization": "Bearer sk-very-secret"})
        assert record.reason.startswith("the service answered with status 401: ")
        assert "sk-very-secret" not in repr(record)

    async def test_a_header_that_is_no_key_does_not_change_what_is_recorded(self, bird: Bird) -> None:
        record, _, _ = await ask(bird, [sql(GOLD)], headers={"X-Team": "item"})
        assert exchange(record).response["sql"] == GOLD


class TestTheRequest:
    async def test_it_is_made_from_the_template(self, bird: Bird) -> None:
        template = {"input": [{"text": "{question} ({evidence})", "db": "{database}"}], "beams": 4, "raw": True, "none": None}
        _, _, service = await ask(bird, [sql(GOLD)], template=template)
        text = "Which items are dear? (dear means price > 1)"
        assert service.requests == [{"input": [{"text": text, "db": "shop"}], "beams": 4, "raw": True, "none": None}]

    @pytest.mark.parametrize(
        ("template", "filled"),
        [
            ("{question}", "Which items are dear?"),
            ("{database}/{database}", "shop/shop"),
            ("{{database}}", "{shop}"),
            ("{}", "{}"),
            ('{"a": 1}', '{"a": 1}'),
            ([["{database}"], 1.5], [["shop"], 1.5]),
            ({"{database}": "{database}"}, {"{database}": "shop"}),
        ],
    )
    async def test_names_in_braces_are_filled_in_wherever_a_text_is(self, template: Any, filled: Any) -> None:
        assert fill(template, FIELDS) == filled

    async def test_what_a_field_holds_is_not_filled_in_again(self) -> None:
        assert fill("{question}", {"question": "{database}?", "database": "shop"}) == "{database}?"

    async def test_a_name_that_no_field_has_is_one_clear_line(self) -> None:
        with pytest.raises(InputError) as caught:
            fill({"a": [{"b": "{schema}"}]}, FIELDS)
        assert str(caught.value) == "the request template names '{schema}'; there are: question, database, evidence"


class TestWhereTheSqlIs:
    @pytest.mark.parametrize(
        ("answer", "path"),
        [
            ({"sql": "SELECT 1"}, "sql"),
            ({"result": {"query": "SELECT 1"}}, "result.query"),
            ({"choices": [{"sql": "no"}, {"sql": "SELECT 1"}]}, "choices.1.sql"),
            ([{"sql": "SELECT 1"}], "0.sql"),
            (["SELECT 1"], "0"),
            ({"0": "SELECT 1"}, "0"),
        ],
    )
    async def test_names_and_positions_lead_to_it(self, answer: Any, path: str) -> None:
        assert sql_of(answer, path) == "SELECT 1"

    @pytest.mark.parametrize(
        "path", ["query", "choices", "choices.0", "choices.7.sql", "choices.x.sql", "choices.0.sql.more", ""]
    )
    async def test_a_path_that_leads_nowhere_is_named(self, path: str) -> None:
        with pytest.raises(ServiceNonsense) as caught:
            sql_of({"choices": [{"sql": "SELECT 1"}], "error": None}, path)
        assert str(caught.value) == f"there is no SQL at '{path}' in the service's answer"
        assert caught.value.kind == "no_sql"

    async def test_it_is_used_by_the_agent(self, bird: Bird) -> None:
        record, _, _ = await ask(bird, [says({"choices": [{"sql": GOLD}]})], sql_field="choices.0.sql")
        assert record.outcome is Outcome.passed


class TestSettingsThatCannotWork:
    def refused(self, **more: Any) -> str:
        settings: Mapping[str, Any] = {"api_url": "http://localhost:8000/infer", **more}
        with pytest.raises(OptionError) as caught:
            HttpConfig(**settings).build(AgentContext())
        assert "\n" not in str(caught.value)
        return caught.value.spelled()

    async def test_no_address(self) -> None:
        with pytest.raises(InputError, match=r"^api_url: the http agent needs the address of a service$"):
            HttpConfig().build(AgentContext())

    @pytest.mark.parametrize("url", ["http://", "http:///infer", "http://localhost:99999/infer"])
    async def test_an_address_without_a_host_or_a_possible_port(self, url: str) -> None:
        assert self.refused(api_url=url) == f"--api-url {url}: expected an address such as http://localhost:8000/infer"

    async def test_an_address_that_cannot_be_read(self) -> None:
        assert self.refused(api_url="http://[::1/infer").startswith("--api-url http://[::1/infer: ")

    @pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
    async def test_a_time_limit_that_is_none(self, seconds: float) -> None:
        assert self.refused(api_timeout=seconds) == f"--api-timeout {seconds:g}: expected a positive number"

    @pytest.mark.parametrize(
        ("name", "value", "complaint"),
        [
            ("X Key", "secret", "--header X Key: a header cannot have this name"),
            ("Schlüssel", "secret", "--header Schlüssel: a header cannot have this name"),
            ("X-Key", "sécret", "--header X-Key: its value has characters that a header cannot have"),
            ("X-Key", "secret\r\nmore", "--header X-Key: its value has characters that a header cannot have"),
        ],
    )
    async def test_a_header_that_cannot_be_sent(self, name: str, value: str, complaint: str) -> None:
        assert self.refused(header=f"{name}={value}") == complaint

    async def test_ordinary_ones_are_accepted(self) -> None:
        for url in ("http://localhost/infer", "https://me:pw@example.org:8443/a?b=c", "http://[::1]:8000/infer"):
            config = HttpConfig(api_url=url, header=("X-Key=secret\n", "Empty="))
            assert isinstance(config.build(AgentContext()), HttpAgent)
