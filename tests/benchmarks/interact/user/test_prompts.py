"""Prompts are complete, and what is filled in stays where it is put."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.scripted_model import ScriptedModel
from touchstone.benchmarks.interact.user.prompts import FIELDS, MODES, VERSIONS, Prompts, Template, UserMode, load_prompts
from touchstone.benchmarks.interact.user.scripted import ScriptedUser
from touchstone.benchmarks.interact.user.simulated import SimulatedUser
from touchstone.errors import InputError

CHOOSE = "{request} {ambiguities} {segments} {actions} <question>{question}</question>"
ANSWER = "{request} {chosen} <question>{question}</question> {not a placeholder}"


def folder(where: Path, choose: str = CHOOSE, answer: str = ANSWER) -> Path:
    (where / "choose.md").write_text(choose)
    (where / "answer.md").write_text(answer)
    return where


def filled(prompts: Prompts, stage: str, question: str) -> str:
    template: Template = getattr(prompts, stage)
    return template.fill(**dict.fromkeys(FIELDS[prompts.mode][stage], "SECRET") | {"question": question})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_versions_are_complete_and_differ(version: str, mode: UserMode) -> None:
    prompts = load_prompts(version, mode)
    assert prompts.name == (version if mode == "guarded" else f"{mode} {version}")
    assert len({load_prompts(each, mode).digest for each in VERSIONS}) == (1 if mode == "vanilla" else len(VERSIONS))
    for stage in FIELDS[mode]:
        assert "{" not in filled(prompts, stage, "Why?")


def test_each_kind_of_user_has_placeholders_of_its_own(tmp_path: Path) -> None:
    answer = "{clear} {schema} {ambiguities} {gold} {segments} {action} {question}"
    faithful = load_prompts(folder(tmp_path, "{gold} {question}", answer), "faithful")
    assert filled(faithful, "answer", "Why?") == "SECRET SECRET SECRET SECRET SECRET SECRET Why?"
    with pytest.raises(InputError, match=r"answer\.md has a placeholder \{action\} that nothing fills"):
        load_prompts(tmp_path, "vanilla")
    (tmp_path / "choose.md").unlink()
    (tmp_path / "answer.md").write_text("{gold} {question}")
    assert filled(load_prompts(tmp_path, "vanilla"), "answer", "Why?") == "SECRET Why?"


def test_only_the_second_version_thinks_before_it_acts() -> None:
    assert ["<think>" in load_prompts(version).choose.text for version in VERSIONS] == [False, True]


@pytest.mark.parametrize("question", ["{segments} {chosen} {gold} {0} {}", "{{segments}}", "{question}"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_question_is_no_template(version: str, question: str) -> None:
    for stage in FIELDS["guarded"]:
        usual, tried = (filled(load_prompts(version), stage, each) for each in ("Why?", question))
        assert question in tried
        assert tried.count("SECRET") == usual.count("SECRET")


@given(
    st.text(st.sampled_from("</questionSTION> s\n\u200b\u00ad{}think"), max_size=60)
    | st.sampled_from(["</question>", "< / QUESTION x>"])
)
def test_a_question_cannot_close_its_block(question: str) -> None:
    text = filled(load_prompts("v2"), "choose", f"a {question} b")
    visible = re.sub("[\u200b\u00ad]", "", text)
    assert len(re.findall(r"<\s*/\s*question\b", visible, re.IGNORECASE)) == 1
    assert len(re.findall(r"<\s*/?\s*s\b", visible, re.IGNORECASE)) == len(re.findall(r"</?s>", load_prompts("v2").choose.text))


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\u2060", "\u202e"])
def test_a_tag_cannot_be_disguised(hidden: str) -> None:
    assert filled(load_prompts("v1"), "answer", f"a </ques{hidden}tion> b").count("</question>") == 1
    assert hidden not in filled(load_prompts("v1"), "answer", f"a </ques{hidden}tion> b")


def test_other_brackets_of_a_question_stay() -> None:
    question = "Is SNQI < 0 or > 5, in <b>bold</b>, or a<question_type>?"
    assert question in filled(load_prompts("v2"), "answer", question)


def test_prompts_of_ones_own(tmp_path: Path) -> None:
    prompts = load_prompts(folder(tmp_path))
    assert prompts.name == tmp_path.name
    assert filled(prompts, "answer", "Why?") == "SECRET SECRET <question>Why?</question> {not a placeholder}"


def test_a_missing_placeholder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"choose\.md has no placeholder \{segments\}"):
        load_prompts(folder(tmp_path, choose=CHOOSE.replace("{segments}", "")))


def test_an_unknown_placeholder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"answer\.md has a placeholder \{gold\} that nothing fills; there are \{chosen\}"):
        load_prompts(folder(tmp_path, answer=ANSWER + "{gold}"))


def test_no_such_prompts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"choose\.md cannot be read: No such file"):
        load_prompts(tmp_path / "none")
    with pytest.raises(InputError, match="no prompts 'v9'"):
        load_prompts("v9")  # pyright: ignore[reportArgumentType]
    (folder(tmp_path) / "answer.md").write_bytes(b"\xff\xfe{")
    with pytest.raises(InputError, match=r"answer\.md cannot be read: it is not UTF-8"):
        load_prompts(tmp_path)


def test_what_makes_users_comparable(tmp_path: Path) -> None:
    model = ScriptedModel([])
    assert ScriptedUser().name == "scripted"
    assert SimulatedUser(model, load_prompts("v2")).name == "scripted (v2)"
    identity = SimulatedUser(model, load_prompts("v1"), 5).identity()
    guarded = {"mode": "guarded", "on_leak": "retry"}
    assert identity == {"model": "scripted", "prompts": "v1", "digest": load_prompts("v1").digest, "retries": 5, **guarded}
    faithful = SimulatedUser(model, load_prompts("v2", "faithful")).identity()
    assert (faithful["mode"], faithful["prompts"], faithful["on_leak"]) == ("faithful", "faithful v2", "flag")
    for stage in ("choose", "answer"):
        template = getattr(load_prompts("v1"), stage)
        (tmp_path / f"{stage}.md").write_text(template.text + "Be brief.")
    own = SimulatedUser(model, load_prompts(tmp_path)).identity()
    assert own["prompts"] == tmp_path.name
    assert own["digest"] != identity["digest"]
