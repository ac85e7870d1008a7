"""``hearth import``: an export of ours, or what another program remembers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hearth.app import Settings
from hearth.app.settings import now_ms
from hearth.cli import options, output
from hearth.cli.bootstrap import prepare
from hearth.cli.collection import added
from hearth.cli.memories import exchange
from hearth.cli.session import CommandSession, pass_session
from hearth.config import edit
from hearth.core.errors import NotFound, UsageError
from hearth.core.files import write_atomically
from hearth.core.paths import home
from hearth.importers import recognition
from hearth.importers.recognition import KINDS
from hearth.importers.records import Folder, Format, Found, Options
from hearth.memory.undo import UndoneRun
from hearth.ports import Collection
from hearth.vault.exchange import HEAD

if TYPE_CHECKING:
    from hearth.importers.report import ImportReport

_HEAD_BYTES = 4096
_HEARTH = "hearth"


@click.command("import")
@click.argument("source")
@click.option(
    "--from", "kind", metavar="KIND", help=f"The kind of source [default: by its content]: {', '.join(KINDS)}."
)
@click.option("--copy", "copies", is_flag=True, help="Copy an agent's workspace into the vault, byte for byte.")
@click.option("--dry-run", is_flag=True, help="Only report what would be taken in.")
@click.option("--files-to", metavar="FOLDER", help="Where to put people's files from an export.")
@options.json_flag
@pass_session
def import_(session: CommandSession, source: str, kind: str | None, as_json: bool, **given: Any) -> None:
    """Take in what another program remembers, or an export of Hearth.

    SOURCE is only read. Markdown stays where it is and becomes a collection; the rest becomes files below
    memory/imported. Running it again takes in only what is new."""
    files_to, flags = given.pop("files_to"), given
    if kind == _HEARTH or (kind is None and _is_export(source)):
        if any(flags.values()):
            raise UsageError("an export of Hearth is taken in as a whole; leave out --dry-run and --copy")
        exchange.take_in(session, source, files_to, as_json=as_json)
        return
    if files_to is not None:
        raise UsageError("--files-to is for an export of Hearth")
    chosen = session.settings()
    place = _locate(source)
    form = recognition.find_format(place, kind)
    found = list(form.read(place, Options(chosen.environ, Path(home(chosen.environ)), chosen.loaded.zone)))
    session.kept = "what was taken in so far is kept; run it again for the rest"
    report = _take_in(session, form, place, found, **flags)
    if as_json:
        output.say_json({"kind": form.name} | report.to_dict())
        return
    from hearth.importers.report import describe

    output.say(f"{form.title}: {place}")
    for line in describe(report, "record"):
        output.say(line)
    for problem in report.problems:
        output.warn(output.line(problem))


def _take_in(
    session: CommandSession, form: Format, place: Path, found: list[Found], *, dry_run: bool, copies: bool
) -> ImportReport:
    if copies and not any(isinstance(one, Folder) and one.is_copied for one in found):
        raise UsageError(f"{place} stays where it is; --copy is for the workspace of an agent")
    from hearth.importers import runs
    from hearth.importers.report import ImportReport
    from hearth.importers.take_in import Intake

    chosen = session.settings()
    folders = [one for one in found if isinstance(one, Folder)]
    if not dry_run:
        prepare(chosen)
    report = ImportReport(dry_run=dry_run)
    run = runs.name_run(runs.IMPORT, now_ms())
    report.run = run
    copied = {one.name: one.path for one in folders if copies and one.is_copied}
    kept = [one for one in folders if one.name not in copied]
    collections = _add_collections(session, form, kept, run, dry_run=dry_run)
    with session.vault() as vault:
        if not dry_run:
            vault.index.prepare()
        files = {folder.name: frozenset(vault.core.files.walk(_collection(folder)).files) for folder in folders}
        work = Intake(
            run=runs.ImportRun(run, vault.truth.history, vault.memories.writer, report, dry_run=dry_run),
            own=vault.exchange.importer.own,
            source=form.name,
            collections=collections,
            files=files,
            copied=copied,
        )
        work.take(found)
        if not dry_run:
            for trouble in vault.index.sync().problems:
                report.skip("trouble with the index", trouble)
            if form.name == "workspace":
                vault.dream.takeover()
            session.catch_up(vault)
    return report


def _add_collections(
    session: CommandSession, form: Format, folders: Iterable[Folder], run: str, *, dry_run: bool
) -> dict[str, str]:
    """The name of the collection of each folder, made where there is none yet."""
    names: dict[str, str] = {}
    made: dict[str, str | None] = {}
    for folder in folders:
        chosen = session.settings()
        known = chosen.vault.collections
        there = next((name for name, one in known.items() if one.path.resolve() == folder.path.resolve()), None)
        if there is not None:
            names[folder.name] = there
            continue
        wanted = edit.name_of(Path(folder.name))
        taken = {*known, *names.values()}
        choices = (wanted, f"{wanted}-{edit.name_of(folder.path)}", f"{form.name}-{wanted}")
        name = next((one for one in choices if one not in taken), f"{wanted}-{len(taken)}")
        names[folder.name] = name
        if dry_run:
            continue
        fields: dict[str, Any] = {"pattern": folder.pattern} if folder.pattern else {}
        fields |= {"trust": folder.trust} if folder.trust else {}
        fields |= {"surface": folder.surface} if folder.surface else {}
        fields |= {"exclude": list(folder.exclude)} if folder.exclude else {}
        fields |= {"context": dict(folder.context)} if folder.context else {}
        fields |= {"projects": list(folder.projects)} if folder.projects else {}
        _note_collections(chosen, run, {**made, name: None})
        added(chosen, str(folder.path), name, fields)
        made[name] = _describe(session.settings(), name)
        _note_collections(chosen, run, made)
    return names


def _describe(chosen: Settings, name: str) -> str:
    """The settings of a collection, to be compared with what they are later."""
    return repr(chosen.vault.collections[name])


def _note_collections(chosen: Settings, run: str, made: Mapping[str, str | None]) -> None:
    """What undoing the run takes out of this machine's settings, and how it was then; noted before it is there."""
    data = json.dumps({"vault": chosen.vault.name, "collections": dict(made)})
    write_atomically(_file_of(chosen, run), data.encode("utf-8"))


def undo(session: CommandSession, run: str, metadata: dict[str, Any]) -> UndoneRun:
    """Takes back what a run wrote and the collections that it added to this machine's settings. Raises ``NotFound``
    where nothing is left of it."""
    found = _read_collections(session.settings(), run)
    names = [name for name, is_same in found.items() if is_same]
    try:
        with session.fresh_vault() as vault:
            done = vault.truth.undo_run(run, **metadata)
    except NotFound:
        if not found:
            raise
        done = UndoneRun(run, 0)
    chosen = session.settings()
    for name in names:
        edit.remove_collection(chosen.folders, chosen.vault.name, name)
    _file_of(chosen, run).unlink(missing_ok=True)
    if names:
        with session.vault() as vault:
            vault.index.sync()
    left = tuple(
        f"collection {name} removed; its files stay" if is_same else f"collection {name} was changed since and stays"
        for name, is_same in found.items()
    )
    return replace(done, undone=done.undone + len(names), left=(*done.left, *left))


def _read_collections(chosen: Settings, run: str) -> dict[str, bool]:
    """Of those that a run added the ones that are still there, and whether each is as it was."""
    try:
        noted = json.loads(_file_of(chosen, run).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if noted["vault"] != chosen.vault.name:
        return {}
    made = {name: kept for name, kept in noted["collections"].items() if name in chosen.vault.collections}
    return {name: kept in (None, _describe(chosen, name)) for name, kept in made.items()}


def _file_of(chosen: Settings, run: str) -> Path:
    return Path(chosen.folders.state) / "imports" / f"{run}.json"


def _collection(folder: Folder) -> Collection:
    return Collection(folder.name, str(folder.path), folder.pattern or "**/*.md", folder.exclude)


def _locate(source: str) -> Path:
    if recognition.find_service(source) is not None:
        return Path(source)
    place = Path(source).expanduser().absolute()
    if not place.exists():
        raise NotFound(f"no file or folder {source}")
    if not place.is_file() and not place.is_dir():
        raise UsageError(f"{source} is neither a file nor a folder; save what it holds in a file first")
    return place


def _is_export(source: str) -> bool:
    if source == "-":
        return True
    try:
        if not Path(source).is_file():  # a pipe would block, and its start can't be read twice
            return False
        with Path(source).open("rb") as file:
            return f'"{HEAD}"'.encode() in file.read(_HEAD_BYTES).split(b"\n", 1)[0]
    except OSError:
        return False
