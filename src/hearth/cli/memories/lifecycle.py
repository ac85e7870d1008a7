"""``hearth lifecycle``: archive what is no longer used, look at the archive, bring back from it."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import remarks, signed, taking
from hearth.cli.questions.search import show
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.memory.archive import Op
from hearth.memory.status import LifecycleStatus, Swept
from hearth.operations.lifecycle import McpRestore
from hearth.operations.search import Search

_SHOWN = 20


@click.group(no_args_is_help=True)
def lifecycle() -> None:
    """Archive unused memories, search the archive, restore from it."""


@lifecycle.command("status")
@options.json_flag
@pass_session
def status(session: CommandSession, as_json: bool) -> None:
    """Count active, archived, stale and due documents; suggest pins and snoozes."""
    with session.fresh_vault() as vault:
        found = vault.lifecycle.status()
    if as_json:
        output.say_json(found.to_dict())
        return
    output.say_rows(_counts(found))
    output.say()
    output.say_rows(_policy(found))
    for name in found.unknown:
        output.warn(f"the settings of lifecycle name collection {name!r}, which this vault does not have")
    for advice in found.advice:
        output.say(f"\n{advice.action}? {_place(advice)}\n  {advice.why}")
    if found.stale:
        output.say("\ndue for review:")
    for note in found.stale:
        output.say(f"  {_place(note)}, since {instants.show_date(note.review_by)}")


@lifecycle.command("sweep")
@click.option("--apply/--dry-run", "apply", default=None, help="Do it, or only show what would be done.")
@remarks
@pass_session
def sweep(session: CommandSession, apply: bool | None, as_json: bool, **metadata: Any) -> None:
    """Archive what was unused and unchanged for too long; by default only list it.

    Archives are purged only with --apply, and only if lifecycle.purge_after_days is set."""
    with session.fresh_vault() as vault:
        done = vault.lifecycle.sweep(apply, **signed(metadata))
    if as_json:
        output.say_json(done.to_dict())
        return
    if done.applied:
        _say_ops(done.archived, "archived")
        _say_ops(done.purged, "purged")
    else:
        _say_ops(done.archived, "would archive")
        _say_ops(done.purged, "would purge")
    _remark(done)


@lifecycle.command("search")
@taking(Search, "*query=text@words limit/n collection/c full")
@options.formats
@pass_session
def search(session: CommandSession, words: tuple[str, ...], limit: int, collection: str | None, full: bool) -> None:
    """Search the archive by words and meaning."""
    text = options.text_or_stdin(words)
    with session.fresh_vault() as vault:
        chosen = () if collection is None else (collection,)
        known = options.check_names(chosen, [c.name for c in vault.collections], "collection")
        show(vault.lifecycle.search(text, limit=limit, collections=known), vault, full=full)


@lifecycle.command("restore")
@taking(McpRestore, "query/q collection/c since all@everything limit/n")
@click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
@remarks
@pass_session
def restore(
    session: CommandSession, collection: str | None, since: str | None, dry_run: bool, as_json: bool, **given: Any
) -> None:
    """Restore archived documents that match every given option.

    To restore a single document: hearth restore REF."""
    with session.fresh_vault() as vault:
        parts = vault.core
        if collection is not None:
            options.check_names((collection,), [c.name for c in parts.collections], "collection")
        at = None if since is None else options.parse_instant(since, "--since", parts.clock(), parts.zone)
        done = vault.lifecycle.restore(collection=collection, since=at, apply=not dry_run, **signed(given))
    if as_json:
        output.say_json(done.to_dict())
        return
    verb = "would restore" if dry_run else "restored"
    for document in done.documents[:_SHOWN]:
        output.say(f"{verb} {_place(document)}")
    _say_rest(len(done.documents), verb)
    if not done.documents:
        output.note("nothing in the archive matches")
    if done.left:
        output.note(f"{done.left:,} more match; raise --limit to include them")
    if done.last_event is not None:
        output.note(f"to undo the last one: hearth undo {done.last_event}")


def _counts(found: LifecycleStatus) -> list[tuple[str, str]]:
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in found.counts.items()]
    oldest = "-" if found.oldest_access is None else instants.show_date(found.oldest_access)
    return [*rows, ("oldest access", oldest)]


def _policy(found: LifecycleStatus) -> list[tuple[str, str]]:
    policy = found.policy
    own = ", ".join(f"{name} {'never' if days is None else days}" for name, days in policy.overrides.items())
    purge = policy.purge_after_days
    return [
        ("archive after", f"{policy.archive_after_days:,} days"),
        ("types with their own limit", own or "-"),
        ("purge archives after", "never" if purge is None else f"{purge:,} days"),
        ("collections", ", ".join(policy.governed) or "-"),
        ("a sweep by default", "only says what it would do" if policy.dry_run else "archives"),
    ]


def _say_ops(ops: tuple[Op, ...], verb: str) -> None:
    for op in ops[:_SHOWN]:
        output.say(f"{verb} {_place(op)}: {op.why}")
    _say_rest(len(ops), verb)


def _say_rest(count: int, verb: str) -> None:
    if count > _SHOWN:
        output.say(f"{verb} {count - _SHOWN:,} more; --json lists them")


def _remark(done: Swept) -> None:
    if not (done.archived or done.purged):
        output.note("nothing is due" if not done.kept else "nothing was due any more")
    elif not done.applied:
        output.note("nothing was changed; to apply: hearth lifecycle sweep --apply")
    elif done.archived:
        output.note(f"to restore them: hearth undo --run {done.run}")
    if done.kept:
        output.note(f"{output.plural(done.kept, 'document')} changed in the meantime and skipped")
    if done.deferred:
        output.note(f"{output.plural(done.deferred, 'archive')} could be purged with --apply")
    if done.pending is not None:
        output.warn(f"not everything is erased yet ({done.pending}); run: hearth update")


def _place(thing: Any) -> str:
    return f"{output.name(f'{thing.collection}/{thing.path}')} #{thing.docid}"
