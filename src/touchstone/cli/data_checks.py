"""Is a dataset complete? The files are read with the loaders that runs use; what they say is put in a few lines."""

from __future__ import annotations

from pathlib import Path

from ..benchmarks.data_check import Found
from ..datasets.catalogue import Dataset, find_file
from ..datasets.fetching import sha256
from ..failures import InputError
from ..plugins import benchmark_type


def check(wanted: Dataset, directory: Path, *, deep: bool = False) -> Found:
    """Raises InputError if there is nothing to check, or a file cannot be read at all."""
    if not directory.is_dir():
        raise InputError(f"{directory}: there is no such directory")
    file = find_file(directory, wanted.task_file)
    if file is None:
        raise InputError(f"{directory}: there is no {wanted.task_file} in it")
    found = Found()
    for tested in wanted.tested:
        same = sha256(file) == tested.sha256
        found.ok(f"{file.name}: as tested") if same else found.note(f"{file.name}: not the version that was tested with")
    if not wanted.tested:
        found.note("no checksums are recorded for this dataset; only its structure is checked")
    if looks := getattr(benchmark_type(wanted.layout), "check_data", None):
        looks(wanted, file, found, deep)
    else:
        found.note(f"the benchmark '{wanted.layout}' has no check of its data")
    return found
