"""Steps in Google Drive, and signing in to a Google account."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from typing import Any

from ....failures import InputError, Unscorable
from ..browser import PORT, browser
from ..clouds import DRIVE, GOOGLE, drive_client
from ..extras import need
from ..scene import Scene
from .registry import STEPS

HOME = "https://drive.google.com/drive/my-drive"
FOLDER = "application/vnd.google-apps.folder"
PATIENCE = 60_000


@STEPS
async def googledrive_init(scene: Scene, *, actions: Sequence[dict[str, Any]], settings_file: str = DRIVE) -> None:
    """`delete`, `mkdirs`, `upload`, by paths such as ["folder", "file"]."""
    drive = await to_thread(drive_client, scene.accounts, settings_file)
    for action in actions:
        await to_thread(_do, scene, drive, action)


@STEPS
async def googledrive_login(
    scene: Scene, *, settings_file: str = GOOGLE, listening_port: int = PORT, need_login: bool = True
) -> None:
    owner = scene.accounts.load(settings_file)
    async with browser(scene, listening_port) as context:
        page = await context.new_page()
        await page.goto(HOME)
        if need_login:
            await google_sign_in(page, owner["email"], owner["password"])


async def google_sign_in(page: Any, email: str, password: str) -> None:
    """Google asks only who is not signed in yet: without the form there is nothing to do."""
    box = page.locator('input[type="email"]')
    try:
        await box.fill(email, timeout=PATIENCE)
    except need("playwright.async_api").TimeoutError:
        return
    await page.locator("#identifierNext > div > button").click()
    await page.locator('input[type="password"]').fill(password, timeout=PATIENCE)
    await page.locator("#passwordNext > div > button").click()
    await page.wait_for_load_state("load")


def _do(scene: Scene, drive: Any, action: dict[str, Any]) -> None:
    path = [action["path"]] if isinstance(action.get("path"), str) else list(action.get("path", []))
    match action.get("type"):
        case "delete":
            _delete(drive, path, trash=action.get("trash", False))
        case "mkdirs":
            _folder(drive, path)
        case "upload":
            source = scene.dataset.resolve(action["src"])
            if not source.is_file():
                raise Unscorable(f"{action['src']}: the file is not in the dataset", kind="gold_missing")
            parent = _folder(drive, path[:-1])
            file = drive.CreateFile({"title": path[-1], "parents": [{"id": parent}]})
            file.SetContentFile(str(source))
            file.Upload()
        case other:
            raise InputError(f"googledrive_init: unknown action '{other}'; expected delete, mkdirs or upload")


def _children(drive: Any, parent: str, name: str | None, *, folders: bool = False) -> list[Any]:
    title = name.replace("\\", "\\\\").replace("'", "\\'") if name is not None else None
    terms = [f"'{parent}' in parents", "trashed = false"]
    terms += [f"title = '{title}'"] if title is not None else []
    terms += [f"mimeType = '{FOLDER}'"] if folders else []
    return drive.ListFile({"q": " and ".join(terms)}).GetList()


def _folder(drive: Any, path: Sequence[str]) -> str:
    """The id of a folder, made with those above it if it is not there."""
    parent = "root"
    for name in path:
        found = _children(drive, parent, name, folders=True)
        if not found:
            made = drive.CreateFile({"title": name, "mimeType": FOLDER, "parents": [{"id": parent}]})
            made.Upload()
            found = [made]
        parent = found[0]["id"]
    return parent


def _delete(drive: Any, path: Sequence[str], *, trash: bool) -> None:
    """An empty path means everything."""
    parent = "root"
    for name in path[:-1]:
        found = _children(drive, parent, name, folders=True)
        if not found:
            return
        parent = found[0]["id"]
    for file in _children(drive, parent, path[-1] if path else None):
        file.Trash() if trash else file.Delete()
