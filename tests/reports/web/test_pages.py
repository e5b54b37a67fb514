"""What pages show, and that nothing in a record can do more than be shown."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reports.web.conftest import Open, only_run, page
from tests.reports.web.runs import HOSTILE, PIXEL, run_of, write_run
from tests.support.command import touchstone
from tests.support.records import a_record
from touchstone.reports.html_report import html_report
from touchstone.reports.web.episodes import ShownEpisode, without_gold
from touchstone.reports.web.index import episode_name, safe
from touchstone.reports.web.layout import View, join
from touchstone.reports.web.task_page import pair_task_page
from touchstone.reports.web.verdict import difference
from touchstone.runs.custody import public_reason
from touchstone.types import Brief, ModelStep, NoteStep, Observation, Outcome, Record, Reply, ServiceStep, ToolCall, ToolStep

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**19 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = """prediction gold kind gold_rows predicted_rows gold_columns predicted_columns missing_count extra_count missing_rows
    extra_rows missing_columns extra_columns differing_columns counts submissions budget charges rows screenshots""".split()


TAGS = set(
    """html head meta title link script body a header nav ol li b p span button main h1 h2 h3 div ul table thead tbody tr th td
    section svg rect line text polyline circle dl dt dd details summary pre code figure figcaption img input noscript br
    strong""".split()
)


class Tags(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def harmless(html: str) -> None:
    found = Tags(html)
    assert set(found.tags) <= TAGS
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "style"]
    assert not [value for name, value in found.attributes if name in ("href", "src") and re.match(r"\s*\w+:", value or "")]
    scripts = re.findall(r"<script([^>]*)>", html)
    assert all('type="application/json"' in each or "static/view.js" in each for each in scripts)


def hostile_record(task: str) -> Record:
    call = ToolCall("c", HOSTILE, msgspec.json.encode({"sql": HOSTILE, HOSTILE: HOSTILE, "more": [HOSTILE]}).decode())
    table = f"{HOSTILE} | b\n{'-' * len(HOSTILE)}-+--\n{HOSTILE} | 2\n(1 row)"
    user = {
        "choice": HOSTILE,
        "about": HOSTILE,
        "leaks": [HOSTILE],
        "withheld": [HOSTILE],
        "faults": [HOSTILE],
        "calls": [{"reply": {"text": HOSTILE}}],
    }
    details = {
        "user": user,
        "finding": {"reason": HOSTILE, "phase": 1},
        "charge": {"action": HOSTILE, "price": 1, "after": 2},
        "screenshot": f"{HOSTILE}.png",
        "table": {"columns": [HOSTILE, "b"], "rows": [[HOSTILE, None]], "count": "(1 row)"},
    }
    return a_record(
        task,
        Outcome.failed,
        reason=HOSTILE,
        facets={HOSTILE: HOSTILE},
        metrics={HOSTILE: 1.0},
        brief=Brief(HOSTILE, HOSTILE, {"question": HOSTILE}),
        evidence={
            "kind": HOSTILE,
            "prediction": HOSTILE,
            "gold": HOSTILE,
            "gold_columns": [HOSTILE],
            "predicted_columns": [HOSTILE],
            "missing_rows": [[HOSTILE]],
            "extra_rows": [[HOSTILE]],
            HOSTILE: [HOSTILE],
            "budget": 3,
            "charges": [{"action": HOSTILE, "price": 1, "after": 2}],
        },
        steps=[
            ModelStep(Reply(HOSTILE, (call,), HOSTILE), "x", 1.0),
            ToolStep(call, Observation(table, False, details), 1.0),
            ToolStep(ToolCall("d", "x", HOSTILE), Observation(HOSTILE, True), 1.0),
            ModelStep(
                Reply(f"# {HOSTILE}\n**{HOSTILE}** [{HOSTILE}](javascript:window.hurt=1) ![{HOSTILE}](x)\n|{HOSTILE}|\n|-|"),
                "x",
                1.0,
            ),
            NoteStep(HOSTILE),
            ServiceStep({HOSTILE: HOSTILE}, 500, HOSTILE, 1.0),
        ],
    )


def test_hostile_text_stays_text_on_every_page(tmp_path: Path, site: Open) -> None:
    name = HOSTILE.replace("/", "\u2215")
    for run in ("a", "b"):
        config: Any = {
            "title": HOSTILE,
            "identity": {"benchmark": HOSTILE, "agent": HOSTILE, "model": HOSTILE},
            "versions": {HOSTILE: HOSTILE},
        }
        write_run(tmp_path / name / run, hostile_record(HOSTILE), hostile_record("2"), **config)
    over = site(tmp_path)
    first, second = (run.name for run in over.library.runs())
    episode = episode_name(HOSTILE, 0)
    for path in (
        "index.html",
        "history.html",
        f"runs/{first}/index.html",
        f"runs/{first}/{episode}.html",
        f"compare/{first}/{second}/index.html",
        f"compare/{first}/{second}/{episode}.html",
    ):
        shown = page(over, path)
        harmless(shown)
        assert "&lt;script&gt;" in shown or "\\u003cscript" in shown, path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), JSON, max_size=8),
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["model", "tool", "note", "service", "dream"])},
            optional={
                name: JSON
                for name in ("reply", "call", "observation", "text", "seconds", "request", "response", "status", "screenshots")
            },
        ),
        max_size=4,
    ),
)
def test_whatever_a_record_holds_can_be_shown(
    tmp_path_factory: Any, evidence: dict[str, Any], steps: list[dict[str, Any]]
) -> None:
    from touchstone.reports.web.library import Run

    episode = ShownEpisode(task="1", outcome=Outcome.failed, evidence=evidence, steps=steps)
    run = Run(Path("nowhere"), "label", "name")
    harmless(pair_task_page((run, run), (episode, None), View()))
    harmless(pair_task_page((run, run), (without_gold(episode, "tools", "desktop"), episode), View(hide_gold=True)))


def test_only_cells_that_differ_are_marked() -> None:
    evidence = {
        "gold_columns": ["id", "name", "price"],
        "predicted_columns": ["id", "name", "cost"],
        "gold_rows": 3,
        "predicted_rows": 3,
        "missing_count": 1,
        "extra_count": 1,
        "missing_rows": [[7, "plum", 2.5]],
        "extra_rows": [[7, "plum", 3]],
    }
    html = join(difference(evidence))
    assert '<td class="number gone">2.5</td>' in html
    assert '<td class="number new">3</td>' in html
    assert html.count('gone"') == html.count('new"') == 1


def test_columns_that_differ_are_marked_from_their_heads_on() -> None:
    evidence = {
        "gold_columns": ["name"],
        "predicted_columns": ["name", "price"],
        "missing_rows": [["a"]],
        "extra_rows": [["a", 1]],
        "extra_columns": ["price"],
        "missing_columns": [],
        "found_columns": ["name"],
    }
    html = join(difference(evidence))
    assert '<th scope="col" class="new">price</th>' in html
    assert '<th scope="col">name</th>' in html
    assert '<td class="number new">1</td>' in html


def test_rows_that_appear_too_often_are_counted() -> None:
    counts = [{"row": ["x"], "expected": 1, "got": 3}]
    html = join(
        difference({"gold_columns": ["a"], "predicted_columns": ["a"], "missing_count": 0, "extra_count": 0, "counts": counts})
    )
    assert "another number of times" in html
    assert '<td class="number new">3</td>' in html


def test_a_dialogue_is_shown_as_it_went(results: Path, site: Open) -> None:
    over = site(run_of(results, "talk"))
    shown = page(over, f"runs/{only_run(over)}/t-shop_1~0.html")
    for words in (
        "What is an active customer?",
        "Whoever bought two things or more.",
        "The simulated user chose labeled, about: active customers",
        "−2 → 14 coins",
        "Coins left: from 16 to 4 in 5 actions",
        "All expected rows are there, but 1 unexpected row appears",
        '<th scope="col">tier</th>',
        '<td class="null">NULL</td>',
        "Give the total of each customer.",
        "2 calls, 200 tokens in (80 cached), 20 out",
    ):
        assert words in shown, words
    assert shown.index("What is an active customer?") < shown.index("Give the total of each customer.")


def test_an_interaction_has_all_tables_of_its_report(results: Path, site: Open, tmp_path: Path) -> None:
    over = site(run_of(results, "talk"))
    shown = page(over, f"runs/{only_run(over)}/index.html")
    report = touchstone("interact", "report", run_of(results, "talk"), cwd=tmp_path).out
    for row in ("questions", "labelled ambiguities resolved", "submit", "ask"):
        (line,) = [line for line in report.splitlines() if line.strip().startswith(f"{row} ")]
        cells = re.findall(f'<th scope="row">{row}</th>(.*?)</tr>', shown)[0]
        assert re.findall(r"\d[\d.]*", re.sub("<.*?>", " ", cells)) == re.findall(r"\d[\d.]*", line)


def test_a_run_shows_its_breakdowns_and_its_tasks(results: Path, site: Open) -> None:
    over = site(run_of(results, "bad"))
    shown = page(over, f"runs/{only_run(over)}/index.html")
    assert "50.0%" in shown
    assert "95% interval 18.8 to 81.2" in shown
    for facet in ("By difficulty", "By database", "Failed because"):
        assert facet in shown
    data = msgspec.json.decode(re.search(r'id="tasks">(.*?)</script>', shown)[1])  # type: ignore[index]
    assert sorted(row[1] for row in data["rows"]) == ["10", "11", "12", "13", "14", "15"]
    assert "SELECT" not in shown


def test_references_are_left_out_everywhere(results: Path, site: Open) -> None:
    gold = ("AVG(price) FROM item", "2.0625", "WHERE price &gt; 1.0", "quince", "HAVING count(*)")
    for name, path in (("bad", "t-13~0"), ("bad", "t-10~0"), ("bad", "index"), ("talk", "index")):
        open_to_all = site(run_of(results, name))
        run = only_run(open_to_all)
        hidden = page(site(run_of(results, name), hide_gold=True), f"runs/{run}/{path}.html")
        body = hidden.split("Dialogue")[0]  # what the agent itself saw may be anything
        assert not [words for words in gold if words in re.sub("<[^>]*>", "", body)], path
    shown = page(site(run_of(results, "bad"), hide_gold=True), f"runs/{run_name(site, results, 'bad')}/t-13~0.html")
    assert "Not the expected result (rounding)." in shown
    assert "round" in shown


def run_name(site: Open, results: Path, name: str) -> str:
    return only_run(site(run_of(results, name)))


def test_what_the_simulated_user_knows_is_hidden_too(results: Path, site: Open) -> None:
    over = site(run_of(results, "talk"), hide_gold=True)
    shown = page(over, f"runs/{only_run(over)}/t-shop_1~0.html")
    assert "Whoever bought two things or more." in shown
    assert "about: active customers" not in shown
    assert "unexpected row" not in shown


def test_the_oracles_moves_are_the_reference(tmp_path: Path, site: Open) -> None:
    call = ToolCall("c", "submit_sql", '{"sql": "SELECT secret"}')
    record = a_record(
        "1", evidence={"gold": "SELECT secret", "prediction": "SELECT secret"}, steps=[ToolStep(call, Observation("ok"), 1.0)]
    )
    write_run(tmp_path / "x" / "run", record, identity={"benchmark": "bird", "agent": "oracle"})
    shown = page(site(tmp_path, hide_gold=True), "runs/x.run/t-1~0.html")
    assert "secret" not in shown
    assert "hidden here" in shown
    assert "secret" in page(site(tmp_path), "runs/x.run/t-1~0.html")


def test_screens_are_a_film_strip_and_come_from_inside_the_run_alone(tmp_path: Path, site: Open) -> None:
    shots = ["shots/1 a.png", "../../outside.png", "/etc/passwd", "shots/link.png", "shots/notes.txt"]
    steps: list[Any] = [
        ToolStep(ToolCall("c", "click", "{}"), Observation("ok", details={"screenshot": shot}), 1.0) for shot in shots
    ]
    run = write_run(tmp_path / "x" / "run", a_record("1", steps=steps))
    (run / "shots").mkdir()
    (run / "shots" / "1 a.png").write_bytes(PIXEL)
    (run / "shots" / "notes.txt").write_text("not a picture")
    (tmp_path / "outside.png").write_bytes(PIXEL)
    (run / "shots" / "link.png").symlink_to(tmp_path / "outside.png")
    over = site(tmp_path)
    assert 'src="files/shots/1%20a.png"' in page(over, "runs/x.run/t-1~0.html")
    answer = over.answer("runs/x.run/files/shots/1 a.png", {})
    assert (answer.status, answer.type, answer.body) == (200, "image/png", PIXEL)
    for path in (*shots[1:], "config.json", "runs.jsonl", "shots", "shots/no.png", "shots/\0.png"):
        assert over.answer(f"runs/x.run/files/{path}", {}).status == 404, path


def test_damaged_and_foreign_directories_are_listed_with_the_reason(tmp_path: Path, site: Open) -> None:
    write_run(tmp_path / "x" / "run", a_record("1"))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text('{"hidden_size": 768}')
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "config.json").write_text("{")
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "runs.jsonl").write_bytes(msgspec.json.encode(a_record("1")) + b"\n")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "config.json").write_text('{"identity": 5, "versions": [1], "title": {"a": 1}}')
    (tmp_path / "odd" / "runs.jsonl").write_text('{"score": 1}\n')
    over = site(tmp_path)
    shown = page(over, "index.html")
    assert "x/run" in shown
    assert "No such file or directory" in shown
    assert "not the configuration of a run" in shown
    assert "no config.json" in shown
    assert "no line of runs.jsonl is a record" in shown
    for run in over.library.runs():
        harmless(page(over, f"runs/{run.name}/index.html"))


def test_names_in_addresses_are_safe_and_differ() -> None:
    keys = ["1", "A", "a", "../x", "x/../y", "", ".", "..", "a b", "ä", "a" * 300, HOSTILE, "con", "\ud800"]
    names = [episode_name(key, 0) for key in keys]
    assert len({name.lower() for name in names}) == len(keys)
    assert all(re.fullmatch(r"t-[A-Za-z0-9_.-]{1,90}~0", name) and ".." not in name for name in names)
    assert safe("shop_1") == "shop_1"


def test_without_gold_a_pass_that_is_not_to_the_letter_does_not_say_what_was_expected() -> None:
    said = "Same rows in another order; row 1 should be ('November Meeting')."
    assert public_reason(Outcome.passed, said, "row_order") == "Passed (row order)."
    assert public_reason(Outcome.passed, "Identical: 4 rows.", "identical") == "Identical: 4 rows."


def test_many_runs_are_one_matrix(tmp_path: Path, site: Open) -> None:
    for name in ("a", "b", "c"):
        first = a_record("1", Outcome.failed if name == "a" else Outcome.passed)
        others = [a_record("2", Outcome.skipped, index=1), a_record("3", index=2, digest=f"another in {name}")]
        write_run(tmp_path / name / "run", first, *others)
    over = site(tmp_path)
    shown = page(over, "compare/a.run/b.run/c.run/index.html")
    harmless(shown)
    assert "Comparison of 3 runs" in shown
    (listed,) = re.findall(r'id="tasks">(.*?)</script>', shown)
    rows = msgspec.json.decode(listed)["rows"]
    assert [(row[1], row[3], row[4]) for row in rows] == [
        ("1", "differ", ["failed", "passed", "passed"]),
        ("2", "apart", ["skipped"] * 3),
        ("3", "apart", ["passed"] * 3),  # the same name for three different tasks
    ]
    assert shown.count(">+100.0<") == 2  # B and C against A, over task 1
    assert "../../../../compare/a.run/b.run/index.html" in shown
    for wrong in ("a.run/b.run/none", "a.run/b.run/b.run", "a.run"):
        assert over.answer(f"compare/{wrong}/index.html", {}).status == 404


def test_tags_and_notes_are_shown_and_hostile_ones_do_nothing(tmp_path: Path, site: Open) -> None:
    run = write_run(tmp_path / "x" / "run", a_record("1"))
    (run / "labels.json").write_bytes(msgspec.json.encode({"tags": ["paper", HOSTILE], "note": HOSTILE}))
    over = site(tmp_path)
    for path in ("index.html", "runs/x.run/index.html"):
        shown = page(over, path)
        harmless(shown)
        assert "paper" in shown
        assert escape(HOSTILE) in shown
    (run / "labels.json").write_text("[")
    assert "labels.json: expected" in page(over, "index.html")


def test_a_page_sends_as_many_rows_however_long_the_run(tmp_path: Path, site: Open) -> None:
    write_run(tmp_path / "x" / "run", *(a_record(str(number)) for number in range(2_500)))
    over = site(tmp_path)
    (listed,) = re.findall(r'id="tasks">(.*?)</script>', page(over, "runs/x.run/index.html"))
    data = msgspec.json.decode(listed)
    assert (len(data["rows"]), data["total"]) == (1_000, 2_500)
    rest = msgspec.json.decode(over.answer("runs/x.run/rows.json", {"from": "1000", "generation": "0"}).body)
    assert [row[1] for row in rest["rows"]] == [str(number) for number in range(1_000, 2_500)]
    assert msgspec.json.decode(over.answer("runs/x.run/rows.json", {"from": "0", "generation": "7"}).body) == {"reload": True}


def test_a_run_that_was_cut_short_says_so_and_one_that_ended_does_not(tmp_path: Path, site: Open) -> None:
    for name, planned in (("killed", 30), ("whole", 1)):
        over = site(write_run(tmp_path / name / "run", a_record("1"), planned=planned))
        for path in ("index.html", f"runs/{only_run(over)}/index.html"):
            assert ("nfinished: 1 of 30 done" in page(over, path)) is (name == "killed")


def test_a_refuted_prediction_says_so_above_its_verdict(tmp_path: Path, site: Open) -> None:
    over = site(write_run(tmp_path / "run", a_record("1", evidence={"proof": {"verdict": "refuted"}})))
    head = page(over, f"runs/{only_run(over)}/t-1~0.html").split('id="verdict"')[0]
    assert "proof: refuted" in head


def test_rows_in_another_order_are_not_called_as_expected() -> None:
    evidence = {"kind": "row_order", "gold_columns": ["a"], "gold_rows": 2, "missing_count": 0, "extra_count": 0}
    assert "in another order: 2 rows" in str(difference(evidence))
    assert "as expected: 2 rows" in str(difference({**evidence, "kind": "same"}))


def test_one_run_is_a_line_of_the_history_and_two_are_a_chart(tmp_path: Path, site: Open) -> None:
    run = write_run(tmp_path / "a" / "run", a_record("1"))
    assert "<svg" not in page(site(run), "history.html")
    other = write_run(tmp_path / "b" / "run", a_record("1"))
    assert page(site(run, other), "history.html").count("<svg") == 1


def test_the_report_tells_tasks_of_two_benchmarks_apart(tmp_path: Path, site: Open) -> None:
    bird = write_run(tmp_path / "a" / "run", a_record("1"))
    identity = {"benchmark": "sql", "agent": "tools", "model": "m"}
    own = write_run(tmp_path / "b" / "run", a_record("1", Outcome.failed), identity=identity)
    report = html_report(site(bird, own).library.runs())
    assert "Tasks that no run passes: 1" in report
    assert re.search(r"<td[^>]*>sql</td><td[^>]*>1</td><td[^>]*>failed</td>", report)
