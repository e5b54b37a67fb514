"""BIRD on PostgreSQL and MySQL: dumps in a private server, the original evaluator's comparison."""

from __future__ import annotations

import json
import shutil
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.bird.config import BirdConfig
from touchstone.benchmarks.sql_episode import submission
from touchstone.cli import main
from touchstone.errors import InputError
from touchstone.protocols import Opening
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome

POSTGRES = """--
-- PostgreSQL database dump
--

\\restrict a1b2c3

-- Dumped from database version 14.12 (Homebrew)
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.item (id integer NOT NULL, name text, price numeric(8,2), tags text[]);
ALTER TABLE public.item OWNER TO somebody_else;
CREATE TABLE public.sale (id integer PRIMARY KEY, item integer);
COPY public.item (id, name, price, tags) FROM stdin;
1	bowl	12.50	{a,b}
2	cup	7.00	\\N
\\.
COPY public.sale (id, item) FROM stdin;
1	1
\\.
ALTER TABLE ONLY public.item ADD CONSTRAINT item_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sale ADD CONSTRAINT fk FOREIGN KEY (item) REFERENCES public.item(id);

\\unrestrict a1b2c3

"""
"""As pg_dump writes it on another's machine: an owner who is not here, and commands of psql."""
MYSQL = """-- MySQL dump 10.13  Distrib 8.4.0, for macos14 (arm64)
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
DROP TABLE IF EXISTS `item`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `item` (
  `id` int NOT NULL,
  `name` varchar(40) COLLATE utf8mb4_0900_ai_ci DEFAULT NULL,
  `price` decimal(8,2) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
LOCK TABLES `item` WRITE;
/*!40000 ALTER TABLE `item` DISABLE KEYS */;
INSERT INTO `item` VALUES (1,'bowl',12.50),(2,'cup',7.00);
/*!40000 ALTER TABLE `item` ENABLE KEYS */;
UNLOCK TABLES;
CREATE TABLE `sale` (`id` int NOT NULL, `item` int, FOREIGN KEY (`item`) REFERENCES `item` (`id`));
INSERT INTO `sale` VALUES (1,1);
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
-- Dump completed on 2024-06-20 11:00:00
"""
"""As MySQL 8 writes it, with a collation that MariaDB calls otherwise."""
GOLDS = ["SELECT name, price FROM item", "SELECT sum(price) FROM item JOIN sale ON sale.item = item.id", "SELECT x FROM item"]
ANSWERS = [
    (0, "SELECT name, price FROM item ORDER BY 1 DESC", Outcome.passed),
    (0, "SELECT name, price FROM item UNION ALL SELECT name, price FROM item;", Outcome.passed),  # sets, as the original
    (0, "SELECT name, id FROM item", Outcome.failed),
    (0, "SELECT name, price FROM items", Outcome.failed),
    (0, "DELETE FROM item", Outcome.failed),
    (1, "SELECT 12.5", Outcome.passed),  # Decimal
    (1, "SELECT 12.500001", Outcome.failed),
    (1, "SELECT price FROM item WHERE name = 'bowl'", Outcome.passed),
    (2, "SELECT 1", Outcome.unscorable),
]


@pytest.fixture(scope="module", params=["postgres", "mysql"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Path]:
    engine: str = request.param
    if engine == "mysql" and shutil.which("mariadbd") is None and not Path("/usr/sbin/mariadbd").exists():
        pytest.skip("there is no MariaDB server here")
    folder = tmp_path_factory.mktemp(engine)
    tasks = [
        {"question_id": index, "db_id": f"db{index}", "question": "?", "SQL": sql, "difficulty": "simple"}
        for index, sql in enumerate(GOLDS)
    ]
    (folder / "tasks.json").write_text(json.dumps(tasks))
    (folder / "BIRD_dev.sql").write_text(POSTGRES if engine == "postgres" else MYSQL)
    return engine, folder / "tasks.json", folder / "BIRD_dev.sql"


async def test_answers_are_judged_as_the_original_does(files: tuple[str, Path, Path]) -> None:
    engine, tasks, dump = files
    config = BirdConfig(tasks=tasks, databases=dump, engine=engine, schema=True)  # pyright: ignore[reportArgumentType]
    async with AsyncExitStack() as stack:
        benchmark = await config.open(Opening(stack=stack))
        for task, sql, outcome in ANSWERS:
            agent = ScriptedAgent(lambda _, sql=sql: [submission(sql)])
            record = (await play(benchmark, agent, benchmark.tasks()[task]))[0]
            assert record.outcome is outcome, (sql, record.reason)
        if engine == "postgres":
            agent = ScriptedAgent(lambda _: [submission("SELECT tags FROM item")])
            assert (await play(benchmark, agent, benchmark.tasks()[0]))[0].outcome is Outcome.failed
        identity = await benchmark.identity()
        assert identity["engine"] == engine
        assert identity["databases"]["db0"]


def test_the_oracle_plays_it_from_the_command_line(
    files: tuple[str, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine, tasks, dump = files
    options = ["--engine", engine, "--agent", "oracle", "--limit", "2", "--output", str(tmp_path)]
    assert main(["bird", str(tasks), str(dump), *options]) == 0
    assert "Passed:           2" in capsys.readouterr().out


@pytest.mark.parametrize("option", [{"metric": ("r-ves",)}, {"proof": True}, {"today": "2025-02-19"}])
async def test_what_is_for_sqlite_is_refused(files: tuple[str, Path, Path], option: dict[str, object]) -> None:
    engine, tasks, dump = files
    config = BirdConfig(tasks=tasks, databases=dump, engine=engine, **option)  # pyright: ignore[reportArgumentType]
    async with AsyncExitStack() as stack:
        with pytest.raises(InputError, match="is for SQLite"):
            await config.open(Opening(stack=stack))
