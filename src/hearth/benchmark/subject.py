"""Subjects: a case indexed into a vault of its own, ready to be asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from hearth.benchmark.measures import BenchQuestion, Case
from hearth.core.document import FileState
from hearth.core.errors import Unavailable, UsageError
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass
from hearth.ports import Collection, Files, Filter, Walk
from hearth.vault.vault import Vault

# What undated notes are dated and asked at: a fresh checkout must not change a score.
FIXED_AT = 1_700_000_000_000


class Ranker(Protocol):
    """A baseline: fragment ids, best first."""

    def search(self, text: str, limit: int) -> list[int]: ...


class Workbench(Protocol):
    """Where cases are indexed. ``fingerprint`` names what the content of an index depends on."""

    @property
    def fingerprint(self) -> str: ...
    def open(self, corpus: Path) -> Vault:
        """An empty throw-away vault over a folder."""

    def size(self) -> int:
        """Bytes on disk of all vaults opened so far; exact once they are closed."""

    def bm25(self, fragments: Iterable[tuple[int, str]], stop_words: frozenset[str]) -> Ranker: ...


@dataclass(frozen=True)
class Subject:
    """``at`` is ms UTC; ``sizes`` maps the paths that hold gold to their number of lines; ``seconds`` is what
    indexing took, vectors included."""

    case: Case
    vault: Vault
    at: int
    sizes: Mapping[str, int]
    documents: int
    fragments: int
    seconds: float

    def asked_at(self, asked: BenchQuestion) -> int:
        return self.at if asked.at is None else asked.at


@dataclass(frozen=True)
class Undated:
    """``Files`` whose times say nothing; implements ``ports.Files``."""

    inner: Files

    def walk(self, collection: Collection) -> Walk:
        walk = self.inner.walk(collection)
        return replace(walk, files={path: _drop_date(file) for path, file in walk.files.items()})

    def read(self, collection: Collection, file: FileState) -> bytes:
        return self.inner.read(collection, file)

    def state(self, collection: Collection, disk_path: bytes) -> FileState | None:
        state = self.inner.state(collection, disk_path)
        return None if state is None else _drop_date(state)


def _drop_date(file: FileState) -> FileState:
    return file._replace(mtime_ns=FIXED_AT * 1_000_000)


def prepare(case: Case, open_vault: Callable[[Path], Vault]) -> Subject:
    """Indexes a case. Raises ``UsageError`` for gold that names no document of the case, ``Unavailable`` where the
    model that was asked for can't embed: figures of another would be mistaken for its own."""
    vault = open_vault(case.corpus)
    started = time.perf_counter()
    replace(vault.index.syncer, files=Undated(vault.core.files)).run(vault.collections)
    embedded = vault.index.embed()
    if embedded.error is not None:
        vault.close()
        raise Unavailable(embedded.error)
    seconds = time.perf_counter() - started
    documents = [stored.document for stored in vault.documents(Filter(include_hidden=True))]
    known = {document.path for document in documents}
    for asked in case.questions:
        for gold in asked.gold:
            if gold.path not in known:
                vault.close()
                raise UsageError(f"question {asked.id!r} of {case.name}: {case.corpus} holds no {gold.path!r}")
    authored = [document.authored_at for document in documents if document.authored_at is not None]
    with vault.store.read() as reader:
        fragments = reader.statistics().fragments
    return Subject(
        case=case,
        vault=vault,
        at=max(authored) + DAY_MS if authored else FIXED_AT,
        sizes=_sizes(case),
        documents=len(documents),
        fragments=fragments,
        seconds=seconds,
    )


def strangers(subjects: Sequence[Subject]) -> Iterator[tuple[Subject, BenchQuestion]]:
    """Each question with gold beside the next subject by name, cyclic, which holds no answer to it; none where a
    subject is alone."""
    in_order = sorted(subjects, key=lambda subject: subject.case.name)
    for subject, following in zip(in_order, [*in_order[1:], *in_order[:1]], strict=True):
        if following is not subject:
            yield from ((following, asked) for asked in subject.case.questions if asked.gold)


def _sizes(case: Case) -> dict[str, int]:
    paths = {gold.path for asked in case.questions for gold in asked.gold}
    return {path: _lines((case.corpus / path).read_bytes()) for path in paths}


def _lines(data: bytes) -> int:
    """Lines of a file; a newline at its end begins none."""
    return data.count(b"\n") + (not data.endswith(b"\n"))
