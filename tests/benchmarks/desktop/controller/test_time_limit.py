"""Time limits by what threads got of the cores, as the kernel counts it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.controller.time_limit import STRETCH, FairTimeLimit, worked

SECOND = 1_000_000_000
SECONDS = st.floats(0, 100)


class Machine:
    """A folder like /proc, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, 0.0
        (folder / "self").mkdir()
        (folder / "uptime").write_text("1 1")

    def thread(self, number: int, ran: float, waited: float) -> None:
        folder = self.folder / str(number) / "task" / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "schedstat").write_text(f"{int(ran * SECOND)} {int(waited * SECOND)} 7\n")

    def lasts(self, seconds: float, share: float) -> float:
        """How long a limit is when a program that always wants a core gets this share of one."""
        limit = FairTimeLimit(seconds, self.folder, lambda: self.now)
        while spell := limit.left():
            self.now += spell
            self.thread(42, self.now * share, self.now * (1 - share))
        return self.now


def test_a_limit_is_as_long_as_it_says_on_an_idle_machine(tmp_path: Path) -> None:
    assert Machine(tmp_path).lasts(30, share=1) == pytest.approx(30, abs=0.2)


def test_a_program_that_gets_a_quarter_of_a_core_has_four_times_as_long(tmp_path: Path) -> None:
    """But for the first two seconds, in which most commands end: nobody looks then."""
    assert Machine(tmp_path).lasts(30, share=0.25) == pytest.approx(2 + 28 * 4, abs=0.2)


def test_what_never_gets_a_core_is_stopped_nevertheless(tmp_path: Path) -> None:
    assert Machine(tmp_path).lasts(30, share=0) == pytest.approx(2 + 28 * STRETCH, abs=0.2)


def test_a_kernel_that_does_not_count_leaves_the_wall_clock(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    limit = FairTimeLimit(5, tmp_path, lambda: machine.now)
    while spell := limit.left():
        machine.now += spell
    assert machine.now == pytest.approx(5, abs=0.2)


def test_sleeping_counts_and_waiting_for_a_core_does_not() -> None:
    assert worked(10, {"1": (5, 5)}, {"1": (5, 5)}) == 10
    assert worked(10, {"1": (5, 5)}, {"1": (6, 8)}) == 7
    assert worked(10, {}, {"1": (1, 3)}) == 7, "a thread that has begun meanwhile"
    assert worked(10, {"1": (50, 50)}, {}) == 10, "one that has ended"
    assert worked(10, {"1": (50, 50)}, {"1": (1, 3)}) == 10, "another with its number"


def test_of_threads_side_by_side_the_share_in_which_they_ran() -> None:
    assert worked(10, {}, {"1": (5, 5), "2": (5, 5)}) == 5


@given(SECONDS, st.lists(st.tuples(SECONDS, SECONDS)))
def test_never_more_than_passed_and_never_less_than_a_tenth(passed: float, threads: list[tuple[float, float]]) -> None:
    now = {str(number): thread for number, thread in enumerate(threads)}
    assert passed / STRETCH <= worked(passed, {}, now) <= passed
