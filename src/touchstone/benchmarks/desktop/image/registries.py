"""From where packages come while a layer is made: from wherever this machine's own pip, npm and apt take them.

Indexes, proxies and certificates are read from pip's configuration and from the environment. Folders of this machine that
they name are visible in the container under /run/registries while it builds, and nothing of it stays in the layer.
"""

from __future__ import annotations

import ast
import contextlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ....distribution import pip_install
from ....errors import InputError
from ..providers.namespaces import Bind

INSIDE = "/run/registries"
_CERTIFICATES = f"{INSIDE}/certificates.crt"
_LISTS = {"extra-index-url": ("UV_INDEX", " "), "find-links": ("UV_FIND_LINKS", ",")}
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


@dataclass
class Registries:
    """What a container needs to fetch packages."""

    variables: dict[str, str] = field(default_factory=lambda: {})
    binds: list[Bind] = field(default_factory=lambda: [])

    def place(self, address: str) -> str:
        """The same address, as it is reached from inside."""
        path = _local(address)
        if path is None or not path.exists():
            return address
        # The pages of a folder of packages may point to its neighbours.
        shown, rest = (path.parent, f"/{path.name}") if address.startswith("file:") else (path, "")
        inside = f"{INSIDE}/{len(self.binds)}"
        self.binds.append(Bind(shown, inside))
        return f"file://{inside}{rest}" if address.startswith("file:") else inside + rest


def registries() -> Registries:
    source = Registries(
        {
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_LINK_MODE": "copy",
            "UV_COMPILE_BYTECODE": "1",  # a clean desktop has no time to do it
            "UV_INDEX_STRATEGY": "unsafe-best-match",  # as pip does
            "UV_NO_PROGRESS": "1",
        },
        [Bind(_uv(), f"{INSIDE}/uv")],
    )
    options = pip_options()
    if index := options.get("index-url"):
        source.variables["UV_DEFAULT_INDEX"] = source.place(index)
    for option, (variable, separator) in _LISTS.items():
        if addresses := options.get(option, "").split():
            source.variables[variable] = separator.join(source.place(address) for address in addresses)
    source.variables |= {name: os.environ[name] for name in _both_cases(_PROXIES) if name in os.environ}
    _add_certificates(source, options)
    _add_npm(source)
    if (resolver := Path("/etc/resolv.conf")).exists():
        source.binds.append(Bind(resolver.resolve(), "/etc/resolv.conf"))
    return source


def _add_certificates(source: Registries, options: dict[str, str]) -> None:
    named = (options.get("cert"), os.environ.get("SSL_CERT_FILE"), "/etc/ssl/certs/ca-certificates.crt")
    if bundle := next((Path(path) for path in named if path and Path(path).is_file()), None):
        source.binds.append(Bind(bundle.resolve(), _CERTIFICATES))
        variables = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "NPM_CONFIG_CAFILE")
        source.variables |= dict.fromkeys(variables, _CERTIFICATES)


def _add_npm(source: Registries) -> None:
    own = Path(os.environ.get("NPM_CONFIG_USERCONFIG") or Path.home() / ".npmrc")
    if own.is_file():
        source.binds.append(Bind(own, f"{INSIDE}/npmrc"))
        source.variables["NPM_CONFIG_USERCONFIG"] = f"{INSIDE}/npmrc"
    if registry := os.environ.get("NPM_CONFIG_REGISTRY"):
        source.variables["NPM_CONFIG_REGISTRY"] = registry


@cache
def pip_options() -> dict[str, str]:
    """What pip would do, by the names of its options; variables count more than files, as they do for pip."""
    done = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    options: dict[str, str] = {}
    for line in sorted(done.stdout.splitlines(), key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        options[name.rpartition(".")[2]] = str(ast.literal_eval(value))
    return options


def _uv() -> Path:
    with contextlib.suppress(ImportError, FileNotFoundError):
        from uv import find_uv_bin

        return Path(find_uv_bin())
    if program := shutil.which("uv"):
        return Path(program)
    raise InputError(f"making layers needs uv: {pip_install('desktop')}")


def _local(address: str) -> Path | None:
    if address.startswith("file:"):
        return Path(unquote(urlsplit(address).path)).absolute()
    return Path(address) if address.startswith("/") else None


def _both_cases(names: tuple[str, ...]) -> tuple[str, ...]:
    return names + tuple(name.upper() for name in names)
