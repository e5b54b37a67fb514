"""`touchstone mcp --benchmark desktop`: the real command, played by the official client on a drawn desktop."""

from __future__ import annotations

from pathlib import Path

from mcp import ClientSession, StdioServerParameters, stdio_client

from tests.benchmarks.desktop.playing import SAVED
from tests.benchmarks.desktop.support import ABSTRACT, make_dataset
from tests.support.command import SCRIPTS, environment, records, run_directory

DRAWN = ("--provider", "tests.benchmarks.desktop.drawn:provider", "--sleep-after-action", "0", "--settle", "0")


async def test_an_assistant_sees_the_screen_and_acts(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    server = StdioServerParameters(
        command=str(SCRIPTS / "touchstone"),
        args=["mcp", "--benchmark", "desktop", "--dataset", ".", "--task", ABSTRACT, *DRAWN, "-o", "out"],
        cwd=tmp_path,
        env={**environment(tmp_path / "cache"), "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    with (tmp_path / "said").open("w") as said:
        async with stdio_client(server, errlog=said) as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            seen = await session.call_tool("look", {})
            assert [part.type for part in seen.content] == ["text", "image"]
            await session.call_tool("pyautogui", {"code": SAVED})
            await session.call_tool("done", {})
    run = run_directory(tmp_path / "out")
    (record,) = records(run)
    assert (record["task"], record["outcome"]) == (ABSTRACT, "passed")
    assert (run / "episodes" / ABSTRACT / "000.png").is_file()
