"""`touchstone spider2 api`: a service is asked, its SQL is run, and the results are compared and written down."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.spider2.worlds import (
    BY_QUESTION,
    QUESTIONS,
    SQL,
    Spider2World,
    make_spider2,
    question,
    write_lines,
)
from tests.cli.conftest import Cli
from tests.support.command import Done, finish, overall, records, run_directory, start
from tests.support.ports import nobody_listens
from tests.support.sql_service import SqlService, answering, failing, says, sql
from tests.support.worlds import LONG

WITH_GOLD_SQL = ["local001", "local002", "local003"]
LOCAL = list(SQL)
KNOWING = answering(BY_QUESTION)

RESULT_KEYS = [
    "instance_id",
    "db",
    "question",
    "external_knowledge",
    "outcome",
    "reason",
    "api_response",
    "api_sql",
    "execution_result",
    "execution_result_rows",
    "execution_result_csv",
    "execution_success",
    "api_call_duration_seconds",
    "gold_comparison",
]
COMPARISON_KEYS = [
    "gold_files_found",
    "gold_files_compared",
    "matches_any_gold",
    "official",
    "strict",
    "comparison_details",
]
DETAIL_KEYS = ["gold_file", "match", "official_match", "gold_shape", "gold_columns", "exec_shape"]
STATISTICS_KEYS = (
    "total api_success api_failed not_asked exec_success exec_failed gold_found gold_not_found comparison_correct "
    "comparison_incorrect comparison_impossible api_success_rate exec_success_rate gold_found_rate accuracy scorable "
    "accuracy_scorable api_failures outcomes"
).split()

Api = Callable[..., Done]


@pytest.fixture
def spider2(tmp_path: Path) -> Spider2World:
    return make_spider2(tmp_path / "spider2")


@pytest.fixture
def api(cli: Cli, spider2: Spider2World) -> Api:
    """Evaluates the service with the small dataset; output goes to out.json, csv/ and runs/."""
    places = ("--output", "out.json", "--results", "csv", "--runs", "runs")

    def run(service: SqlService | str, *options: str | Path) -> Done:
        address = service if isinstance(service, str) else service.url
        given = ("--input", spider2.questions, "--api-url", address, *spider2.options, *places)
        return cli("spider2", "api", *given, *options)

    return run


def results(path: Path) -> dict[str, Any]:
    """The results file, by instance id."""
    entries = json.loads((path / "out.json").read_text())
    return {entry["instance_id"]: entry for entry in entries}


def numbers(path: Path) -> dict[str, Any]:
    return json.loads((path / "out_statistics.json").read_text())


class TestTheWholeWay:
    def test_a_service_that_knows_everything(self, api: Api, tmp_path: Path) -> None:
        with SqlService(KNOWING) as service:
            done = api(service)
        assert done.code == 0
        assert list(results(tmp_path)) == WITH_GOLD_SQL
        assert {entry["outcome"] for entry in results(tmp_path).values()} == {"passed"}
        assert service.asked == {each["question"]: 1 for each in QUESTIONS if each["instance_id"] in WITH_GOLD_SQL}
        assert done.err.splitlines()[0] == (
            "touchstone: 3 of 6 questions are left out: they have no gold SQL "
            "(--all takes every question that has a gold result)"
        )

    def test_the_results_file(self, api: Api, tmp_path: Path) -> None:
        with SqlService(
            answering({**BY_QUESTION, "Which items are dear?": sql("SELECT id, name FROM item", beams=4)})
        ) as service:
            api(service)
        entry = results(tmp_path)["local001"]
        assert list(entry) == RESULT_KEYS
        assert {name: entry[name] for name in QUESTIONS[1]} == QUESTIONS[1]
        assert entry["api_response"] == {"sql": entry["api_sql"], "execution_success": True, "error": None, "beams": 4}
        assert entry["api_sql"] == "SELECT id, name FROM item"
        assert entry["execution_result"][:2] == [{"id": 1, "name": "apple"}, {"id": 2, "name": "pear"}]
        assert (entry["execution_result_rows"], entry["execution_result_csv"]) == (4, "local001.csv")
        assert entry["execution_success"] is True
        assert 0 < entry["api_call_duration_seconds"] < 10
        comparison = entry["gold_comparison"]
        assert list(comparison) == COMPARISON_KEYS
        assert comparison["gold_files_found"] == comparison["gold_files_compared"] == ["local001.csv"]
        assert (comparison["matches_any_gold"], comparison["official"], comparison["strict"]) == (False, False, False)
        (detail,) = comparison["comparison_details"]
        assert list(detail) == DETAIL_KEYS
        assert (detail["gold_shape"], detail["exec_shape"], detail["gold_columns"]) == ([3, 1], [4, 2], ["name"])
        assert entry["outcome"] == "failed"
        assert "3 rows" in entry["reason"]

    def test_the_statistics(self, api: Api, tmp_path: Path) -> None:
        with SqlService(answering({**BY_QUESTION, "How many items are there?": "SELECT 5"})) as service:
            done = api(service)
        found = numbers(tmp_path)
        assert list(found) == STATISTICS_KEYS
        assert (found["total"], found["comparison_correct"], found["comparison_incorrect"]) == (3, 2, 1)
        assert (found["accuracy"], found["accuracy_scorable"], found["api_success_rate"]) == (66.67, 66.67, 100.0)
        assert found["outcomes"] == {"passed": 2, "failed": 1, "limit": 0, "error": 0, "unscorable": 0, "skipped": 0}
        assert "EVALUATION STATISTICS" in done.out
        assert "Overall Accuracy: 66.67%" in done.out
        assert done.out.endswith("Results: out.json\nStatistics: out_statistics.json\n")

    def test_every_result_is_a_csv_file(self, api: Api, tmp_path: Path) -> None:
        with SqlService(answering({**BY_QUESTION, "How many items are there?": "SELECT no"})) as service:
            api(service)
        assert sorted(path.name for path in (tmp_path / "csv").iterdir()) == ["local001.csv", "local003.csv"]
        with (tmp_path / "csv" / "local003.csv").open(newline="") as file:
            assert list(csv.reader(file))[:2] == [["name", "legs"], ["heron", "2"]]

    def test_the_run_directory_is_an_ordinary_one(self, api: Api, cli: Cli, tmp_path: Path) -> None:
        with SqlService(KNOWING) as service:
            api(service)
        run = run_directory(tmp_path / "runs")
        assert sorted(file.name for file in run.iterdir()) == [
            "config.json",
            "config.toml",
            "overall.json",
            "runs.jsonl",
            "seal.json",
            "summary.txt",
        ]
        assert overall(run)["overall"]["passed"] == 3
        assert overall(run)["metrics"].keys() == {"official", "strict", "surplus_columns"}
        assert cli("summary", run).out == (run / "summary.txt").read_text()
        (step, *_) = records(run)[0]["steps"]
        assert (step["type"], step["status"], step["request"]) == ("service", 200, service.requests[0])

    def test_the_official_comparison_can_decide(self, api: Api, tmp_path: Path) -> None:
        scrambled = "SELECT name, CASE name WHEN 'heron' THEN 4 WHEN 'newt' THEN 2 ELSE legs END FROM animal"
        with SqlService(answering({**BY_QUESTION, "Which animals have how many legs?": scrambled})) as service:
            api(service, "--compat", "official", "--task", "local003")
            assert results(tmp_path)["local003"]["outcome"] == "passed"
            api(service, "--task", "local003")
        entry = results(tmp_path)["local003"]
        assert (entry["outcome"], entry["gold_comparison"]["official"], entry["gold_comparison"]["strict"]) == (
            "failed",
            True,
            False,
        )

    def test_the_converted_form_is_taken_and_repeated(self, cli: Cli, api: Api, spider2: Spider2World, tmp_path: Path) -> None:
        assert cli("spider2", "convert", spider2.questions, "converted.json", "--gold", spider2.gold).code == 0
        with SqlService(KNOWING) as service:
            options = ("--output", "out.json", "--results", "csv", "--runs", "runs", "--api_url", service.url)
            done = cli("spider2", "api", "--input", "converted.json", *spider2.options, *options)
        assert done.code == 0
        entries = json.loads((tmp_path / "out.json").read_text())
        given = json.loads((tmp_path / "converted.json").read_text())
        assert [{name: entry[name] for name in given[0]} for entry in entries] == given[:3]
        assert numbers(tmp_path)["comparison_correct"] == 3


class TestWhichQuestions:
    @pytest.mark.parametrize(
        ("options", "chosen"),
        [
            ([], WITH_GOLD_SQL),
            (["--all"], LOCAL),
            (["--limit", "2"], WITH_GOLD_SQL[:2]),
            (["--all", "-n", "4"], LOCAL[:4]),
            (["--task", "local003", "--task", "local001"], ["local001", "local003"]),
            (["--all", "--task", "local005"], ["local005"]),
        ],
    )
    def test_are_asked(self, api: Api, tmp_path: Path, options: list[str], chosen: list[str]) -> None:
        with SqlService(KNOWING) as service:
            assert api(service, *options).code == 0
        assert list(results(tmp_path)) == chosen
        assert len(service.requests) == len(chosen)

    def test_with_all_those_without_a_golden_result_are_left_out(self, api: Api) -> None:
        with SqlService(KNOWING) as service:
            done = api(service, "--all")
        assert done.err.splitlines()[0] == "touchstone: 1 of 6 questions are left out: they have no gold result"

    def test_they_come_out_in_the_order_of_the_input_however_they_end(self, api: Api, tmp_path: Path) -> None:
        with SqlService(KNOWING) as service:
            assert api(service, "--all", "--parallel", "5").code == 0
        assert list(results(tmp_path)) == LOCAL


class TestTheRequest:
    def test_as_the_service_expects_it(self, api: Api) -> None:
        with SqlService(KNOWING) as service:
            api(service, "--limit", "1")
        assert service.requests == [
            {
                "question": "Which items are dear?",
                "db_id": "shop",
                "target_type": "natsql",
                "spider2_mode": True,
                "tables_path": "./data/spider2/converted/spider2-lite_tables.json",
                "num_return_sequences": 1,
                "num_beams": 4,
            }
        ]

    def test_minimal(self, api: Api) -> None:
        with SqlService(KNOWING) as service:
            api(service, "--limit", "1", "--minimal-request")
        assert service.requests == [{"question": "Which items are dear?", "db_id": "shop"}]

    @pytest.mark.parametrize("dash", ["-", "_"])
    def test_with_other_optional_fields_in_both_spellings(self, api: Api, dash: str) -> None:
        options = ["--target-type", "sql", "--tables-path", "t.json", "--num-return-sequences", "2", "--num-beams", "8"]
        with SqlService(KNOWING) as service:
            done = api(service, "-n", "1", *(re.sub(r"(?<=\w)-", dash, option) for option in options))
        assert done.code == 0
        sent = service.requests[0]
        assert (sent["target_type"], sent["tables_path"]) == ("sql", "t.json")
        assert (sent["num_return_sequences"], sent["num_beams"]) == (2, 8)

    def test_from_a_template_with_the_sql_elsewhere(self, api: Api, tmp_path: Path) -> None:
        template = {
            "messages": [{"role": "user", "content": "{question}"}],
            "db": {"name": "{database}", "id": "{instance_id}"},
        }
        (tmp_path / "template.json").write_text(json.dumps(template))

        def answer(request: Any) -> Any:
            return says({"choices": [{"sql": BY_QUESTION[request["messages"][0]["content"]]}]})

        with SqlService(answer) as service:
            done = api(service, "--request-template", "template.json", "--sql-field", "choices.0.sql")
        assert done.code == 0
        assert service.requests[0]["db"] == {"name": "shop", "id": "local001"}
        assert numbers(tmp_path)["comparison_correct"] == 3

    def test_headers_are_sent_and_never_written(self, api: Api, tmp_path: Path) -> None:
        secrets = {"Authorization": "Bearer sk-very-secret", "X-Key": "another=secret"}
        headers = [part for name, value in secrets.items() for part in ("--header", f"{name}={value}")]
        with SqlService(KNOWING) as service:
            done = api(service, "-v", *headers)
        assert done.code == 0
        for sent in service.headers:
            assert sent.items() >= secrets.items()
        written = [path for path in tmp_path.rglob("*") if path.is_file() and "cache" not in path.parts]
        assert len(written) > 8
        for text in (done.out, done.err, *(path.read_text(errors="replace") for path in written)):
            assert "secret" not in text


class TestSpellings:
    def test_as_the_script_that_users_know(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        with SqlService(KNOWING) as service:
            done = cli(
                *("spider2", "api", "--input", spider2.questions, "--output", "out.json", "--limit", "3"),
                *("--api_url", service.url, "--api_timeout", "20", "--gold", spider2.gold, "--runs", "runs"),
                *("--database_dir", spider2.databases, "--result_csv_dir", "csv"),
            )
        assert done.code == 0, done.err
        assert numbers(tmp_path)["comparison_correct"] == 3
        assert len(list((tmp_path / "csv").iterdir())) == 3

    def test_defaults_are_where_users_have_their_files(self, cli: Cli, tmp_path: Path) -> None:
        here = tmp_path / "project"
        here.mkdir()
        world = make_spider2(tmp_path / "Spider2" / "spider2-lite")
        world.databases.rename(here / "database")
        with pytest.MonkeyPatch.context() as patch, SqlService(KNOWING) as service:
            patch.chdir(here)
            converted = Path("data/spider2/converted/spider2-lite_new_format.json")
            gold = "../Spider2/spider2-lite/evaluation_suite/gold"
            assert cli("spider2", "convert", world.questions, converted, "--gold", gold).code == 0
            assert cli("spider2", "api", "--api_url", service.url).code == 0
        made = sorted(str(path.relative_to(here)) for path in here.rglob("data/**/*") if path.is_file())
        assert made == [
            "data/spider2/converted/spider2-lite_api_evaluated.json",
            "data/spider2/converted/spider2-lite_api_evaluated_statistics.json",
            "data/spider2/converted/spider2-lite_new_format.json",
            *(f"data/spider2/execution_results/{name}.csv" for name in WITH_GOLD_SQL),
        ]
        assert run_directory(here / "results" / "api-spider2")

    def test_the_help_names_every_option(self, cli: Cli) -> None:
        done = cli("spider2", "api", "--help-all")
        assert len(cli("spider2", "api", "--help").out.splitlines()) <= 100
        for option in (
            "--input --output --api-url --api_url --api-timeout --api_timeout --limit -n --databases --gold --results "
            "--parallel -p --resume -r --header --request-template --sql-field --sql-timeout --minimal-request --all "
            "--compat --task --verbose -v --runs --max-consecutive-errors"
        ).split():
            assert option in done.out, option


class TestWhatIsSaid:
    def test_verbose_tells_durations_sql_shape_columns_and_the_first_row(self, api: Api) -> None:
        with SqlService(answering({**BY_QUESTION, "How many items are there?": "SELECT no"})) as service:
            done = api(service, "-v")
        said = done.err.splitlines()
        first = next(place for place, line in enumerate(said) if line.startswith("passed     local001"))
        assert re.fullmatch(r"  answered with 200 after \d\.\d\d s; \d\.\d\d s in all", said[first + 1])
        assert said[first + 2 : first + 5] == [
            "  SQL: SELECT name FROM item WHERE price > 1.0",
            "  3 rows, 1 columns: name",
            "  first row: {'name': 'apple'}",
        ]
        assert any(line.startswith("failed     local002  shop  The SQL cannot be run: no such column: no") for line in said)
        assert "Traceback" not in done.err

    def test_otherwise_little(self, api: Api) -> None:
        with SqlService(KNOWING) as service:
            done = api(service)
        assert len(done.err.splitlines()) == 2
        assert "SELECT" not in done.err

    def test_tracebacks_of_internal_errors_come_only_at_the_second_level(
        self, api: Api, spider2: Spider2World, tmp_path: Path
    ) -> None:
        (tmp_path / "csv" / "local001.csv" / "in the way").mkdir(parents=True)
        with SqlService(KNOWING) as service:
            for level, expected in (("-v", False), ("-vv", True)):
                done = api(service, level, "--task", "local001")
                assert done.code == 1  # nothing worked
                assert "error      local001  shop  internal error: IsADirectoryError" in done.err
                assert ("Traceback" in done.err) is expected


class TestResume:
    def test_only_what_is_owed_is_asked_again(self, api: Api, cli: Cli, tmp_path: Path) -> None:
        broken = failing(500, after=0)
        with SqlService(answering({**BY_QUESTION, "How many items are there?": broken})) as service:
            assert api(service, "--all", "--header", "X-Key=one").code == 0
            assert results(tmp_path)["local002"]["outcome"] == "error"
            assert numbers(tmp_path)["api_failures"] == {"api_status": 1}
            before = len(service.requests)
            service.script = KNOWING
            run = run_directory(tmp_path / "runs")
            done = cli("spider2", "api", "--resume", run, "--header", "X-Key=two")
        assert done.code == 0, done.err
        assert [request["question"] for request in service.requests[before:]] == ["How many items are there?"]
        assert service.headers[-1]["X-Key"] == "two"
        assert list(results(tmp_path)) == LOCAL
        assert numbers(tmp_path)["comparison_correct"] == 5
        assert "(4 done before)" in done.out

    def test_after_five_failures_in_a_row_the_run_stops(self, cli: Cli, tmp_path: Path) -> None:
        world = make_spider2(tmp_path / "many", [question(f"local{n}", "shop", f"What is {n}?") for n in range(10, 20)])
        for n in range(10, 20):
            world.result(f"local{n}.csv", f"n\n{n}\n")
        known = {f"What is {n}?": f"SELECT {n}" for n in range(10, 20)}
        some = {text: known[text] for text in list(known)[:2]}
        with SqlService(answering(some, otherwise=failing(503, after=0))) as service:
            options = ("--all", "--output", "out.json", "--results", "csv", "--runs", "runs", "--api-url", service.url)
            done = cli("spider2", "api", "--input", world.questions, *world.options, *options)
            run = run_directory(tmp_path / "runs")
            assert done.code == 1
            assert done.complaint == (
                "touchstone: the run was stopped: 5 errors in a row, the last: the service answered with status 503: "
                f'{{"detail": "out of order"}}; continue with --resume {run.relative_to(tmp_path)}'
            )
            assert len(service.requests) == 2 + 5 * 3
            assert [entry["outcome"] for entry in results(tmp_path).values()] == ["passed"] * 2 + ["error"] * 5
            before = len(service.requests)
            service.script = answering(known)
            assert cli("spider2", "api", "-r", run).code == 0
        assert sorted(request["question"] for request in service.requests[before:]) == sorted(list(known)[2:])
        assert numbers(tmp_path)["comparison_correct"] == 10

    def test_not_with_another_service_or_another_gold(self, api: Api, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        with SqlService(KNOWING) as service:
            api(service)
        run = run_directory(tmp_path / "runs")
        done = cli("spider2", "api", "-r", run, "--api-url", "http://127.0.0.1:9/infer")
        assert (done.code, "service.url was " in done.complaint) == (2, True)
        spider2.result("local001.csv", "name\napple\n")
        done = cli("spider2", "api", "-r", run)
        assert (done.code, "comparable: gold.local001 was " in done.complaint) == (2, True)


def test_nobody_at_the_address_is_one_line_and_leaves_nothing(api: Api, tmp_path: Path) -> None:
    with nobody_listens() as port:
        done = api(f"http://127.0.0.1:{port}/infer", "--all", "--task", "local001")
    assert done.code == 1
    complaint = f"nothing usable answers at http://127.0.0.1:{port}/infer: connection refused"
    assert done.err == f"touchstone: the run was stopped: {complaint}\n"
    assert list((tmp_path / "runs").iterdir()) == []
    assert not (tmp_path / "out.json").exists()
    assert not (tmp_path / "csv").exists()


def test_a_results_file_that_cannot_be_written_leaves_the_old_one_whole(spider2: Spider2World, tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text("[]\n")
    many = LONG.format(1000).replace("max(i)", "i")
    with SqlService([sql(many)]) as service:
        options = ("--output", "out.json", "--results", "csv", "--runs", "runs", "--api-url", service.url, "--no-cache")
        process = start(
            *("spider2", "api", "--input", spider2.questions, *spider2.options, *options, "-n", "1"),
            cwd=tmp_path,
            largest_file=25_000,
        )
        done = finish(process)
    assert done.code == 2
    assert done.complaint == "touchstone: cannot write out.json: File too large"
    assert (tmp_path / "out.json").read_text() == "[]\n"
    assert [path.name for path in tmp_path.glob(".out*")] == []
    assert len(records(run_directory(tmp_path / "runs"))) == 1


class TestMistakes:
    def refused(self, cli: Cli, tmp_path: Path, spider2: Spider2World, *options: str | Path) -> str:
        """The last line that a command is refused with; nothing was asked or written."""
        given = {
            "--input": spider2.questions,
            "--gold": spider2.gold,
            "--databases": spider2.databases,
            "--output": "o/out.json",
        }
        given |= {"--results": "o/csv", "--runs": "o/runs"}
        given |= {str(name): value for name, value in zip(options[::2], options[1::2], strict=True)}
        with SqlService([]) as service:
            given = {"--api-url": service.url, **given}
            done = cli("spider2", "api", *(part for pair in given.items() for part in pair))
        assert done.code == 2
        assert service.requests == []
        assert not list((tmp_path / "o").glob("**/*.json*"))
        lines = done.err.splitlines()
        assert all(line.startswith("touchstone: ") for line in lines)
        return lines[-1].removeprefix("touchstone: ")

    @pytest.mark.parametrize(
        ("options", "complaint"),
        [
            (["--input", "no.json"], "--input no.json: there is no such file, and no dataset of this name"),
            (["--gold", "nowhere"], "nowhere: not a gold folder (it has no exec_result/)"),
            (["--databases", "nowhere"], "nowhere: there is no such directory of databases"),
            (["--task", "local099"], "--task local099: not in "),
            (["--task", "local004"], "{questions}: no question is left of 6"),
            (["--limit", "0"], "--limit 0: expected a positive whole number"),
            (["--parallel", "0"], "--parallel 0: expected a positive whole number"),
            (["--sql-timeout", "nan"], "--sql-timeout nan: expected a positive number"),
            (["--api-timeout", "0"], "--api-timeout 0: expected a positive number"),
            (["--api-url", "localhost:8000"], "--api-url localhost:8000: expected an address that begins with http://"),
            (["--api-url", "http://localhost:99999"], "--api-url http://localhost:99999: expected an address such as "),
            (["--header", "sk-secret"], "--header: expected NAME=VALUE"),
            (["--header", "X Y=1"], "--header X Y: a header cannot have this name"),
            (["--request-template", "no.json"], "--request-template no.json: expected a JSON object: "),
            (["--compat", "loose"], "--compat loose: expected one of strict, official"),
            (["--target-type", "python"], "--target-type python: expected one of natsql, sql"),
            (["--output", "spider2"], "--output spider2: this is a directory; expected the name of a file"),
            (["--output", "{questions}/out.json"], "--output {questions}/out.json: {questions} is not a directory "),
            (["--results", "{questions}"], "--results {questions}: {questions} is not a directory that can be written to"),
        ],
    )
    def test_an_option(self, cli: Cli, tmp_path: Path, spider2: Spider2World, options: list[str], complaint: str) -> None:
        given = [option.replace("{questions}", str(spider2.questions)) for option in options]
        expected = complaint.replace("{questions}", str(spider2.questions))
        assert self.refused(cli, tmp_path, spider2, *given).startswith(expected)

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            ("[]", "expected a JSON object: Expected `object`, got `array`"),
            ("{", "expected a JSON object: Input data was truncated"),
        ],
    )
    def test_a_template(self, cli: Cli, tmp_path: Path, spider2: Spider2World, content: str, complaint: str) -> None:
        (tmp_path / "t.json").write_text(content)
        said = self.refused(cli, tmp_path, spider2, "--request-template", "t.json")
        assert said == f"--request-template t.json: {complaint}"

    def test_a_template_that_names_what_is_not_there(self, cli: Cli, tmp_path: Path, spider2: Spider2World) -> None:
        (tmp_path / "t.json").write_text('{"a": [{"b": "Tables: {tables}"}]}')
        said = self.refused(cli, tmp_path, spider2, "--request-template", "t.json")
        assert said == "the request template names '{tables}'; there are: question, database, evidence, instance_id"
        assert list((tmp_path / "o" / "runs").iterdir()) == []

    def test_an_entry_of_the_input(self, cli: Cli, tmp_path: Path, spider2: Spider2World) -> None:
        write_lines(spider2.questions, [QUESTIONS[1], {**QUESTIONS[2], "question": 5}])
        said = self.refused(cli, tmp_path, spider2)
        assert said == f"{spider2.questions}: row 2: field 'question': Expected 'str', got 'int'"
