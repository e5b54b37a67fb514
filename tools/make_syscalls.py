"""Writes src/touchstone/sandbox/syscalls.py: the numbers of the system calls that the filters name, as libseccomp knows them.

    python tools/make_syscalls.py            needs libseccomp.so.2, which every Debian has

Calls that an older libseccomp has not heard of are taken from `NEWER`: from 424 on, all architectures count alike.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

from touchstone.sandbox import seccomp

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEWER = {
    "set_mempolicy_home_node": 450,
    "cachestat": 451,
    "fchmodat2": 452,
    "map_shadow_stack": 453,
    "futex_wake": 454,
    "futex_wait": 455,
    "futex_requeue": 456,
    "mseal": 462,
}
_HEAD = '''"""The numbers of the system calls that the filters name. Written by tools/make_syscalls.py; do not edit."""

from __future__ import annotations

'''


def number(name: str, architecture: int) -> int | None:
    """None: this architecture has no such call."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_syscall_resolve_name_arch.argtypes = [ctypes.c_uint32, ctypes.c_char_p]
    known: int = library.seccomp_syscall_resolve_name_arch(architecture, name.encode())
    return known if known >= 0 else NEWER.get(name)  # a negative number: not on this architecture, or not heard of


def names() -> list[str]:
    """All that the filters name, in their lists and one by one."""
    lists = [words for name, words in vars(seccomp).items() if re.fullmatch("_[A-Z_]+", name) and isinstance(words, str)]
    singly = re.findall(r'(?:_where|_unless|number)\("(\w+)"', Path(seccomp.__file__).read_text())
    return sorted({*" ".join(lists).split(), *singly})


def text() -> str:
    lines = [f'    "{name}": {tuple(number(name, each) for each in ARCHITECTURES.values())},' for name in names()]
    machines = ", ".join(f'"{name}": 0x{value:08X}' for name, value in ARCHITECTURES.items())
    kind = "NUMBERS: dict[str, tuple[int | None, int | None]] = {\n"
    return f"{_HEAD}ARCHITECTURES = {{{machines}}}\n{kind}" + "\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    Path(seccomp.__file__).with_name("syscalls.py").write_text(text())
