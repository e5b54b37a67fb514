"""What can be wrong with a task, one row each: how bad it is, and what it means.

error      the task cannot be scored fairly: a right answer may fail, or nothing can be right. Excluded by default.
warning    it can be scored, and the score deserves a second look
note       worth knowing when results are read; many tasks may have it
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Finding(Struct, frozen=True, omit_defaults=True):
    """One thing about one task."""

    task: str
    kind: str
    severity: Severity
    sentence: str
    evidence: dict[str, Any] = {}


class Kind(Struct, frozen=True):
    severity: Severity
    """Unless a finding says otherwise."""
    meaning: str


KINDS: dict[str, Kind] = {
    # What the oracle runs into.
    "database_missing": Kind("error", "the database is not here, or cannot be read"),
    "texts_missing": Kind("error", "a schema text, column meanings or knowledge base is missing"),
    "gold_withheld": Kind("error", "the gold is not part of the data"),
    "gold_fails": Kind("error", "the gold SQL fails"),
    "gold_times_out": Kind("error", "the gold SQL does not end within the limits"),
    "preprocess_fails": Kind("error", "the task's preprocess_sql fails"),
    "clean_up_fails": Kind("warning", "the task's clean_up_sqls fail after the gold"),
    "tests_missing": Kind("error", "there are no hidden tests to judge by"),
    "test_fails_on_gold": Kind("error", "a hidden test rejects the gold"),
    "oracle_fails": Kind("error", "the oracle does not pass, for another reason"),
    # What the reference says.
    "gold_disagrees": Kind("error", "the gold SQL does not give the golden result"),
    "gold_agrees_only_officially": Kind("warning", "only the official comparison accepts what the gold SQL gives"),
    "gold_agrees_only_strictly": Kind("warning", "the official comparison rejects what the gold SQL gives"),
    "gold_file_differs": Kind("warning", "the gold file has another result than the task file"),
    "gold_text_differs": Kind("note", "the gold file has other SQL than the task file, without another result"),
    "gold_empty": Kind("warning", "the gold has no rows: every query without rows is right"),
    "gold_null": Kind("warning", "the gold is nothing but NULL"),
    "gold_slow": Kind("warning", "the gold takes more than half of the time limit"),
    "golden_missing": Kind("error", "there is no golden result"),
    "golden_unreadable": Kind("error", "a golden result cannot be read"),
    "golden_empty": Kind("warning", "a golden result has no rows"),
    "variants_differ": Kind("note", "golden results that exclude one another are all accepted"),
    "official_rejects_gold": Kind("warning", "the official comparison rejects the gold against itself"),
    # Whether it says so each time.
    "ties_under_limit": Kind("error", "ties decide which rows a LIMIT keeps"),
    "limit_without_order": Kind("error", "a LIMIT without ORDER BY decides the result"),
    "storage_order": Kind("error", "the result depends on the order in which rows are stored"),
    "random": Kind("error", "the gold asks for random numbers"),
    "clock": Kind("warning", "the gold asks for today's date"),
    "row_order": Kind("error", "rows are compared in order, and their order is not determined"),
    "soft_f1_order": Kind("note", "rows have no determined order, and Soft-F1 pairs them by position"),
    "last_digits": Kind("note", "the last digits of floats depend on the order of rows, and EX forgives none"),
    "not_checked": Kind("note", "whether the gold is deterministic could not be checked to the end"),
    # What its text gives away.
    "null_first": Kind("warning", "the smallest is asked for, and NULL, which comes first, is taken for it"),
    "text_numbers": Kind("warning", "numbers kept as text are sorted or compared as text"),
    "integer_quotient": Kind("warning", "a quotient of whole numbers loses its fraction"),
    "evidence_literal": Kind("warning", "the gold asks a column for another value than the evidence gives"),
    # What a comparison lets pass.
    "duplicate_rows": Kind("note", "the gold repeats rows: EX, which compares sets, also accepts the rows without repetition"),
    "scrambled_rows": Kind("note", "the official comparison accepts the golden values scrambled between rows"),
    "constant_official": Kind("note", "the official comparison accepts a constant row of 26,001 numbers"),
    "constant_strict": Kind("warning", "a constant row of numbers, as wide as the strict comparison allows, is right"),
    "vacuous_test": Kind("error", "the hidden tests pass when nothing has been done"),
    # What the metadata says.
    "columns_out_of_range": Kind("error", "condition_cols names columns that the golden result does not have"),
    "conditions_misread": Kind("warning", "the official suite reads condition_cols otherwise than it is meant"),
    "conditions_count": Kind("warning", "condition_cols has another number of lists than there are golden results"),
    "metadata_missing": Kind("warning", "the task is not in the evaluation metadata"),
    "knowledge_missing": Kind("warning", "the task names knowledge that is not in the knowledge base"),
    "document_missing": Kind("warning", "the document of the question is not here"),
    "snippet_not_in_gold": Kind("note", "an ambiguity's SQL fragment is not in the gold"),
    "term_not_in_request": Kind("note", "an ambiguity's term is not in the request"),
    "no_clear_request": Kind("note", "the unambiguous request is not part of the data"),
    "unknown_difficulty": Kind("note", "the difficulty is not one of the published levels"),
    "evidence_column": Kind("note", "the evidence names a column that its table does not have"),
    # Other tasks.
    "contradicting_gold": Kind("error", "the same question has another gold result elsewhere"),
    "repeated_question": Kind("note", "the same question occurs again"),
    "repeated_id": Kind("note", "the task's id occurs again"),
}


def found(task: str, kind: str, sentence: str, severity: Severity | None = None, **evidence: Any) -> Finding:
    return Finding(task, kind, severity or KINDS[kind].severity, sentence, evidence)
