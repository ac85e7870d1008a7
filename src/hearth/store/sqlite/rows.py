"""Converts between values and columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import apsw

from hearth.core.document import INTERNAL, UNTOUCHED, VEILS, Document, DocumentState, FileState, normal_path
from hearth.core.memory import CONVERSATION
from hearth.markdown.links import stem
from hearth.ports import Filter, StoredDocument, StoredFragment, tag_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENT_COLUMNS = "d.id, d.record, d.mtime_ns, d.file_size, d.ctime_ns, d.disk_path, d.state, d.vanished, d.problem"
FRAGMENT_COLUMNS = (
    "f.id, f.document, f.seq, f.kind, f.start_line, f.end_line, f.start_byte, f.end_byte, f.headings, f.context, f.text"
)
LOWER = "hearth_lower"
# What decoding a column raises that holds what nobody wrote there.
_MEANINGLESS = (ValueError, TypeError, KeyError, AttributeError)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(value: Any) -> str:
    """JSON with one form per value, so that equal values compare equal as text."""
    return _CANONICAL.encode(value)


def storable(text: str) -> str | bytes:
    """File names need not be text: undecodable bytes in one (as lone surrogates) make it a blob of its bytes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text


def plain(value: str | bytes) -> str:
    """The text that ``storable`` was given."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def stored_stem(path: str) -> str | bytes:
    """What links to a path end in."""
    return storable(stem(path))


def documents_of(collection: str) -> str:
    """The counter of a collection's documents."""
    return f"documents:{collection}"


def file_name(path: str) -> bytes:
    """A file's name without case, as column ``file`` holds it."""
    return path.rsplit("/", 1)[-1].casefold().encode("utf-8", "surrogateescape")


def encode_document(document: Document) -> str:
    fields = {name: getattr(document, name) for name in Document.__slots__}
    fields["facts"] = dict(document.facts)
    return canonical(fields) if isinstance(storable(document.path), str) else json.dumps(fields, sort_keys=True)


def decode_document(row: Any) -> StoredDocument:
    """Raises ``apsw.CorruptError`` where a column holds what nobody wrote there, as do the others."""
    try:
        record = json.loads(row[1])
        record["tags"], record["aliases"] = tuple(record["tags"]), tuple(record["aliases"])
        return StoredDocument(
            id=row[0],
            document=Document(**record),
            file=FileState(row[2], row[3], row[4], bytes(row[5])),
            state=decode_state(row[6]),
            vanished=bool(row[7]),
            problem=row[8],
        )
    except _MEANINGLESS as error:
        raise _corrupt(error) from error


def document_columns(document: Document) -> dict[str, Any]:
    """What of a document stands in columns of its row, beside ``record``."""
    return {
        "docid": document.docid, "collection": document.collection, "path": storable(document.path),
        "content_type": document.content_type, "dated_at": document.dated_at, "language": document.language,
        "raw_hash": document.raw_hash, "body_hash": document.body_hash, "origin": document.origin,
        "valid_from": document.stated_from, "committed_at": document.committed_at,
        "committed_by": document.committed_by, "stem": stored_stem(document.path),
        "file": file_name(document.path), "odd": int(not document.place.isprintable()),
    }  # fmt: skip


def encode_state(state: DocumentState) -> str | None:
    return None if state == UNTOUCHED else canonical(asdict(state))


def decode_state(text: str | None) -> DocumentState:
    try:
        if text is None:
            return UNTOUCHED
        record = json.loads(text)
        record["tags"] = tuple(record["tags"])
        return DocumentState(**record)
    except _MEANINGLESS as error:
        raise _corrupt(error) from error


def decode_fragment(row: Any) -> StoredFragment:
    identity, document, seq, kind, start_line, end_line, start_byte, end_byte, headings, context, text = row
    lines, offsets = (start_line, end_line), (start_byte, end_byte)
    try:
        above = _decode_headings(headings)
    except _MEANINGLESS as error:
        raise _corrupt(error) from error
    return StoredFragment(identity, document, seq, kind, *lines, *offsets, above, context, text)


@lru_cache(maxsize=1_024)  # the fragments of a section have the same
def _decode_headings(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def decode_json(text: str) -> Any:
    try:
        return json.loads(text)
    except _MEANINGLESS as error:
        raise _corrupt(error) from error


def _corrupt(error: Exception) -> apsw.CorruptError:
    return apsw.CorruptError(f"a row can't be understood: {type(error).__name__}")


_SOURCES = {
    "notes": f"d.collection <> '{INTERNAL}'",
    "conversations": f"(d.collection = '{INTERNAL}' AND d.content_type = '{CONVERSATION}')",
    "memory": f"(d.collection = '{INTERNAL}' AND d.content_type <> '{CONVERSATION}')",
}


_OWN_TAGS = "SELECT 1 FROM json_each(d.record, '$.tags') t WHERE"
_TAKEN_TAGS = "SELECT 1 FROM json_each(d.state, '$.tags') t WHERE"


def where(within: Filter) -> tuple[str, list[Any]]:
    """A condition over documents ``d``; values travel as bindings, never as SQL."""
    parts = ["NOT d.vanished"]
    values: list[Any] = []
    if within.as_of is not None:
        parts.append(f"NOT d.hidden & {mask(('forgotten',))}")
        parts.append("coalesce(d.valid_from, d.dated_at, ?) <= ?")
        parts.append("(d.valid_to IS NULL OR d.valid_to > ?)")
        values.extend([within.as_of] * 3)
    elif not within.include_hidden:
        parts.append(f"NOT ({veiled(within, 'd.')})")
    if within.unexpired_at is not None:
        parts.append("(d.ends_at IS NULL OR d.ends_at > ?)")
        values.append(within.unexpired_at)
    if within.sources:
        parts.append(f"({' OR '.join(_SOURCES[source] for source in within.sources)})")
    for column, wanted in (("d.collection", within.collections), ("d.content_type", within.types)):
        if wanted:
            parts.append(f"{column} IN ({', '.join('?' * len(wanted))})")
            values.extend(wanted)
    if within.statuses:
        parts.append(f"d.record ->> 'status' IN ({', '.join('?' * len(within.statuses))})")
        values.extend(within.statuses)
    if within.review_before is not None:
        # Apart, so that its own index is used: few documents have such a date.
        parts.append("d.id IN (SELECT id FROM documents WHERE record ->> 'review_by' < ?)")
        values.append(within.review_before)
    if within.faulty:
        parts.append("d.problem IS NOT NULL")
    if within.since is not None:
        parts.append("d.dated_at >= ?")
        values.append(within.since)
    if within.until is not None:
        parts.append("d.dated_at < ?")
        values.append(within.until)
    for path in within.paths:
        wanted_part = normal_path(path).lower()
        parts.append(f"instr({_lower(wanted_part)}(d.path), ?) > 0")
        values.append(wanted_part)
    for tag in within.tags:
        # A tag of several levels matches those above it: "work/hearth" is also tagged "work".
        same = f"instr({_lower(tag)}(t.value) || '/', ?) = 1"
        parts.append(f"(EXISTS ({_OWN_TAGS} {same}) OR d.state IS NOT NULL AND EXISTS ({_TAKEN_TAGS} {same}))")
        values.extend([tag_prefix(tag)] * 2)
    return " AND ".join(parts), values


def mask(veils: Iterable[str]) -> int:
    """Column ``hidden``: a bit for each of ``VEILS``."""
    return sum(1 << VEILS.index(veil) for veil in veils)


def veiled(within: Filter, table: str = "") -> str:
    """A condition: something hides the document that the filter does not ask for."""
    column = f"{table}hidden"
    return f"{column} AND {column} & {mask(set(VEILS).difference(within.include))}" if within.include else column


def _lower(wanted: str) -> str:
    """SQLite's own ``lower`` knows ASCII only."""
    return "lower" if wanted.isascii() else LOWER


_BATCH = 500


def batches(items: Sequence[Any], size: int = _BATCH) -> Iterator[Sequence[Any]]:
    """Batches for ``IN (…)``. Each repeats its last item up to the next power of two, so that only statements of a few
    lengths are prepared."""
    for start in range(0, len(items), size):
        batch = items[start : start + size]
        length = min(size, 1 << (len(batch) - 1).bit_length())
        yield [*batch, *[batch[-1]] * (length - len(batch))]


def chunks(items: Sequence[Any], size: int = _BATCH) -> Iterator[Sequence[Any]]:
    """Batches without repeated items, for writes and for statements with a part for each item."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def marks(count: int) -> str:
    return ", ".join("?" * count)


_MOST = 4_096
# Rows of terms, 8 bytes each.
_MOST_ROWS = 400_000


class Decoded:
    """Documents by row, and rows by term, kept for one generation of the index. Thread-safe: each generation has dicts
    of its own."""

    def __init__(self) -> None:
        self._kept: tuple[int, dict[int, StoredDocument]] = (-1, {})
        self._rows: tuple[int, dict[str, Any]] = (-1, {})
        self._size = 0

    def of(self, generation: int) -> dict[int, StoredDocument]:
        """What is known of a generation; whoever decodes a document adds it."""
        kept = self._kept
        if kept[0] != generation or len(kept[1]) > _MOST:
            kept = self._kept = (generation, {})
        return kept[1]

    def rows(self, generation: int) -> dict[str, Any]:
        """Arrays of rows by full-text term: common words, whose lists are long, come again from question to
        question."""
        kept = self._rows
        return kept[1] if kept[0] == generation else {}

    def keep_rows(self, generation: int, found: Mapping[str, Any]) -> None:
        kept, size = self._rows, sum(map(len, found.values()))
        if kept[0] != generation or self._size + size > _MOST_ROWS:
            kept = self._rows = (generation, {})
            self._size = 0
        kept[1].update(found)
        self._size += size
