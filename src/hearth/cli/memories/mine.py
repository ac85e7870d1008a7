"""``hearth mine``: conversations of other programs and services."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, Progress, is_terminal, note_stop, pass_session
from hearth.core import instants
from hearth.core.errors import NotFound, UsageError

if TYPE_CHECKING:
    from hearth.importers.memories import Distilled
    from hearth.importers.runs import ImportReport
    from hearth.vault.vault import Vault


@click.command("mine")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--format", "form", metavar="FORMAT", help="The format of the files [default: by their content].")
@click.option("--since", metavar="DATE", help="Leave out conversations that ended before this day.")
@click.option("--me", multiple=True, metavar="NAME", help="Your name or id in conversations between people.")
@click.option("--memories", is_flag=True, help="Also make memories, from the newest conversations first.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=200,
    metavar="N",
    help="With --memories: how many conversations to read.",
)
@click.option("--dry-run", is_flag=True, help="Only report what would be taken in.")
@options.json_flag
@pass_session
def mine(session: CommandSession, paths: Sequence[str], dry_run: bool, as_json: bool, **given: Any) -> None:
    """Take in conversations from files, folders and zip archives, which are only read.

    Each conversation becomes one document; running it again adds only what is new. Without PATH, list where the
    programs on this machine keep theirs."""
    places = [Path(path).expanduser().absolute() for path in paths]
    if not places:
        _list_hosts(as_json=as_json)
        return
    if missing := next((place for place in places if not place.exists()), None):
        raise NotFound(f"no file or folder {missing}")
    session.kept = "conversations taken in so far are kept; run it again for the rest"
    with session.vault() as vault:
        report, is_stopped = _mine(session, vault, places, given, dry_run=dry_run)
        if not as_json:
            _say(report)
        if is_stopped:
            if as_json:
                output.say_json(report.to_dict())
            raise KeyboardInterrupt
        distilled = None if dry_run else _distill(session, vault, report, given, as_json=as_json)
        session.catch_up(vault)
    if as_json:
        output.say_json(report.to_dict() | ({} if distilled is None else {"distilled": distilled.to_dict()}))
    elif distilled is not None:
        _say_memories(distilled)


def _mine(
    session: CommandSession,
    vault: Vault,
    places: Sequence[Path],
    given: Mapping[str, Any],
    *,
    dry_run: bool,
) -> tuple[ImportReport, bool]:
    """What was taken in, and whether somebody stopped it before the end."""
    from hearth.importers.conversations import ConversationFiles
    from hearth.importers.formats import Reading
    from hearth.importers.mining import Miner, find_format
    from hearth.importers.runs import MINE, ImportReport, ImportRun, name_run

    now = vault.clock()
    name = name_run(MINE, now)
    report = ImportReport(name, dry_run)
    chosen = None if given["form"] is None else find_format(given["form"])
    begin = _read_since(given["since"])
    vault.index.prepare()
    run = ImportRun(name, vault.memories.writer.syncer.history, vault.memories.writer, report, dry_run=dry_run)
    folders = vault.capture.worker.distiller.folders
    files = ConversationFiles(run, vault.zone, folders.project_of, folders.select_kept, begin)
    reading = Reading(frozenset(name.casefold() for name in given["me"]), now, report)
    with Progress(session, "reading") as progress, note_stop() as is_stopped:
        Miner(files, reading, chosen, lambda done: progress(done), is_stopped).mine(places)
    if is_stopped():
        return report, True
    if report.changed and not dry_run:
        try:
            with Progress(session, "updating") as progress:
                for trouble in vault.index.sync(progress=progress).problems:
                    report.skip("not in the index", trouble)
        except KeyboardInterrupt:
            return report, True
    return report, False


def _read_since(text: str | None) -> int | None:
    if text is None:
        return None
    found = instants.parse(text)
    if found is None:
        raise UsageError(f"--since {text!r} is not a date; write it as 2026-03-12")
    return found


def _list_hosts(*, as_json: bool) -> None:
    from hearth.importers.mining import find_host_folders

    found = find_host_folders(Path.home())
    if as_json:
        output.say_json({"hosts": [{"host": host, "path": str(place)} for host, place in found]})
        return
    for host, place in found:
        output.say(f"{host}: {output.name(str(place))}")
    if not found:
        output.note("none of the known programs keeps conversations here; name a file, a folder or an archive")
    else:
        output.note("take one in with: hearth mine PATH (--dry-run shows what it would do)")


def _distill(
    session: CommandSession, vault: Vault, report: ImportReport, given: Mapping[str, Any], *, as_json: bool
) -> Distilled | None:
    """Memories where they are wanted; at a terminal the person is asked, once something is there to be read."""
    is_asked = given["memories"] or (not as_json and report.changed and is_terminal() and sys.stdin.isatty())
    if not is_asked:
        return None
    from hearth.importers.memories import MemoryMiner

    miner = MemoryMiner(vault.capture, report.run or "", vault.zone)
    if not given["memories"]:
        waiting = miner.find_waiting()[: given["most"]]
        reader = "rules" if vault.capture.worker.distiller.model is None else "the configured language model"
        what = f"{output.plural(len(waiting), 'conversation')}, about {miner.estimate(waiting):,} tokens, by {reader}"
        if not waiting or not click.confirm(f"Make memories of {what}?", default=False, err=True):
            return None
    session.kept = "memories made so far are kept; hearth mine PATH --memories goes on"
    with Progress(session, "making memories", "conversations") as progress:
        return miner.distill(given["most"], progress)


def _say_memories(done: Distilled) -> None:
    read = output.plural(done.conversations, "conversation")
    output.say(f"{done.memories:,} {'memory' if done.memories == 1 else 'memories'} from {read}")
    if done.left:
        output.note(f"{output.plural(done.left, 'conversation')} left: run it again with --memories")
    for problem in done.problems:
        output.warn(output.line(problem))


def _say(report: ImportReport) -> None:
    from hearth.importers.runs import describe

    for line in describe(report, "conversation"):
        output.say(line)
    for problem in report.problems:
        output.warn(output.line(problem))
