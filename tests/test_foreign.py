"""What others wrote: every text and every JSON is read whole or refused in words, and their folders can be removed."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.foreign import DEEPEST, Unreadable, read_json, remove_tree, whole
from touchstone.types import NoteStep, Observation, Reply, ServiceStep, ToolCall, Verdict

any_text = st.text(st.characters(exclude_categories=()))  # half characters too
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
)


@given(any_text)
def test_a_whole_text_can_be_stored_and_is_else_the_same(text: str) -> None:
    made = whole(text)
    made.encode()
    assert whole(made) == made
    assert made == text or any("\ud800" <= char <= "\udfff" for char in text)


def test_two_halves_written_apart_are_one_character() -> None:
    assert read_json(r'"\ud83d" ') == "\ufffd"
    assert read_json(r'"\ud83d\ude00"') == "😀" == whole("\ud83d\ude00")


@given(any_json)
def test_whatever_is_json_is_read_and_can_be_written_again(value: Any) -> None:
    try:
        read = read_json(json.dumps(value))
    except Unreadable:
        assert "NaN" in json.dumps(value) or "Infinity" in json.dumps(value)
        return
    msgspec.json.encode(read)


@given(st.binary() | any_text)
def test_whatever_comes_is_read_or_refused(data: bytes | str) -> None:
    with suppress(Unreadable):
        msgspec.json.encode(read_json(data))


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 500 + "]" * 500, '{"a":' * 200 + "1" + "}" * 200])
def test_what_is_nested_too_deep_is_refused(text: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read_json(text)
    assert refused.value.too_deep


def test_what_is_nested_as_deep_as_allowed_is_read() -> None:
    text = "[" * DEEPEST + "]" * DEEPEST
    assert msgspec.json.encode(read_json(text)).decode() == text
    assert len(read_json(json.dumps([[]] * 1000))) == 1000  # many brackets are not deep


class Query(msgspec.Struct):
    sql: str


def test_a_kind_is_asked_for() -> None:
    assert read_json(r'{"sql": "SELECT \ud83d"}', Query) == Query("SELECT \ufffd")
    for wrong in ('{"sql": 1}', r'{"sql": 1, "more": "\ud83d"}', "[]", ""):
        with pytest.raises(Unreadable):
            read_json(wrong, Query)


@given(any_text)
def test_no_value_of_ours_holds_half_a_character(text: str) -> None:
    made = [
        ToolCall(text, text, text),
        Reply(text),
        Observation(text),
        NoteStep(text),
        ServiceStep({}, 200, {"said": [text]}, 0.0),
        Verdict(outcome="failed", score=0.0, reason=text),  # pyright: ignore[reportArgumentType]
    ]
    msgspec.json.encode(made)


def test_a_folder_deeper_than_any_path_is_removed_and_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    descriptor = os.open(folder, os.O_RDONLY)
    for number in range(3000):
        (name := "a" * (1 + number % 3))
        os.mkdir(name, dir_fd=descriptor)
        os.symlink(outside, "link", dir_fd=descriptor)
        inner = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.mkdir("closed", 0, dir_fd=descriptor)
    os.close(descriptor)
    remove_tree(folder)
    assert not folder.exists()
    assert (outside / "kept").exists()
    remove_tree(folder)  # nothing there is nothing to do
