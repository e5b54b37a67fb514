"""The 21 applications of Spider2-V: what of them the images of desktops have, and which are services with an account."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from importlib.util import find_spec

from ...distribution import pip_install
from .image import Store, layers_for, not_given


def _library(module: str, extra: str) -> Callable[[], str | None]:
    """A cloud service has nothing to install here but the client."""

    def missing() -> str | None:
        try:
            found = find_spec(module) is not None
        except ModuleNotFoundError:
            found = False
        return None if found else f"the library {module} is not installed: {pip_install(extra)}"

    return missing


ACCOUNTS = {
    "servicenow": "servicenow/settings.json",
    "snowflake": "snowflake/settings.json",
    "bigquery": "google/gcp_config.json",
    "dbt_cloud": "dbt_cloud/settings.json",
    "hasura_cloud": "hasura_cloud/settings.json",
}
"""The settings of applications that are services."""
_CLIENTS = {
    "servicenow": _library("browsergym.workarena", "desktop-servicenow"),
    "snowflake": _library("snowflake.connector", "desktop-snowflake"),
    "bigquery": _library("google.cloud.bigquery", "desktop-google"),
}
"""What is missing for a service, in words, or None."""


class Applications:
    """What is here. `have` are applications that are, whatever the images and libraries say."""

    def __init__(self, have: Collection[str] = (), store: Store | None = None) -> None:
        self._have = have
        self._missing_clients = {app: why for app, test in _CLIENTS.items() if (why := test())}
        self._made = (store or Store()).made()

    def missing(self, apps: Iterable[str]) -> dict[str, str]:
        """Those of a task that are not here, and why."""
        named = list(apps)
        wanted = [app for app in named if app not in self._have]
        found = {app: why for app in wanted if (why := self._missing_clients.get(app))}
        found |= {app: why for app, why in not_given(named).items() if app in wanted}
        for app in wanted:
            layers = [layer for layer in ["desktop", *layers_for([app])] if layer not in self._made]
            if layers and app not in found and app not in ACCOUNTS:
                found[app] = f"touchstone desktop image build {' '.join(layers)}"
        return found
