"""Whatever programs show, the tree can be parsed, and what can be said in XML comes back as it was."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.controller import nodes

ANY = st.text(st.characters())
SAYABLE = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffc\ufffd\ufffe\uffff"))


@given(words=ANY, name=ANY, value=ANY)
@example(words="]]>\x00\x1b[31m", name="a b:c", value='"<&\ud800')
def test_anything_can_be_parsed(words: str, name: str, value: str) -> None:
    tag = nodes.name(name) or "unknown"
    xml = nodes.element(tag, {"name": value, f"st:{tag}": "true", "xmlns:st": "urn:x"}, nodes.content(words))
    parsed = ElementTree.fromstring(xml)
    assert parsed.tag == tag
    assert parsed.get(f"{{urn:x}}{tag}") == "true"


@given(words=SAYABLE, value=SAYABLE)
@example(words="a\nb\tc\rd", value="a\nb\tc\rd")
def test_what_can_be_said_comes_back(words: str, value: str) -> None:
    parsed = ElementTree.fromstring(nodes.element("label", {"name": value}, nodes.content(words)))
    assert (parsed.text or "") == words
    assert parsed.get("name") == value


def test_placeholders_go() -> None:
    assert nodes.content("a\ufffcb\ufffd") == "ab"


def test_names() -> None:
    assert nodes.name("push button") == "push-button"
    assert nodes.name("3d view") == "_3d-view"
    assert nodes.name(" ") == ""
