"""Google's web applications in the guest's browser."""

from __future__ import annotations

import re
from asyncio import to_thread
from pathlib import Path

from ..browser import active_address
from ..clouds import DRIVE, drive_client
from ..extras import need
from ..scene import Scene
from .registry import RESULTS

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@RESULTS
async def googlesheet_active_file(
    scene: Scene, *, dest: str, goto_prefix: str = "https://", settings_file: str = DRIVE
) -> Path | None:
    """The sheet that is open in the browser, as a workbook; None if it is not the account's."""
    address = await active_address(scene, goto_prefix)
    found = re.search(r"docs\.google\.com/spreadsheets/d/([\w-]+)", address or "")
    if found is None:
        return None
    copy = scene.cached(dest)

    def download() -> Path | None:
        sheet = drive_client(scene.accounts, settings_file).CreateFile({"id": found.group(1)})
        try:
            sheet.GetContentFile(str(copy), mimetype=WORKBOOK)
        except need("pydrive2.files", "desktop-google").ApiRequestError as error:
            if error.error.get("code") == 404:
                return None
            raise
        return copy

    return await to_thread(download)
