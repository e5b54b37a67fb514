"""The PostgreSQL engine as the event loop sees it.

Every database of a dataset is a template on the server, which is never written to. All episodes read one clone of it; one
that writes gets clones of its own, which are made ahead. SQL runs in worker processes, logged in as roles that have no rights
outside of their database.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...errors import Unscorable
from ...protocols import EpisodeDatabase
from ...sandbox.folders import scratch_folder
from ...sandbox.worker import WorkerRules
from ...workers.pool import Pool
from ..today import worker_environment
from .clone_pool import Administrator, ClonePool
from .database import PostgresEpisodeDatabase
from .messages import Description, Facts, PostgresServer
from .worker import PRELOAD

_WARM = 8
"""Workers mostly wait for the server, so there are more of them than cores."""


class PostgresEngine:
    """Episode databases on one server."""

    name = "postgres"

    def __init__(
        self,
        server: PostgresServer,
        *,
        pool: Pool | None = None,
        run: str | None = None,
        ahead: int = 2,
        patience: float = 10.0,
        today: str | None = None,
        only: str | None = None,
        time_zone: str | None = None,
    ) -> None:
        """`today` is the day that the server lives on, for what is judged beside it. `only` is the one database there is,
        whatever name is asked for. `time_zone` is that of all sessions, if it is not the server's."""
        self.today = today
        self._time_zone = time_zone
        server = server if time_zone is None else server.in_time_zone(time_zone)
        self._only = only
        self._owns_pool = pool is None
        rules = WorkerRules([str(scratch_folder())], client=True)
        self.pool = pool or Pool(warm=_WARM, preload=PRELOAD, rules=rules, environment=worker_environment(today))
        self._administrator = Administrator(server, self.pool, run, patience)
        self._ahead = ahead
        self._stocks: dict[str, ClonePool] = {}
        self.versions: Mapping[str, str] = {}
        """Known once the server has been reached."""

    async def start(self, databases: Iterable[str] = ()) -> Facts:
        """Takes hold of the server, which otherwise happens at the first use, and looks whether these can be used.

        Raises InputError if not, with what its owner can do.
        """
        facts = await self._administrator.start()
        zone = {} if self._time_zone is None else {"time zone": self._time_zone}
        self.versions = {"PostgreSQL": facts.version, "collation": facts.collation, **zone}
        await self._administrator.check(databases)
        return facts

    def database(self, name: str, key: str = "") -> EpisodeDatabase:
        return self.world(self._only or name, key)

    async def digests(self, names: Sequence[str]) -> Mapping[str, str | None]:
        by_name: dict[str, str | None] = {}
        for name in names:
            try:
                by_name[name] = (await self.describe(self._only or name)).digest
            except Unscorable:
                by_name[name] = None
        return by_name

    def world(self, database: str, key: str) -> PostgresEpisodeDatabase:
        """The world of one episode, on the dataset's database of that name."""
        stock = self._stocks.setdefault(database, ClonePool(self._administrator, database, self._ahead))
        return PostgresEpisodeDatabase(self._administrator, stock, database, key)

    async def describe(self, database: str) -> Description:
        """What the database holds. Raises Unscorable if it is missing, broken or empty."""
        return await self._administrator.describe(database)

    async def close(self) -> None:
        """Drops all that this run has made on the server."""
        await self._administrator.close()
        if self._owns_pool:
            await self.pool.close()
