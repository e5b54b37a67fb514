"""Guests: desktops, with a file system, users and namespaces of their own, in which some of them are root."""

from __future__ import annotations

from . import seccomp
from .privileges import leave_keys


def confine_guest() -> None:
    """Leaves the keys of whoever started it, and sets the filter for system calls. Root of a user namespace may do so without
    giving up for all its programs what setuid programs gain there."""
    leave_keys()
    if seccomp.available():
        seccomp.restrict(seccomp.container())
