"""Keys for a service: read from where they are, and never written down when the service echoes them."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.command import run_directory, touchstone
from tests.support.sql_service import Answer, SqlService, says
from tests.support.worlds import World
from touchstone.agents.secrets import SHORTEST, Mask, is_reference, read_header, sent
from touchstone.errors import InputError

TOKEN = "tok-9f8e7d6c"
KEYS = {"X-Api-Key": f"Bearer {TOKEN}", "X-Team": "team-blue-77", "Cookie": "session=c00k1e-value"}


class TestHeaders:
    def test_a_value_stands_for_itself(self) -> None:
        assert read_header("X-Key=a=b c") == ("X-Key", "a=b c")
        assert not is_reference("X-Key=a=b c")

    def test_a_value_comes_from_the_environment_or_a_file(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("MY_TOKEN", TOKEN)
        (tmp_path / "key").write_text(f"{TOKEN}\n")
        assert read_header("Authorization=Bearer env:MY_TOKEN") == ("Authorization", f"Bearer {TOKEN}")
        assert read_header("X-Key=env:MY_TOKEN") == ("X-Key", TOKEN)
        assert read_header(f"X-Key=file:{tmp_path / 'key'}") == ("X-Key", TOKEN)
        assert is_reference("Authorization=Bearer env:MY_TOKEN")

    @pytest.mark.parametrize(
        ("given_header", "complaint"),
        [
            (TOKEN, "--header: expected NAME=VALUE"),
            ("=x", "--header: expected NAME=VALUE"),
            ("X-Key=env:NOT_SET_ANYWHERE", "--header X-Key: the variable NOT_SET_ANYWHERE is not set"),
            ("X-Key=file:/not/there", "--header X-Key: cannot read /not/there: No such file or directory"),
        ],
    )
    def test_what_cannot_be_is_refused_in_a_line(self, given_header: str, complaint: str) -> None:
        with pytest.raises(InputError) as caught:
            read_header(given_header)
        assert str(caught.value) == complaint


class TestMask:
    @given(st.lists(st.text(st.characters(codec="utf-8"), min_size=SHORTEST), min_size=1, max_size=3), st.data())
    def test_no_text_is_left_wherever_it_stands(self, texts: list[str], data: st.DataObject) -> None:
        some = st.sampled_from(texts)
        echo = data.draw(st.recursive(some, lambda inner: st.lists(inner) | st.dictionaries(some, inner)))
        masked = json.dumps(Mask(texts).all(echo), ensure_ascii=False)
        assert all(json.dumps(text, ensure_ascii=False)[1:-1] not in masked for text in texts if "*" not in text)

    def test_short_words_stay(self) -> None:
        assert sent("http://h/?v=1", {"X-Version": "2"}).text("v1 and 2") == "v1 and 2"

    def test_all_parts_of_an_address_that_say_something(self) -> None:
        url = "http://service-user:p%40ssw0rd@host:1/infer?api_key=abc%2Fdef123&db=california"
        echoed = [
            "service-user",
            "p%40ssw0rd",
            "p@ssw0rd",
            b64encode(b"service-user:p@ssw0rd").decode(),
            "abc/def123",
            "abc%2Fdef123",
        ]
        mask = sent(url, {})
        assert [mask.text(each) for each in [*echoed, "california"]] == ["***"] * 7
        assert sent(url, {}, keys_only=True).text("SELECT 'abc/def123' FROM california") == "SELECT '***' FROM california"


@pytest.mark.parametrize("status", [200, 401])
@pytest.mark.parametrize("kind", ["json", "text", "error field", "in the SQL"])
def test_what_a_service_echoes_is_not_in_the_run(world: World, tmp_path: Path, status: int, kind: str) -> None:
    """Headers and the address as they arrive, quoted back in every way: nothing of it reaches any file or the terminal."""
    password = "p4ssw0rd-of-mine"
    query = "qu3ry-key-value"
    basic = b64encode(f"me-the-user:{password}".encode()).decode()
    said = " ".join([*KEYS.values(), TOKEN, "c00k1e-value", password, query, basic])
    bodies = {
        "json": says({"detail": {"headers": [said], said: 1}}, status=status),
        "text": Answer(f"<h1>{said}</h1>".encode(), status=status, kind="text/html"),
        "error field": says({"error": said, "sql": ""}, status=status),
        "in the SQL": says({"sql": f"SELECT '{TOKEN}', '{password}', '{query}'"}, status=status),
    }
    with SqlService([bodies[kind]]) as service:
        url = service.url.replace("://", f"://me-the-user:{password}@") + f"?key={query}"
        (tmp_path / "key").write_text(KEYS["Cookie"])
        done = touchstone(
            *("bird", *world.arguments, "--agent", "http", "--api-url", url, "-o", "out", "-v", "-n", "2"),
            *("--header", "X-Api-Key=Bearer env:THE_TOKEN", "--header", f"Cookie=file:{tmp_path / 'key'}"),
            *("--header", f"X-Team={KEYS['X-Team']}", "--max-consecutive-errors", "0"),
            cwd=tmp_path,
            env={"THE_TOKEN": TOKEN},
        )
        assert {key: service.headers[0][key] for key in KEYS} == KEYS
    assert done.code in (0, 1), done.err
    run = run_directory(tmp_path / "out")
    written = b"".join(file.read_bytes() for file in run.rglob("*") if file.is_file()).decode()
    for secret in (TOKEN, KEYS["X-Team"], "c00k1e-value", password, query, basic):
        assert secret not in written
        assert secret not in done.out + done.err
    assert "***" in written


def test_headers_by_reference_are_kept_for_a_resume(world: World, tmp_path: Path) -> None:
    with SqlService([says({"sql": "SELECT 1"})]) as service:
        words = ("bird", *world.arguments, "--agent", "http", "--api-url", service.url, "-o", "out", "-n", "1")
        headers = ("--header", "X-Key=env:THE_TOKEN", "--header", "X-Team=team-blue-77")
        assert touchstone(*words, *headers, cwd=tmp_path, env={"THE_TOKEN": TOKEN}).code == 0
        run = run_directory(tmp_path / "out")
        assert json.loads((run / "config.json").read_text())["agent"]["header"] == ["X-Key=env:THE_TOKEN"]
        assert touchstone("bird", "--resume", run, "-n", "2", cwd=tmp_path, env={"THE_TOKEN": "another"}).code == 0
        assert service.headers[-1]["X-Key"] == "another"
        assert "X-Team" not in service.headers[-1]
