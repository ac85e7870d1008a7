"""How many SQL statements each use of a vault runs, and its CPU time, for vaults of several sizes side by side.

    python tools/count_statements.py                         at 500, 15,000 and 150,000 documents
    python tools/count_statements.py --sizes 500 --show "get path"   with the statements of one use

The vaults consist of synthetic notes under ``--work`` and are reused by later runs until the schema changes. Counted
are the statements that the engine runs, including those of transactions and ``executemany``, but not those that SQLite
runs internally. CPU time is the median of ``--runs``.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

from hearth.app import hooks, open_folder
from hearth.config import Config
from hearth.core.document import docid
from hearth.core.errors import NotFound
from hearth.core.hook import PromptSubmitted
from hearth.store.sqlite.connection import SCHEMA, close, connect
from hearth.store.sqlite.rows import DOCUMENT_COLUMNS, decode_document, document_columns, encode_document
from hearth.text.names import document_keys
from hearth.text.terms import Packed
from hearth.vault.vault import Vault

_SIZES = [500, 15_000, 150_000]
_WORDS = 12_000
_SENTENCES, _SENTENCE = 4, 11
_FOLDER = 500
# In a larger vault, the other notes are copies of the index rows of these under other names.
_GENUINE = 15_000
_seen: list[str] = []


def main() -> None:
    options = _options()
    apsw.connection_hooks.append(lambda connection: setattr(connection, "exec_trace", _note))
    columns = {}
    work = options.work / f"schema-{SCHEMA}"
    for size in options.sizes:
        with _open(work, size) as vault:
            columns[size] = {name: _measure(use, options.runs) for name, use in _uses(vault, size, work)}
            if options.show:
                print(f"-- {options.show}, {size:,} documents")
                for sql, count in Counter(columns[size][options.show][2]).most_common():
                    print(f"{count:5}  {' '.join(sql.split())[:230]}")
    print(f"{'':14}" + "".join(f"{size:>22,}" for size in columns))
    for name in next(iter(columns.values())):
        cells = (f"{count:8} st {cpu:8.2f} ms" for count, cpu, _ in (column[name] for column in columns.values()))
        print(f"{name:14}" + "".join(f"{cell:>22}" for cell in cells))


def _note(_cursor: Any, sql: str, _bindings: Any) -> bool:
    _seen.append(sql)
    return True


def _measure(use: Callable[[], object], runs: int) -> tuple[int, float, list[str]]:
    use()  # loads what is loaded once
    spent, counts, shown = [], [], []
    for _ in range(runs):
        _seen.clear()
        started = time.process_time()
        use()
        spent.append(1000 * (time.process_time() - started))
        counts.append(len(_seen))
        shown = list(_seen)
    return round(statistics.median(counts)), statistics.median(spent), shown


def _uses(vault: Vault, size: int, work: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    rng = random.Random()
    stamp = time.time_ns()
    numbers = iter(range(stamp % 1_000_003, 10**9))  # no document twice, in this run or the last

    def path(at: int) -> str:
        return _path(at % size)

    def name_at(at: int) -> str:
        return docid("notes", path(at))

    answering = hooks(vault, Config())

    def prompt() -> object:
        at = next(numbers)
        event = PromptSubmitted(host="claude-code", session=f"s{stamp}{at}", cwd=str(work), prompt=f"{_sentence(rng)}?")
        return answering.answer("context-surfacing", event, 60_000)

    def change_and_sync() -> object:
        at = next(numbers)
        file = work / f"notes-{size}" / path(7 * at)
        file.write_text(_text(random.Random(stamp + at), at), encoding="utf-8")
        return vault.index.sync()

    yield "question", lambda: vault.recall(_sentence(rng))
    yield "prompt", prompt
    yield "remember", lambda: vault.memories.remember(f"{_unlike(rng)} {next(numbers)}.")
    yield "pin", lambda: vault.state.pin(name_at(7919 * next(numbers)), reason=f"r{stamp}{next(numbers)}")
    yield "get path", lambda: vault.get(path(13 * next(numbers)))
    yield "get suffix", lambda: vault.get(Path(path(13 * next(numbers))).name)
    yield "get docid", lambda: vault.get(name_at(7919 * next(numbers)))
    yield "get prefix", lambda: vault.get(name_at(7919 * next(numbers))[:8])
    yield "get wrong", lambda: _failing(vault, f"nots/{_word(next(numbers))} {_word(3)} misstyped")
    yield "multi-get 20", lambda: vault.multi_get(",".join(path(17 * next(numbers)) for _ in range(20)))
    yield "similar", lambda: vault.similar(path(13 * next(numbers)))
    yield "update nothing", lambda: vault.index.sync()
    yield "update one", change_and_sync


def _failing(vault: Vault, reference: str) -> None:
    try:
        vault.get(reference)
    except NotFound:
        return
    raise AssertionError(f"there is a document {reference!r}")


@contextmanager
def _open(work: Path, size: int) -> Iterator[Vault]:
    folder, place = work / f"notes-{size}", work / f"vault-{size}"
    started = time.process_time()
    if not (folder / _path(size - 1)).exists():
        _write(folder, min(size, _GENUINE))
    with open_folder(folder, place) as vault:
        vault.index.sync()
        vault.index.embed()
    if not (folder / _path(size - 1)).exists():
        _multiply(next(place.rglob("index.sqlite")), folder, size)
    with open_folder(folder, place) as vault:
        vault.index.sync()
        vault.index.embed()
        print(f"{size:,} documents: {time.process_time() - started:.1f} s CPU to bring up to date", file=sys.stderr)
        yield vault


def _write(folder: Path, size: int) -> None:
    rng = random.Random(1)
    for at in range(size):
        file = folder / _path(at)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(rng, at), encoding="utf-8")
    past = time.time() - 86_400
    for at in range(size):  # a scan reads files again that were just written
        os.utime(folder / _path(at), (past, past))


_COPIED = {
    "fragments": ("id", "document"), "postings": ("fragment", "document"), "vectors": ("fragment", "document"),
    "mentions": ("document",), "entities": ("document", "fragment"), "entity_marks": ("document",),
    "near": ("owner", "other"),
}  # fmt: skip


def _multiply(index: Path, folder: Path, size: int) -> None:
    """Grows the vault to ``size`` with copies of its notes under other names, by copying their rows in the index:
    reading and embedding every copy would take ten times as long."""
    db = connect(index)
    rows = db.execute(f"SELECT {DOCUMENT_COLUMNS} FROM documents d ORDER BY d.id").fetchall()
    stored = {decode_document(row).document.path: row[0] for row in rows}
    origins: list[Any] = [stored[_path(at)] for at in range(_GENUINE)]
    step: Any = db.execute("SELECT max(max(id), (SELECT max(id) FROM fragments)) + 1 FROM documents").get
    words = [(row, _tokens(packed)) for row, packed in db.execute("SELECT fragment, packed FROM postings")]
    times = size // _GENUINE
    with db:
        for turn in range(1, times):
            shift: int = turn * step
            for table, shifted in _COPIED.items():
                names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                chosen = ", ".join(f"{name} + {shift}" if name in shifted else name for name in names)
                first = f"WHERE {shifted[0]} < {step}"
                db.execute(f"INSERT INTO {table} ({', '.join(names)}) SELECT {chosen} FROM {table} {first}")
            db.executemany(
                "INSERT INTO matches (rowid, terms) VALUES (?, ?)", [(row + shift, text) for row, text in words]
            )
            for at, origin in enumerate(origins):
                _copy_document(db, folder, at, turn, origin, shift)
        db.execute("UPDATE terms SET df = df * ?1, strong = strong * ?1", (times,))
        db.execute("UPDATE entity_names SET documents = documents * ?", (times,))
        db.execute("UPDATE counters SET value = value * ? WHERE key IN ('fragments', 'length')", (times,))
        db.execute("UPDATE counters SET value = value + 1 WHERE key = 'generation'")
    close(db)


def _copy_document(db: apsw.Connection, folder: Path, at: int, turn: int, origin: int, shift: int) -> None:
    row = db.execute(f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE id = ?", (origin,)).fetchone()
    path = _path(turn * _GENUINE + at)
    source, file = folder / _path(at), folder / path
    if at % _FOLDER == 0:
        file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(source.read_bytes())
    os.utime(file, ns=(source.stat().st_mtime_ns,) * 2)
    status = file.stat()
    document = replace(decode_document(row).document, path=path, docid=docid("notes", path))
    names = [column[1] for column in db.execute("PRAGMA table_info(documents)")]
    values: Any = db.execute("SELECT * FROM documents WHERE id = ?", (origin,)).fetchone()
    columns = dict(zip(names, values, strict=True))
    columns |= document_columns(document) | {
        "id": origin + shift, "record": encode_document(document), "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns, "disk_path": path.encode(),
    }  # fmt: skip
    marks = ", ".join("?" * len(columns))
    db.execute(f"INSERT INTO documents ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values()))
    keys = [(key, origin + shift) for key in document_keys(document.title, path, document.aliases)]
    db.executemany("INSERT INTO names VALUES (?, ?)", keys)
    spelled = (origin + shift, "\n".join(key for key, _ in keys))
    db.execute("INSERT INTO spelled (rowid, keys) VALUES (?, ?)", spelled)


def _tokens(packed: bytes) -> str:
    terms = Packed(packed)
    return " ".join([*map(str, terms.ids()), *(f"s{row}" for row in terms.strong_ids())])


def _path(at: int) -> str:
    return f"part {at // _FOLDER}/{_word(at)} {_word(at // 7 + 5)} {at}.md"


def _text(rng: random.Random, at: int) -> str:
    sentences = " ".join(f"{_sentence(rng).capitalize()}." for _ in range(_SENTENCES))
    return f"# {_word(at).capitalize()} {_word(at // 7 + 5)} {at}\n\n{sentences}\n"


def _sentence(rng: random.Random) -> str:
    return " ".join(_word(int(_WORDS * rng.random() ** 3)) for _ in range(_SENTENCE))


def _unlike(rng: random.Random) -> str:
    """A sentence of rare words that resembles no other."""
    return " ".join(_word(rng.randrange(_WORDS)) for _ in range(_SENTENCE))


def _word(at: int) -> str:
    """A pronounceable word, so that stemming and spelling have work to do."""
    at %= _WORDS
    syllables = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "den", "for", "gal", "hin", "jor")
    return syllables[at % 15] + syllables[at // 15 % 15] + syllables[at // 225 % 15] + ("s", "", "er", "t")[at // 3375]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: [int(part) for part in text.split(",")], default=_SIZES)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "hearth-statements")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--show", help="a use whose statements are listed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
