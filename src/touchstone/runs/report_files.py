"""A run as files that a CI service reads: JUnit XML, a Markdown summary, JSON. And whether it is good enough."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..files import replace_file
from ..options import OptionError
from ..terminal import one_line
from ..types import Outcome, Record
from .config import RunOptions
from .summary import money, percent

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]|<>#"} | {"\n": " "})
_TAGS = {Outcome.failed: "failure", Outcome.limit: "failure", Outcome.error: "error"}
_LISTED = 100
"""Tasks that did not pass in a Markdown summary."""


def refuse_unwritable(options: RunOptions) -> None:
    """Before anything runs: a run of hours must not end with a file that cannot be written."""
    for option in ("junit", "markdown", "json"):
        path: Path | None = getattr(options, option)
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise OptionError(option, path, "expected the name of a file in a directory that exists")


def shortfall(options: RunOptions, overall: Mapping[str, Any]) -> str | None:
    """Why the run is not good enough for `--fail-under`; None if it is."""
    if options.fail_under is None:
        return None
    accuracy = overall["overall"]["accuracy"]
    if accuracy is None:
        return f"no task was counted, which is under --fail-under {options.fail_under:g}"
    if accuracy < options.fail_under:
        return f"accuracy {accuracy:.4f} is under --fail-under {options.fail_under:g}"
    return None


def write_reports(
    options: RunOptions,
    title: str,
    overall: Mapping[str, Any],
    read: Callable[[], Iterable[Record]],
    verdict: Callable[[Record], Mapping[str, Any]],
    note: str | None = None,
) -> None:
    """What the options ask for. `note` says why the run is incomplete or not good enough. Raises InputError."""
    if not (options.junit or options.markdown or options.json):
        return
    records = sorted(read(), key=lambda record: (record.index, record.task, record.epoch))
    texts = {
        "junit": lambda: junit(title, overall, records),
        "markdown": lambda: markdown(title, overall, records, note),
        "json": lambda: by_task(records, verdict),
    }
    for option, text in texts.items():
        path: Path | None = getattr(options, option)
        if path is not None:
            try:
                replace_file(path, text().encode())
            except OSError as error:
                raise OptionError(option, path, f"cannot be written: {error.strerror}") from None


def junit(title: str, overall: Mapping[str, Any], records: Sequence[Record]) -> str:
    """JUnit's XML. A limit is a failure, as in the accuracy; what could not be judged here is skipped."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    outcomes = overall["outcomes"]
    counts = {
        "name": _xml_text(title),
        "tests": str(overall["total"]),
        "failures": str(outcomes["failed"] + outcomes["limit"]),
        "errors": str(outcomes["error"]),
        "time": f"{overall['seconds']:.3f}",
    }
    skipped = str(outcomes["unscorable"] + outcomes["skipped"])  # which the schema has for the inner element alone
    started = min((record.started for record in records), default="")
    root = Element("testsuites", counts)
    suite = SubElement(root, "testsuite", counts, skipped=skipped, timestamp=started)
    properties = SubElement(suite, "properties")
    low, high = overall["overall"]["interval"]
    for name, share in (("accuracy", overall["overall"]["accuracy"]), ("accuracy_low", low), ("accuracy_high", high)):
        SubElement(properties, "property", name=name, value="" if share is None else str(share))
    for record in records:
        name = record.task if record.epoch == 0 else f"{record.task} (attempt {record.epoch + 1})"
        group = record.facets.get("database") or "tasks"
        case = SubElement(suite, "testcase", classname=_xml_text(group), name=_xml_text(name), time=f"{record.seconds:.3f}")
        message = _xml_text(one_line(record.reason)[:500])
        if tag := _TAGS.get(record.outcome):
            kind = str(record.evidence.get("kind") or record.outcome.value)
            SubElement(case, tag, type=_xml_text(kind), message=message).text = _xml_text(record.reason)
        elif record.outcome is not Outcome.passed:
            SubElement(case, "skipped", message=message)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def markdown(title: str, overall: Mapping[str, Any], records: Sequence[Record], note: str | None = None) -> str:
    """The step summary of a CI service: the figures, then what did not pass and why."""
    share = overall["overall"]
    lines = [f"## {_plain(title)}", ""]
    lines += [f"**{_plain(note)}**", ""] if note else []
    lines += [
        "| accuracy | n | " + " | ".join(outcome.value for outcome in Outcome) + " | cost |",
        "| --- " * (len(Outcome) + 3) + "|",
        f"| {percent(share).strip()} | {share['total']} | "
        + " | ".join(str(overall["outcomes"][outcome.value]) for outcome in Outcome)
        + f" | {money(overall['usage'].cost)} |",
    ]
    for name, shares in overall.items():
        if name.startswith("by_") and len(shares) > 1:
            lines += ["", f"| {_plain(name.removeprefix('by_'))} | passed | accuracy |", "| --- | --- | --- |"]
            lines += [
                f"| {_plain(value)} | {each['passed']} of {each['total']} | {percent(each).strip()} |"
                for value, each in shares.items()
            ]
    missed = [record for record in records if record.outcome is not Outcome.passed]
    lines += ["", "### Not passed", ""] if missed else []
    lines += [f"- {_plain(record.task)}: {record.outcome.value}, {_plain(record.reason)[:300]}" for record in missed[:_LISTED]]
    lines += [f"- and {len(missed) - _LISTED} more"] if len(missed) > _LISTED else []
    return "\n".join(lines) + "\n"


def by_task(records: Sequence[Record], verdict: Callable[[Record], Mapping[str, Any]]) -> str:
    """Each task's verdict by its id; a list of them where a task was played several times."""
    verdicts: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        verdicts.setdefault(record.task, []).append(verdict(record))
    several = any(len(each) > 1 for each in verdicts.values())
    by_name: dict[str, Any] = dict(verdicts) if several else {task: each[0] for task, each in verdicts.items()}
    return msgspec.json.format(msgspec.json.encode(by_name), indent=1).decode() + "\n"


def _xml_text(text: str) -> str:
    """Without the characters that no XML may hold, which a model may well write."""
    return _NOT_XML.sub("\ufffd", text)


def _plain(text: str) -> str:
    """What others wrote, in a line of Markdown that it cannot break out of."""
    return one_line(text).translate(_MARKDOWN)
