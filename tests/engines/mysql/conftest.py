"""One MariaDB server for the session. What it holds must be the same after every test."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from touchstone.engines.mysql.private_server import PrivateServer
from touchstone.plugins import open_engine
from touchstone.protocols import Engine, EpisodeDatabase, Opening

SHOP = r"""-- MySQL dump 10.13
/*!40101 SET NAMES utf8mb4 */;
CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop`;
USE `shop`;
DROP TABLE IF EXISTS `item`;
CREATE TABLE `item` (`id` int NOT NULL, `name` varchar(40), price decimal(8,2), made date, photo blob, PRIMARY KEY (`id`))
  ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
LOCK TABLES `item` WRITE;
INSERT INTO `item` VALUES (1,'bowl; \'blue\'',12.50,'2024-02-29',_binary '\0\'x'),(2,'Schüssel 北京',7.00,NULL,NULL),
  (3,'cup -- no comment',NULL,'2020-01-01',NULL);
UNLOCK TABLES;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `cheap` AS select `item`.`id` AS `id` from `item` where `item`.`price` < 10 */;
DELIMITER ;;
CREATE DEFINER=`root`@`%` FUNCTION twice(x int) RETURNS int DETERMINISTIC BEGIN DECLARE y int; SET y = 2 * x; RETURN y; END ;;
CREATE DEFINER=`root`@`%` FUNCTION sly() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM item; RETURN 1; END ;;
DELIMITER ;
"""

if shutil.which("mariadbd") is None and not Path("/usr/sbin/mariadbd").exists():
    pytest.skip("there is no MariaDB server here: apt install mariadb-server-core", allow_module_level=True)


@pytest.fixture(scope="session")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mysql") / "shop.sql"
    path.write_text(SHOP)
    return path


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def engine(dump: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_CACHE", str(tmp_path_factory.mktemp("cache")))
        async with AsyncExitStack() as stack:
            yield await open_engine("mysql", Opening(stack=stack), place=str(dump))


@pytest_asyncio.fixture(loop_scope="session")
async def database(engine: Engine) -> AsyncIterator[EpisodeDatabase]:
    database = engine.database("shop")
    yield database
    await database.close()


@pytest.fixture(scope="session")
def server() -> Iterator[PrivateServer]:
    """Somebody's own server: a live one."""
    server = PrivateServer()
    try:
        server.bootstrap()
        server.launch()
        server.ready()
        server.ask(
            "CREATE DATABASE live",
            "CREATE DATABASE other",
            "CREATE TABLE live.item (id int, name text)",
            "INSERT INTO live.item VALUES (1, 'a'), (2, 'b')",
            "CREATE TABLE other.secret (id int)",
            "CREATE FUNCTION live.sly() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM live.item; RETURN 1; END",
            "CREATE USER reader@localhost IDENTIFIED BY 'pass word'",
            "GRANT SELECT, SHOW VIEW ON live.* TO reader@localhost",
        )
        yield server
    finally:
        server.close()
