"""`touchstone doctor`: what works on this machine, and what to install for the rest."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec

from .. import __version__
from ..distribution import pip_install
from ..engines.cache import Cache, default_path
from ..errors import InputError
from ..plugins import Kind, available, load, model_config, structs_with
from ..protocols import Check


def doctor() -> int:
    """Show what works on this machine and what to install for the rest."""
    machine = f"Python {platform.python_version()}, {platform.platform(terse=True)}, {os.cpu_count()} cores"
    print(f"Touchstone {__version__}, {machine}\n")
    findings = list(_examine())
    for finding in findings:
        print(f"{'ok     ' if finding.good else 'missing'}  {finding.what:<22} {finding.detail}")
    for kind in ("benchmarks", "agents", "models", "engines"):
        print(f"         {kind:<22} {', '.join(_loaded(kind))}")
    return 1 if any(finding.needed and not finding.good for finding in findings) else 0


def _loaded(kind: Kind) -> Iterator[str]:
    """What another package adds must load to be of use."""
    for name in available(kind):
        try:
            load(kind, name)
            yield name
        except Exception as error:  # whatever a foreign module does when it is imported
            yield f"{name} (does not load: {' '.join(str(error).split())})"


def _examine() -> Iterator[Check]:
    """Engines and benchmarks say themselves what they need."""
    yield from _told_by("engines")
    yield _cache()
    yield _openai_key()
    litellm = find_spec("litellm") is not None
    if find_spec("openai"):
        yield openai_sdk(version("openai"), litellm=litellm, inspect=find_spec("inspect_ai") is not None)
    yield Check(litellm, "LiteLLM", "litellm/<provider>/<model>" if litellm else pip_install("litellm"))
    yield _local_model()
    yield from _told_by("benchmarks")


def _told_by(kind: Kind) -> Iterator[Check]:
    for struct in structs_with(kind, "checks"):
        yield from struct.checks()


def _cache() -> Check:
    cache = Cache(default_path())
    cache.put(b"probe", b"1")
    works = cache.get(b"probe") == b"1"
    cache.close()
    return Check(
        works, "result cache", f"{default_path()}" if works else f"cannot write {default_path()}; set TOUCHSTONE_CACHE"
    )


def _openai_key() -> Check:
    """Only whether there is one: the key itself is never shown."""
    if os.environ.get("OPENAI_API_KEY"):
        return Check(True, "OpenAI-compatible", "OPENAI_API_KEY is set")
    if os.environ.get("OPENAI_BASE_URL"):
        return Check(True, "OpenAI-compatible", "OPENAI_BASE_URL is set")
    return Check(False, "OpenAI-compatible", "set OPENAI_API_KEY, or give --base-url for a server of your own")


def openai_sdk(installed: str, *, litellm: bool, inspect: bool) -> Check:
    """Touchstone itself needs none; LiteLLM wants the one, Inspect's own OpenAI models the other."""
    old = int(installed.partition(".")[0]) < 3
    problems = [
        *(["LiteLLM needs 2.x"] if litellm and not old else []),
        *(["Inspect's openai/ models need 3.4 or newer"] if inspect and old else []),
    ]
    advice = "; ".join(problems) + ": install the extras litellm and inspect in separate environments"
    return Check(not problems, "OpenAI SDK", f"{installed}; {advice}" if problems else installed)


def _local_model() -> Check:
    try:
        model_config("local").build()
    except InputError as error:
        return Check(False, "local model", str(error))
    return Check(True, "local model", "--model local")
