"""Options in a TOML file: read, refused, counted less than the command line, and written so that they reproduce a run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Cli
from tests.support.command import records, run_directory
from tests.support.worlds import World
from touchstone.cli.run import RunCommand
from touchstone.cli.struct_command import options_of_file, typed_value
from touchstone.errors import InputError
from touchstone.options import checked
from touchstone.plugins import benchmark_type
from touchstone.runs.config import as_toml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_what_is_written_is_read_back(arguments: dict[str, Any]) -> None:
    assert tomllib.loads(as_toml(arguments)) == arguments


@given(TEXTS)
def test_the_command_comes_first(command: str) -> None:
    written = tomllib.loads(as_toml({"a": 1}, command or "bird"))
    assert list(written.items()) == [("touchstone", command or "bird"), ("a", 1)]


def test_what_toml_has_no_word_for() -> None:
    assert as_toml({"limit": None, "task": ()}) == "task = []\n"
    assert tomllib.loads(as_toml({"x": float("nan")}))["x"] != 0
    assert tomllib.loads(as_toml({"x": "\ud800"})) == {"x": "\ufffd"}
    assert tomllib.loads(as_toml({"x": 1e300, "y": 5.0, "z": -float("inf")})) == {"x": 1e300, "y": 5.0, "z": -float("inf")}
    with pytest.raises(TypeError, match="object"):
        as_toml({"x": object()})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"limit = ", "not valid TOML"),
        (b"limit = 1\nlimit = 2", "not valid TOML"),
        (b"\xff", "not UTF-8 text"),
        (b"[play]\nmodel = 1", r"\[play\]: expected options without sections"),
        (b'config = "other.toml"', "config cannot be in the file"),
        (b'resume = "run"', "resume cannot be in the file"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    file = tmp_path / "options.toml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=rf"options\.toml: {complaint}"):
        options_of_file(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        options_of_file(tmp_path / "nothing.toml")


def test_the_option_is_found_in_both_forms() -> None:
    assert typed_value(["bird", "--config", "a.toml"], "--config") == "a.toml"
    assert typed_value(["bird", "--config=b.toml", "-n", "1"], "--config") == "b.toml"
    assert typed_value(["bird", "a.toml"], "--config") is None


# With real commands that give back what they were told


class Told(RunCommand):
    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> Any:
        names = ("tasks", "limit", "task", "evidence", "sql_timeout")
        fields = [self.options[name] for name in names if name in self.options]
        return tuple(checked(field, values.get(field.name, field.default)) for field in fields)


def parsed(*argv: str | Path) -> tuple[Any, ...]:
    words = [str(word) for word in argv]
    named = words[:2] if words[0] == "spider2" else words[:1]
    command = Told(benchmark_type(named[0]), named, words, {})
    app = App(name="touchstone", result_action="return_value")
    inner = app
    for word in named[:-1]:
        inner.command(inner := App(name=word))
    inner.command(command.function(), name=named[-1])
    return app(words, exit_on_error=False, print_error=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "options.toml"
    path.write_text('data = "d.json"\nlimit = 3\ntask = ["a", "b"]\nevidence = false\nsql-timeout = 5\n')
    return path


def test_a_file_gives_the_options(file: Path) -> None:
    assert parsed("bird", "--config", file) == (Path("d.json"), 3, ("a", "b"), False, 5.0)
    file.write_text(file.read_text().replace("evidence = false\n", ""))
    assert parsed("spider2", "run", f"--config={file}") == (Path("d.json"), 3, ("a", "b"), 5.0)
    assert parsed("bird") == (None, None, (), True, 30.0)


def test_the_command_line_counts_more(file: Path) -> None:
    assert parsed("bird", "other.json", "--config", file, "--limit", "1", "--evidence") == (
        Path("other.json"),
        1,
        ("a", "b"),
        True,
        5.0,
    )


def test_a_file_for_another_command_is_refused(file: Path) -> None:
    file.write_text('touchstone = "spider2 run"\nlimit = 3\n')
    assert parsed("spider2", "run", "--config", file)[1] == 3
    with pytest.raises(InputError, match="options of 'touchstone spider2 run', not of 'touchstone bird'"):
        parsed("bird", "--config", file)


@pytest.mark.parametrize(
    ("line", "named"), [("limmit = 3", "limmit"), ('limit = "many"', "limit"), ("limit = [1, 2]", "limit")]
)
def test_a_wrong_option_is_refused_with_its_file(file: Path, line: str, named: str) -> None:
    file.write_text(line)
    with pytest.raises(InputError) as caught:
        parsed("bird", "--config", file)
    said = " ".join(str(caught.value).split())
    assert named in said
    assert "options.toml" in said.replace(" ", "")


def test_a_resumed_run_has_its_own_options(file: Path) -> None:
    for resume in (["--resume", "run"], ["-r", "run"], ["--resume=run"]):
        with pytest.raises(InputError, match="exclude each other"):
            parsed("bird", "--config", file, *resume)


# With the command line itself


def test_a_run_is_reproduced_by_the_file_that_it_wrote(
    cli: Cli, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = ["--task", "10", "--task", "12", "--no-evidence", "--metric", "multiset"]
    first = cli("bird", *world.arguments, *chosen, "--agent", "oracle", "--output", "first")
    assert first.code == 0, first.err
    written = run_directory(tmp_path / "first") / "config.toml"
    assert tomllib.loads(written.read_text())["touchstone"] == "bird"
    monkeypatch.setenv("OPENAI_MODEL", "another")
    again = cli("bird", "--config", written, "--output", "again")
    assert again.code == 0, again.err
    runs = [run_directory(tmp_path / name) for name in ("first", "again")]
    assert [[record["task"] for record in records(run)] for run in runs] == [["10", "12"]] * 2
    assert len({(run / "config.toml").read_text().replace("/again", "/first") for run in runs}) == 1
    assert "limmit" in cli("bird", "--config", _with(tmp_path, "limmit = 1")).complaint


def _with(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    return file


def test_a_negative_in_a_file_is_refused_with_what_to_write(tmp_path: Path) -> None:
    file = tmp_path / "f.toml"
    file.write_text("no-evidence = true\n")
    with pytest.raises(InputError, match="no-evidence: write evidence = false"):
        options_of_file(file)


def test_paths_are_relative_to_the_file(cli: Cli, world: World, tmp_path: Path) -> None:
    """Wherever one stands, and those of older files, which were relative to that, are still found."""
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    agent = 'def answer(question, database):\n    return "SELECT 1"\n'
    (folder / "mine.py").write_text(agent)
    tasks, databases = (f"../../{path.relative_to(tmp_path)}" for path in (world.tasks, world.databases))
    options = {"tasks": tasks, "databases": databases, "agent": "mine.py:answer", "output": "here", "limit": 1}
    (folder / "f.toml").write_text(as_toml(options, "bird"))
    done = cli("run", "bird", "--config", "deep/er/f.toml")
    assert done.code == 0, done.err
    assert len(records(run_directory(folder / "here"))) == 1
    older = {"tasks": str(world.tasks.relative_to(tmp_path)), "databases": str(world.databases.relative_to(tmp_path))}
    (folder / "old.toml").write_text(as_toml({**older, "agent": "oracle", "limit": 1}))
    done = cli("run", "bird", "--config", "deep/er/old.toml")
    assert done.code == 0, done.err
    assert "taken from the current directory" in done.err
    (folder / "demo.toml").write_text(as_toml({"tasks": "demo", "agent": "oracle", "limit": 1}))
    assert cli("run", "bird", "--config", "deep/er/demo.toml").code == 0


def test_a_variable_counts_where_the_file_says_nothing(cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "recorded:nowhere")
    Path("f.toml").write_text("limit = 1\n")
    assert "nowhere" in cli("bird", *world.arguments, "--config", "f.toml").complaint
    Path("f.toml").write_text('model = "recorded:elsewhere"\n')
    assert "elsewhere" in cli("bird", *world.arguments, "--config", "f.toml").complaint
