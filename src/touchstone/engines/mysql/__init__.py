"""MySQL and MariaDB: a live database that is only read, or a private server made from dumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...distribution import refuse_without
from ...protocols import EngineConfig, Opening

if TYPE_CHECKING:
    from .engine import MysqlEngine


class MysqlConfig(EngineConfig, frozen=True, kw_only=True):
    """MySQL and MariaDB. A dump <name>.sql, a folder of them, or mysql://user@host:3306/name."""

    name: ClassVar[str] = "mysql"
    schemes: ClassVar[tuple[str, ...]] = ("mysql", "mariadb")

    async def open(self, opening: Opening) -> MysqlEngine:
        refuse_without("pymysql", "MySQL", "mysql")
        from .engine import open_dumps, open_live

        address = self.place or ""
        if address.startswith(tuple(f"{scheme}://" for scheme in self.schemes)):
            return await open_live(address, opening)
        return await open_dumps(address, opening)
