"""One file: its encoding, its title, and what is wrong with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.documents.pages import MOST_BYTES, Reading, ReadRequest, parse, read


def reading(path: Path, content: bytes | str, title: str = "", known: str = "") -> Reading:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read(ReadRequest(os.fsencode(path), title, known))


def test_encodings(tmp_path: Path) -> None:
    text = "Zürich – café"
    pages = {
        "plain": text.encode(),
        "marked": text.encode("utf-8-sig"),
        "wide": text.encode("utf-16"),
        "old": text.encode("cp1252"),
        "said": b'<meta charset="windows-1252">' + text.encode("cp1252"),
        "strange": b'<meta charset="punycode">' + text.encode("cp1252"),
    }
    for name, data in pages.items():
        assert reading(tmp_path / f"{name}.html", data).chunks == (text,), name
    japanese = b"<meta http-equiv=x content='text/html; charset=Shift_JIS'>" + "東京".encode("shift_jis")
    assert reading(tmp_path / "japanese.html", japanese).chunks == ("東京",)


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path: Path) -> None:
    assert reading(tmp_path / "a.txt", b"before \x81 after").chunks == ("before \ufffd after",)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"PK\x03\x04\0\0\0", "not a text file"),
        (b"", "there is no text in it"),
        (b"<html><script>x</script></html>", "there is no text in it"),
        (b"x" * (MOST_BYTES + 1), "larger than 16 MB"),
    ],
)
def test_problems(tmp_path: Path, content: bytes, problem: str) -> None:
    found = reading(tmp_path / "page.html", content)
    assert (found.problem, found.chunks) == (problem, None)


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    assert read(ReadRequest(os.fsencode(tmp_path / "none.md"), "", "")).problem == "cannot be read: No such file or directory"


def test_a_known_file_is_not_read_again_until_its_content_or_title_changes(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    first = reading(path, "# One\ntext")
    assert reading(path, "# One\ntext", known=first.digest) == Reading(first.digest)
    assert reading(path, "# Two\ntext", known=first.digest).title == "Two"
    assert reading(path, "# One\ntext", title="Given", known=first.digest).title == "Given"


def test_titles_of_markdown_and_text(tmp_path: Path) -> None:
    assert parse("---\nid: x\ntitle: 'Front'\n---\n# Body\n", ".md").title == "Front"
    assert parse("---\nid: x\n---\nwords\n## Sub title ##\n", ".mdx").title == "Sub title"
    assert parse("---\nid: x\n---\nwords", ".md").text == "words"
    assert reading(tmp_path / "release-notes.txt", "words").title == "release-notes"


def test_a_title_is_cut(tmp_path: Path) -> None:
    assert len(reading(tmp_path / "a.html", f"<title>{'t' * 10_000}</title>x").title) == 200
