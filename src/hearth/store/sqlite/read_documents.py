"""Documents, fragments, links and collections."""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from hearth.core.document import FileState
from hearth.core.graph import FILE, LINKS
from hearth.ports import (
    CollectionState,
    DocumentPlace,
    Filter,
    IndexedFile,
    Skipped,
    StoredDocument,
    StoredFragment,
    UnsettledNote,
)
from hearth.ports.store import LookUp, RowKey
from hearth.store.sqlite.read_states import BEYOND, NEWEST, WITHOUT, SqliteBase
from hearth.store.sqlite.rows import (
    DOCUMENT_COLUMNS,
    FRAGMENT_COLUMNS,
    batches,
    chunks,
    decode_document,
    decode_fragment,
    decode_json,
    documents_of,
    file_name,
    marks,
    plain,
    storable,
    where,
)

_PLACES = "SELECT docid, collection, path FROM documents"
_WHOLE_PLACE = "CAST(collection || '/' || path AS BLOB)"
_ENDS = f"({_WHOLE_PLACE} = ? OR substr({_WHOLE_PLACE}, -?) = ?)"
_BY_SUFFIX = f"{_PLACES} WHERE file = ? AND {_ENDS} ORDER BY collection, path LIMIT ?"
_BY_BEGINNING = f"{_PLACES} WHERE {' OR '.join(['file >= ? AND file < ?'] * 4)} ORDER BY collection, path LIMIT ?"
# Documents that are read at once where all are wanted.
_PAGE = 500
# Most documents read for one batch of names.
_NAMESAKES = 5_000
# The first letters, which a typo most often leaves intact.
_START = 2
# Length of the runs of letters that the index of names holds; most runs and words searched for, and rows per search.
_GRAM, _MOST_GRAMS, _MOST_WORDS, _SHARING = 3, 8, 3, 150
# Weight of a name that has all the letters of a text, or of one of its words; three letters in a row weigh 1.
_WHOLE, _WORD = 20.0, 4.0


def _may_be_path(text: str) -> bool:
    """Whether its lone surrogates, if any, stand for bytes of a file's name."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _place(row: Any) -> DocumentPlace:
    return DocumentPlace(row[0], row[1], plain(row[2]))


def _cuts(name: str) -> Iterator[tuple[str, str | bytes]]:
    """Every way to split a name into collection and path."""
    for at, char in enumerate(name):
        if char == "/":
            yield name[:at], storable(name[at + 1 :])


def _match_grams(text: str) -> str:
    """A full-text search for names with the letters of a text; empty if it has fewer than three."""
    return " AND ".join('"' + gram.replace('"', '""') + '"' for gram in _list_grams(text))


def _list_grams(text: str) -> list[str]:
    """Runs of three letters, spread over the whole text, up to a bounded number."""
    grams = list(dict.fromkeys(text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)))
    return grams[:: 1 + len(grams) // _MOST_GRAMS]


class SqliteDocumentReader(SqliteBase):
    """Implements ``ports.DocumentReader``."""

    def documents(self, ids: Collection[int]) -> dict[int, StoredDocument]:
        known = (
            {}
            if self._decoded is None
            else self._decoded.of(self._once("generation", lambda: self._counter("generation")))
        )
        for batch in batches([row for row in ids if row not in known]):
            sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.id IN ({marks(len(batch))})"
            known.update((row[0], self._decode(row)) for row in self._db.execute(sql, tuple(batch)))
        return {row: known[row] for row in ids if row in known}

    def document(self, docid: str) -> StoredDocument | None:
        return self._once(("document", docid), lambda: self._find(docid))

    def _find(self, docid: str) -> StoredDocument | None:
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.docid = ?"
        row = self._db.execute(sql, (docid,)).fetchone()
        return None if row is None else self._decode(row)

    def find_documents(self, within: Filter, limit: int) -> list[StoredDocument]:
        condition, bound = where(within)
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {condition} ORDER BY d.collection, d.path LIMIT ?"
        return [self._decode(row) for row in self._db.execute(sql, (*bound, limit))]

    def each_document(self, within: Filter) -> Iterator[StoredDocument]:
        first = self.find_documents(within, _PAGE)
        yield from first
        if len(first) < _PAGE:
            return
        # The rows of the others are listed once: looking for where a page begins would sort all of them each time.
        condition, bound = where(within)
        sql = f"SELECT d.id FROM documents d WHERE {condition} ORDER BY d.collection, d.path LIMIT -1 OFFSET ?"
        rows = [row[0] for row in self._db.execute(sql, (*bound, _PAGE))]
        for page in chunks(rows, _PAGE):
            yield from self.documents(page).values()

    def find_rows(self, by: RowKey, keys: Sequence[str], within: Filter, limit: int | None = None) -> dict[int, str]:
        condition, bound = where(within)
        if by == "name":
            return self._find_named(sorted(map(storable, keys)), condition, bound, -1 if limit is None else limit)
        found: dict[int, str] = {}
        for batch in batches(sorted(set(keys))):
            sql = f"SELECT d.id, d.docid FROM documents d WHERE d.docid IN ({marks(len(batch))}) AND {condition}"
            found.update(self._db.execute(sql, (*batch, *bound)))
        return found

    def _find_named(
        self, wanted: list[str | bytes], condition: str, bound: Sequence[Any], limit: int
    ) -> dict[int, str]:
        if len(wanted) > 1:
            # Of the many that a sentence may hold hardly any names a document.
            known = "SELECT DISTINCT key FROM names WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key"
            wanted = [row[0] for row in self._db.execute(known, (json.dumps(wanted),))]
        sql = (
            "SELECT d.id FROM names n CROSS JOIN documents d ON d.id = n.document "
            f"WHERE n.key = ? AND {condition} ORDER BY n.document LIMIT ?"
        )
        found: dict[int, str] = {}
        for key in wanted:
            for (row,) in self._db.execute(sql, (key, *bound, limit)):
                found.setdefault(row, plain(key))
        return dict(islice(found.items(), limit if limit >= 0 else None))

    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        condition, bound = where(within)
        sql = (
            f"SELECT d.id FROM documents d WHERE d.dated_at >= ? AND d.dated_at < ? AND {condition} "
            "ORDER BY abs(d.dated_at - ?), d.docid LIMIT ?"
        )
        return [row[0] for row in self._db.execute(sql, (start, end, *bound, (start + end) // 2, limit))]

    def neighbours(self, document: int, before: int, after: int, within: Filter) -> list[StoredDocument]:
        row = self._db.execute("SELECT dated_at, docid FROM documents WHERE id = ?", (document,)).fetchone()
        if row is None:
            return []
        if row[0] is None:
            return list(self.documents([document]).values())
        condition, bound = where(within)
        select = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE (d.dated_at, d.docid)"
        earlier = f"{select} < (?, ?) AND {condition} ORDER BY d.dated_at DESC, d.docid DESC LIMIT ?"
        later = f"{select} >= (?, ?) AND (d.id = ? OR {condition}) ORDER BY d.dated_at, d.docid LIMIT ?"
        past = [self._decode(r) for r in self._db.execute(earlier, (*row, *bound, before))]
        future = [self._decode(r) for r in self._db.execute(later, (*row, document, *bound, after + 1))]
        return past[::-1] + future

    def look_up(self, by: LookUp, names: Iterable[str], limit: int | None = None) -> list[DocumentPlace]:
        wanted = list(filter(_may_be_path, dict.fromkeys(names)))
        if by not in ("place", "stem"):
            return [place for name in wanted for place in self._look_up_one(by, name, -1 if limit is None else limit)]
        whole = [(at, *cut) for at, name in enumerate(wanted) for cut in _cuts(name)]
        if by == "stem":
            found = self._join_places(whole, "d.collection = w.collection AND d.stem = w.name", -1)
        else:
            found = self._join_places(whole, "d.collection = w.collection AND d.path = w.name", _NAMESAKES)
            paths = [(at, "", storable(name)) for at, name in enumerate(wanted) if at not in found]
            found |= self._join_places(paths, "d.path = w.name", _NAMESAKES)
        return [place for at in sorted(found) for place in found[at][:limit]]

    def _join_places(
        self, rows: Sequence[tuple[int, Any, Any]], joined: str, most: int
    ) -> dict[int, list[DocumentPlace]]:
        found: dict[int, list[DocumentPlace]] = {}
        for batch in chunks(rows):
            values = ", ".join(["(?, ?, ?)"] * len(batch))
            sql = (
                f"WITH wanted (at, collection, name) AS (VALUES {values}) SELECT w.at, d.docid, d.collection, d.path "
                f"FROM wanted w CROSS JOIN documents d ON {joined} ORDER BY w.at, d.collection LIMIT ?"
            )
            for at, *row in self._db.execute(sql, (*chain.from_iterable(batch), most)):
                found.setdefault(at, []).append(_place(row))
        return found

    def _look_up_one(self, by: LookUp, text: str, limit: int) -> list[DocumentPlace]:
        raw = text.encode("utf-8", "surrogateescape")
        if by == "suffix":
            rows = self._db.execute(_BY_SUFFIX, (file_name(text), raw, len(raw) + 1, b"/" + raw, limit))
        elif by == "beginning":
            start = text.casefold().encode("utf-8", "surrogateescape")
            ends = [(start + bytes((mark,)), start + bytes((mark + 1,))) for mark in b" -._"]
            rows = self._db.execute(_BY_BEGINNING, (*chain.from_iterable(ends), limit))
        elif by == "unprintable":
            rows = self._db.execute(f"{_PLACES} WHERE odd ORDER BY id LIMIT ?", (limit,))
        else:
            column = "docid" if by == "docid" else "body_hash"
            sql = f"{_PLACES} WHERE {column} >= ? AND {column} < ? ORDER BY docid LIMIT ?"
            rows = self._db.execute(sql, (text, text + BEYOND, limit))
        return [_place(row) for row in rows]

    def similar_names(self, text: str, limit: int) -> list[int]:
        words = sorted({word for word in text.split() if len(word) > _GRAM}, key=len)[-_MOST_WORDS:]
        searches = {_match_grams(text): _WHOLE} | {_match_grams(word): _WORD for word in words}
        searches |= {_match_grams(gram): 1.0 for gram in _list_grams(text)}
        searches.pop("", None)
        if not searches:
            return []
        lists = self._search([(NEWEST.format("spelled"), (search, _SHARING)) for search in searches])
        weights: dict[int, float] = {}
        for weight, rows in zip(searches.values(), lists, strict=True):
            rarity = weight * math.log1p(_SHARING / max(1, len(rows)))
            for row in map(int, rows):
                weights[row] = weights.get(row, 0.0) + rarity
        best = [row for _, row in heapq.nlargest(limit, zip(weights.values(), weights, strict=True))]
        # A typo in a short name may leave no three letters intact, but most often the first two.
        start = text[:_START]
        if len(best) < limit and len(start) == _START:
            beginning = "SELECT DISTINCT document FROM names WHERE key >= ? AND key < ? LIMIT ?"
            begun = self._db.execute(beginning, (start, start + BEYOND, limit))
            best += [row[0] for row in begun if row[0] not in weights]
        return best[:limit]

    def docids(self) -> dict[str, tuple[str, str]]:
        rows = self._db.execute("SELECT docid, collection, path FROM documents")
        return {docid: (collection, plain(path)) for docid, collection, path in rows}


class SqliteFragmentReader(SqliteBase):
    """Implements ``ports.FragmentReader``."""

    def fragments(self, ids: Sequence[int]) -> dict[int, StoredFragment]:
        found: dict[int, StoredFragment] = {}
        for batch in batches(ids):
            sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE f.id IN ({marks(len(batch))})"
            found.update((row[0], decode_fragment(row)) for row in self._db.execute(sql, tuple(batch)))
        return found

    def fragments_after(
        self, fragment: int, limit: int, without: tuple[str, int] | None = None
    ) -> list[StoredFragment]:
        condition, bound = "f.id > ?", list[Any]([fragment])
        if without is not None:
            space, tries = without
            condition = (
                f"f.id IN (SELECT p.id FROM fragments p {WITHOUT} AND p.id > ? AND NOT EXISTS (SELECT 1 "
                "FROM failures x WHERE x.space = ? AND x.fragment = p.id AND x.tries >= ?) ORDER BY p.id LIMIT ?)"
            )
            bound = [space, fragment, space, tries, limit]
        sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE {condition} ORDER BY f.id LIMIT ?"
        return [decode_fragment(row) for row in self._db.execute(sql, (*bound, limit))]

    def fragments_of(self, document: int) -> list[StoredFragment]:
        return list(self._once(("fragments", document), lambda: self._list_fragments(document)))

    def _list_fragments(self, document: int) -> list[StoredFragment]:
        sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE f.document = ? ORDER BY f.seq"
        return [decode_fragment(row) for row in self._db.execute(sql, (document,))]


class SqliteLinkReader(SqliteBase):
    """Implements ``ports.LinkReader``."""

    def links(self, docid: str, kind: str = "references", *, incoming: bool = False) -> list[str]:
        wanted, end = ("d.docid", "r.target") if incoming else ("r.target", "d.docid")
        sql = (
            f"SELECT DISTINCT {wanted} FROM relations r JOIN documents d ON d.id = r.owner "
            f"WHERE {end} = ? AND r.type = ? AND r.origin IN (?, ?) ORDER BY 1"
        )
        return [row[0] for row in self._db.execute(sql, (docid, kind, LINKS, FILE))]

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        sql = (
            f"SELECT {DOCUMENT_COLUMNS}, d.links FROM documents d WHERE d.collection = ? AND NOT d.linked "
            "ORDER BY d.id LIMIT ?"
        )
        rows = self._db.execute(sql, (collection, limit))
        return [(decode_document(row), tuple(decode_json(row[-1] or "[]"))) for row in rows]


class SqliteCollectionReader(SqliteBase):
    """Implements ``ports.CollectionReader``."""

    def files(self, collection: str) -> dict[str, IndexedFile]:
        sql = (
            "SELECT docid, path, mtime_ns, file_size, ctime_ns, disk_path, raw_hash, body_hash, origin, vanished, "
            "committed_at, committed_by FROM documents INDEXED BY documents_files WHERE collection = ?"
        )
        found: dict[str, IndexedFile] = {}
        for docid, stored, *state, raw, body, origin, vanished, at, by in self._db.execute(sql, (collection,)):
            path = plain(stored)
            found[path] = IndexedFile(docid, path, FileState(*state), raw, body, origin, bool(vanished), at, by)
        return found

    def misnamed(self, collection: str) -> list[StoredDocument]:
        other = "d.record ->> 'named' IS NOT NULL AND d.record ->> 'named' <> d.docid"
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {other} AND d.collection = ? ORDER BY d.path"
        return [decode_document(row) for row in self._db.execute(sql, (collection,))]

    def unsettled(self, collection: str) -> list[UnsettledNote]:
        dates, unsure = "d.record ->> 'dates'", "d.record ->> 'language_guess'"
        sql = (
            f"SELECT d.path, {dates}, d.language, {unsure} FROM documents d INDEXED BY documents_unsettled "
            f"WHERE d.collection = ? AND ({dates} IS NOT NULL OR {unsure} IS NOT NULL) ORDER BY 1"
        )
        return [UnsettledNote(plain(row[0]), *row[1:]) for row in self._db.execute(sql, (collection,))]

    def count_languages(self, collection: str) -> dict[str, int]:
        sql = "SELECT language, count(*) FROM documents INDEXED BY documents_language WHERE collection = ? GROUP BY 1"
        return dict(self._db.execute(sql, (collection,)))

    def skipped(self) -> list[Skipped]:
        sql = (
            "SELECT collection, path, reason, shut, mtime_ns, file_size, ctime_ns, disk_path FROM skipped ORDER BY 1, 2"
        )
        return [
            Skipped(row[0], plain(row[1]), plain(row[2]), None if row[7] is None else FileState(*row[4:]), bool(row[3]))
            for row in self._db.execute(sql)
        ]

    def collections(self) -> dict[str, CollectionState]:
        sql = (
            "SELECT c.name, c.root, c.scanned_at, coalesce(n.value, 0), c.held, c.vanished, c.settings, c.revision "
            "FROM collections c LEFT JOIN counters n ON n.key = 'documents:' || c.name ORDER BY c.name"
        )
        states = (CollectionState(*row) for row in self._db.execute(sql))
        return {
            one.name: replace(one, documents=one.documents + self._pending(documents_of(one.name))) for one in states
        }
