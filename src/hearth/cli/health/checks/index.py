"""The index: whole, and in agreement with the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hearth.cli.health.checks.finding import FAIL, OK, WARN, Finding
from hearth.cli.output import plural
from hearth.engine.indexing.audit import SAMPLE, Audit, Auditor
from hearth.engine.indexing.plan import plan_sync, release
from hearth.engine.spaces.proof import Proof
from hearth.engine.vault import Vault
from hearth.ports import Skipped

_NAMED = 3


def integrity(vault: Vault, *, deep: bool) -> Iterator[Finding]:
    """By SQLite's own means and, unless it is old anyway, by analysing files again: some, or ``deep`` all of them."""
    stale = vault.index.is_stale()
    audit = Audit(0, ())
    try:
        problems = vault.index.check(deep=deep)
        if not problems and not stale:
            audit = _auditor(vault).run(None if deep else SAMPLE)
            problems = list(audit.problems)
    except (ValueError, TypeError, KeyError) as error:
        # Rows that can't be decoded any more.
        problems = [f"a row of it can't be understood ({type(error).__name__})"]
    if problems:
        more = f" (and {len(problems) - 1:,} more)" if len(problems) > 1 else ""
        yield Finding("index", FAIL, f"damaged: {problems[0]}{more}", "run: hearth reindex --force", "reindex")
    elif stale:
        message = "the index was written with other settings or by another version"
        yield Finding("index", WARN, message, "run: hearth reindex", "reindex")
    else:
        late = " (not with the journals, of which hearth update has to take in more first)" if audit.behind else ""
        yield Finding("index", OK, f"whole; {plural(audit.checked, 'document')} compared with the files{late}")


def _auditor(vault: Vault) -> Auditor:
    core, syncer, upkeep = vault.core, vault.index.syncer, vault.index.upkeep
    proof = Proof(upkeep.filler, upkeep.spaces.static.load)
    return Auditor(core.store, core.files, core.collections, syncer.analyzer, syncer.history, proof)


def cached(vault: Vault, *, deep: bool) -> Iterator[Finding]:
    """What is kept of embeddings: each entry carries a checksum."""
    cache = vault.index.upkeep.filler.cache
    problem = None if cache is None else cache.check(deep=deep)
    if problem is not None:
        fix = "run: hearth doctor --fix, which empties it"
        yield Finding("embedding cache", FAIL, problem, fix, "cache")
    else:
        yield Finding("embedding cache", OK, "whole")


def agreement(vault: Vault) -> Iterator[Finding]:
    """Compares ``stat`` of every file with the index; files changed within the last seconds are not counted."""
    parts = vault.core
    added = changed = gone = 0
    unread: list[Skipped] = []
    for collection in parts.collections:
        walk = parts.files.walk(collection)
        if walk.missing is not None:
            continue
        with parts.store.read() as reader:
            indexed = reader.files(collection.name)
            left = [one for one in reader.skipped() if one.collection == collection.name and one.file is not None]
        plan = plan_sync(walk.files, indexed, 0, unreadable={one.path: one.file for one in left if one.file})
        unread += [one for one in left if one.file == walk.files.get(one.path)]
        added += sum(path not in indexed for path in plan.read)
        changed += sum(path in indexed for path in plan.read)
        gone += len(plan.gone)
    if added or changed or gone:
        message = f"{added:,} files are new, {changed:,} changed and {gone:,} gone since the last update"
        yield Finding("agreement", WARN, message, "run: hearth update", "update")
    else:
        yield Finding("agreement", OK, "the index agrees with the files")
    yield from _unreadable(unread)


def _unreadable(files: Sequence[Skipped]) -> Iterator[Finding]:
    if files:
        named = ", ".join(f"{one.collection}/{one.path} ({one.reason})" for one in files[:_NAMED])
        message = f"{plural(len(files), 'file')} can't be indexed: {named}"
        yield Finding("agreement", WARN, message, "see all with: hearth status --all; they are read once they change")


def held(vault: Vault) -> Iterator[Finding]:
    for state in vault.status().collections:
        if state.held:
            fix = release(state.name, state.held)
            yield Finding(f"collection {state.name}", WARN, f"keeps what vanished: {state.held}", fix)
