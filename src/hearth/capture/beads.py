"""Beads: issues of the repositories that a person connected, as documents with the relations Beads states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Protocol

from hearth.capture.bead_issues import (
    Export,
    Issue,
    file_name,
    find_statements,
    parse_export,
    rank_open,
    relate,
    render,
    tags_of,
)
from hearth.capture.distiller import is_pending
from hearth.core import subjects
from hearth.core.document import INTERNAL, Document, content_hash
from hearth.core.errors import Conflict, HearthError, NotFound, Unavailable, UsageError
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, MAX_LINE_CHARS, MAX_TEXT_BYTES, Memory, NewMemory, Origin
from hearth.graph.relations import draft_relation
from hearth.markdown import frontmatter
from hearth.memory import files
from hearth.memory.admission import admitted, memory_of
from hearth.memory.file_names import id_of
from hearth.memory.memories import Memories
from hearth.ports import Filter, StoredDocument
from hearth.ports.files import Privacy
from hearth.text.lines import cut_line
from hearth.vault.history import History

ORIGIN = "beads"
"""The origin of its relations, and the actor that archives deleted issues."""
_MANY = 20
_MOST = 100_000
_REMARKS = {"actor": ORIGIN, "reason": "deleted in Beads"}
_FOLDER = CONTENT_TYPES["bead"].folder


@dataclass(frozen=True, slots=True)
class Repository:
    """A connected repository: its folder, its project's key, the name of its documents' folder, and what reads it: the
    path of ``bd``, or a pattern of files."""

    root: str
    key: str
    name: str
    reader: str

    @property
    def folder(self) -> str:
        return f"{_FOLDER}/{self.name}"


class IssueSource(Protocol):
    """The repositories connected on this machine. Raises ``Unavailable`` and ``UsageError``."""

    def repositories(self) -> list[Repository]: ...
    def add(self, folder: str, check: Callable[[Repository, str | None], object]) -> tuple[Repository, str, str]:
        """Connects one that can be read, with its issues and the stamp as of ``export``. ``check`` raises for one that
        must not be, and for issues that are none."""

    def remove(self, folder: str) -> Repository: ...
    def export(self, repository: Repository) -> tuple[str, str]:
        """Its issues, and the stamp of its files right after they were read."""

    def changed(self) -> list[Repository]:
        """Those whose files changed since the last sync; cheap."""

    def deleted(self, repository: Repository) -> set[str]:
        """Docids archived because their issues were deleted."""

    def postpone(self, repository: Repository) -> None:
        """Delays the next automatic sync, since this one failed."""

    def settle(self, repository: Repository, stamp: str, deleted: Collection[str], *, changed: bool) -> None:
        """Records a sync of the files with that ``stamp``. One that ``changed`` nothing delays the next automatic
        one."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """``documents`` are docids of new documents; ``kept_elsewhere`` counts those another machine writes; ``problem``
    says why a repository, or some of its issues, could not be read."""

    repository: str
    name: str
    reader: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    documents: tuple[str, ...] = ()
    problem: str | None = None

    def to_dict(self) -> dict[str, Any]:
        names = ("created", "updated", "unchanged", "archived", "restored", "kept_elsewhere", "skipped")
        found = {name: self.counts.get(name, 0) for name in (*names, "relations", "ended", "captured")}
        where = {"repository": self.repository, "name": self.name, "reader": self.reader}
        return where | found | {"documents": list(self.documents), "problem": self.problem}


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A document as it should be."""

    id: str
    path: str
    wish: NewMemory


@dataclass(frozen=True)
class Beads:
    """``captures``: decisions become memories; ``approve`` is the setting of capture."""

    source: IssueSource
    memories: Memories
    privacy: Privacy
    captures: bool = True
    approve: str = "inferred"

    def add(self, folder: str) -> SyncReport:
        """Trusts a repository from now on, on this machine, and reads it."""
        repository, *export = self.source.add(folder, self._check)
        return self._take_in(repository, *export, anew=True)

    def remove(self, folder: str) -> SyncReport:
        """Disconnects a repository and archives its documents."""
        repository = self.source.remove(folder)
        self.memories.prepare()
        counts: Counter[str] = Counter()
        self._archive([one for one in self._there(repository).values() if not one.state.archived], counts)
        return SyncReport(repository.root, repository.name, repository.reader, counts)

    def show(self) -> list[tuple[Repository, int, int]]:
        """Each with its number of documents, and how many of these are open."""
        found = []
        for repository in self.source.repositories():
            there = [one for one in self._there(repository).values() if not one.state.hidden]
            found.append((repository, len(there), sum(rank_open(one.document.tags) is not None for one in there)))
        return found

    def sync(self, folder: str | None = None, *, force: bool = False) -> list[SyncReport]:
        """Syncs all, or the innermost that holds a folder. Why one failed stands in its report."""
        known = self.source.repositories()
        if folder is not None:
            inside = [one for one in known if folder == one.root or folder.startswith(f"{one.root}/")]
            known = sorted(inside, key=lambda one: len(one.root))[-1:]
            if not known:
                raise NotFound(f"{folder} is in no connected repository; a person connects it with: hearth beads add")
        reports = []
        for repository in known:
            try:
                reports.append(self._sync(repository, force=force))
            except HearthError as error:
                self.source.postpone(repository)
                reports.append(SyncReport(repository.root, repository.name, repository.reader, problem=error.said))
        return reports

    def count_changed(self) -> int:
        return len(self.source.changed())

    def sync_changed(self) -> list[SyncReport]:
        """Syncs those whose files changed. Raises ``Unavailable`` if one could not be read."""
        reports = [report for one in self.source.changed() for report in self.sync(one.root)]
        if problems := [report.problem for report in reports if report.problem is not None]:
            raise Unavailable("; ".join(problems))
        return reports

    # -- one repository --------------------------------------------------------------------------------------------

    def _check(self, repository: Repository, text: str | None = None) -> Export:
        """Raises for one of which nothing is recorded, and for an export without a single issue."""
        off = self.privacy.find_off(None, repository.root)
        if off.capture:
            raise UsageError(f"nothing of {repository.root} is recorded: {off.why}")
        export = parse_export(text or "")
        if export.skipped and not (export.issues or export.memories):
            raise Unavailable(f"{repository.root}: none of {export.skipped:,} lines is an issue; nothing was changed")
        return export

    def _sync(self, repository: Repository, *, force: bool) -> SyncReport:
        self._check(repository)
        return self._take_in(repository, *self.source.export(repository), force=force)

    def _take_in(
        self, repository: Repository, text: str, stamp: str, *, force: bool = False, anew: bool = False
    ) -> SyncReport:
        """``anew`` restores what was archived when the repository was removed."""
        export = self._check(repository, text)
        self.memories.prepare()
        there = self._there(repository)
        wanted = {one.id: one for one in _documents(repository, export)}
        gone = [one for docid, one in there.items() if docid not in wanted and not one.state.archived]
        if len(gone) >= _MANY and 2 * len(gone) > len(there) and not force:
            raise Unavailable(
                f"{len(gone):,} of {len(there):,} issues of {repository.root} are gone at once; nothing was changed; "
                "if that is right: hearth beads sync --force"
            )
        counts: Counter[str] = Counter(skipped=export.skipped)
        deleted = set(there) if anew else self.source.deleted(repository)
        new, problems = [], []
        for one in wanted.values():
            try:
                if self._write(one, there.get(one.id), deleted, counts):
                    new.append(one.id)
            except HearthError as error:  # one bad issue must not stop the others
                counts["skipped"] += 1
                problems.append(f"{one.wish.title}: {error.said}")
        self._archive(gone, counts)
        self._relate(repository, export, counts)
        if self.captures:
            self._capture(repository, export, counts)
        changed = any(counts[name] for name in ("created", "updated", "archived", "restored", "relations", "ended"))
        still_gone = (deleted | {one.document.docid for one in gone}) - wanted.keys()
        self.source.settle(repository, stamp, still_gone, changed=changed)
        problem = f"{len(problems):,} not kept: {'; '.join(problems[:3])}" if problems else None
        return SyncReport(repository.root, repository.name, repository.reader, counts, tuple(new), problem)

    def _there(self, repository: Repository) -> dict[str, StoredDocument]:
        """The documents of a repository, hidden ones too, by docid."""
        start = f"{repository.folder}/"
        with self.memories.writer.store.read() as reader:
            found = reader.find_documents(Filter((INTERNAL,), paths=(start,), include_hidden=True), _MOST)
        return {one.document.docid: one for one in found if one.document.path.startswith(start)}

    def _write(
        self, one: _Wanted, stored: StoredDocument | None, deleted: Collection[str], counts: Counter[str]
    ) -> bool:
        """Whether it is new. Purged documents stay away; those of open issues, and of issues that came back, are
        restored."""
        writer = self.memories.writer
        if stored is None and _is_purged(writer.syncer.history, one.id):
            return False
        fit = admitted(one.wish, writer.redact)
        memory = memory_of(fit.wish, one.id, writer.machine, writer.clock())
        path = one.path if stored is None else stored.document.path
        # The index suffices for what did not change: of thousands of issues one did.
        is_same = stored is not None and _is_indexed_so(stored.document, memory)
        data = b"" if is_same else writer.memories.read(path)
        known = files.read(path, data, writer.redact) if data else None
        if is_same or (known is not None and _says_the_same(known.memory, memory)):
            counts["unchanged"] += 1
        else:
            try:
                pending = known.memory.pending_since if known is not None else memory.pending_since
                writer.overwrite(replace(memory, pending_since=pending), path)
            except Conflict:
                counts["kept_elsewhere"] += 1
                return False
            counts["created" if data is None else "updated"] += 1
        is_due = one.id in deleted or rank_open(memory.tags) is not None
        if stored is not None and stored.state.archived and is_due:
            self._set_archived(stored, False, counts)
        return data is None

    def _archive(self, gone: Sequence[StoredDocument], counts: Counter[str]) -> None:
        for stored in gone:
            self._set_archived(stored, True, counts)

    def _set_archived(self, stored: StoredDocument, value: bool, counts: Counter[str]) -> None:
        history = self.memories.writer.syncer.history
        remarks = _REMARKS if value else {"actor": ORIGIN}
        with history.store.read() as reader:
            drafts = history.draft_change(reader, stored.document, {"archived": value}, remarks)
        if drafts:
            history.record(drafts)
            counts["archived" if value else "restored"] += 1

    # -- relations -------------------------------------------------------------------------------------------------

    def _relate(self, repository: Repository, export: Export, counts: Counter[str]) -> None:
        """Adds the relations that only Beads states, and ends those it dropped. Relations of others stay."""
        history = self.memories.writer.syncer.history
        wanted: dict[tuple[str, str], tuple[str, str]] = {}
        for issue in export.issues.values():
            for kind, source, target in relate(issue):
                if source in export.issues and target in export.issues:
                    ends = _docid(repository, source), _docid(repository, target)
                    wanted[ends[0], subjects.name_relation(kind, ends[1])] = kind, ends[1]
        there = self._there(repository)
        with history.store.read() as reader:
            said = {(one.subject, one.field): one.value for one in reader.find_relations(list(there))}
        drafts = []
        for (source, name), (kind, target) in wanted.items():
            value = said.get((source, name))
            taken = isinstance(value, dict) and not value.get("gone")
            if source in there and target in there and not taken and not (value is None and (source, name) in said):
                drafts.append(
                    draft_relation(there[source].document, kind, there[target].document, ORIGIN, {"weight": 1})
                )
                counts["relations"] += 1
        for (source, name), value in said.items():
            ours = isinstance(value, dict) and value.get("origin") == ORIGIN and not value.get("gone")
            if ours and source in there and (source, name) not in wanted:
                drafts.append(_end_relation(there[source], name))
                counts["ended"] += 1
        history.record(drafts)

    # -- what was decided ------------------------------------------------------------------------------------------

    def _capture(self, repository: Repository, export: Export, counts: Counter[str]) -> None:
        """Keeps decisions and reasons as memories; the settings say whether they wait for approval."""
        for issue in export.issues.values():
            for kind, text in find_statements(issue):
                source = cut_line(f"beads {repository.name} {issue.id}", MAX_LINE_CHARS)
                wish = NewMemory(
                    text,
                    kind,
                    project=repository.key,
                    origin=Origin(source, cut_line(text, MAX_LINE_CHARS), "implied"),
                    said_at=issue.changed_at,
                    created_by=ORIGIN,
                    key=f"{ORIGIN}\0{repository.key}\0{issue.id}\0{text}",
                    pending=is_pending("", self.approve),
                )
                if not _was_captured(self.memories.writer.syncer.history, id_of(wish.key or "")):
                    self.memories.keep(wish)
                    counts["captured"] += 1


def _is_purged(history: History, docid: str) -> bool:
    with history.store.read() as reader:
        return history.registers(reader, docid).get("purged") is not None


def _was_captured(history: History, docid: str) -> bool:
    """Also if it was purged since."""
    with history.store.read() as reader:
        return reader.document(docid) is not None or bool(history.registers(reader, docid))


def _docid(repository: Repository, issue: str) -> str:
    return id_of(f"{ORIGIN}\0{repository.key}\0{repository.name}\0{issue}")


def _documents(repository: Repository, export: Export) -> Iterator[_Wanted]:
    titles = {name: issue.title for name, issue in export.issues.items()}
    for issue in export.issues.values():
        yield _Wanted(
            _docid(repository, issue.id),
            f"{repository.folder}/{file_name(issue.id)}.md",
            _wish(repository, issue, titles),
        )
    for key, value in export.memories.items():
        title = cut_line(" ".join(key.split()), MAX_LINE_CHARS)
        wish = NewMemory(value, "fact", title, project=repository.key, created_by=ORIGIN)
        path = f"{repository.folder}/memories/{file_name(key)}.md"
        yield _Wanted(id_of(f"{ORIGIN}\0{repository.key}\0{repository.name}\0memory\0{key}"), path, wish)


def _wish(repository: Repository, issue: Issue, titles: Mapping[str, str]) -> NewMemory:
    text = render(issue, titles)
    if len(data := text.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        text = data[: MAX_TEXT_BYTES - len("…".encode())].decode("utf-8", "ignore") + "…"
    return NewMemory(
        text,
        "bead",
        cut_line(" ".join(f"{issue.id}: {issue.title}".split()), MAX_LINE_CHARS),
        tags_of(issue),
        project=repository.key,
        created_by=ORIGIN,
        said_at=issue.changed_at,
    )


def _is_indexed_so(document: Document, memory: Memory) -> bool:
    """Whether a file with this memory has what the index read of it last; its project is part of its docid."""
    text = files.rendered(memory).decode("utf-8")
    body = content_hash(text[frontmatter.split(text).end_char :].encode("utf-8"))
    return (document.body_hash, document.title, document.tags) == (body, memory.title, memory.tags)


def _says_the_same(one: Memory, other: Memory) -> bool:
    return (one.text.strip(), one.title, one.tags, one.project) == (
        other.text.strip(),
        other.title,
        other.tags,
        other.project,
    )


def _end_relation(stored: StoredDocument, name: str) -> Draft:
    """Marks the relation as gone; what others say of the two documents stays."""
    kind, target = subjects.read_relation(name)
    data = {"type": kind, "target": target, "origin": ORIGIN, "actor": ORIGIN, "gone": True}
    return Draft("relate", stored.document.docid, stored.document.path, stored.document.body_hash, data)
