"""The way into a Ray cluster."""

from __future__ import annotations

import logging
import os
import socket
from importlib import import_module
from typing import Any

from ...distribution import pip_install
from ...failures import InputError


def connected(address: str | None) -> Any:
    """The ray module, connected. Without an address: RAY_ADDRESS, a cluster that runs on this machine, or a new one here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", "(?s).*")  # pages of a lost node's log on our standard output
    try:
        ray: Any = import_module("ray")
        for name in ("exceptions", "util.scheduling_strategies"):
            import_module(f"ray.{name}")
    except ImportError:
        raise InputError(f"--executor ray needs Ray: {pip_install('ray')}") from None
    if ray.is_initialized():
        return ray
    if address not in (None, "auto", "local"):
        _refuse_unreachable(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
    except Exception as error:  # Ray raises many kinds
        said = str(error).strip().partition("\n")[0]
        where = f" at {address}" if address else ""
        hint = "if it asks for a token, this machine must have it as Ray's documentation says"
        raise InputError(f"cannot connect to the Ray cluster{where} ({hint}): {said}") from None
    return ray


def in_words(error: Exception) -> str:
    """Ray's errors are pages; what caused one is in its first line, or in its cause."""
    if "No module named 'touchstone'" in str(error):
        return "touchstone is not installed there"
    cause = getattr(error, "cause", None) or error
    return f"{type(cause).__name__}: {str(cause).strip().partition(chr(10))[0][:200]}"


def _refuse_unreachable(address: str) -> None:
    """In a few seconds, where Ray takes a minute."""
    host, colon, port = address.rpartition(":")
    if "://" in address or not colon or not port.isdigit():
        raise InputError(f"--ray-address {address}: expected the host:port of the cluster, seen from one of its machines")
    try:
        socket.create_connection((host.strip("[]"), int(port)), 5.0).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"--ray-address {address}: nothing answers there ({error})") from None
