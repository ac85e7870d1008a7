"""A run of ``import``: folders become collections of this machine's settings, records go into the vault, and both
can be taken back. Export and import of one vault, and the disk as they see it."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hearth import __version__
from hearth.app.adapters import Adapters
from hearth.app.folders import add_folder, prepare_vault
from hearth.app.settings import Settings, now_ms, redact, scrub, settings
from hearth.config import edit
from hearth.core.document import CROCKFORD
from hearth.core.errors import HearthError, NotFound
from hearth.core.files import write_atomically
from hearth.core.journal import Draft, Event
from hearth.core.lazy import dataclass
from hearth.disk.memories import DiskMemories
from hearth.importers import runs
from hearth.importers.records import Folder, Format, Found
from hearth.importers.runs import ImportReport
from hearth.importers.take_in import Intake
from hearth.journal import Journal, JournalPosition, encode
from hearth.journal.append import ROTATE_BYTES
from hearth.journal.line import clean
from hearth.memory.undo import UndoneRun
from hearth.ports import Collection, Mount
from hearth.vault.exchange import Exchange, ExportedFile, Exporter, Importer, Put
from hearth.vault.indexing.index import Index
from hearth.vault.vault import Core, Vault

OpenVault = Callable[[], AbstractContextManager[Vault]]
NoteStop = Callable[[], AbstractContextManager[Callable[[], bool]]]


def take_in(
    chosen: Settings,
    open_vault: OpenVault,
    source: tuple[Format, Sequence[Found]],
    note_stop: NoteStop,
    *,
    dry_run: bool,
    copies: bool,
) -> tuple[ImportReport, bool]:
    """Takes in what a reader found; where it ``copies``, an agent's workspace goes into the vault. Gives the report,
    and whether somebody stopped it before the end."""
    form, found = source
    folders = [one for one in found if isinstance(one, Folder)]
    if not dry_run:
        prepare_vault(chosen)
    report = ImportReport(runs.name_run(runs.IMPORT, now_ms()), dry_run=dry_run)
    run = str(report.run)
    copied = {one.name: one.path for one in folders if copies and one.is_copied}
    kept = [one for one in folders if one.name not in copied]
    collections = _add_collections(chosen, form, kept, run, dry_run=dry_run)
    with open_vault() as vault:
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
        with note_stop() as is_stopped:
            work.take(found, is_stopped)
        if is_stopped():
            return report, True
        if not dry_run:
            try:
                for trouble in vault.index.sync().problems:
                    report.skip("trouble with the index", trouble)
                if form.name == "workspace":
                    vault.dream.takeover()
            except KeyboardInterrupt:
                return report, True
    return report, False


def undo(
    chosen: Settings, open_vault: OpenVault, open_fresh: OpenVault, run: str, metadata: dict[str, Any]
) -> UndoneRun:
    """Takes back what a run wrote and the collections that it added to this machine's settings; ``open_fresh`` looks at
    the vault's folders first. Raises ``NotFound`` where nothing is left of it."""
    found = _read_collections(chosen, run)
    try:
        with open_fresh() as vault:
            done = vault.truth.undo_run(run, **metadata)
    except NotFound:
        if not found:
            raise
        done = UndoneRun(run, 0)
    names = [name for name, is_same in found.items() if is_same]
    for name in names:
        edit.remove_collection(chosen.folders, chosen.vault.name, name)
    _file_of(chosen, run).unlink(missing_ok=True)
    if names:
        with open_vault() as vault:
            vault.index.sync()
    left = tuple(
        f"collection {name} removed; its files stay" if is_same else f"collection {name} was changed since and stays"
        for name, is_same in found.items()
    )
    return replace(done, undone=done.undone + len(names), left=(*done.left, *left))


# -- collections ---------------------------------------------------------------------------------------------------


def _add_collections(
    chosen: Settings, form: Format, folders: Iterable[Folder], run: str, *, dry_run: bool
) -> dict[str, str]:
    """The name of the collection of each folder, made where there is none yet."""
    names: dict[str, str] = {}
    made: dict[str, dict[str, Any]] = {}
    for folder in folders:
        known = chosen.vault.collections
        there = next((name for name, one in known.items() if one.path.resolve() == folder.path.resolve()), None)
        if there is not None:
            names[folder.name] = there
            continue
        name = names[folder.name] = _choose_name(folder, form, {*known, *names.values()})
        if dry_run:
            continue
        fields = _list_fields(folder)
        _drop_older_notes(chosen, name)
        made[name] = {"path": str(folder.path), **fields}
        _note_collections(chosen, run, made)
        add_folder(chosen, str(folder.path), name, fields)
        chosen = settings(chosen.vault.name, environ=chosen.environ)
        made[name] = {"settings": _describe(chosen, name)}
        _note_collections(chosen, run, made)
    return names


def _choose_name(folder: Folder, form: Format, taken: set[str]) -> str:
    wanted = edit.name_of(Path(folder.name))
    choices = (wanted, f"{wanted}-{edit.name_of(folder.path)}", f"{form.name}-{wanted}")
    return next((one for one in choices if one not in taken), f"{wanted}-{len(taken)}")


def _list_fields(folder: Folder) -> dict[str, Any]:
    fields = {
        "pattern": folder.pattern,
        "trust": folder.trust,
        "surface": folder.surface,
        "exclude": list(folder.exclude),
        "context": dict(folder.context),
        "projects": list(folder.projects),
    }
    return {name: value for name, value in fields.items() if value}


def _describe(chosen: Settings, name: str) -> str:
    """The settings of a collection, to be compared with what they are later."""
    return repr(chosen.vault.collections[name])


def _note_collections(chosen: Settings, run: str, made: Mapping[str, Mapping[str, Any]]) -> None:
    """What undoing the run takes out of this machine's settings, and how it was then; before it is there, what it is
    going to be."""
    data = json.dumps({"vault": chosen.vault.name, "collections": dict(made)})
    write_atomically(_file_of(chosen, run), data.encode("utf-8"))


def _drop_older_notes(chosen: Settings, name: str) -> None:
    """A run that ended before it added a collection, or whose collection is gone, does not take back a later one of
    the same name."""
    for file in sorted(_file_of(chosen, "").parent.glob("*.json")):
        try:
            noted = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if noted["vault"] != chosen.vault.name or noted["collections"].pop(name, None) is None:
            continue
        if noted["collections"]:
            write_atomically(file, json.dumps(noted).encode("utf-8"))
        else:
            file.unlink(missing_ok=True)


def _read_collections(chosen: Settings, run: str) -> dict[str, bool]:
    """Of those that a run added the ones that are still there, and whether each is as it was."""
    try:
        noted = json.loads(_file_of(chosen, run).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if noted["vault"] != chosen.vault.name:
        return {}
    made = {name: kept for name, kept in noted["collections"].items() if name in chosen.vault.collections}
    return {name: _is_same(chosen, name, kept) for name, kept in made.items()}


def _is_same(chosen: Settings, name: str, noted: object) -> bool:
    """A name alone proves nothing: the run may have ended before it added the collection, and a person after it."""
    if isinstance(noted, str):  # as earlier versions noted it
        return noted == _describe(chosen, name)
    if not isinstance(noted, dict):
        return False
    if "settings" in noted:
        return bool(noted["settings"] == _describe(chosen, name))
    there = chosen.vault.collections[name]
    plain = {key: list(value) if isinstance(value := getattr(there, key), tuple) else value for key in noted}
    return {**plain, "path": str(there.path)} == noted


def _file_of(chosen: Settings, run: str) -> Path:
    return Path(chosen.folders.state) / "imports" / f"{run}.json"


def _collection(folder: Folder) -> Collection:
    return Collection(folder.name, str(folder.path), folder.pattern or "**/*.md", folder.exclude)


_NAME_LENGTH = 10


@dataclass(frozen=True)
class DiskExchange:
    """Implements ``vault.exchange.lines.ExchangeFiles``; ``memory`` and ``journal`` are folders of the vault."""

    memory: Path
    journal: Path
    log: Journal
    redact: Callable[[str], str]
    exclusive: Callable[[], AbstractContextManager[None]]
    mounts: tuple[Mount, ...] = ()

    def memories(self) -> Iterator[ExportedFile]:
        files = DiskMemories(self.memory, self.mounts)
        parts = [("", self.memory), *((mount.below, Path(mount.root)) for mount in self.mounts)]
        places = [(f"{below}{p.relative_to(root).as_posix()}", p) for below, root in parts for p in _markdown(root)]
        for path, place in sorted(places):
            try:
                data, modified_at = files.read(path), place.stat().st_mtime_ns // 1_000_000
            except (HearthError, OSError) as error:
                yield ExportedFile(path, None, reason=str(error))
                continue
            if data is not None:
                yield ExportedFile(path, data, modified_at)

    def put_memory(self, path: str, data: bytes, modified_at: int) -> Put:
        return _put(self.memory, path, data, modified_at)

    def put_file(self, folder: str, path: str, data: bytes, modified_at: int) -> Put:
        return _put(Path(folder), path, data, modified_at)

    def adopt(self, events: Iterable[Event]) -> int:
        """In files of their own, as if other machines had written them: the stamps are those of others, and no file
        that a machine writes is touched."""
        known = self._read_known()
        lines: list[bytes] = []
        count = size = 0
        for event in events:
            if event.id in known:
                continue
            known.add(event.id)
            line = encode(self._clean(event)) + b"\n"
            if size + len(line) > ROTATE_BYTES:
                self._write(lines)
                lines, size = [], 0
            lines.append(line)
            count, size = count + 1, size + len(line)
        if lines:
            self._write(lines)
        return count

    def _write(self, lines: list[bytes]) -> None:
        write_atomically(self.journal / f"{_find_free(self.journal)}.jsonl", b"".join(lines))

    def writing(self) -> AbstractContextManager[None]:
        return self.exclusive()

    def _read_known(self) -> set[str]:
        known: set[str] = set()
        position, more = JournalPosition(), True
        while more:
            batch = self.log.read(position)
            known.update(event.id for event in batch.events)
            position, more = batch.position, batch.more
        return known

    def _clean(self, event: Event) -> Event:
        draft = clean(Draft(event.kind, event.doc, event.path, event.body_hash, event.data), self.redact)
        return replace(event, data=draft.data)


def _markdown(root: Path) -> Iterator[Path]:
    """Hidden files are somebody's unfinished work; of hidden folders the engine has its revisions."""
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".md") and not name.startswith("."):
                yield Path(folder, name)


def _put(root: Path, path: str, data: bytes, modified_at: int) -> Put:
    files = DiskMemories(root)
    if files.create(path, data):
        nanoseconds = modified_at * 1_000_000
        os.utime(root / path, ns=(nanoseconds, nanoseconds))
        return "written"
    return "unchanged" if files.read(path) == data else "kept"


def _find_free(folder: Path) -> str:
    alphabet = CROCKFORD.lower()
    while True:
        name = "".join(secrets.choice(alphabet) for _ in range(_NAME_LENGTH))
        if not (folder / f"{name}.jsonl").exists():
            return name


def build_exchange(adapters: Adapters, core: Core, index: Index) -> Exchange:
    log = adapters.journal()
    own = DiskExchange(adapters.memory, adapters.data / "journal", log, scrub, adapters.locks.write, adapters.mounts)
    exporter = Exporter(
        program=__version__,
        vault=core.name,
        collections=core.collections,
        store=core.store,
        files=core.files,
        log=log,
        own=own,
        redact=redact,
        clock=core.clock,
    )
    return Exchange(exporter, Importer(own, redact), index.prepare, lambda: index.sync())
