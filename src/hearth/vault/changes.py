"""Changes of a document's state: its fields, the event that sets each, and what the index keeps of a purged one.
References: the many ways in which people and programs name a document, and the names that people merged or split."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from hearth import vault
from hearth.core import subjects
from hearth.core.document import DOCID_LENGTH, INTERNAL, MIN_PREFIX, Document, DocumentState, normal_path
from hearth.core.errors import Ambiguous, NotFound, Remedy, UsageError
from hearth.core.journal import MAX_REASON_CHARS, Draft
from hearth.core.lazy import dataclass, regex
from hearth.language.name_matching import follow, key_of
from hearth.ports import DocumentPlace, Filter, PositionReader, Reader, StateReader, StoredDocument, Writer
from hearth.text.names import bare, document_keys, name_key, question_keys
from hearth.vault import usage_statistics

NOTHING: Mapping[str, Any] = {
    "pinned": False,
    "snoozed_until": None,
    "forgotten": False,
    "archived": False,
    "approved": False,
    "superseded_by": None,
    "invalidated_at": None,
    "confidence": None,
    "fulfilled_at": None,
    "tags": None,
}
"""Each field that may be changed, with its value where the journal says nothing."""
_BESIDE = {"superseded_by": {"at": "superseded_at"}, "fulfilled_at": {"by": "fulfilled_by"}}
"""What the events of a field also hold: the name in their payload, and the register it goes to."""
_FLAGS = {
    "pinned": ("unpin", "pin"),
    "forgotten": ("unforget", "forget"),
    "archived": ("restore", "archive"),
    "approved": ("unapprove", "approve"),
}
_ACTOR = regex(r"[a-z][a-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field's new value, the one that an undo brings back, and the event which that came from; and what goes along
    with either value."""

    field: str
    value: Any
    was: Any
    after: str | None
    along: Mapping[str, Any] | None = None
    was_along: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Remarks:
    """Why and by whom. ``actor`` is ``human`` for a person at a terminal, else a program's name."""

    reason: str | None = None
    actor: str = "program"

    def data(self) -> dict[str, Any]:
        """As events carry it. Raises ``UsageError``."""
        if _ACTOR.fullmatch(self.actor) is None:
            raise UsageError(
                f"actor {self.actor[:64]!r} is not a lower-case word of up to 64 letters, digits, ., _ or -"
            )
        reason = " ".join((self.reason or "").split())
        if len(reason) > MAX_REASON_CHARS:
            raise UsageError(
                f"the reason has {len(reason)} characters, over the limit of {MAX_REASON_CHARS}; shorten it"
            )
        return {"reason": reason, "actor": self.actor} if reason else {"actor": self.actor}


def set_by(reader: StateReader, subject: str, field: str) -> str | None:
    """The event that a register has its value from."""
    return reader.registers(subject, field).set_by(field)


def plan(known: Mapping[str, Any], setter: Callable[[str], str | None], wanted: Mapping[str, Any]) -> list[FieldChange]:
    """What differs. ``known`` are the registers of the document, ``setter`` gives the event that set one."""
    before = {field: known.get(field, NOTHING[field]) for field in wanted}
    return [
        FieldChange(field, value, before[field], setter(field), was_along=beside(known, field))
        for field, value in wanted.items()
        if before[field] != value
    ]


def along(op: FieldChange, more: Mapping[str, Any]) -> FieldChange:
    """With what goes along with the new value."""
    return replace(op, along=dict(more))


def beside(known: Mapping[str, Any], field: str) -> dict[str, Any]:
    """What goes along with the present value of a field."""
    names = _BESIDE.get(field, {}).items()
    return {name: known[register] for name, register in names if known.get(register) is not None}


def drafts(
    docid: str, path: str | None, body_hash: str | None, ops: Iterable[FieldChange], remarks: Mapping[str, Any]
) -> list[Draft]:
    made = []
    for op in ops:
        kind, data = event_of(op.field, op.value)
        payload = {"was": op.was, "after": op.after} | ({"was_along": dict(op.was_along)} if op.was_along else {})
        along = {} if op.value is None else op.along or {}
        made.append(Draft(kind, docid, path, body_hash, {**data, **along, **remarks, **payload}))
    return made


def of(document: Document, ops: Sequence[FieldChange], remarks: Mapping[str, Any]) -> list[Draft]:
    return drafts(document.docid, document.path, document.body_hash, ops, remarks)


def event_of(field: str, value: Any) -> tuple[str, dict[str, Any]]:
    """Kind and payload of the event that gives a field a value."""
    if field in _FLAGS:
        return _FLAGS[field][bool(value)], {}
    if field == "snoozed_until":
        return ("unsnooze", {}) if value is None else ("snooze", {"until": value})
    if field == "superseded_by":
        return "supersede", {"by": value}
    if field == "confidence":
        return "confidence", {"value": value}
    if field == "tags":
        return "retag", {"tags": value}
    return ("fulfill" if field == "fulfilled_at" else "invalidate"), {"at": value}


MEMORY = {"scope": "memory"}
"""The register ``purged`` of what the engine wrote: its file goes on every machine."""
_DUE = "purge"


def is_to_be_purged(registers: Mapping[str, Any], document: Document) -> bool:
    """Whether a purge holds for a document: of a person's file that was deleted it holds for that text only, since
    another file may take its place."""
    found = registers.get("purged")
    return isinstance(found, dict) and (found.get("scope") != "file" or found.get("text") == document.body_hash)


def is_purged(document: Document) -> bool:
    """No other document is without a title."""
    return not document.title


def hollow_out(writer: Writer, document: Document) -> None:
    """Takes everything that the document says out of the index. What it supersedes stays superseded."""
    if is_purged(document):
        return
    key = vault.linking.KEY
    facts = {key: document.facts[key]} if key in document.facts else {}
    empty = replace(
        document,
        title="",
        tags=(),
        aliases=(),
        domain=None,
        workstream=None,
        review_by=None,
        facts=MappingProxyType(facts),
    )
    writer.hollow(empty, vault.linking.mentions(empty))
    demand(writer)


def demand(writer: Writer) -> None:
    """From now on an erasure is due."""
    writer.set_meta(_DUE, "due")


def settle(writer: Writer) -> None:
    writer.set_meta(_DUE, "")


def due(reader: PositionReader) -> bool:
    """Whether something was purged that this machine has not erased yet."""
    return bool(reader.meta(_DUE))


_DOCID = regex(rf"#?([0-9a-hjkmnp-tv-z]{{{MIN_PREFIX},{DOCID_LENGTH}}})$")
_HASH = regex(r"[0-9a-f]{8,32}$")
_ANCHOR = regex(r"#L(\d+)(?:-L?(\d+))?$")
_SLICE = regex(r":(\d+)(?::(\d+))?$")
_WIKILINK = regex(r"!?\[\[([^\[\]|#]+?)(?:#([^\[\]|]+))?(?:\|[^\[\]]*)?\]\]")
# More names than anybody reads.
_NAMESAKES = 100
_ALL = Filter(include_hidden=True)
_SUGGESTED, _COMPARED = 3, 8
_MOST_UNPRINTABLE = 1_000
# Most parts between commas in one name.
_MOST_PARTS = 16
_LEAST_BEGINNING = 3
LISTED = Remedy("list", "list", "", " shows all")
_MEMORY = "memory/"


@dataclass(frozen=True, slots=True)
class ReferenceTarget:
    """A document and the lines asked for (1-based; ``None``: from the beginning, to the end), or the ``part`` that a
    link names, as ``markdown.anchors`` reads it."""

    stored: StoredDocument
    start: int | None = None
    count: int | None = None
    part: str | None = None


def remembered(state: DocumentState) -> bool:
    return not state.forgotten


def find(
    reference: str,
    reader: Reader,
    roots: Mapping[str, str],
    admits: Callable[[DocumentState], bool] = remembered,
) -> ReferenceTarget:
    """Resolves ``#docid``, a docid or hash prefix, ``collection/path``, ``hearth://…#L3-L9``, an absolute path, a path
    suffix, a title, file name or alias, what a file name begins with, or ``[[any of them#part]]``, each with
    ``:from[:count]``. ``roots`` maps collections to folders; ``admits`` says by their state which documents count.

    Raises ``NotFound`` with near names, ``Ambiguous`` with the candidates.
    """
    whole, part = _unlink(reference.strip())
    text, start, count = _lines(whole)
    named = _by_docid(text, reader) or _by_path(text, reader, roots) or _by_hash(text, reader) or _by_name(text, reader)
    if not named and text != whole:  # a name may end like a line
        named, start, count = _by_name(whole, reader), None, None
    named = named or _by_beginning(text, reader)
    documents = [stored for docid in named if (stored := reader.document(docid)) is not None]
    found = [stored for stored in documents if admits(stored.state)]
    if len(found) == 1:
        return ReferenceTarget(found[0], start, count, part)
    if len(found) > 1:
        names = tuple(one.document.place for one in _sort(found))
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        raise Ambiguous(f"{reference!r} fits {len(names)} documents: {shown}; give a full path", names)
    near = _near(text, reader, admits)
    if near:
        raise NotFound(f"no document {reference!r}; did you mean {', '.join(near)}?")
    raise NotFound(f"no document {reference!r}", LISTED)


def _sort(found: Iterable[StoredDocument]) -> list[StoredDocument]:
    return sorted(found, key=lambda stored: stored.document.docid)


def split_references(text: str, find_names: Callable[[Iterable[str]], set[str]]) -> list[str]:
    """Splits references at commas, except within a name that has commas itself. ``find_names`` returns those of the
    texts that are names."""
    parts = text.split(",")
    spans = [
        (start, end)
        for start in range(len(parts))
        for end in range(start + 2, min(len(parts), start + _MOST_PARTS) + 1)
    ]
    joined = {",".join(parts[start:end]).strip() for start, end in spans}
    names = find_names(joined) if joined else set[str]()
    found: list[str] = []
    while parts:
        whole = (
            count for count in range(min(len(parts), _MOST_PARTS), 1, -1) if ",".join(parts[:count]).strip() in names
        )
        count = next(whole, 1)
        found.append(",".join(parts[:count]).strip())
        del parts[:count]
    return [part for part in found if part]


def _unlink(text: str) -> tuple[str, str | None]:
    """The target and the part of ``[[target#part|shown]]``; other text stays as it is."""
    link = _WIKILINK.fullmatch(text)
    return (link[1].strip(), link[2]) if link else (text, None)


def _lines(text: str) -> tuple[str, int | None, int | None]:
    if anchor := _ANCHOR.search(text):
        first, last = int(anchor[1]), int(anchor[2] or anchor[1])
        return text[: anchor.start()], max(1, first), max(1, last - first + 1)
    if part := _SLICE.search(text):
        return text[: part.start()], max(1, int(part[1])), int(part[2]) if part[2] else None
    return text, None, None


def _by_docid(text: str, reader: Reader) -> list[str]:
    match = _DOCID.fullmatch(text.lower())
    if match is None:
        return []
    if len(match[1]) == DOCID_LENGTH:
        return [match[1]] if reader.document(match[1]) else []
    return _docids(reader.look_up("docid", [match[1]], _NAMESAKES))


def _by_hash(text: str, reader: Reader) -> list[str]:
    return _docids(reader.look_up("hash", [text], _NAMESAKES)) if _HASH.fullmatch(text) else []


def _by_name(text: str, reader: Reader) -> list[str]:
    rows = reader.find_rows("name", question_keys(text), _ALL, _NAMESAKES)
    return [stored.document.docid for stored in reader.documents(rows).values()]


def _by_beginning(text: str, reader: Reader) -> list[str]:
    """``0008`` for ``decisions/0008-server-side-sessions.md``."""
    if len(text) < _LEAST_BEGINNING or "/" in text:
        return []
    begun = re.compile(rf"{re.escape(text.casefold())}[-_ .]")
    found = reader.look_up("beginning", [text], _NAMESAKES)
    return [place.docid for place in found if begun.match(PurePosixPath(place.path).stem.casefold())]


def _by_path(text: str, reader: Reader, roots: Mapping[str, str]) -> list[str]:
    wanted = normal_path(unquote(text.removeprefix("hearth://")) if text.startswith("hearth://") else text)
    for collection, root in sorted(roots.items(), key=lambda item: -len(item[1])):
        if wanted.startswith(root.rstrip("/") + "/"):
            wanted = f"{collection}/{wanted[len(root.rstrip('/')) + 1 :]}"
            break
    wanted = wanted.lstrip("/").removeprefix("./")
    if not wanted:
        return []
    if exact := reader.look_up("place", [wanted]):
        return _docids(exact)
    if wanted.startswith(_MEMORY):  # as memory_search names what the engine wrote
        inner = f"{INTERNAL}/{wanted.removeprefix(_MEMORY)}"
        if own := reader.look_up("place", [inner]):
            return _docids(own)
    return _docids(reader.look_up("suffix", [wanted], _NAMESAKES)) or _as_printed(wanted, reader)


def _as_printed(wanted: str, reader: Reader) -> list[str]:
    """Finds names with characters that no terminal shows, by the characters left."""
    odd = reader.look_up("unprintable", [""], _MOST_UNPRINTABLE)
    return [place.docid for place in odd if f"/{_printable(place.name)}".endswith(f"/{_printable(wanted)}")]


def _printable(text: str) -> str:
    return "".join(filter(str.isprintable, text.replace("\n", " ").replace("\t", " ")))


def _docids(places: Iterable[DocumentPlace]) -> list[str]:
    return [place.docid for place in places]


def _near(text: str, reader: Reader, admits: Callable[[DocumentState], bool]) -> list[str]:
    import difflib  # only where nothing was found

    wanted = [key for key in dict.fromkeys(name_key(bare(part)) for part in (text, text.rsplit("/", 1)[-1])) if key]
    if not wanted:
        return []
    rows = reader.similar_names(wanted[-1], _COMPARED)
    called: dict[str, list[str]] = {}
    for document in (stored.document for stored in reader.documents(rows).values() if admits(stored.state)):
        for key in document_keys(document.title, document.path, ()):
            called.setdefault(key, []).append(document.place)
    keys = [key for key in called if any(f" {part} " in f" {key} " for part in wanted)]
    if keys:
        return sorted({name for key in keys for name in called[key]})[:_SUGGESTED]
    keys = difflib.get_close_matches(wanted[-1], list(called), _SUGGESTED, 0.6)
    return list(dict.fromkeys(name for key in keys for name in called[key]))[:_SUGGESTED]


@dataclass(frozen=True, slots=True)
class StatedNames:
    """Keys of names with whom or what each means: ``everywhere``, and ``within`` documents, by docid. ``spelled`` has
    each as it was written."""

    everywhere: Mapping[str, str] = field(default_factory=dict)
    within: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)

    def follow(self, name: str) -> str:
        return follow(self.everywhere, key_of(name)) or name

    def names_of(self, name: str) -> list[str]:
        """The other names that mean it everywhere."""
        wanted = key_of(name)
        return [self.spelled[key] for key in self.everywhere if key != wanted and key_of(self.follow(key)) == wanted]

    def documents_of(self, name: str) -> dict[str, str]:
        """docid -> the name that means it there."""
        wanted = key_of(name)
        rows = ((docid, key, of) for docid, names in self.within.items() for key, of in names.items())
        return {docid: self.spelled[key] for docid, key, of in rows if key_of(self.follow(of)) == wanted}

    def meant_in(self, reader: Reader, docid: str, name: str) -> str | None:
        """Whom a name means in a document, under its present or former identities, by what was said of that one."""
        if not self.within:
            return None
        known = (self.within.get(identity, {}) for identity in usage_statistics.former(reader, docid))
        return next((said[key_of(name)] for said in known if key_of(name) in said), None)


def read_stated_names(reader: StateReader) -> StatedNames:
    everywhere: dict[str, str] = {}
    within: dict[str, dict[str, str]] = {}
    spelled: dict[str, str] = {}
    for register, value in reader.registers(subjects.ENTITIES).items():
        if value is None:
            continue
        docid, key = subjects.read_alias(register)
        (everywhere if docid is None else within.setdefault(docid, {}))[key] = value["of"]
        spelled[key] = value["name"]
    return StatedNames(everywhere, within, spelled)
