"""Incognito: what is switched off here, and files that try to say more than they may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hearth.app import Settings
from hearth.app.settings import now_ms
from hearth.cli.health.checks.finding import OK, WARN, Finding
from hearth.cli.output import plural
from hearth.disk.incognito import FILE, DiskIncognito
from hearth.disk.project_file import KEYS, NAME


def incognito(chosen: Settings) -> Iterator[Finding]:
    """Of this folder, and of the list of what is incognito."""
    state = Path(chosen.folders.state)
    report = DiskIncognito(state, now_ms).report(None, str(Path.cwd()))
    for problem in report.problems:
        fix = f"a {NAME} may hold {' = false, '.join(KEYS)} = false, and nothing else"
        yield Finding("incognito", WARN, problem, f"mend or remove {state / FILE}" if FILE in problem else fix)
    off = report.here
    if off.capture or off.surface:
        what = "capture and surfacing are" if off.everything else "capture is" if off.capture else "surfacing is"
        yield Finding("incognito", WARN, f"{what} off in this folder: {off.why}")
    elif not report.problems:
        sessions, folders = plural(len(report.sessions), "session"), plural(len(report.folders), "folder")
        yield Finding("incognito", OK, f"not here; on this machine {sessions} and {folders}")
