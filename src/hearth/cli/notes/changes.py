"""What a sync left out, and why."""

from __future__ import annotations

from collections.abc import Mapping

from hearth.cli import output
from hearth.config import edit
from hearth.engine.indexing.plan import release
from hearth.engine.indexing.report import SyncReport

SHOWN = 5
_MARKDOWN = "**/*.md"


def tell_other_notes(vault: str, collection: str, found: Mapping[str, int], pattern: str = _MARKDOWN) -> None:
    """One line on files that look like notes and are not read, with the pattern that would take them in."""
    if found:
        counted = ", ".join(f"{count:,} {kind}" for kind, count in found.items())
        wanted = ",".join((pattern, *(f"**/{kind}" for kind in found)))
        key = f"{edit.key_of(vault, collection)}.pattern"
        output.say(f'{collection}: {counted} not read; to read them: hearth config set {key} "{wanted}"')


def warnings(report: SyncReport) -> None:
    """Names on stderr what was left out, and why."""
    for file in report.skipped[:SHOWN]:
        output.warn(f"skipped {file.collection}/{output.name(file.path)}: {file.reason}")
    if len(report.skipped) > SHOWN:
        output.warn(f"and {len(report.skipped) - SHOWN:,} more files skipped; hearth status --all lists them")
    for name, why in report.held.items():
        output.warn(f"collection {name!r} kept what vanished: {why}; {release(name, why)}")
    for problem in report.problems[:SHOWN]:
        output.warn(f"journal: {problem}")
    if len(report.problems) > SHOWN:
        output.warn(f"and {len(report.problems) - SHOWN:,} more problems; run: hearth journal verify")
