"""Accounts of cloud services: files below `settings/`, as published, and what in them is filled in.

Each file starts as a template; a value counts as filled in when it is neither empty nor the template's own. Values are used,
never shown: whatever is said about a file names its fields only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, cast

import msgspec
from msgspec import Struct

from ...errors import InputError, Skipped
from .tasks import NAME

TEMPLATES: dict[str, Any] = {
    "google/settings.json": {"email": "your_google_account@gmail.com", "password": "your_google_account_password"},
    "google/gcp_config.json": [
        {
            "project_name": "bigquery-project",
            "role": "Owner",
            "apis": ["cloudapis", "drive"],
            "project_id": "xxxx-xxxx-xxxx",
            "email": "xxxx@gmail.com",
            "service_account": "service-account@{project_id}.iam.gserviceaccount.com",
            "keyfile_path": f"{NAME}/settings/google/{{project_id}}.json",
        }
    ],
    "googledrive/settings.yml": (
        "client_config_backend: file\n"
        f"client_config_file: {NAME}/settings/googledrive/client_secrets.json\n"
        "save_credentials: True\nsave_credentials_backend: file\n"
        f"save_credentials_file: {NAME}/settings/googledrive/credentials.json\n"
        "get_refresh_token: True\n"
    ),
    "servicenow/settings.json": {
        "SNOW_INSTANCE_URL": "https://{your_instance_id}.service-now.com/",
        "SNOW_INSTANCE_UNAME": "admin",
        "SNOW_INSTANCE_PWD": "your_instance_password",
    },
    "snowflake/settings.json": {
        "account": "https://xxxxxxxx.snowflakecomputing.com",
        "user": "USER_NAME",
        "password": "YOUR_PASSWORD",
    },
    "dbt_cloud/settings.json": {
        "email": "xxxxx@xxx.com",
        "password": "xxxxxxx",
        "account_id": "xxxxxxx",
        "token": "xxxxxxx",
        "cloud_host": "xxxxx.com",
    },
    "hasura_cloud/settings.json": {"email": "xxxxx@xxx.com", "password": "xxxxxxxx"},
}
GIVEN = {"project_name", "role", "apis", "SNOW_INSTANCE_UNAME"}
"""Fields whose template value is a good one."""
SECRETS = {"googledrive/settings.yml": "googledrive/client_secrets.json"}
"""Files that cannot be written by hand: Google's console gives them."""


_PLACEHOLDER = re.compile(r"\{\w+\}")


class AccountState(Struct, frozen=True):
    """What a settings file is good for."""

    name: str
    filled: list[str]
    empty: list[str]
    problem: str = ""

    @property
    def ready(self) -> bool:
        return not self.problem and not self.empty

    @property
    def lack(self) -> str:
        return f"settings/{self.name}: " + (self.problem or f"{', '.join(self.empty)} not filled in")


class Accounts:
    """The files below one `settings` directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def path(self, published: str) -> Path:
        """Where a file is that tasks call `evaluation_examples/settings/…`."""
        parts = PurePosixPath(published).parts
        inner = parts[2:] if parts[:2] == (NAME, "settings") else parts
        path = self.directory.joinpath(*inner)
        if not path.resolve().is_relative_to(self.directory.resolve()):
            raise InputError(f"{published}: this path leads out of {self.directory}")
        return path

    def load(self, published: str) -> Any:
        """The content of a settings file, or `Skipped` with what it lacks."""
        name = str(self.path(published).relative_to(self.directory))
        standing = self.standing(name)
        if not standing.ready:
            raise Skipped(f"needs an account: {standing.lack}", kind="account")
        return self._read(name)

    def project(self, config_file: str, project_name: str | None, project_index: int = 0) -> dict[str, Any]:
        """One project of `gcp_config.json`."""
        projects: list[dict[str, Any]] = self.load(config_file)
        if project_name is None:
            return projects[project_index]
        for project in projects:
            if project.get("project_name") == project_name:
                return project
        raise Skipped(f"needs an account: {config_file} has no project named '{project_name}'", kind="account")

    def standing(self, name: str) -> AccountState:
        if name not in TEMPLATES:
            return AccountState(name, [], [], "" if self.path(name).is_file() else f"settings/{name} does not exist")
        template = TEMPLATES[name]
        if not self.path(name).is_file():
            return AccountState(name, [], list(_fields(template)), "the file does not exist")
        try:
            content = self._read(name)
        except InputError as error:
            return AccountState(name, [], list(_fields(template)), str(error))
        wanted, settings = dict(_values(template)), dict(_values(content))  # of the drive's, nothing: its key file counts
        empty = [field for field, value in wanted.items() if field not in GIVEN and _is_blank(settings.get(field), value)]
        filled = [field for field in wanted if field not in empty]
        return AccountState(name, filled, empty, self._missing_file(name, settings))

    def standings(self) -> list[AccountState]:
        return [self.standing(name) for name in TEMPLATES]

    def init(self) -> list[tuple[Path, bool]]:
        """Writes the templates that are not there, readable by their owner only; says which were written."""
        return [(self.path(name), self._write(name)) for name in TEMPLATES]

    def _write(self, name: str) -> bool:
        path, template = self.path(name), TEMPLATES[name]
        if path.exists():
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        text = template if isinstance(template, str) else msgspec.json.format(msgspec.json.encode(template)).decode() + "\n"
        path.touch(mode=0o600)
        path.write_text(text)
        return True

    def _read(self, name: str) -> Any:
        text = self.path(name).read_bytes()
        if name.endswith(".yml"):
            return dict(line.split(": ", 1) for line in text.decode(errors="replace").splitlines() if ": " in line)
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError):
            raise InputError("not valid JSON (the comments of the published template must be taken out)") from None

    def _missing_file(self, name: str, settings: dict[str, Any]) -> str:
        """A key file that a settings file points at."""
        pointed = [SECRETS[name]] if name in SECRETS else [str(settings["keyfile_path"])] if "keyfile_path" in settings else []
        absent = [path for path in pointed if "{" not in path and not self.path(path).is_file()]
        return f"the key file {absent[0]} does not exist" if absent else ""


def _values(content: Any) -> Iterator[tuple[str, Any]]:
    """Fields and values; of a list of projects, the first one's."""
    if isinstance(content, list) and content:
        content = cast("list[Any]", content)[0]
    if isinstance(content, dict):
        yield from cast("dict[str, Any]", content).items()


def _fields(template: Any) -> Iterator[str]:
    return (field for field, _ in _values(template) if field not in GIVEN)


def _is_blank(value: Any, template: Any) -> bool:
    """Also when a part of the template such as {project_id} still stands in it."""
    return value in (None, "", template) or any(part in str(value) for part in _PLACEHOLDER.findall(str(template)))
