"""``hearth consolidate`` and ``curate``: merge duplicates, archive what expired, list maintenance."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import remarks, signed, taking
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.errors import UsageError
from hearth.operations.consolidation import Curate
from hearth.pages.curation_log import Curation, CurationAction
from hearth.truth.consolidation_plan import ConsolidationChange
from hearth.truth.consolidator import ConsolidationReport, RunReport


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
@click.option("--since", metavar="WHEN", help="Ignore older memories: YYYY-MM-DD, 7d, 2w.")
@click.option("--model/--no-model", default=None, help="Let the language model draw conclusions, or not.")
@click.option("--report", is_flag=True, help="Show what the last run did, whoever started it.")
@remarks
@pass_session
def consolidate(
    session: CommandSession,
    dry_run: bool,
    since: str | None,
    model: bool | None,
    report: bool,
    as_json: bool,
    **metadata: Any,
) -> None:
    """Merge duplicate memories, archive expired ones, and ask about names that may be the same.

    At most 50 documents a run, the most certain first; one undo reverts a run."""
    if report and (dry_run or since is not None or model is not None):
        raise UsageError("--report shows the last run and takes no other options")
    with session.fresh_vault() as vault:
        consolidator = vault.truth.consolidator
        if report:
            _say_report(consolidator.report(), as_json=as_json)
            return
        now, zone = vault.clock(), vault.zone
        at = None if since is None else options.parse_instant(since, "--since", now, zone)
        done = consolidator.run(apply=not dry_run, since=at, model=model, **signed(metadata))
    if as_json:
        output.say_json(done.to_dict())
        return
    _say(done)


def _say(done: ConsolidationReport) -> None:
    for one in done.changes:
        output.say(_line(one))
    if not done.changes:
        output.note("nothing to consolidate")
    elif not done.applied:
        output.note("nothing was changed; to apply: hearth consolidate")
    for remark in done.remarks:
        output.note(f"by rules alone: {output.line(remark)}")
    if done.run is not None:
        output.note(f"to undo: hearth undo --run {done.run}")
    if done.kept:
        output.note(f"{output.plural(done.kept, 'change')} skipped: documents changed in the meantime")


def _line(one: ConsolidationChange) -> str:
    place = output.name(f"{one.keep.collection}/{one.keep.path}")
    others = ", ".join(f"#{other.docid}" for other in one.others[:5])
    more = f" and {len(one.others) - 5:,} more" if len(one.others) > 5 else ""
    why = output.line(one.why)
    match one.kind:
        case "archive":
            return f"archive {place} #{one.keep.docid}: {why}"
        case "summary":
            return f"summary for {output.plural(len(one.others), 'memory').replace('memorys', 'memories')}: {why}"
        case "deduction":
            return f"deduction from #{one.keep.docid}, {others}{more}: {output.line(one.text)}"
        case "entity" | "fallen":
            return f"ask about {place} #{one.keep.docid} and {others}: {why}"
        case "duplicate" | "pattern":
            fares = f", {one.trend}" if one.trend else ""
            return f"{one.kind} {place} #{one.keep.docid} instead of {others}{more}: {why}{fares}"


def _say_report(found: RunReport | None, *, as_json: bool) -> None:
    if as_json:
        output.say_json({"run": None} if found is None else found.to_dict())
        return
    if found is None:
        output.note("no run has changed this vault")
        return
    output.say(f"run {found.run}, {instants.show(found.at)}")
    for kind, path, why in found.events:
        output.say(f"  {kind} {output.name(path)}{f': {output.line(why)}' if why else ''}")
    output.note(f"to undo: hearth undo --run {found.run}")


@click.command()
@taking(Curate, "apply")
@remarks
@pass_session
def curate(session: CommandSession, apply: bool, as_json: bool, **metadata: Any) -> None:
    """List maintenance tasks, most urgent first, each with its command. Changes nothing without --apply."""
    with session.fresh_vault() as vault:
        found = vault.knowledge.curator().curate(apply=apply, **signed(metadata))
    if as_json:
        output.say_json(found.to_dict())
    else:
        _print_curation(found, applied=apply)


def _print_curation(found: Curation, *, applied: bool) -> None:
    for line in found.done:
        output.say(f"done  {output.line(line)}")
    for one in found.actions:
        _say_action(one)
    if not found.actions:
        output.note("nothing to do")
    if found.run is not None:
        output.note(f"to undo: hearth undo --run {found.run}")
    if not applied and any(one.reversible for one in found.actions):
        output.note("to apply those marked *, all of which can be undone: hearth curate --apply")


def _say_action(one: CurationAction) -> None:
    output.say(f"{'*' if one.reversible else '-'} {output.line(one.said)}")
    for detail in one.details:
        output.say(f"    {output.line(detail)}")
    for command in one.commands:
        output.say(f"  $ {output.name(command)}")
