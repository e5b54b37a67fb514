"""Google's web applications in the guest's browser."""

from __future__ import annotations

import re
from asyncio import to_thread
from pathlib import Path

from ..browser import active_address
from ..clouds import DRIVE, drive_client
from ..scene import Scene
from .registry import RESULTS

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@RESULTS
async def googlesheet_active_file(
    scene: Scene, *, dest: str, goto_prefix: str = "https://", settings_file: str = DRIVE
) -> Path | None:
    """The sheet that is open in the browser, as a workbook."""
    address = await active_address(scene, goto_prefix)
    found = re.search(r"docs\.google\.com/spreadsheets/d/([\w-]+)", address or "")
    if found is None:
        return None
    copy = scene.cached(dest)

    def download() -> Path:
        drive_client(scene.accounts, settings_file).CreateFile({"id": found.group(1)}).GetContentFile(
            str(copy), mimetype=WORKBOOK
        )
        return copy

    return await to_thread(download)
