"""Doctor: dreaming, superseding without a person, and incognito."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hearth.app import Settings
from hearth.app.settings import now_ms
from hearth.cli.health.checks.finding import OK, WARN, Finding
from hearth.cli.output import plural
from hearth.core.instants import DAY_MS
from hearth.disk.incognito import FILE, KEYS, NAME, DiskIncognito
from hearth.truth.acts import PER_DAY
from hearth.truth.noticing import superseded_since
from hearth.vault.vault import Vault


def dreaming(vault: Vault) -> Iterator[Finding]:
    """Nothing is said of what is as it should be."""
    for dreamer in vault.dream.every():
        problem = dreamer.pages.read().problem
        if problem is not None:
            yield Finding("dreaming", WARN, problem, f"edit {dreamer.pages.path}")


def noticing(vault: Vault) -> Iterator[Finding]:
    """Nothing is said of what is as it should be."""
    with vault.store.read() as reader:
        count = len(superseded_since(reader, vault.clock() - DAY_MS))
    if count >= PER_DAY:
        message = f"{count} memories were superseded by themselves within a day; a person is asked about all others"
        yield Finding("noticing", WARN, message, "see what waits with: hearth review")


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
