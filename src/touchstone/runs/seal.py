"""Seals: how a run is written so that whoever gets it can tell whether it is as it was written.

Each line of runs.jsonl ends with a seal, the hash of the seal before it and of the record: a changed line does not fit its own
seal, and a line that was removed, moved or put in does not fit its neighbour's. The first follows from the run's identity. The
seal is a part of its line, so that no kill can come between the two, and costs one hash of the record.

A run that ends writes seal.json: how many records there are, the last seal, and the hashes of the configuration and of the
summaries. It is removed before anything changes again, so a run that was killed has none. Its own hash, `seal`, stands for the
whole run: who has published it cannot change the run any more without being found out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

FILE = "seal.json"
MARK = {"records": "blake2b-160 chain"}
"""What config.json says of a run whose records are sealed."""
COVERED = ("config.json", "overall.json", "summary.txt")

_END = re.compile(rb',"seal":"([0-9a-f]{40})"\}\n')
_LENGTH = len(b',"seal":""}\n') + 40


@dataclass(frozen=True)
class Chain:
    """The last seal, and how many records it stands for."""

    head: bytes
    count: int = 0

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Chain | None:
        """The beginning of a run's chain; None if its records are not sealed."""
        return cls(_hash(canonical(config.get("identity", {})))) if config.get("seal") else None

    def sealed(self, records: Iterable[bytes]) -> tuple[bytes, Chain]:
        """The lines of these encoded records, and the chain after them."""
        lines: list[bytes] = []
        head, count = self.head, self.count
        for record in records:
            head = _hash(head, record)
            lines.append(record[:-1] + b',"seal":"' + head + b'"}\n')
            count += 1
        return b"".join(lines), Chain(head, count)

    def follows(self, line: bytes) -> bool:
        record, seal = opened(line)
        return seal == _hash(self.head, record)

    def after(self, line: bytes) -> Chain:
        """As the line says, whether or not it should: so only the first line that is wrong is blamed."""
        return Chain(opened(line)[1] or self.head, self.count + 1)


def opened(line: bytes) -> tuple[bytes, bytes | None]:
    """The encoded record of a line, and its seal if it has one."""
    seal = _END.fullmatch(line, len(line) - _LENGTH) if len(line) > _LENGTH else None
    return (line[:-_LENGTH] + b"}", seal[1]) if seal else (line.removesuffix(b"\n"), None)


class Seal(Struct, frozen=True, kw_only=True):
    """seal.json."""

    records: int
    chain: str
    files: dict[str, str]
    """SHA-256 by name."""
    seal: str = ""
    """SHA-256 of the rest."""

    def closed(self) -> Seal:
        fields = {name: getattr(self, name) for name in self.__struct_fields__ if name != "seal"}
        return msgspec.structs.replace(self, seal=hashlib.sha256(canonical(fields)).hexdigest())


def closing(directory: Path, chain: Chain) -> bytes:
    """The content of seal.json for a run as it is on the disk."""
    files = {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in COVERED}
    seal = Seal(records=chain.count, chain=chain.head.decode(), files=files).closed()
    return msgspec.json.format(msgspec.json.encode(seal), indent=2) + b"\n"


def canonical(value: Any) -> bytes:
    """The same bytes before and after the value was in a JSON file."""
    return msgspec.json.encode(msgspec.json.decode(msgspec.json.encode(value)), order="sorted")


def _hash(*parts: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=20)
    for part in parts:
        digest.update(part)
    return digest.hexdigest().encode()
