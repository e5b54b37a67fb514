"""What `compare` says of runs whose outcomes are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.reports.runs_made import a_run, outcomes, write_run
from tests.support.records import a_record
from touchstone.errors import InputError
from touchstone.reports.comparison import Comparison, Incomparable, RunPair, as_text, compare, load
from touchstone.reports.statistics import holm, mcnemar, tango
from touchstone.types import Outcome, Usage


def only_pair(comparison: Comparison) -> RunPair:
    (pair,) = comparison.pairs
    return pair


def test_wins_losses_and_ties_are_counted_by_task(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "++--+-l+"), a_run(tmp_path / "b", "+-++++-+")
    pair = only_pair(compare([a, b]))
    assert (pair.second_wins, pair.first_wins, pair.ties, pair.both_passed) == (3, 1, 4, 3)
    assert [flip.task for flip in pair.only_second_right] == ["t2", "t3", "t5"]
    assert [flip.task for flip in pair.only_first_right] == ["t1"]
    assert pair.accuracy.difference == pytest.approx(2 / 8)
    assert pair.accuracy.interval == tango(3, 1, 8)
    assert (pair.accuracy.p, pair.accuracy.mid_p) == mcnemar(3, 1)
    assert pair.accuracy.adjusted is None


def test_a_metric_that_the_runs_have_of_no_common_task_is_left_out(tmp_path: Path) -> None:
    """As `failed_by_user`, which only failed episodes have."""
    a, b = (
        load(write_run(tmp_path / name, [a_record("x", metrics=x), a_record("y", metrics=y)]))
        for name, x, y in (("a", {"m": 1.0, "only": 1.0}, {"m": 0.0}), ("b", {"m": 1.0}, {"m": 1.0, "only": 0.0}))
    )
    assert {name: measure.tasks for name, measure in only_pair(compare([a, b])).metrics.items()} == {"m": 2}


def test_a_flip_has_both_reasons(tmp_path: Path) -> None:
    a = load(write_run(tmp_path / "a", [a_record("x", Outcome.failed, reason="two rows are missing")]))
    b = load(write_run(tmp_path / "b", [a_record("x", Outcome.passed, reason="Identical: 3 rows.")]))
    (flip,) = only_pair(compare([a, b])).only_second_right
    assert (flip.first.outcome, flip.first.reason) == (Outcome.failed, "two rows are missing")
    assert (flip.second.outcome, flip.second.reason) == (Outcome.passed, "Identical: 3 rows.")
    assert flip.facets["database"] == "shop"


def test_the_order_in_which_tasks_ended_does_not_matter(tmp_path: Path) -> None:
    records = [
        msgspec.structs.replace(record, score=0.1 * number) for number, record in enumerate(outcomes("+-+-+-+--+", databases=3))
    ]
    a = load(write_run(tmp_path / "a", records))
    b, turned = a_run(tmp_path / "b", "-++-+++--+", databases=3), load(write_run(tmp_path / "c", records[::-1]))
    assert only_pair(compare([a, b])) == only_pair(compare([turned, b]))


def test_what_could_not_be_judged_in_either_run_is_left_out_and_listed(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+u+-s"), a_run(tmp_path / "b", "++s+-")
    pair = only_pair(compare([a, b]))
    assert pair.tasks == 2
    assert [(each.task, each.kind) for each in pair.left_out] == [("t1", "unscorable"), ("t2", "skipped"), ("t4", "skipped")]
    assert pair.left_out[1].why == "skipped in B: it skipped"


def test_errors_count_as_failed_are_told_and_can_be_left_out(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+e+-"), a_run(tmp_path / "b", "++e+")
    pair = only_pair(compare([a, b]))
    assert (pair.tasks, pair.errors, pair.second_wins, pair.first_wins) == (4, (1, 1), 2, 1)
    assert any("infrastructure error" in each for each in pair.warnings)
    without = only_pair(compare([a, b], without_errors=True))
    assert (without.tasks, without.errors, [each.kind for each in without.left_out]) == (2, (0, 0), ["error", "error"])


def test_tasks_that_only_one_run_has_are_named(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+-+"), load(write_run(tmp_path / "b", [*outcomes("+-")[1:], a_record("new", index=9)]))
    pair = only_pair(compare([a, b]))
    assert (pair.tasks, pair.only_in_first, pair.only_in_second) == (1, ["t0", "t2"], ["new"])
    assert "2 only in A, 1 only in B" in " ".join(pair.warnings)


def test_runs_without_a_common_task_are_a_mistake(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+"), load(write_run(tmp_path / "b", [a_record("other")]))
    with pytest.raises(InputError, match="A and B have no task in common"):
        compare([a, b], force=True)


@pytest.mark.parametrize(
    ("identity", "said"),
    [
        ({"benchmark": "spider2"}, "benchmark: bird in A, spider2 in B"),
        ({"metric": "soft_f1"}, "metric: ex in A, soft_f1 in B"),
        ({"limits": {"seconds": 10.0, "rows": 1_000_000}}, "limits.seconds: 30.0 in A, 10.0 in B"),
        ({"databases": {"shop": "changed"}}, "databases: 1 of 1 have another content: shop"),
        ({"evidence": False}, "evidence: True in A, False in B"),
        ({"patience": 3}, "patience: none in A, 3 in B"),
        ({"something new": 1}, "something new: none in A, 1 in B"),
    ],
)
def test_runs_that_measure_different_things_are_refused_unless_forced(
    tmp_path: Path, identity: dict[str, Any], said: str
) -> None:
    a, b = a_run(tmp_path / "a", "+-"), a_run(tmp_path / "b", "++", identity=identity)
    with pytest.raises(Incomparable) as caught:
        compare([a, b])
    assert str(caught.value).splitlines()[1:] == [f"  {said}"]
    forced = compare([a, b], force=True)
    assert forced.forced
    assert said in as_text(forced)


@pytest.mark.parametrize(
    "identity",
    [
        {"model": "two"},
        {"agent": "react", "protocol": "tags"},
        {"max_turns": 5},
        {"instructions": "i2"},
        {"user": {"model": "u"}},
    ],
)
def test_who_plays_is_what_a_comparison_is_about(tmp_path: Path, identity: dict[str, Any]) -> None:
    a, b = a_run(tmp_path / "a", "+-"), a_run(tmp_path / "b", "++", identity=identity)
    comparison = compare([a, b])
    assert not comparison.forced
    assert {each.name.partition(".")[0] for each in comparison.differences} == identity.keys()
    assert not any(each.decisive for each in comparison.differences)


def test_a_larger_selection_brings_more_databases_and_is_no_difference(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+-"), a_run(tmp_path / "b", "++", identity={"databases": {"shop": "d1", "attic": "d3"}})
    assert compare([a, b]).differences == []


def test_a_task_with_another_content_is_never_paired(tmp_path: Path) -> None:
    changed = [a_record("x", digest="new"), a_record("y", Outcome.failed)]
    a = load(write_run(tmp_path / "a", [a_record("x"), a_record("y")]))
    b = load(write_run(tmp_path / "b", changed))
    with pytest.raises(Incomparable, match="task contents: 1 of 2 have another content: x"):
        compare([a, b])
    pair = only_pair(compare([a, b], force=True))
    assert (pair.tasks, [(each.task, each.kind) for each in pair.left_out]) == (1, [("x", "changed")])


def test_three_runs_give_three_pairs_with_holms_correction(tmp_path: Path) -> None:
    runs = [
        a_run(tmp_path / name, letters)
        for name, letters in (("a", "+" * 12 + "-" * 8), ("b", "+" * 4 + "-" * 16), ("c", "+" * 20))
    ]
    comparison = compare(runs)
    assert [(pair.first, pair.second) for pair in comparison.pairs] == [(0, 1), (0, 2), (1, 2)]
    p_values = [pair.accuracy.p or 0.0 for pair in comparison.pairs]
    assert [pair.accuracy.adjusted for pair in comparison.pairs] == holm(p_values)
    against_first = compare(runs, baseline=True)
    assert [(pair.first, pair.second) for pair in against_first.pairs] == [(0, 1), (0, 2)]
    assert [pair.accuracy.adjusted for pair in against_first.pairs] == holm(p_values[:2])


def test_epochs_are_averaged_by_task_and_mcnemar_is_not_made(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+-+-", "+-+-", "--+-"), a_run(tmp_path / "b", "+++-", "+-+-", "+++-")
    comparison = compare([a, b])
    pair = only_pair(comparison)
    assert (pair.tasks, pair.attempts, pair.epochs) == (4, 12, 3)
    assert (pair.second_wins, pair.first_wins, pair.ties) == (2, 0, 2)
    assert pair.accuracy.difference == pytest.approx((1 / 3 + 2 / 3) / 4)
    assert (pair.accuracy.test, pair.accuracy.method, pair.accuracy.mid_p) == ("sign flips", "bootstrap", None)
    assert "McNemar's test needs one attempt at each task" in as_text(comparison)
    assert comparison.runs[0].interval is None  # one for attempts would be too narrow
    flip = pair.only_second_right[0]
    assert (flip.first.passed, flip.first.attempts, flip.first.outcome, flip.first.epoch) == (2, 3, Outcome.failed, 2)


def test_pass_at_k_and_pass_hat_k_for_every_k(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+-+-", "+-+-", "--+-"), a_run(tmp_path / "b", "+++-", "+-+-", "+++-")
    one, two, three = only_pair(compare([a, b])).passes
    assert one.at.first == pytest.approx(one.hat.first) == pytest.approx(5 / 12)
    assert (two.at.second, two.hat.second) == (pytest.approx((1 + 1 + 1) / 4), pytest.approx((1 + 1 / 3 + 1) / 4))
    assert (three.at.first, three.hat.first) == (pytest.approx(2 / 4), pytest.approx(1 / 4))
    assert (three.at.second, three.hat.second) == (pytest.approx(3 / 4), pytest.approx(2 / 4))


def test_of_many_epochs_only_some_k_are_estimated(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", *["+-"] * 120), a_run(tmp_path / "b", *["-+"] * 120)
    assert [each.k for each in only_pair(compare([a, b])).passes] == [*range(1, 11), 20, 50, 100, 120]


def test_epochs_that_only_one_run_has_are_not_used(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+-", "++", "++"), a_run(tmp_path / "b", "++")
    pair = only_pair(compare([a, b]))
    assert (pair.epochs, pair.unpaired_attempts, pair.accuracy.test) == (1, 4, "McNemar, exact")
    assert pair.accuracy.first == 0.5


def test_metrics_and_scores_are_compared_apart_from_passing(tmp_path: Path) -> None:
    scores = {"a": [0.5, 0.2, 0.9], "b": [0.7, 0.2, 1.0]}
    runs = [
        load(
            write_run(
                tmp_path / name,
                [a_record(f"{i}", Outcome.failed, score=x, metrics={"f1": x, "ex": 0.0}) for i, x in enumerate(values)]
                + [a_record("none", Outcome.limit)],
            )
        )
        for name, values in scores.items()
    ]
    pair = only_pair(compare(runs))
    assert (pair.accuracy.difference, pair.first_wins, pair.second_wins) == (0.0, 0, 0)
    assert pair.score.difference == pytest.approx(0.3 / 4)
    assert pair.score.interval[0] >= 0
    assert (pair.metrics["f1"].tasks, pair.metrics["f1"].difference) == (4, pytest.approx(0.3 / 4))
    assert pair.metrics["f1"].interval == pair.score.interval


def test_few_databases_are_warned_of_and_many_are_not(tmp_path: Path) -> None:
    few = only_pair(compare([a_run(tmp_path / "a", "+-" * 20), a_run(tmp_path / "b", "++--" * 10)]))
    assert few.clusters == 2
    assert "only 2 databases" in few.warnings[0]
    letters = ("+-" * 20, "++--" * 10)
    many = only_pair(compare([a_run(tmp_path / f"m{n}", text, databases=12) for n, text in enumerate(letters)]))
    assert (many.clusters, many.warnings) == (12, [])
    assert many.accuracy.clustered is not None


def test_one_database_gives_no_clustered_interval(tmp_path: Path) -> None:
    pair = only_pair(compare([a_run(tmp_path / "a", "+-+", databases=1), a_run(tmp_path / "b", "++-", databases=1)]))
    assert (pair.clusters, pair.accuracy.clustered) == (None, None)


def test_a_database_that_decides_widens_the_clustered_interval(tmp_path: Path) -> None:
    """All gains come from one database of twelve: drawn by task that is sure, drawn by database it is not."""
    a = "".join("-" for _ in range(120))
    b = "".join("+" if number % 12 == 0 else "-" for number in range(120))
    comparison = compare([a_run(tmp_path / "a", a, databases=12), a_run(tmp_path / "b", b, databases=12)])
    measure = only_pair(comparison).accuracy
    assert measure.clustered is not None
    assert measure.interval[0] > 0 >= measure.clustered[0]
    assert "on others it may not be" in as_text(comparison)


def test_how_many_tasks_are_needed_follows_the_question(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a", "+-" * 50), a_run(tmp_path / "b", "++--" * 25)
    five, ten = (only_pair(compare([a, b], detect=detect)).power for detect in (0.05, 0.1))
    assert five.needed is not None
    assert ten.needed is not None
    assert five.needed > 3.5 * ten.needed
    assert five.discordance == 0.5


def test_a_run_against_itself_is_all_ties(tmp_path: Path) -> None:
    run = a_run(tmp_path / "a", "+-++-")
    pair = only_pair(compare([run, run]))
    assert (pair.ties, pair.accuracy.p, pair.score.p, pair.power.needed) == (5, 1.0, 1.0, None)
    assert pair.accuracy.interval[0] < 0 < pair.accuracy.interval[1]


def test_usage_is_summed_and_an_unknown_price_stays_unknown(tmp_path: Path) -> None:
    records = [a_record("x", usage=Usage(calls=2, cost=0.5)), a_record("y", usage=Usage(calls=1, cost=None))]
    run = load(write_run(tmp_path / "a", records))
    assert compare([run, run]).runs[0].usage == Usage(calls=3, cost=None)


def test_a_comparison_can_be_written_and_read_again(tmp_path: Path) -> None:
    comparison = compare([a_run(tmp_path / "a", "+-+", "++-"), a_run(tmp_path / "b", "-+-", "+++")])
    assert msgspec.json.decode(msgspec.json.encode(comparison), type=Comparison) == comparison


def test_steps_are_not_kept_and_reasons_are_cut(tmp_path: Path) -> None:
    run = load(write_run(tmp_path / "a", [a_record("x", reason="r" * 5000)]))
    assert len(run.entries[0].reason) == 300


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a", outcomes("+-+"))
    file = path / "runs.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    assert [entry.task for entry in load(path).entries] == ["t0", "t1"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"task": 1}\n', "line 1 is not a record of Touchstone"),
        (b"\xff\xfe\n", "line 1 is not a record of Touchstone"),
        (2 * (msgspec.json.encode(a_record("x")) + b"\n"), "line 2 records task x, epoch 0 again, after line 1"),
    ],
)
def test_damaged_records_are_told_by_file_and_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = write_run(tmp_path / "a", [])
    (path / "runs.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=said):
        load(path)


def test_what_a_model_wrote_cannot_steer_the_terminal(tmp_path: Path) -> None:
    a = load(write_run(tmp_path / "a", [a_record("x", Outcome.failed, reason="\x1b[2J\x1b]0;gone\x07\nmany\r\nlines")]))
    text = as_text(compare([a, load(write_run(tmp_path / "b", [a_record("x")]))]))
    assert "A failed: [2J ]0;gone many lines" in text
    assert text.replace("\n", "").isprintable()


def test_only_the_first_twenty_flips_are_shown_unless_all_are_wanted(tmp_path: Path) -> None:
    comparison = compare([a_run(tmp_path / "a", "-" * 25), a_run(tmp_path / "b", "+" * 25)])
    assert as_text(comparison).count("A failed: ") == 20
    assert "and 5 more: --all shows them" in as_text(comparison)
    assert as_text(comparison, all_flips=True).count("A failed: ") == 25
