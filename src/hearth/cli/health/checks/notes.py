"""The vault's own files: collections, sync conflicts, journal."""

from __future__ import annotations

from collections.abc import Iterator

from hearth import journal
from hearth.app.settings import Settings, now_ms
from hearth.cli.health.checks.finding import FAIL, OK, WARN, Finding
from hearth.cli.output import plural
from hearth.disk.copies import find_likely
from hearth.engine.vault import Vault
from hearth.model.conflict import original_of

_CONFLICT = "conflict"
_NAMED = 3


def collections(vault: Vault) -> Iterator[Finding]:
    parts = vault.core
    if not parts.collections:
        yield Finding("collections", WARN, "there are none", "add notes with: hearth bootstrap PATH")
    for collection in parts.collections:
        walk = parts.files.walk(collection)
        name = f"collection {collection.name}"
        if walk.missing is not None:
            fix = f"bring the folder back, or run: hearth collection remove {collection.name}"
            yield Finding(name, FAIL, walk.missing, fix)
            continue
        yield Finding(name, OK, f"{plural(len(walk.files), 'file')} in {collection.root}")
        copies = [file.path for file in walk.skipped if _CONFLICT in file.reason]
        ours = collection.origin == "engine"
        copies += [path for path in walk.files if original_of(path, ours=ours) is not None]
        copies += [] if ours else find_likely(collection.root, walk.files)
        if copies:
            named = ", ".join(copies[:_NAMED])
            fix = "compare each with its original, keep what is right, and delete the copy"
            yield Finding(
                name, WARN, f"{plural(len(copies), 'sync conflict copy').replace('copys', 'copies')}: {named}", fix
            )


def journals(chosen: Settings) -> Iterator[Finding]:
    report = journal.verify(chosen.vault.data / "journal", now_ms())
    if report.problems:
        first = "; ".join(str(problem) for problem in report.problems[:_NAMED])
        message = f"{plural(len(report.problems), 'problem')}: {first}"
        yield Finding("journal", WARN, message, "see all with: hearth journal verify; the lines are skipped")
    for machine, count in report.ahead.items():
        message = f"{plural(count, 'event')} of {machine} lie more than 5 minutes in the future"
        yield Finding("journal", WARN, message, "set that machine's clock")
    if not report.problems and not report.ahead:
        yield Finding("journal", OK, f"{plural(report.events, 'event')} in {plural(len(report.files), 'file')}")
