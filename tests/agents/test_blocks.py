"""Reading moves: code comes out as it went in, whatever is inside it."""

from __future__ import annotations

import ast
import json
import textwrap

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from touchstone.agents.code_blocks import CodeBlock, Said, ScreenAction, parse


def fenced(code: str, name: str = "python") -> str:
    return f"```{name}\n{code}\n```"


def is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@pytest.mark.parametrize(
    "code",
    [
        "pyautogui.click(100, 200)",
        "pyautogui.write('SELECT 1; DROP TABLE t; --'); pyautogui.press('enter')",
        "for x in range(3):\n    pyautogui.click(x, 5)\n    if x:\n        time.sleep(1)",
        'pyautogui.write("""SELECT *\nFROM t;\n\n   WHERE a = 1;\n""")',
        'pyautogui.write("""# Title\n```sql\nSELECT 1;\n```\n""")\npyautogui.press("enter")',
        "x = 'a'  # ```\npyautogui.click(1, 2)",
        "pyautogui.write('``` ~~~ DONE')",
        "DONE = 1\nprint(DONE)",
        "\tif True: pass".strip(),
        "print('ü 数据')",
    ],
)
def test_code_is_taken_as_it_stands(code: str) -> None:
    parsed = parse(f"I will do this:\n\n{fenced(code)}\n\nThen we see.", "python")
    assert parsed.moves == (CodeBlock(code),)
    assert parsed.complaints == ()


words = st.sampled_from(["WAIT", "DONE", "FAIL"])
texts = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60)


@given(st.lists(texts, min_size=1, max_size=4))
def test_any_text_inside_a_string_survives(contents: list[str]) -> None:
    code = "\n".join(f"pyautogui.write({content!r}); time.sleep(1)" for content in contents)
    assert parse(fenced(code), "python").moves == (CodeBlock(code),)


@given(
    st.lists(
        texts.filter(lambda text: '"""' not in text and "\\" not in text and not text.endswith('"')), min_size=1, max_size=3
    )
)
def test_any_long_text_survives_too_also_with_fences_in_it(contents: list[str]) -> None:
    code = "\n".join(f'pyautogui.write("""\n```\n{content}\n```\n""")' for content in contents)
    assume(is_python(code))
    assert parse(fenced(code), "python").moves == (CodeBlock(code),)


@given(
    st.lists(
        st.one_of(st.sampled_from(["a()", "for i in x:\n    b(i); c()", "write('a;b')"]).map(CodeBlock), words.map(Said)),
        min_size=1,
        max_size=6,
    )
)
def test_moves_keep_their_order(moves: list[CodeBlock | Said]) -> None:
    parts = [fenced(move.text) if isinstance(move, CodeBlock) else f"```\n{move.word}\n```" for move in moves]
    assert parse("\nand then\n".join(parts), "python").moves == tuple(moves)


@given(st.text(max_size=300), st.sampled_from(["python", "json"]))
def test_no_reply_breaks_the_reader(text: str, language: str) -> None:
    parse(text, language)  # type: ignore[arg-type]


@given(
    st.lists(
        st.sampled_from(["```", "```python", "~~~", "\n", "DONE", "x = 1", '"""', "{", '{"action_type": "WAIT"}', " "]),
        max_size=15,
    )
)
def test_nor_does_any_heap_of_fences(pieces: list[str]) -> None:
    for language in ("python", "json"):
        parse("".join(pieces), language)  # type: ignore[arg-type]
        parse("\n".join(pieces), language, whole=False)  # type: ignore[arg-type]


@given(
    st.dictionaries(
        st.sampled_from(["x", "text", "keys"]), st.one_of(st.integers(), texts, st.lists(texts, max_size=2)), max_size=3
    )
)
def test_json_actions_survive(parameters: dict[str, object]) -> None:
    action = {"action_type": "TYPING", "parameters": parameters}
    for text in (json.dumps(action), json.dumps(action, indent=2), json.dumps([action]), repr(action)):
        assert parse(fenced(text, "json"), "json").moves == (ScreenAction(action),)


def test_json_in_its_other_forms() -> None:
    click, wait = {"action_type": "CLICK", "x": 1, "y": 2}, {"action_type": "WAIT"}
    two = f"{json.dumps(click)}\n{json.dumps(wait)}"
    assert parse(fenced(two, "json"), "json").moves == (ScreenAction(click), Said("WAIT"))
    assert parse(json.dumps(click), "json").moves == (ScreenAction(click),)
    assert parse(fenced("{'action_type': 'CLICK'", "json"), "json").complaints == (
        "A block is not a JSON object with an action_type.",
    )
    assert parse(fenced('{"x": 1}', "json"), "json").moves == ()


@pytest.mark.parametrize(
    "text", ["DONE", "**DONE**", "I am finished.\n\nDONE\n", "```DONE```", "```\nDONE\n```", "```python\nDONE\n```", "`DONE`."]
)
def test_a_word_may_stand_alone_or_in_a_fence(text: str) -> None:
    assert parse(text, "python").moves == (Said("DONE"),)


@pytest.mark.parametrize("text", ["I am DONE with it.", "All is done", "Done", "", "```python\n# DONE\n```", "wait"])
def test_a_word_in_a_sentence_is_no_move(text: str) -> None:
    assert all(not isinstance(move, Said) for move in parse(text, "python").moves)


def test_words_at_the_end_of_code_are_moves_after_it() -> None:
    assert parse(fenced("a()\nWAIT\n\nDONE"), "python").moves == (CodeBlock("a()"), Said("WAIT"), Said("DONE"))
    assert parse(fenced('write("""\nDONE\n""")'), "python").moves == (CodeBlock('write("""\nDONE\n""")'),)


def test_lenient_fences() -> None:
    assert parse("Click ```python pyautogui.click(1, 2)``` now", "python").moves == (CodeBlock("pyautogui.click(1, 2)"),)
    assert parse("Do: ```python\na()\nb()```", "python").moves == (CodeBlock("a()\nb()"),)
    assert parse("~~~python\na()\n~~~", "python").moves == (CodeBlock("a()"),)
    assert parse("````python\na()\n````", "python").moves == (CodeBlock("a()"),)
    assert parse("```\r\na()\r\nb()\r\n```", "python").moves == (CodeBlock("a()\nb()"),)
    listed = "1. First\n" + textwrap.indent(fenced("for i in x:\n    a(i)"), "   ")
    assert parse(listed, "python").moves == (CodeBlock("for i in x:\n    a(i)"),)


def test_wrong_code_ends_at_its_first_fence() -> None:
    assert parse(f"{fenced('a(')}\ntext\n{fenced('b()')}", "python").moves == (CodeBlock("a("), CodeBlock("b()"))


def test_a_block_without_an_end() -> None:
    text = "```python\npyautogui.click(1, 2)\npyautogui.wri"
    assert parse(text, "python").moves == (CodeBlock("pyautogui.click(1, 2)\npyautogui.wri"),)
    cut = parse(text, "python", whole=False)
    assert cut.moves == ()
    assert "has no end" in cut.complaints[0]
    assert parse("```python\nwrite('a", "python").moves == ()


def test_other_languages_are_not_run() -> None:
    parsed = parse(f"{fenced('ls -l', 'bash')}\n{fenced('a()')}", "python")
    assert parsed.moves == (CodeBlock("a()"),)
    assert parsed.complaints == ("A block marked 'bash' was not carried out: only Python is.",)
    assert parse("```python\n\n```", "python").complaints == ("A block is empty.",)
