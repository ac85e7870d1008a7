"""The index: whole, and in agreement with the files."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.cli.checks.finding import FAIL, OK, WARN, Finding
from hearth.engine.plan import plan_sync
from hearth.engine.vault import Vault


def integrity(vault: Vault) -> Iterator[Finding]:
    problems = vault.index.check()
    if problems:
        yield Finding("index", FAIL, problems[0], "run: hearth reindex --force", "reindex")
    elif vault.index.is_stale():
        message = "the index was written with other settings or by another version"
        yield Finding("index", WARN, message, "run: hearth reindex", "reindex")
    else:
        yield Finding("index", OK, "whole")


def agreement(vault: Vault) -> Iterator[Finding]:
    """Compares ``stat`` of every file with the index; files changed within the last seconds are not counted."""
    parts = vault.core
    added = changed = gone = 0
    for collection in parts.collections:
        walk = parts.files.walk(collection)
        if walk.missing is not None:
            continue
        with parts.store.read() as reader:
            indexed = reader.files(collection.name)
            skipped = {file.path for file in reader.skipped() if file.collection == collection.name}
        plan = plan_sync(walk.files, indexed, 0)
        added += sum(path not in indexed and path not in skipped for path in plan.read)
        changed += sum(path in indexed for path in plan.read)
        gone += len(plan.gone)
    if added or changed or gone:
        message = f"{added:,} files are new, {changed:,} changed and {gone:,} gone since the last update"
        yield Finding("agreement", WARN, message, "run: hearth update", "update")
    else:
        yield Finding("agreement", OK, "the index agrees with the files")


def held(vault: Vault) -> Iterator[Finding]:
    for state in vault.status().collections:
        if state.held:
            fix = "bring the files back; if they are meant to be gone, run: hearth update --force"
            yield Finding(f"collection {state.name}", WARN, f"keeps what vanished: {state.held}", fix)
