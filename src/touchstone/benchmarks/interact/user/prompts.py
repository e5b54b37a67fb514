"""The instructions of a simulated user: a text to choose what a question is about, and one to answer it.

Three kinds of user: `guarded` is ours and sees, when it answers, only the piece that was chosen; `faithful` is given at both
stages what the published prompts are given; `vanilla` is the published user without stages. Each has placeholders of its own.

A text is a template with `{placeholders}`; any other brace stays as it is. Filling is one pass over the template, so
what is filled in is never read as a template. A question must not be able to step out of its block either: the tags
that the template uses (`<question>`, `<s>`, …) lose their first bracket wherever they occur in a filled-in text, and
invisible characters, with which a tag could be disguised, go. So delimit blocks by tags in prompts of your own.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from ....errors import InputError

UserMode = Literal["guarded", "faithful", "vanilla"]
MODES: tuple[UserMode, ...] = ("guarded", "faithful", "vanilla")
VERSIONS = ("v1", "v2")

_ALL = frozenset(["request", "clear", "schema", "ambiguities", "gold", "segments", "question"])
FIELDS: dict[UserMode, dict[str, frozenset[str]]] = {
    "guarded": {
        "choose": frozenset(["request", "ambiguities", "segments", "question", "actions"]),
        "answer": frozenset(["request", "chosen", "question"]),
    },
    "faithful": {"choose": _ALL | {"actions"}, "answer": _ALL | {"action", "chosen"}},
    "vanilla": {"answer": _ALL},
}
"""What each text may have a place for."""
NEEDED: dict[UserMode, dict[str, frozenset[str]]] = {
    "guarded": FIELDS["guarded"],
    "faithful": {"choose": frozenset(["question"]), "answer": frozenset(["question", "action"])},
    "vanilla": {"answer": frozenset(["question"])},
}
"""What each text must have a place for."""
_FOLDER = Path(__file__).with_name("prompts")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_TAG = re.compile(r"<\s*/?\s*([A-Za-z][\w-]*)[^<>]*>")


@dataclass(frozen=True)
class Template:
    """A text with places to fill in."""

    text: str

    @cached_property
    def _tags(self) -> re.Pattern[str]:
        names = sorted({name.lower() for name in _TAG.findall(self.text)})
        return re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(map(re.escape, names)) or '(?!)'})(?![\w-]))", re.IGNORECASE)

    def fill(self, **values: str) -> str:
        return _PLACEHOLDER.sub(lambda placeholder: self._harmless(values[placeholder[1]]), self.text)

    def _harmless(self, text: str) -> str:
        visible = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
        return self._tags.sub("‹", visible)


@dataclass(frozen=True)
class Prompts:
    """The texts of one user. A vanilla one has nothing to choose."""

    name: str
    choose: Template
    answer: Template
    mode: UserMode = "guarded"

    @property
    def digest(self) -> str:
        """Tells two sets of prompts apart, whatever they are called."""
        texts = f"{self.choose.text}\0{self.answer.text}"
        return blake2b(texts.encode(), digest_size=8).hexdigest()


def load_prompts(source: str | Path, mode: UserMode = "guarded") -> Prompts:
    """A version that comes along, or a directory with `choose.md` (not for vanilla) and `answer.md`."""
    folder = source if isinstance(source, Path) else _FOLDER / mode / ("" if mode == "vanilla" else source)
    if not isinstance(source, Path) and source not in VERSIONS:
        raise InputError(f"there are no prompts '{source}': {' and '.join(VERSIONS)} are built in, or name a directory")
    choose = _template(folder, "choose", mode) if "choose" in FIELDS[mode] else Template("")
    name = folder.name if isinstance(source, Path) or mode == "guarded" else f"{mode} {source}"
    return Prompts(name, choose, _template(folder, "answer", mode), mode)


def _template(folder: Path, stage: str, mode: UserMode) -> Template:
    file = folder / f"{stage}.md"
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"{file} cannot be read: {reason}") from None
    there = set(_PLACEHOLDER.findall(text))
    fields = FIELDS[mode][stage]
    if unknown := sorted(there - fields):
        known = ", ".join(f"{{{name}}}" for name in sorted(fields))
        raise InputError(f"{file} has a placeholder {{{unknown[0]}}} that nothing fills; there are {known}")
    if missing := sorted(NEEDED[mode][stage] - there):
        raise InputError(f"{file} has no placeholder {{{missing[0]}}}")
    return Template(text)
