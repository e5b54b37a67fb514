"""What an answer gives away of the gold, and what is ordinary talk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.interact.user.situations import GOLD, SHOWN, mini_interact
from tests.support.data import shared_data
from touchstone.benchmarks.interact.user.leaks import leaks

SQL = (
    'SELECT s.name, s.SnrRatio AS "Best Ratio Overall", row_number() OVER (ORDER BY val2), COUNT(*) FROM signals s '
    "WHERE s.status = 'High' AND s.zone = 'North Bay' AND s.SnrRatio * 0.25 > 180 AND s.kind LIKE '%pulsar%' LIMIT 10"
)


def found(answer: str, *allowed: str, sql: str = SQL) -> tuple[str, ...]:
    return leaks(answer, [sql], allowed, "postgres")


@pytest.mark.parametrize(
    ("answer", "leak"),
    [
        ("It is the snrratio of each.", "SnrRatio"),
        ("Use `SnrRatio`.", "SnrRatio"),
        ("Use the SnrRatios of each.", "SnrRatio"),
        ("Use s.SNRRATIO here.", "SnrRatio"),
        ("Number them with ROW_NUMBER.", "row_number"),
        ("Sort by val2.", "val2"),
        ("the best ratio overall", "Best Ratio Overall"),
        ("Take `name` of it.", "name"),
        ('Take "name" of it.', "name"),
        ("Take signals.x of it.", "signals"),
        ("from the SIGNALS table", "signals"),
        ("SELECT name of it", "name"),
        ("Those with status = 3.", "status"),
        ("Only those that are High, please.", "High"),
        ("Only those that are 'high'.", "High"),
        ("Those in the North Bay.", "North Bay"),
        ("Look for `pulsar`.", "pulsar"),
        ("A quarter: 0.25 of it.", "0.25"),
        ("A quarter, 25%, of it.", "0.25"),
        ("more than 180 days", "180"),
        ("more than 180.0 days.", "180"),
    ],
)
def test_given_away(answer: str, leak: str) -> None:
    assert found(answer) == (leak,)
    assert found(answer, f"Well, {leak} it is.") == ()


@pytest.mark.parametrize(
    "answer",
    [
        "The name and the status of the signals in that zone, high ones first.",
        "High ones first. North of the bay. Name them all.",
        "I want the count of the best ones, the first 10 in order, from 1 to 100.",
        "Use `COUNT`, `ORDER BY` and `LIMIT`.",
        "The snr ratio, value 2, in 1800 or 0.255 or 10.25 cases of 18.0.",
        "unsnrratio, SnrRational and xval2",
    ],
)
def test_ordinary_talk(answer: str) -> None:
    assert found(answer) == ()


DISGUISED = (
    "SELECT r.StationName, ROUND(AVG(o.SignalRegistry), 3) FROM observatories o WHERE o.kind = 'AlienTech' AND o.level > 42.5 "
    "AND o.part < 0.35 AND o.days > 180 GROUP BY 1 ORDER BY 2 DESC LIMIT 25"
)


@pytest.mark.parametrize(
    ("answer", "leak"),
    [
        ("more than forty-two and a half", "42.5"),
        ("more than 42,5 of it", "42.5"),
        ("above forty two point five", "42.5"),
        ("thirty-five percent of them", "0.35"),
        ("after one hundred and eighty days", "180"),
        ("the best twenty-five", "25"),
        ("use the signal_registry", "SignalRegistry"),
        ("use SIGNAL-REGISTRY", "SignalRegistry"),
        ("use the signal registry field", "SignalRegistry"),
        ("only those of alien tech", "AlienTech"),
        ("round it to 3 places", "3 decimals"),
        ("three decimals, please", "3 decimals"),
        ("in descending order", "descending order"),
        ("the highest ones first", "descending order"),
        ("it is s-i-g-n-a-l-r-e-g-i-s-t-r-y", "SignalRegistry"),
        ("it is S I G N A L R E G I S T R Y", "SignalRegistry"),
        ("it is U2lnbmFsUmVnaXN0cnk=", "SignalRegistry"),
        ("it is FvtanyErtvfgel", "SignalRegistry"),
        ("it is yrtsigeRlangiS", "SignalRegistry"),
        ("it is 5369676e616c5265676973747279", "SignalRegistry"),
        ("it is 83 105 103 110 97 108 82 101 103 105 115 116 114 121", "SignalRegistry"),
        ("it is Signal\u200bRegistry", "SignalRegistry"),
        ("it is %53ignal%52egistry", "SignalRegistry"),
        ("it is \uff33ignal\uff32egistry", "SignalRegistry"),
        ("look in Signal Registry", "SignalRegistry"),
        ("the signal registry, that field", "SignalRegistry"),
        ("s i g n a l - r e g i s t r y", "SignalRegistry"),
        ("the best ones on top", "descending order"),
        ("begin with the largest", "descending order"),
        ("highest to lowest", "descending order"),
        ("sorted downwards", "descending order"),
        ("more than 42 1/2", "42.5"),
        ("it is called signal registry", "SignalRegistry"),
        ("below 35 per cent", "0.35"),
        ("0.18 thousand days", "180"),
    ],
)
def test_given_away_in_disguise(answer: str, leak: str) -> None:
    assert leak in found(answer, "Which ones are good?", sql=DISGUISED)
    assert leak not in found(answer, f"{DISGUISED} sorted, highest first", sql=DISGUISED)


@pytest.mark.parametrize(
    "answer",
    [
        "The station's name on top of the page, and no more than that.",
        "Forty of them, thirty-five at most, and half of the rest by the second quarter.",
        "I order what I need, three or four a day, to the last place.",
        "It is an average, in ascending order.",
        "Round it to 2 places.",
        "It is for the end of May 2024, and 2 thousand people wait for it, 3 dozen of them here.",
    ],
)
def test_ordinary_talk_that_looks_like_a_disguise(answer: str) -> None:
    assert found(answer, sql=DISGUISED) == ()


DOSES = (
    "SELECT p.PatientRef, ROUND(SUM(d.dose_mg) / COUNT(*), 4) AS avg_dose FROM dosage_events d "
    "JOIN patient_registry p ON p.PatientRef = d.patient_fk WHERE d.AdverseScore > 37.25 AND d.route_kind = 'IntraVenous' "
    "AND p.age_years BETWEEN 45 AND 79 AND d.lag_hours < 1440 GROUP BY 1 HAVING SUM(d.dose_mg) > 2750 ORDER BY avg_dose DESC"
)


@pytest.mark.parametrize(
    ("answer", "leak"),
    [
        ("over thirty-seven and a quarter", "37.25"),
        ("over 37¼", "37.25"),
        ("between forty-five and seventy-nine", "79"),
        ("one hundred twenty dozen hours", "1440"),
        ("less than one thousand four hundred and forty", "1440"),
        ("more than two thousand seven hundred fifty", "2750"),
        ("mehr als zweitausendsiebenhundertfünfzig", "2750"),
        ("siebenunddreißig Komma zwei fünf", "37.25"),
        ("à partir de quarante-cinq ans", "45"),
        ("hasta setenta y nueve años", "79"),
        ("menos de mil cuatrocientos cuarenta", "1440"),
        ("soixante-dix-neuf au plus", "79"),
        ("rounded to the fourth decimal", "4 decimals"),
        ("to the nearest ten-thousandth", "4 decimals"),
        ("in decreasing order", "descending order"),
        ("absteigend sortiert", "descending order"),
        ("par ordre décroissant", "descending order"),
        ("the ADVERSE SCORE of each", "AdverseScore"),
        ("the adverse score column", "AdverseScore"),
        ("age\u2010years", "age_years"),
        ("d0sage_ev3nts", "dosage_events"),
        ("\u0440atientRef", "PatientRef"),
        ("p a t i e n t r e g i s t", "patient_registry"),
        ("Papa Alpha Tango India Echo November Tango Romeo Echo Foxtrot", "PatientRef"),
        (
            "P as in pie, a as in ant, t as in tea, i for ink, e as in egg, n like no, t for two, r for red, e for end",
            "PatientRef",
        ),
        ("sdwlhqwUhi", "PatientRef"),
        ("OBQXI2LFNZ2FEZLG", "PatientRef"),
        ("route underscore kind", "route_kind"),
        ("the words lag and hours, joined", "lag_hours"),
        ("a patient-registries thing", "patient_registry"),
        ("\u1e57\u00e0tientRef", "PatientRef"),
        ("only 'intra venous'", "IntraVenous"),
    ],
)
def test_given_away_in_other_languages_and_letters(answer: str, leak: str) -> None:
    assert leak in found(answer, "Which ones are good?", sql=DOSES)
    assert leak not in found(answer, f"{DOSES} sorted, highest first", sql=DOSES)


@pytest.mark.parametrize(
    "answer",
    [
        "Patients who got the drug by a vein, the older ones, but not the very old.",
        "Elf of them, once a day, six months, dix, onze; sept was bad, cent by cent, by mil spec.",
        "Es geht um die Patienten im Register, zwei oder drei Beispiele reichen.",
        "C'est une moyenne par patient; vingt ans, c'est long. A croissant, please.",
        "El promedio por paciente, nada más.",
        "The first decimal place of pi is 1; MP3 and H2O are not relevant. THE PATIENT comes first.",
        "The registry of patients; doses and events; a score is adverse if it harms.",
        "With increasing age it gets worse. Half past 4, or a quarter to 5.",
    ],
)
def test_ordinary_talk_in_other_languages_and_letters(answer: str) -> None:
    assert found(answer, sql=DOSES) == ()


def test_descriptions_of_other_databases_are_ordinary_talk() -> None:
    """Prose of the same kind that cannot be about the gold: one coincidence, of an order, in 900."""
    folder = shared_data("mini-interact")
    rows = [json.loads(line) for line in (folder / "mini_interact.jsonl").read_text().splitlines()]
    prose = {
        file.parent.name: [json.loads(line)["description"] for line in file.read_text().splitlines() if line.strip()][:40]
        for file in sorted(folder.glob("*/*_kb.jsonl"))
    }
    alarms: list[str] = []
    for number, (row, situation) in enumerate(zip(rows, mini_interact(), strict=True)):
        others = [text for name, texts in prose.items() if name != row["selected_database"] for text in texts]
        gold = [each.sql_snippet for each in situation.ambiguities]
        for text in (others[(7 * number + 311 * more) % len(others)] for more in range(3)):
            alarms += leaks(text, gold, [situation.shown], "sqlite")
    assert set(alarms) <= {"descending order"}
    assert len(alarms) <= 2


def test_passages() -> None:
    sql = "SELECT 1 FROM t WHERE a.price * (b + c) - tax > d -- never say this aloud to anybody\n"
    assert found("It is price * (b + c) - tax, you see.", sql=sql) == ("price * ( b + c ) - tax",)
    assert found("It is **price × (b + c)** − tax.", sql=sql) == ("price * ( b + c ) - tax",)
    assert found("It is price * (b + c) - tax.", "a.price * (b + c) - tax", sql=sql) == ()
    assert found("It is price * (b", sql=sql) == ()
    assert found("Never say this aloud to anybody!", sql=sql) == ()


def test_a_passage_is_a_leak_from_where_the_allowed_text_ends() -> None:
    sql = "SELECT a + b + c + d + e + f"
    assert found("a + b + c + d + e + f", "a + b + c + d", sql=sql) == ("b + c + d + e + f",)


def test_several_texts_do_not_allow_what_only_their_seam_has() -> None:
    assert found("the best ratio overall", "the best", "ratio overall") == ("Best Ratio Overall",)


@pytest.mark.parametrize(
    ("answer", "leak"),
    [
        ("over 1.75 million", "1750000"),
        ("over 1.75M", "1750000"),
        ("over 1750k", "1750000"),
        ("over 1 750 000", "1750000"),
        ("over 1.750.000", "1750000"),
        ("one and three quarter million", "1750000"),
        ("since 30 June 2021", "2021-06-30"),
        ("since June 30th, 2021", "2021-06-30"),
        ("since 30/06/2021 or 6/30/2021", "2021-06-30"),
        ("desde el 30 de junio de 2021", "2021-06-30"),
        ("since the end of June 2021", "2021-06-30"),
        ("since June 30th", "2021-06-30"),
        ("in EmLatam", "EM LATAM"),
        ("from A to Z", "ascending order"),
    ],
)
def test_amounts_and_days_in_other_forms(answer: str, leak: str) -> None:
    sql = "SELECT n FROM t WHERE a > 1750000 AND day >= DATE '2021-06-30' AND desk = 'EM LATAM' ORDER BY n"
    assert leak in found(answer, sql=sql)
    assert leak not in found(answer, f"{sql} sorted", sql=sql)


FLEET = (
    "SELECT v.plateno, ROUND(AVG(COALESCE(r.brktempc, 0)), 2), COUNT(*) FROM vehstate v JOIN routes_and_depots r "
    "ON r.rkey = v.rkey WHERE v.lastinspdate > 0 AND v.engpwrkw > 20 "
    "AND v.grosswtkg < 90 AND r.tyre_width_m3 > 0 AND v.sparecode = 'vp' "
    "GROUP BY v.plateno ORDER BY COUNT(*) DESC"
)


@pytest.mark.parametrize(
    ("answer", "leak"),
    [
        ("Mind the lastinspdate of each.", "lastinspdate"),
        ("Think of vehstates.", "vehstate"),
        ("It's the engine power kilowatts I look at.", "engpwrkw"),
        ("Look at gross weight kilograms, too.", "grosswtkg"),
        ("It is tyre_wdt_m3, roughly.", "tyre_width_m3"),
        ("See rts_dpts for it.", "routes_and_depots"),
        ("It is \u0440l\u0430t\u0435\u057a\u0585, so to say, or brk\u03c4\u03b5mpc.", "brktempc"),
        ("\u7528plateno\u5b57\u6bb5\u3002", "plateno"),
        ("\u5c11\u4e8e90\u516c\u65a4\u3002", "90"),
        ("Less than 9\ufe0f\u20e30\ufe0f\u20e3.", "90"),
        ("An hour and a half at most.", "90"),
        ("One and a half hours at most.", "90"),
        ("A quarter of an hour, or a third of a minute.", "20"),
        ("The ones with the higher count go above the rest.", "descending order"),
        ("To two decimals.", "2 decimals"),
    ],
)
def test_names_as_schemas_have_them(answer: str, leak: str) -> None:
    assert leak in found(answer, "Which buses do you mean?", sql=FLEET)
    assert leak not in found(answer, FLEET, "an hour and a half", sql=FLEET)


@pytest.mark.parametrize(
    "answer",
    [
        "The score of each, and the scores of the others.",
        "Five a day, and one and a half of them an hour.",
        "No decimals, and the first score is enough.",
        "To accommodate and validate them we illustrate the current state.",
        "In ascending order, lowest count before the others.",
        "The fastest were first in the race, and one figure for all is enough, or the first two places.",
        "Putting a new label on takes half of the day, or a quarter.",
    ],
)
def test_ordinary_talk_about_names_as_schemas_have_them(answer: str) -> None:
    assert found(answer, sql=FLEET) == ()


def test_an_order_and_a_rounding_that_may_be_told_allow_no_other() -> None:
    """The request's "order" is a noun, its snippet sorts a window, and it speaks of rounding without saying how."""
    sql = "SELECT ROUND(SUM(a), 3), ROW_NUMBER() OVER (ORDER BY seen DESC) FROM t ORDER BY a ASC"
    request = "Show the rounded sum for the first order of each."
    snippet = "ROW_NUMBER() OVER (ORDER BY seen DESC)"
    assert found("Sort it ascending.", request, snippet, sql=sql) == ("ascending order",)
    assert found("The newest first.", request, snippet, sql=sql) == ()
    assert found("With three decimals.", request, snippet, sql=sql) == ("3 decimals",)
    assert found("With three decimals.", request, "ROUND(SUM(a), 3)", sql=sql) == ()
    assert found("Sort it ascending.", "Sort ascending or descending?", sql=sql) == ()
    assert found("The largest sum first.", "Rank them.", sql=sql) == ()
    assert found("The largest sum first.", "Show them in order.", sql=sql) == ("descending order",)


@pytest.mark.parametrize(
    "answer",
    ["The quickest on top.", "From the oldest to the youngest.", "Best first.", "Those with the most of them go first."],
)
def test_an_extreme_that_may_be_either_end(answer: str) -> None:
    assert found(answer, sql="SELECT a FROM t ORDER BY ms DESC") == ("descending order",)
    assert bool(found(answer, sql="SELECT a FROM t ORDER BY ms")) is ("most" not in answer)


def test_numbers_next_to_each_other() -> None:
    sql = "SELECT a FROM t WHERE b BETWEEN 220 AND 975 AND c > 18 AND kind = 'Type II'"
    assert found("between two hundred and twenty and nine hundred seventy-five", sql=sql) == ("220", "975")
    assert found("Six of one and half a dozen of the other, type in what you like.", sql=sql) == ()
    assert found("One and a half dozen of type II.", sql=sql) == ("Type II", "18")


def test_what_goes_up_and_down_is_not_sorted() -> None:
    assert found("Rates go up and down all the time.", sql="SELECT rate FROM t ORDER BY rate") == ()
    assert found("And then go up.", sql="SELECT rate FROM t ORDER BY rate") == ("ascending order",)


def test_irregular_words_are_words() -> None:
    """Two ordinary words are no name."""
    sql = "SELECT given_name, date_taken, sign_off, orignation, txkey FROM t WHERE a = 'Written' AND b = 'NY' AND c = 'OK'"
    assert found("The given name, the date taken, and who must sign off; OK? It is written there.", sql=sql) == ()
    assert found("Take orignation and txkey, in NY.", sql=sql) == ("orignation", "txkey", "NY")


def test_nothing_to_give_away() -> None:
    assert leaks("SnrRatio 0.25", (), (), "sqlite") == ()
    assert found("") == ()


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text(answer: str, sql: str) -> None:
    assert leaks(answer, [sql], [answer], "sqlite") == ()
    leaks(answer, [sql], [], "postgres")


def test_the_chosen_snippet_is_never_a_leak() -> None:
    told = 0
    for situation in mini_interact():
        gold = tuple(each.sql_snippet for each in situation.ambiguities)
        for each in situation.ambiguities:
            assert leaks(each.sql_snippet, gold, [each.sql_snippet], situation.dialect) == ()
            told += 1
    assert told == 1520


def test_other_snippets_of_a_task_are() -> None:
    """Unless the chosen one has all of their words, or they have none of their own, as `LIMIT 10`."""
    pairs = [
        (one.sql_snippet, other.sql_snippet)
        for situation in mini_interact()
        for one in situation.ambiguities
        for other in situation.ambiguities
        if one.type == "knowledge_linking_ambiguity" and other.type in ("schema_linking_ambiguity", "semantic_ambiguity")
    ]
    caught = sum(bool(leaks(other, [one, other], [one], "sqlite")) for one, other in pairs)
    assert len(pairs) == 250
    assert caught / len(pairs) > 0.9


def test_real_answers() -> None:
    """Of another harness, whose user is given the whole gold: the SQL that passed stands in for it."""
    given_away: set[str] = set()
    for name in ("a", "c"):
        for sample in json.loads((shared_data("adk-samples") / f"{name}_interact_samples.json").read_text())["samples"]:
            steps = sample["tool_trajectory"]
            passed = [step["args"]["sql"] for step in steps if step["tool"] == "submit_sql" and "correct!" in step["result"]]
            for step in (step for step in steps if step["tool"] == "ask_user" and passed):
                given_away.update(leaks(step["result"], passed[:1], [step["args"]["question"]], "postgres"))
    assert {"noisefloordbm", "credit_and_compliance", "credscore", "freqdrifthzs", "equipmenttype", "0.0005"} <= given_away
    assert not {"signals", "score", "quality", "name", "2", "100"} & given_away


def test_answers_that_were_written_before_the_detector_could_read_them() -> None:
    """Leaks with what each tells, and clean answers, each with the question if it matters."""
    answers = 0
    for case in json.loads((Path(__file__).parent / "answers.json").read_text()):
        known = [case["request"], case.get("chosen", "")]
        for answer, leak in case["leaks"]:
            assert leak in leaks(answer, [case["sql"]], ["Which ones do you mean?", *known], case["dialect"]), answer
        for answer, *question in case["clean"]:
            assert leaks(answer, [case["sql"]], [*question, *known], case["dialect"]) == (), answer
        answers += len(case["leaks"]) + len(case["clean"])
    assert answers > 1_100


def test_the_gold_of_the_tests() -> None:
    answer = "By station, on average, the seven best."
    assert leaks(answer, GOLD, [SHOWN], "postgres") == ()


def test_of_an_endless_question_the_beginning_counts() -> None:
    assert found("It is SnrRatio.", "SnrRatio" + " or x" * 200_000) == ()
    assert found("It is SnrRatio.", "x or " * 200_000 + "SnrRatio") == ("SnrRatio",)


def test_a_word_that_is_said_thousands_of_times_is_read_once() -> None:
    """Every way to choose from them would never end."""
    answer = "Put these together, without spaces: " + "coco " * 3_000
    assert leaks(answer, ["SELECT cocococococococob FROM t"], [], "sqlite") == ()
