"""Text to the pieces of words that BERT models know (WordPiece), lower case and without accents.

The longest known piece at the start of a word is taken, then the longest known continuation, and so on. A word with a
part that is in no piece is unknown as a whole. Words repeat, so their pieces are remembered.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LONGEST_WORD = 100
_REMEMBERED = 50_000
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class Pieces:
    def __init__(self, vocabulary: Sequence[str]) -> None:
        """The vocabulary in the order of the model's numbers."""
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._numbers["[UNK]"]
        self.first, self.last = self._numbers["[CLS]"], self._numbers["[SEP]"]
        self._seen: dict[str, list[int]] = {}

    def __call__(self, text: str) -> list[int]:
        """The numbers of the pieces, without those that mark the start and the end."""
        return [number for word in text.split() for number in self._of_spaced(word)]

    def _of_spaced(self, word: str) -> list[int]:
        found = self._seen.get(word)
        if found is None:
            found = [number for part in _parts(word) for number in self._of_word(part)]
            if len(self._seen) < _REMEMBERED:
                self._seen[word] = found
        return found

    def _of_word(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._numbers.get(("##" if start else "") + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            numbers.append(number)
            start = end
        return numbers


def _parts(spaced: str) -> list[str]:
    """What has no space in it, as words and single signs."""
    if spaced.isascii() and spaced.isalnum():
        return [spaced.lower()]
    kept = "".join(_plain(letter) for letter in spaced)
    lowered = unicodedata.normalize("NFD", kept).lower()
    letters = (letter for letter in lowered if unicodedata.category(letter) != "Mn")
    return "".join(f" {letter} " if _alone(letter) else letter for letter in letters).split()


def _plain(letter: str) -> str:
    """Control characters vanish."""
    return "" if letter in "\x00\ufffd" or unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cs") else letter


def _alone(letter: str) -> bool:
    code = ord(letter)
    if code < 128:
        return not letter.isalnum() and not letter.isspace()
    return unicodedata.category(letter).startswith("P") or any(low <= code <= high for low, high in _IDEOGRAPHS)
