"""Doctor: the index, the journals, the vault's own files, and transcripts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import click

from hearth import journal
from hearth import journal as journals
from hearth.app.settings import Settings, now_ms
from hearth.cli import options, output
from hearth.cli.health.machine import FAIL, OK, WARN, Finding
from hearth.cli.output import plural
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.conflict import original_of
from hearth.core.errors import Unavailable
from hearth.core.journal import Event
from hearth.core.lazy import regex
from hearth.disk.copies import find_likely
from hearth.ports import Skipped
from hearth.text.lines import cut_line
from hearth.vault.indexing.audit import SAMPLE, Audit, Auditor
from hearth.vault.indexing.plan import plan_sync, release
from hearth.vault.upkeep import Proof
from hearth.vault.vault import Vault

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
        problems = [f"a row can't be read ({type(error).__name__})"]
    if problems:
        more = f" (and {len(problems) - 1:,} more)" if len(problems) > 1 else ""
        yield Finding("index", FAIL, f"damaged: {problems[0]}{more}", "run: hearth reindex --force", "reindex")
    elif stale:
        message = "the index was built with other settings or by another version"
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
        with vault.index.store.read() as reader:  # of all agents
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
        yield Finding(
            "agreement", WARN, message, "see all with: hearth status --all; they are read again once they change"
        )


def check_collections(vault: Vault) -> Iterator[Finding]:
    """Collections that keep what is missing, and documents that have something wrong in them."""
    status = vault.status()
    if status.problems:
        named = "; ".join(f"{uri.removeprefix('hearth://')}: {why}" for uri, why in status.problems[:_NAMED])
        message = f"{plural(len(status.problems), 'document')} with faults: {named}"
        fix = "searches find them; correct what is named, then run: hearth update; see all with: hearth status --all"
        yield Finding("documents", WARN, message, fix)
    for state in status.collections:
        if state.held:
            fix = release(state.name, state.held)
            yield Finding(f"collection {state.name}", WARN, f"keeps missing documents: {state.held}", fix)


_CONFLICT = "conflict"


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


def check_journals(chosen: Settings) -> Iterator[Finding]:
    report = journal.verify(chosen.vault.data / "journal", now_ms())
    if report.problems:
        first = "; ".join(str(problem) for problem in report.problems[:_NAMED])
        message = f"{plural(len(report.problems), 'problem')}: {first}"
        yield Finding("journal", WARN, message, "see all with: hearth journal verify; the lines are skipped")
    for machine, count in report.ahead.items():
        message = f"{plural(count, 'event')} of {machine} are more than 5 minutes in the future"
        yield Finding("journal", WARN, message, "set that machine's clock")
    if not report.problems and not report.ahead:
        yield Finding("journal", OK, f"{plural(report.events, 'event')} in {plural(len(report.files), 'file')}")


def transcripts(vault: Vault) -> Iterator[Finding]:
    """Nothing is said where all were read."""
    passed = vault.capture.status().passed_over
    if passed:
        lines, most = sum(one.lines for one in passed), passed[0]
        message = (
            f"{lines} damaged or overlong {'line' if lines == 1 else 'lines'} in {len(passed)} "
            f"{'transcript' if len(passed) == 1 else 'transcripts'} could not be read in full; "
            f"most in {most.transcript}, from byte {most.offset} on ({most.reason})"
        )
        yield Finding("transcripts", WARN, message, "see all with: hearth capture status")


_SHOWN = 20
_LINE_CHARS = 100
# What events say to programs alone: what a register was and by which event, and parts of answers.
_UNSAID = frozenset({"was", "after", "blocks", "scores"})
_HASH = regex(r"(?:[0-9a-f]{12,64}|[0-9A-HJKMNP-TV-Z]{26})(?:[:.].*)?")


@click.group(no_args_is_help=True)
def journal_group() -> None:
    """Inspect the event journal."""


@journal_group.command("show")
@click.option("--kind", metavar="KIND", help="Only this kind of event.")
@click.option("--doc", metavar="DOCID", help="Only this document.")
@click.option("--since", metavar="WHEN", help="Since: YYYY-MM-DD, 7d, 2w or an ISO instant.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000),
    default=50,
    show_default=True,
    help="At most this many, newest first.",
)
@options.json_flag
@pass_session
def show(
    session: CommandSession, kind: str | None, doc: str | None, since: str | None, limit: int, as_json: bool
) -> None:
    """Show the newest events of all machines, a line each, newest first.

    --json prints them whole, oldest first."""
    chosen = session.settings()
    start = None if since is None else options.parse_instant(since, "--since", now_ms(), chosen.loaded.zone)
    folder = chosen.vault.data / "journal"
    try:
        events = deque(journals.show(folder, kind=kind, doc=doc, since=start), maxlen=limit)
    except OSError as error:
        raise Unavailable(f"can't read the journal in {folder}: {error.strerror}; check its permissions") from error
    if as_json:
        output.say_json({"events": [_row(event) for event in events]})
        return
    several = len({event.machine for event in events}) > 1
    output.say_rows(
        (
            instants.show(event.at),
            *([event.machine] if several else []),
            event.kind,
            event.path or event.doc or "-",
            cut_line(_describe(event), _LINE_CHARS) or "-",
            event.id,
        )
        for event in reversed(events)
    )
    if len(events) == limit:
        output.note(f"the newest {limit:,}; for more: --limit, for one document: --doc, for a time: --since")


@journal_group.command("verify")
@options.json_flag
@click.pass_context
def verify(ctx: click.Context, as_json: bool) -> None:
    """Check every line; exits with 1 if some are damaged."""
    chosen = ctx.ensure_object(CommandSession).settings()
    report = journals.verify(chosen.vault.data / "journal", now_ms())
    problems = [str(problem) for problem in report.problems]
    if as_json:
        output.say_json(
            {
                "events": report.events,
                "files": dict(report.files),
                "kinds": dict(report.kinds),
                "machines": dict(report.machines),
                "ahead": dict(report.ahead),
                "unterminated": list(report.unterminated),
                "problems": problems,
            }
        )
    else:
        files = output.plural(len(report.files), "file")
        machines = output.plural(len(report.machines), "machine")
        output.say(f"{output.plural(report.events, 'event')} of {machines} in {files}")
        for problem in problems[:_SHOWN]:
            output.warn(problem)
        if len(problems) > _SHOWN:
            output.warn(f"and {len(problems) - _SHOWN:,} more problems; --json lists all")
        for machine, count in report.ahead.items():
            output.warn(f"{output.plural(count, 'event')} of {machine} are in the future; set that machine's clock")
    if problems:
        ctx.exit(1)


def _row(event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "at": event.at,
        "machine": event.machine,
        "kind": event.kind,
        "doc": event.doc,
        "path": event.path,
        "data": dict(event.data),
    }


def _describe(event: Event) -> str:
    """What an event says, in brief: of lists their length, and nothing of what only programs compare."""
    said = {key: value for key, value in event.data.items() if key not in _UNSAID and value not in (None, "", [], {})}
    who, why = said.pop("actor", None), said.pop("reason", None)
    parts = [f"by {who}"] if who else []
    parts += [part for key, value in said.items() if (part := _describe_value(key, value))]
    return "; ".join([*parts, *([f"“{why}”"] if why else [])])


def _describe_value(key: str, value: Any) -> str:
    if isinstance(value, list | dict):
        return f"{key} ({len(value):,})"
    return "" if isinstance(value, str) and _HASH.fullmatch(value) else f"{key} {value}"
