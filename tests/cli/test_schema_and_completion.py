"""What is made from the structs besides commands: the schema of a file, completion, the page of options; and other names."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import Cli
from tests.support.command import run_directory, touchstone
from tests.support.worlds import World
from touchstone.plugins import available

ROOT = Path(__file__).parents[2]


def schema(cli: Cli, *words: str) -> dict[str, Any]:
    done = cli("schema", *words)
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_the_file_that_a_run_wrote_fits_the_schema_of_its_benchmark(cli: Cli, tmp_path: Path, world: World) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-n", "1", "-o", "out").code == 0
    options = tomllib.loads((run_directory(tmp_path / "out") / "config.toml").read_text())
    made = schema(cli, "bird", "--agent", "oracle")
    jsonschema.validate(options, made)
    for wrong in ({"limit": 0}, {"limmit": 1}, {"metric": ["accuracy"]}, {"sql-timeout": "long"}, {"max-turns": 3}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**options, **wrong}, made)


@pytest.mark.parametrize("benchmark", sorted(available("benchmarks")))
def test_every_benchmark_has_a_schema_with_a_text_for_each_option(cli: Cli, benchmark: str) -> None:
    made = schema(cli, benchmark)
    jsonschema.Draft202012Validator.check_schema(made)
    assert all(each["description"] for each in made["properties"].values())
    assert "parallel" in made["properties"]


def test_the_shell_completes_commands_and_options(tmp_path: Path) -> None:
    script = tmp_path / "touchstone.bash"
    script.write_text(touchstone("completion", "bash", cwd=tmp_path).out)
    for words, expected in (
        (["touchstone", "comp"], {"compare", "completion"}),
        (["touchstone", "bird", "--sql"], {"--sql-timeout"}),
        (["touchstone", "score", "bird", "--allow"], {"--allow-missing"}),
        (["touchstone", "audit", "bird", "--mut"], {"--mutants"}),
    ):
        line = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _touchstone; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", f"source {script}; {line}"], capture_output=True, text=True, check=True)
        assert set(done.stdout.split()) == expected


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes(tmp_path: Path) -> None:
    (tmp_path / "touchstone.fish").write_text(touchstone("completion", "fish", cwd=tmp_path).out)
    for line, expected in (("touchstone exp", "export"), ("touchstone run sql --toler", "--tolerance")):
        command = f'source touchstone.fish; complete -C "{line}"'
        done = subprocess.run(["fish", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert [each.partition("\t")[0] for each in done.stdout.splitlines()] == [expected]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_finds_the_function_in_a_folder_of_fpath(tmp_path: Path) -> None:
    """As the docs say to keep it. The line editor is not there, so what it would call says that it was called."""
    (tmp_path / "_touchstone").write_text(touchstone("completion", "zsh", cwd=tmp_path).out)
    command = f"fpath=({tmp_path}); _arguments() {{ print called $funcstack[2] }}; autoload -Uz _touchstone; _touchstone"
    done = subprocess.run(["zsh", "-f", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["called", "_cyclopts_touchstone"]


def test_the_page_of_options_is_current() -> None:
    spec = importlib.util.spec_from_file_location("make_options_page", ROOT / "tools" / "make_options_page.py")
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.PAGE.read_text() == made.page(), "run tools/make_options_page.py"


def test_ro_eval_compares_as_ro_eval_does(tmp_path: Path, world: World) -> None:
    for options, metric in (([], "multiset"), (["--metric", "ex"], "ex")):
        done = touchstone(
            *("bird", *world.arguments, "--agent", "oracle", "-n", "1", "-o", metric, *options),
            cwd=tmp_path,
            script="ro-eval",
        )
        assert done.code == 0, done.err
        assert f"metric {metric}" in done.out
        assert ("as in ro-eval" in done.err) == (not options)


FOLDERS = sorted(path.parent.name for path in (ROOT / "src" / "touchstone" / "benchmarks").glob("*/config.py"))
NAMES_ALLOWED = {
    "__init__.pyi": "what type checkers know of touchstone.bird(…)",
    "__init__.py": "a docstring: touchstone.bird",
    "cli/demo.py": "shows them all",
    "datasets/__init__.py": "the demo data",
    "datasets/catalogue.py": "the data catalogue",
    "datasets/catalogue.toml": "the data catalogue",
    "integrations/inspect/__init__.py": "a docstring: how to call inspect",
}
IMPORTS_ALLOWED = {"__init__.pyi", "cli/demo.py", "cli/new.py"}
"""cli/new.py writes the folder of a benchmark of SQL questions."""


def _shared_files() -> list[tuple[str, str]]:
    """The path and text of what is in no benchmark's folder."""
    source = ROOT / "src" / "touchstone"
    theirs = re.compile(rf"benchmarks/({'|'.join(FOLDERS)})/|datasets/\w+_demo/")
    texts = [
        path for path in sorted(source.rglob("*")) if path.suffix in (".py", ".pyi", ".toml", ".html", ".js", ".css", ".md")
    ]
    named = [(str(path.relative_to(source)), path) for path in texts]
    return [(name, path.read_text(encoding="utf-8")) for name, path in named if not theirs.match(name)]


def test_shared_code_does_not_name_a_benchmark() -> None:
    """So another one is one folder and one line in pyproject.toml. `sql` is a word of its own, and is not looked for."""
    names = re.compile(rf"\b({'|'.join(name for name in FOLDERS if name != 'sql')})\b")
    naming = {name for name, text in _shared_files() if names.search(text)}
    assert naming == NAMES_ALLOWED.keys(), naming ^ NAMES_ALLOWED.keys()


def test_shared_code_imports_no_benchmark() -> None:
    imports = re.compile(rf"^\s*(?:from|import) .*\bbenchmarks\.({'|'.join(FOLDERS)})\b", re.MULTILINE)
    importing = {name for name, text in _shared_files() if imports.search(text)}
    assert importing == IMPORTS_ALLOWED, importing ^ IMPORTS_ALLOWED
