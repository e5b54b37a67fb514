"""What columns mean, from the description files beside a database, as BIRD publishes them:

<folder>/database_description/<table>.csv    original_column_name, column_description, value_description, …
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

FOLDER = "database_description"
_LONGEST = 300


def column_meanings(database: Path) -> dict[str, dict[str, str]]:
    """By table and column, for the database in this file; empty if nothing describes it."""
    folder = database.parent / FOLDER
    if not folder.is_dir():
        return {}
    return {file.stem: _of_table(file) for file in sorted(folder.iterdir()) if file.suffix.lower() == ".csv"}


def _of_table(file: Path) -> dict[str, str]:
    content = file.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:  # some of the published files
        text = content.decode("cp1252", errors="replace")
    meanings: dict[str, str] = {}
    for row in csv.DictReader(io.StringIO(text.replace("\0", ""), newline="")):
        column = (row.get("original_column_name") or "").strip()
        parts = [" ".join((row.get(name) or "").split()) for name in ("column_description", "value_description")]
        if column and (meaning := "; ".join(part for part in parts if part)):
            meanings[column] = meaning if len(meaning) <= _LONGEST else f"{meaning[:_LONGEST]}…"
    return meanings
