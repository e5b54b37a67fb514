"""Looking for the gold in files that a program can read.

A text is recognised by its letters and digits alone, so it does not matter how it is spaced, quoted, cased, or escaped in JSON,
Python or HTML. Files are read as a stream of bytes, whatever they are; gzip, bzip2, xz and zip files are looked into, and
SQLite, pickle and bytecode files hold their texts as they are. A copy of a gold file is recognised by its content.

Not looked into: programs and libraries (ELF), pictures, sound, fonts, model weights, wheels and jars, archives in archives,
what is encrypted, encoded (base64) or cut into pieces, and texts with fewer than `SHORTEST` letters and digits, which could be
anybody's.

The search is one pass for all texts at once. Of each text 23 consecutive letters are chosen that few others have. Wherever they
stand in a file, one of their sixteen windows of eight letters begins at a multiple of sixteen: so sixteen letters of a file
cost one look-up in a set, and only the texts of a window that is there are looked for in full.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import re
import zipfile
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..files import replace_file
from ..protocols import Gold

SHORTEST = 24
LONGEST = 1000
"""Letters and digits of a text that are compared."""
SMALLEST_FILE = 64
LARGEST_UNPACKED = 256 * 2**20
"""Bytes of each packed file that are looked at."""

_VERSION = 1
"""Of how texts are recognised: what was remembered before counts no more."""
_MARK = 12
_WINDOW, _STRIDE = 8, 16
_CHUNK = 4 * 2**20
_LONGEST_ESCAPE = 10
_BLANKS = (rb"\n", rb"\r", rb"\t")
_CODES = re.compile(rb"\\u[0-9a-fA-F]{4}")
_ENTITIES = re.compile(rb"&(?:#x?[0-9a-fA-F]{1,6}|gt|lt|quot|amp|apos|nbsp);")
_LETTERS = bytes(byte for byte in range(256) if chr(byte).isascii() and chr(byte).isalnum())
_OTHERS = bytes(set(range(256)) - set(_LETTERS))
_LOWER = bytes.maketrans(_LETTERS, _LETTERS.lower())
_NO_TEXT = frozenset(
    ".so .a .o .pt .pth .ckpt .safetensors .gguf .onnx .h5 .npy .npz .png .jpg .jpeg .gif .webp .ico .bmp .tiff .ttf .otf .woff"
    " .woff2 .mp3 .mp4 .webm .ogg .wav .avi .mov .whl .jar".split()
)
_PACKED: dict[bytes, Callable[[str], AbstractContextManager[Any]]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
_UNREADABLE = (OSError, EOFError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, RuntimeError, NotImplementedError, ValueError)
"""What a damaged or encrypted archive ends in."""


Copies = Mapping[int, set[bytes]]
"""Digests of the gold files, by size."""


@dataclass
class Searched:
    """What was looked at, and where the gold was found."""

    hit: str | None = None
    files: int = 0
    bytes: int = 0


def search(
    gold: Gold, words: Sequence[str], folders: Iterable[Path], hidden: Sequence[Path] = (), memory: Path | None = None
) -> Searched:
    """Looks through the words of a command line, and all files below the folders but those that are hidden, until the first
    that holds any of the gold.

    `memory` is a folder where it is remembered which files, unchanged since, did not hold this gold.
    """
    patterns = Patterns(gold.texts)
    copies = _sizes(gold.files)
    remembered = memory / patterns.digest(copies) if memory else None
    known, clean = _recalled(remembered), set[bytes]()
    searched = Searched()
    if patterns.occur_in(letters("\n".join(words).encode("utf-8", "replace"))):
        searched.hit = "the command line"
        return searched
    for path, status in _files(folders, hidden):
        searched.files += 1
        mark = _mark(status)
        if mark not in known:
            searched.bytes += status.st_size
            if _holds(path, status.st_size, patterns, copies):
                searched.hit = path
                return searched
        clean.add(mark)
    if remembered and not clean <= known:
        _remember(remembered, clean)
    return searched


def _holds(path: str, size: int, patterns: Patterns, copies: Copies) -> bool:
    if size in copies and _digest(path) in copies[size]:
        return True
    return any(map(patterns.occur_in, _chunks(path, size)))


def letters(data: bytes) -> bytes:
    """Letters and digits, in lower case; escapes stand for what is neither."""
    if b"\\" in data:
        for blank in _BLANKS:  # twice escaped too: the other backslashes go below
            data = data.replace(blank, b"")
        if rb"\u" in data:
            data = _CODES.sub(b"", data)
    if b"&" in data:
        data = _ENTITIES.sub(b"", data)
    return data.translate(_LOWER, _OTHERS)


class Patterns:
    """Texts that can all be looked for at once."""

    def __init__(self, texts: Iterable[str]) -> None:
        cut = {letters(text.encode("utf-8", "replace"))[:LONGEST] for text in texts}
        kept = [text for text in cut if len(text) >= SHORTEST]
        frequency = Counter(window for text in kept for window in {text[at : at + _WINDOW] for at in range(len(text))})
        self._texts: defaultdict[int, list[bytes]] = defaultdict(list)
        for text in kept:
            start = _rarest(text, frequency)
            for at in range(start, start + _STRIDE):
                self._texts[_number(text[at : at + _WINDOW])].append(text)
        self._windows = frozenset(self._texts)

    def digest(self, copies: Copies) -> str:
        """The same for the same gold, looked for in the same way."""
        texts = sorted({text for texts in self._texts.values() for text in texts})
        files = sorted(digest for digests in copies.values() for digest in digests)
        return hashlib.blake2b(repr((_VERSION, texts, files)).encode(), digest_size=16).hexdigest()

    def occur_in(self, chunk: bytes) -> bool:
        if len(chunk) < SHORTEST:
            return False
        numbers = array("Q", chunk[: len(chunk) - len(chunk) % _WINDOW])[:: _STRIDE // _WINDOW]
        return any(text in chunk for window in self._windows.intersection(numbers) for text in self._texts[window])


def _rarest(text: bytes, frequency: Counter[bytes]) -> int:
    """Where the windows begin that the fewest other texts have."""
    counts = [frequency[text[at : at + _WINDOW]] for at in range(len(text) - _WINDOW + 1)]
    return min(range(len(counts) - _STRIDE + 1), key=lambda at: max(counts[at : at + _STRIDE]))


def _number(window: bytes) -> int:
    return array("Q", window)[0]


def _chunks(path: str, size: int) -> Iterator[bytes]:
    """The letters of a file, or of what is packed in it."""
    if os.path.splitext(path)[1].lower() in _NO_TEXT:  # noqa: PTH122 - a path object for each of many files takes longer
        return
    with suppress(*_UNREADABLE), open(path, "rb", buffering=0) as file:  # noqa: PTH123
        start = file.read(min(size, _CHUNK))
        if start.startswith(b"\x7fELF"):
            return
        if start.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(path) as archive:
                for member in archive.infolist():
                    if Path(member.filename).suffix.lower() not in _NO_TEXT:
                        with suppress(*_UNREADABLE), archive.open(member) as packed:
                            yield from _pieces(b"", packed, LARGEST_UNPACKED)
        elif unpack := next((unpack for magic, unpack in _PACKED.items() if start.startswith(magic)), None):
            with unpack(path) as packed:
                yield from _pieces(b"", packed, LARGEST_UNPACKED)
        else:
            yield from _pieces(start, file, size - len(start))


def _pieces(start: bytes, stream: IO[bytes], most: int) -> Iterator[bytes]:
    """The letters of a stream. Each piece begins with the end of the last, so that no text falls between two."""
    rest, tail = b"", b""
    data = start or stream.read(min(most, _CHUNK))
    while data:
        whole = rest + data
        end = max(whole.rfind(b"\\", -_LONGEST_ESCAPE), whole.rfind(b"&", -_LONGEST_ESCAPE))  # what may go on
        rest = whole[end:] if end >= 0 else b""
        tail += letters(whole[: len(whole) - len(rest)])
        yield tail
        tail = tail[-LONGEST:]
        data = stream.read(min(most, _CHUNK)) if most > 0 else b""
        most -= len(data)
    if rest:
        yield tail + letters(rest)


def _files(places: Iterable[Path], hidden: Sequence[Path]) -> Iterator[tuple[str, os.stat_result]]:
    """Each file once. A link leads to what is visible anyway, or to what the program cannot open."""
    seen = {str(path.resolve()) for path in hidden}
    waiting: list[str] = []
    for root in {path.resolve() for path in places}:
        with suppress(OSError):
            if root.is_dir():
                waiting.append(str(root))
            elif str(root) not in seen:
                yield str(root), root.stat()
    while waiting:
        folder = waiting.pop()
        if folder in seen:
            continue
        seen.add(folder)
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_file(follow_symlinks=False) and entry.path not in seen:
                    yield entry.path, entry.stat(follow_symlinks=False)


def _mark(status: os.stat_result) -> bytes:
    """Another if the file has changed: nobody but the system sets the last of these."""
    facts = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return hashlib.blake2b(repr(facts).encode(), digest_size=_MARK).digest()


def _recalled(file: Path | None) -> set[bytes]:
    try:
        data = file.read_bytes() if file else b""
    except OSError:
        return set()
    return {data[at : at + _MARK] for at in range(0, len(data), _MARK)}


def _remember(file: Path, marks: set[bytes]) -> None:
    with suppress(OSError):  # it is only slower without
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, b"".join(sorted(marks)), durable=False)


def _sizes(files: Iterable[Path]) -> Copies:
    """Very small ones are anybody's."""
    sizes: defaultdict[int, set[bytes]] = defaultdict(set)
    for path in files:
        with suppress(OSError):
            if (size := path.stat().st_size) >= SMALLEST_FILE:
                sizes[size].add(_digest(path))
    return sizes


def _digest(path: Path | str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return b""
