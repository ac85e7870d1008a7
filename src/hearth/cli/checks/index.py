"""The index: whole, in agreement with the files, and able to tell related texts apart."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.cli.checks.finding import FAIL, OK, WARN, Finding
from hearth.cli.output import plural
from hearth.engine.plan import plan_sync
from hearth.engine.vault import Vault

QUESTION = "how do I restore the database from a backup?"
RELATED = "Restoring a backup: stop the service, then load last night's database dump."
UNRELATED = "Tomato soup: fry the onions, add stock and basil, simmer for twenty minutes."


def integrity(vault: Vault) -> Iterator[Finding]:
    problems = vault.check()
    if problems:
        yield Finding("index", FAIL, problems[0], "run: hearth reindex --force", "reindex")
    elif vault.parts.stale():
        message = "the index was written with other settings or by another version"
        yield Finding("index", WARN, message, "run: hearth reindex", "reindex")
    else:
        yield Finding("index", OK, "whole")


def agreement(vault: Vault) -> Iterator[Finding]:
    """Compares ``stat`` of every file with the index; files changed within the last seconds are not counted."""
    parts = vault.parts
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


def vectors(vault: Vault) -> Iterator[Finding]:
    """Counts them, and asks the model a question whose answer is known."""
    if vault.parts.space is None:
        return
    missing = vault.status().missing_vectors
    if missing:
        yield Finding("vectors", WARN, f"{plural(missing, 'fragment')} without a vector", "run: hearth embed", "embed")
    else:
        yield Finding("vectors", OK, "every fragment has one")
    model = vault.parts.space.load()
    question = model.embed([QUESTION], "query")[0]
    related, unrelated = (float(value) for value in model.embed([RELATED, UNRELATED], "document") @ question)
    message = f"{model.fingerprint}: related texts {related:.2f}, unrelated {unrelated:.2f}"
    if related > unrelated:
        yield Finding("model", OK, message)
    else:
        yield Finding(
            "model", FAIL, message, "the model's files are damaged; run: pip install --force-reinstall hearth-memory"
        )
