"""A desktop through its controller: everything that a `Desktop` does but start, reset and stop, which its provider knows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec

from ....errors import Skipped, WorkerFailure
from ....foreign import Unreadable, read_json
from ..controller.time_limit import STRETCH, FairTimeLimit
from ..desktop import ACTION_SECONDS, SECONDS, Execution

# Requests to a controller: within a time limit, no larger than allowed, every failure a WorkerFailure that says what failed.
#
# The desktop is the agent's, and so is what answers in it: nothing that it says is believed to be small, quick or well-
# formed.


MARGIN = 30.0
"""How much longer than the work itself its answer may take. The time limit is kept in the desktop, where it counts progress."""
LARGEST = 128 << 20
LARGEST_FILE = 4 << 30


class ControllerAnswer(msgspec.Struct, frozen=True):
    """A status and a whole body."""

    status: int
    body: bytes

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    def fields(self) -> dict[str, Any]:
        """Of a JSON object; empty if it is none."""
        try:
            return read_json(self.body, dict[str, Any])
        except Unreadable:
            return {}

    def why(self) -> str:
        """In words, for failures."""
        message = self.fields().get("message")
        reason = message if isinstance(message, str) else self.body[:200].decode("utf-8", "replace").strip()
        return f"status {self.status}: {reason}" if reason else f"status {self.status}"


async def _whole(response: httpx.Response) -> ControllerAnswer:
    return ControllerAnswer(response.status_code, b"".join([part async for part in _within(response, LARGEST)]))


async def _within(response: httpx.Response, largest: int) -> AsyncIterator[bytes]:
    """As it came, never unpacked: a small answer can be made to unpack to any size."""
    size = 0
    async for part in response.aiter_raw():
        size += len(part)
        if size > largest:
            raise WorkerFailure(
                f"the desktop's answer to {response.url.path} is larger than {largest >> 20} MB", kind="desktop"
            )
        yield part


LOOK_SECONDS = 180.0
"""For a picture; for the accessibility tree, which published controllers take minutes to read, see below."""
TREE_SECONDS = 180.0
COPY_SECONDS = 900.0
_PAUSE = 0.05
_PNG = b"\x89PNG\r\n\x1a\n"
_PREFIX = "import pyautogui\nimport time\npyautogui.FAILSAFE = False\n"


def at_socket(path: Path, token: str) -> httpx.AsyncClient:
    """A controller at a Unix socket."""
    transport = httpx.AsyncHTTPTransport(uds=str(path))
    return httpx.AsyncClient(transport=transport, base_url="http://desktop", headers=_headers(token), trust_env=False)


def at_address(address: str, token: str = "") -> httpx.AsyncClient:
    """A controller at http://host:port."""
    return httpx.AsyncClient(base_url=address, headers=_headers(token), trust_env=False)


class ControlledGuest:
    """What all providers share. Raises WorkerFailure when the controller is gone."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._has_act = True

    async def connect(self, client: httpx.AsyncClient) -> None:
        """Speaks to another controller from now on."""
        await self.disconnect()
        self._client = client

    async def disconnect(self) -> None:
        if self._client is not None:
            await self._client.aclose()
        self._client = None

    async def until_ready(self, seconds: float, alive: Callable[[], bool] = lambda: True) -> None:
        """Waits until the desktop can be used, as long as it is alive."""
        limit = FairTimeLimit(seconds)
        while (missing := await self._missing()) is not None:
            if not alive():
                raise WorkerFailure("the desktop's session has ended", kind="desktop")
            if not limit.left():
                raise WorkerFailure(f"the desktop is not ready after {seconds:g} s: {missing}", kind="desktop")
            await asyncio.sleep(_PAUSE)

    async def execute(self, command: Sequence[str] | str, *, shell: bool = False, seconds: float = SECONDS) -> Execution:
        asked = {"command": _plain(command), "shell": shell, "seconds": seconds}
        return _execution(await self._ask("POST", "/execute", STRETCH * seconds + MARGIN, json=asked))

    async def launch(self, command: Sequence[str] | str, *, shell: bool = False) -> None:
        answer = await self._ask("POST", "/setup/launch", LOOK_SECONDS, json={"command": _plain(command), "shell": shell})
        if not answer.good:
            raise Skipped(f"the desktop cannot start {command}: {answer.why()}", kind="guest")

    async def put(self, source: Path, destination: str) -> None:
        """Controllers of older machines do not make folders."""
        answer = await self._upload(source, destination)
        if not answer.good:
            await self.execute(["mkdir", "-p", destination.rpartition("/")[0] or "/"], seconds=LOOK_SECONDS)
            answer = await self._upload(source, destination)
        if not answer.good:
            raise WorkerFailure(f"{destination} could not be written in the desktop: {answer.why()}", kind="desktop")

    async def get(self, path: str, destination: Path) -> bool:
        answer = await self._fetch("/file", destination, data={"file_path": path})
        if answer.status >= 500:
            raise WorkerFailure(f"{path} could not be read in the desktop: {answer.why()}", kind="desktop")
        return answer.good

    async def accessibility(self) -> str:
        answer = await self._ask("GET", "/accessibility", TREE_SECONDS)
        tree = answer.fields().get("AT")
        if not answer.good or not isinstance(tree, str):
            raise WorkerFailure(f"the desktop gave no accessibility tree: {answer.why()}", kind="desktop")
        return tree

    async def act(self, code: str, *, seconds: float = ACTION_SECONDS) -> Execution:
        """Controllers of the published machine know commands only: there each action is a Python of its own."""
        if self._has_act:
            answer = await self._ask("POST", "/act", STRETCH * seconds + MARGIN, json={"code": code, "seconds": seconds})
            if answer.status not in (404, 405):
                return _execution(answer)
            self._has_act = False
        return await self.execute(["python", "-c", _PREFIX + code], seconds=seconds)

    async def screenshot(self) -> bytes:
        answer = await self._ask("GET", "/screenshot", LOOK_SECONDS)
        if not answer.good or not answer.body.startswith(_PNG):
            raise WorkerFailure(f"the desktop gave no picture: {answer.why()}", kind="desktop")
        return answer.body

    async def terminal(self) -> str | None:
        text = (await self._ask("GET", "/terminal", TREE_SECONDS)).fields().get("output")
        return text if isinstance(text, str) else None

    async def start_recording(self) -> None:
        answer = await self._ask("POST", "/start_recording", LOOK_SECONDS)
        if not answer.good:
            raise WorkerFailure(f"the desktop cannot be recorded: {answer.why()}", kind="desktop")

    async def stop_recording(self, destination: Path) -> bool:
        return (await self._fetch("/end_recording", destination)).good

    async def screen_size(self) -> tuple[int, int]:
        answer = await self._ask("POST", "/screen_size", LOOK_SECONDS)
        width, height = (answer.fields().get(side) for side in ("width", "height"))
        if not isinstance(width, int) or not isinstance(height, int):
            raise WorkerFailure(f"the desktop does not say how large its screen is: {answer.why()}", kind="desktop")
        return width, height

    async def _missing(self) -> str | None:
        """What is not there yet. Published controllers have no word for it: a picture shows that they work."""
        try:
            answer = await self._ask("GET", "/ready", LOOK_SECONDS)
            if answer.status == 404:
                await self.screenshot()
                return None
        except WorkerFailure as failure:
            return str(failure)
        return None if answer.good else "; ".join(map(str, answer.fields().get("missing", []))) or answer.why()

    async def _upload(self, source: Path, destination: str) -> ControllerAnswer:
        with source.open("rb") as file:
            form = {"data": {"file_path": destination}, "files": {"file_data": (source.name, file)}}
            return await self._ask("POST", "/setup/upload", COPY_SECONDS, **form)

    async def _ask(self, method: str, path: str, seconds: float, **content: Any) -> ControllerAnswer:
        """The whole answer."""
        async with self._asked(method, path, seconds, content) as response:
            return await _whole(response)

    async def _fetch(self, path: str, destination: Path, **content: Any) -> ControllerAnswer:
        """The body of a good answer goes to a file, which is there whole or not at all."""
        part_file = destination.with_name(f".{destination.name}.part")
        destination.parent.mkdir(parents=True, exist_ok=True)
        try:
            async with self._asked("POST", path, COPY_SECONDS, content) as response:
                if response.status_code != 200:
                    return await _whole(response)
                with part_file.open("wb") as file:
                    async for part in _within(response, LARGEST_FILE):
                        file.write(part)
            part_file.replace(destination)
        finally:
            part_file.unlink(missing_ok=True)
        return ControllerAnswer(200, b"")

    @asynccontextmanager
    async def _asked(self, method: str, path: str, seconds: float, content: dict[str, Any]) -> AsyncGenerator[httpx.Response]:
        if self._client is None:
            raise WorkerFailure("the desktop is not running", kind="desktop")
        try:
            async with asyncio.timeout(seconds), self._client.stream(method, path, timeout=seconds, **content) as response:
                if response.status_code == 401:
                    raise WorkerFailure("the desktop's controller does not accept the token", kind="desktop")
                yield response
        except (TimeoutError, httpx.TimeoutException):
            raise WorkerFailure(f"the desktop did not answer {path} within {seconds:g} s", kind="desktop") from None
        except httpx.HTTPError as error:
            raise WorkerFailure(f"the desktop is gone ({path}): {error or type(error).__name__}", kind="desktop") from None


def _headers(token: str) -> dict[str, str]:
    return {"Accept-Encoding": "identity", **({"Authorization": f"Bearer {token}"} if token else {})}


def _plain(command: Sequence[str] | str) -> list[str] | str:
    return command if isinstance(command, str) else list(command)


def _execution(answer: ControllerAnswer) -> Execution:
    """What the command did; a command that could not be run or was ended is one that failed, and says why."""
    fields = answer.fields()
    if answer.status not in (200, 500) or "status" not in fields:
        raise WorkerFailure(f"the desktop could not run a command: {answer.why()}", kind="desktop")
    message = str(fields.get("message") or "") if fields["status"] == "error" else ""
    error = "\n".join(part for part in (str(fields.get("error") or ""), message) if part)
    code = fields.get("returncode")
    return Execution(str(fields.get("output") or ""), error, code if isinstance(code, int) else int(bool(message)))
