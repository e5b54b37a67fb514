"""Many episodes at once: how many, in which order, and when the whole stops."""

from __future__ import annotations

import asyncio
import os
import re
import signal

import pytest

from tests.support.records import a_record
from tests.workers.processes import until
from touchstone.errors import (
    EpisodeFailure,
    ModelFailure,
    ModelRejected,
    ModelUnreachable,
    ProgramCrash,
    ProgramUnstartable,
    RunStopped,
    ServiceMismatch,
    ServiceNonsense,
    ServiceRejected,
)
from touchstone.runs.scheduler import Batch, Job, Play
from touchstone.types import ModelStep, Observation, Outcome, Record, Reply, ServiceStep, Task, ToolCall, ToolStep, Usage

Played = tuple[Record, EpisodeFailure | None]


def jobs(count: int) -> list[Job]:
    return [Job(Task(key=str(number), index=number, facets={}, digest="")) for number in range(count)]


class Kept(list[Record]):
    async def __call__(self, record: Record) -> None:
        self.append(record)

    @property
    def tasks(self) -> list[str]:
        return [record.task for record in self]


def outcomes(listed: str) -> Play:
    """An episode per letter: passed, failed, error, unscorable, skipped."""
    by_letter = {outcome.value[0]: outcome for outcome in Outcome}

    async def play(job: Job) -> Played:
        outcome = by_letter[listed[job.task.index]]
        return a_record(job.task.key, outcome), None

    return play


@pytest.mark.parametrize("parallel", [1, 3, 50])
async def test_every_job_is_played_once_and_never_more_than_allowed_at_once(parallel: int) -> None:
    kept, now, most = Kept(), 0, 0

    async def play(job: Job) -> Played:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001 * (job.task.index % 3))
        now -= 1
        return a_record(job.task.key), None

    await Batch(play, kept, parallel=parallel).run(jobs(40))
    assert sorted(map(int, kept.tasks)) == list(range(40))
    assert most == min(parallel, 40)


async def test_when_more_can_be_played_at_once_more_are() -> None:
    """As when a node joins the cluster."""
    kept, capacity, playing = Kept(), 1, 0

    async def play(job: Job) -> Played:
        nonlocal capacity, playing
        capacity, playing = 3, playing + 1
        assert await until(lambda: playing >= 3)
        return a_record(job.task.key), None

    await Batch(play, kept, parallel=lambda: capacity).run(jobs(9))
    assert sorted(map(int, kept.tasks)) == list(range(9))


async def test_no_jobs_are_no_trouble() -> None:
    await Batch(outcomes(""), Kept()).run([])


@pytest.mark.parametrize(
    ("listed", "patience", "played"),
    [
        ("eeeee" + "p" * 5, 5, 5),
        ("eeee" + "p" + "eeee" + "p", 5, 10),
        ("eefee" + "f" * 5, 2, 2),
        ("eufese" + "p" * 5, 3, 11),
        ("eusuep", 2, 5),
        ("eueusup", 3, 7),
        ("peeeeeeee", 0, 9),
        ("e", 1, 1),
    ],
)
async def test_errors_in_a_row_stop_the_run_and_are_kept(listed: str, patience: int, played: int) -> None:
    """What could not be judged neither adds to the row nor breaks it."""
    kept = Kept()
    batch = Batch(outcomes(listed), kept, max_consecutive_errors=patience)
    if played < len(listed) or listed == "e":
        with pytest.raises(RunStopped, match=f"{patience} errors in a row, the last: it error"):
            await batch.run(jobs(len(listed)))
    else:
        await batch.run(jobs(len(listed)))
    assert len(kept) == played


async def test_a_record_that_cannot_be_written_ends_the_run_without_waiting_for_long_episodes() -> None:
    async def play(job: Job) -> Played:
        if job.task.index:
            await asyncio.Event().wait()
        return a_record(job.task.key), None

    async def keep(_: Record) -> None:
        raise RunStopped("the disk is full")

    with pytest.raises(RunStopped, match="the disk is full"):
        await asyncio.wait_for(Batch(play, keep, parallel=3).run(jobs(9)), 60)


async def test_a_rejected_model_stops_the_run_at_once_and_the_task_is_still_owed() -> None:
    kept = Kept()

    async def play(job: Job) -> Played:
        if job.task.index < 2:
            return a_record(job.task.key), None
        return a_record(job.task.key, Outcome.error), ModelRejected("no such model")

    with pytest.raises(RunStopped, match="no such model"):
        await Batch(play, kept).run(jobs(5))
    assert kept.tasks == ["0", "1"]


async def test_an_unreachable_model_stops_a_run_that_never_got_going() -> None:
    kept = Kept()

    async def play(job: Job) -> Played:
        return a_record(job.task.key, Outcome.error), ModelUnreachable("nothing answers")

    with pytest.raises(RunStopped, match="nothing answers"):
        await Batch(play, kept, parallel=3).run(jobs(5))
    assert kept == []


@pytest.mark.parametrize("step", [ModelStep(Reply("hello"), "", 0.1), ServiceStep({}, 200, {}, 0.1)])
async def test_what_is_unreachable_is_an_error_like_others_once_it_has_answered(step: ModelStep | ServiceStep) -> None:
    kept = Kept()
    usage = Usage(calls=int(isinstance(step, ModelStep)))

    async def play(job: Job) -> Played:
        if job.task.index == 0:
            return a_record("0", steps=[step], usage=usage), None
        return a_record(job.task.key, Outcome.error), ModelUnreachable("nothing answers")

    with pytest.raises(RunStopped, match="5 errors in a row"):
        await Batch(play, kept).run(jobs(9))
    assert kept.tasks == list("012345")


async def test_a_failing_model_does_not_stop_the_run_by_itself() -> None:
    kept = Kept()

    async def play(job: Job) -> Played:
        if job.task.index % 2:
            return a_record(job.task.key, Outcome.error), ModelFailure("500")
        return a_record(job.task.key), None

    await Batch(play, kept).run(jobs(10))
    assert len(kept) == 10


async def test_one_ctrl_c_lets_the_episodes_in_flight_end() -> None:
    kept = Kept()

    async def play(job: Job) -> Played:
        if job.task.index == 2:
            os.kill(os.getpid(), signal.SIGINT)
        assert await until(lambda: batch.interrupted)
        return a_record(job.task.key), None

    batch = Batch(play, kept, parallel=3)
    await batch.run(jobs(9))
    assert batch.interrupted
    assert sorted(kept.tasks) == ["0", "1", "2"]


@pytest.mark.parametrize("signals", [[signal.SIGINT, signal.SIGINT], [signal.SIGTERM]])
async def test_a_second_ctrl_c_or_a_sigterm_abandons_them(signals: list[signal.Signals]) -> None:
    kept = Kept()

    async def play(job: Job) -> Played:
        if job.task.index < 3:
            return a_record(job.task.key), None
        if job.task.index == 5:
            for which in signals:
                os.kill(os.getpid(), which)
                await asyncio.sleep(0.2)
        await asyncio.sleep(600)
        raise AssertionError("it was not abandoned")

    batch = Batch(play, kept, parallel=3)
    await batch.run(jobs(9))
    assert batch.interrupted
    assert sorted(kept.tasks) == ["0", "1", "2"]


async def test_afterwards_the_signals_are_no_longer_caught() -> None:
    await Batch(outcomes("p"), Kept()).run(jobs(1))
    loop = asyncio.get_running_loop()
    assert not loop.remove_signal_handler(signal.SIGINT)
    assert not loop.remove_signal_handler(signal.SIGTERM)


UNSTARTABLE = "the program ended with status 127: sh: nothing: not found"


def failing(listed: str, kinds: dict[str, tuple[Outcome, EpisodeFailure]]) -> Play:
    """An episode per letter: `p` passed, others as given."""

    async def play(job: Job) -> Played:
        letter = listed[job.task.index]
        if letter == "p":
            return a_record(job.task.key), None
        outcome, failure = kinds[letter]
        return a_record(job.task.key, outcome, reason=f"{failure} ({job.task.key})" if letter == "d" else str(failure)), failure

    return play


SETUP: dict[str, tuple[Outcome, EpisodeFailure]] = {
    "u": (Outcome.failed, ProgramUnstartable(UNSTARTABLE)),
    "m": (Outcome.failed, ServiceMismatch("there is no SQL at 'query' in the service's answer")),
    "r": (Outcome.error, ServiceRejected("the service answered with status 403")),
    "c": (Outcome.failed, ProgramCrash("the program ended with status 1: no module named agent")),
    "d": (Outcome.failed, ProgramCrash("the program ended with status 1")),
    "n": (Outcome.failed, ServiceNonsense("the service's answer is not a JSON object")),
    "e": (Outcome.error, ModelFailure("HTTP 400")),
}


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        ("uuuuuppppp", f"none of the first 5 tasks could be played: {UNSTARTABLE}"),
        ("mmmmmppppp", "none of the first 5 tasks could be played: there is no SQL at 'query'"),
        ("rrrrrppppp", "none of the first 5 tasks could be played: the service answered with status 403"),
        ("cccccppppp", "none of the first 5 tasks could be played: the program ended with status 1: no module"),
        ("u", f"nothing worked: {UNSTARTABLE}"),
        ("mmm", "nothing worked: there is no SQL at 'query'"),
        ("rr", "nothing worked: the service answered with status 403"),
    ],
)
async def test_a_set_up_that_cannot_work_stops_the_run_with_the_first_reason(listed: str, reason: str) -> None:
    """And the tasks are still owed."""
    kept = Kept()
    with pytest.raises(RunStopped, match=re.escape(reason)):
        await Batch(failing(listed, SETUP), kept).run(jobs(len(listed)))
    assert kept == []


@pytest.mark.parametrize(
    "listed", ["uuuupuuuuuuuu", "mnmmmmmm", "dddddd", "cccc", "ddddp", "rrrrp", "uuccd", "puuuuuuu", "nnnnnnn"]
)
async def test_what_may_be_about_the_tasks_is_kept_in_its_order(listed: str) -> None:
    kept = Kept()
    await Batch(failing(listed, SETUP), kept).run(jobs(len(listed)))
    assert kept.tasks == [str(number) for number in range(len(listed))]


async def test_errors_alone_are_kept_and_are_no_success() -> None:
    kept = Kept()
    with pytest.raises(RunStopped, match="nothing worked: HTTP 400"):
        await Batch(failing("eee", SETUP), kept).run(jobs(3))
    assert len(kept) == 3


async def test_a_run_that_has_worked_before_or_is_told_to_go_on_is_not_stopped() -> None:
    for how in ({"proven": True}, {"max_consecutive_errors": 0}):
        kept = Kept()
        await Batch(failing("uuuuuuu", SETUP), kept, **how).run(jobs(7))  # pyright: ignore[reportArgumentType]
        assert len(kept) == 7


async def test_a_program_that_has_called_a_tool_did_start() -> None:
    kept = Kept()
    step = ToolStep(ToolCall("1", "execute_sql", "{}"), Observation("1"), 0.1)

    async def play(job: Job) -> Played:
        failure = ProgramCrash("the program ended with status 1")
        return a_record(job.task.key, Outcome.failed, reason=str(failure), steps=[step]), failure

    await Batch(play, kept).run(jobs(7))
    assert len(kept) == 7


async def test_what_is_held_back_is_kept_when_the_user_interrupts() -> None:
    kept = Kept()

    async def play(job: Job) -> Played:
        if job.task.index == 2:
            batch.interrupt()
        failure = ProgramUnstartable(UNSTARTABLE)
        return a_record(job.task.key, Outcome.failed, reason=str(failure)), failure

    batch = Batch(play, kept)
    await batch.run(jobs(9))
    assert len(kept) == 3
