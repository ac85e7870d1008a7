"""Whether rows of the index agree with each other: what changed on the disk inside a page is still a page to SQLite."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any

import apsw

from hearth.graph.resolve import key_of
from hearth.markdown.links import stems
from hearth.store.sqlite.rows import (
    decode_document,
    decode_state,
    document_columns,
    documents_of,
    mask,
    plain,
    storable,
)
from hearth.text.names import document_keys
from hearth.text.packed import Packed

# Of each kind, as SQLite's own check tells no more.
_MOST = 20
_STRAY = "SELECT count(*) FROM {0} WHERE {1} NOT IN (SELECT id FROM documents)"
_APART = "SELECT count(*) FROM {0} t JOIN fragments f ON f.id = t.fragment WHERE f.document <> t.document"


def mismatches(db: apsw.Connection) -> list[str]:
    """What disagrees, by document. Reads every row except the texts."""
    strays = [f"{count:,} rows of {table} are of no document" for table, count in _count(db, _STRAY, _OF_DOCUMENTS)]
    for table, column in (("relations", "owner"), ("near", "owner"), ("near", "other")):
        if count := db.execute(_STRAY.format(table, column)).get:
            strays.append(f"{count:,} rows of {table} are of no document")
    apart = [f"{count:,} rows of {table} are of another document" for table, count in _count(db, _APART, _OF_FRAGMENTS)]
    return [*strays, *apart, *_unreadable(db), *_miscounted(db), *islice(_documents(db), _MOST)]


_OF_DOCUMENTS = ("fragments", "names", "mentions", "entities", "entity_marks")
_TERMS = "SELECT id, df, strong FROM terms"
_OF_FRAGMENTS = ("postings", "vectors", "entities")


def _count(db: apsw.Connection, sql: str, tables: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for table in tables:
        count = db.execute(sql.format(table, "document")).get
        if count:
            yield table, int(count)


def _unreadable(db: apsw.Connection) -> Iterator[str]:
    """Checks the journal's state, which no document's row repeats."""
    if count := db.execute("SELECT count(*) FROM registers WHERE NOT json_valid(value)").get:
        yield f"{count:,} rows of registers are no JSON"
    if db.execute("SELECT count(*) FROM meta WHERE key = 'journal' AND NOT json_valid(value)").get:
        yield "the position in the journal is no JSON"


def _miscounted(db: apsw.Connection) -> Iterator[str]:
    """Checks the counters against the rows of passages and names; they decide which words are rare."""
    fragments, length = db.execute("SELECT count(*), coalesce(sum(length), 0) FROM postings").get
    counted = dict(db.execute("SELECT key, value FROM counters"))
    if (counted.get("fragments"), counted.get("length")) != (fragments, length):
        yield "the passages are not as many, or not as long, as is counted"
    documents = dict(db.execute("SELECT collection, count(*) FROM documents GROUP BY 1"))
    expected = {documents_of(name): count for name, count in documents.items()} | {"documents": sum(documents.values())}
    # Counters are equal where one lacks what the other counts as 0.
    if Counter({key: count for key, count in counted.items() if key.startswith("documents")}) != Counter(expected):
        yield "the documents are not as many as is counted"
    yield from _miscounted_terms(db)
    names = db.execute("SELECT key, name, documents, (SELECT count(DISTINCT document) FROM entities WHERE name = id) "
                       "FROM entity_names")  # fmt: skip
    if wrong := sum(key != key_of(name) or said != found for key, name, said, found in names):
        yield f"{wrong:,} rows of entity_names are not of the names in the passages"


def _miscounted_terms(db: apsw.Connection) -> Iterator[str]:
    holding, strong = Counter[int](), Counter[int]()
    for (packed,) in db.execute("SELECT packed FROM postings"):
        terms = Packed(packed)
        holding.update(terms.ids())
        strong.update(terms.strong_ids())
    if wrong := sum((holding[row], strong[row]) != (df, prominent) for row, df, prominent in db.execute(_TERMS)):
        yield f"{wrong:,} words are not in as many passages as is counted"
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.searchable USING fts5vocab(main, matches, row)")
    found = dict(db.execute("SELECT term, doc FROM temp.searchable"))
    db.execute("DROP TABLE temp.searchable")
    expected = {str(row): count for row, count in holding.items()} | {f"s{row}": n for row, n in strong.items()}
    if wrong := len(expected.items() ^ found.items()):
        yield f"{wrong:,} words are not found in the passages that hold them"


def _documents(db: apsw.Connection) -> Iterator[str]:
    keys, mentioned = _by_document(db, "key", "names"), _by_document(db, "stem", "mentions")
    # A purged document is an empty row.
    full = {row[0] for row in db.execute("SELECT DISTINCT document FROM fragments")}
    cursor = db.execute("SELECT * FROM documents")
    for values in cursor:
        row = dict(zip((column[0] for column in cursor.get_description()), values, strict=True))
        if row["id"] in full:
            wrong = next(_differences(row, keys[row["id"]], mentioned[row["id"]]), None)
            if wrong is not None:
                yield f"{row['collection']}/{plain(row['path'])}: its {wrong} does not agree with the rest of its row"


def _by_document(db: apsw.Connection, column: str, table: str) -> dict[int, set[Any]]:
    found: dict[int, set[Any]] = defaultdict(set)
    for identity, value in db.execute(f"SELECT document, {column} FROM {table}"):
        found[identity].add(value)
    return found


def _differences(row: dict[str, Any], keys: set[Any], mentioned: set[Any]) -> Iterator[str]:
    try:
        columns = ("id", "record", "mtime_ns", "file_size", "ctime_ns", "disk_path", "state", "vanished", "problem")
        document = decode_document([row[name] for name in columns]).document
        state = decode_state(row["state"])
        links = json.loads(row["links"]) if row["links"] else []
    except (ValueError, TypeError, KeyError, apsw.CorruptError):
        yield "record"
        return
    states = {"hidden": mask(state.veils), "valid_to": state.valid_to, "ends_at": state.ends_at}
    yield from (name for name, value in (document_columns(document) | states).items() if row[name] != value)
    if keys != {storable(key) for key in document_keys(document.title, document.path, document.aliases)}:
        yield "title or another name"
    if not mentioned.issuperset(storable(stem) for link in links for stem in stems(link, document.path)):
        yield "links"
