"""What a sync did, in words and as JSON."""

from __future__ import annotations

from typing import Any

from hearth.cli import output
from hearth.engine.indexing.sync import SyncReport

SHOWN = 5


def row(report: SyncReport) -> dict[str, Any]:
    return {
        "added": report.added,
        "changed": report.changed,
        "moved": report.moved,
        "retired": report.retired,
        "unchanged": report.unchanged,
        "fragments": report.fragments,
        "seconds": round(report.seconds, 3),
        "skipped": [
            {"collection": file.collection, "path": file.path, "reason": file.reason} for file in report.skipped
        ],
        "left_out": dict(report.left_out),
        "held": dict(report.held),
        "problems": list(report.problems),
    }


def summary(report: SyncReport) -> str:
    """One line; zeros are left out."""
    counts = {
        "added": report.added,
        "changed": report.changed,
        "moved": report.moved,
        "retired": report.retired,
        "unchanged": report.unchanged,
    }
    said = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "no documents"
    left_out = ", ".join(f"{why} ({count:,})" for why, count in sorted(report.left_out.items()))
    return f"{said} in {report.seconds:.1f} s" + (f"; left out: {left_out}" if left_out else "")


def warnings(report: SyncReport) -> None:
    """Names on stderr what was left out, and why."""
    for file in report.skipped[:SHOWN]:
        output.warn(f"skipped {file.collection}/{output.name(file.path)}: {file.reason}")
    if len(report.skipped) > SHOWN:
        output.warn(f"and {len(report.skipped) - SHOWN:,} more files skipped; hearth status --all lists them")
    for name, why in report.held.items():
        output.warn(f"collection {name!r} kept what vanished: {why}; if that is right, run: hearth update --force")
    for problem in report.problems[:SHOWN]:
        output.warn(f"journal: {problem}")
    if len(report.problems) > SHOWN:
        output.warn(f"and {len(report.problems) - SHOWN:,} more problems; run: hearth journal verify")
