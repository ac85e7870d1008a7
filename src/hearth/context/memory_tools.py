"""Three questions in the words of other memory systems: memory_search, memory_get, memory_context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hearth.context.memory_context import ContextRequest, context
from hearth.context.report import (
    MEMORY,
    CompatResult,
    MemoryContext,
    MemorySearch,
    MemoryText,
    Mode,
    citation,
    cites,
    mode,
    name,
    source_of,
    without_lines,
)
from hearth.core.document import INTERNAL, docid, normal_path
from hearth.core.errors import HearthError, NotFound, Unavailable, UsageError
from hearth.core.files import inside, is_private
from hearth.core.lazy import dataclass
from hearth.core.query import Hit, Query, Recall
from hearth.memory.usage import UsageLog
from hearth.ports import Collection, Files, Reader, Redactor, Store, StoredDocument
from hearth.recall.ranking.weights import CUT
from hearth.recall.recall import Recaller
from hearth.vault.changes import ReferenceTarget, is_purged
from hearth.vault.documents import read_lines

DEFAULT_RESULTS = 6
MIN_SCORE = 0.35
"""What clients expect of a result where they name no least score: on their scale what ``CUT.least`` is on ours."""
MAX_SNIPPET_CHARS = 700


def search(query: Query, recaller: Recaller, mode: Mode, *, direct: bool) -> tuple[MemorySearch, Recall]:
    """The answer in its known shape, and as it is. Raises ``UsageError`` for an empty question or a wrong limit."""
    if not query.text.strip():
        raise UsageError("query is required")
    recall = recaller(query)
    shown = cites(mode, direct=direct)
    found = MemorySearch(
        query=query.text,
        results=tuple(_result(hit, shown) for hit in recall.hits),
        citations=mode,
        model=_model(recaller),
        fallback="; ".join(recall.missing) or None,
        reason=recall.reason,
        confident=recall.confident,
        confidence=recall.confidence,
    )
    return found, recall


def _rescale(score: float, least: float, other: float) -> float:
    """A score in [0, 1] on the scale on which ``least`` is called ``other``: linear below it and above it."""
    return other * score / least if score < least else 1 - (1 - score) * (1 - other) / (1 - least)


def _result(hit: Hit, shown: bool) -> CompatResult:
    place = name(hit.collection, hit.path)
    whole = len(hit.text) <= MAX_SNIPPET_CHARS
    first, last = hit.cited(full=whole)
    cited = citation(place, first, last)
    text = hit.text if whole else hit.snippet[:MAX_SNIPPET_CHARS]
    if hit.hidden:
        text = f"({hit.validity.label()}) {text}"
    if hit.validity.later:
        text = "\n".join((text.rstrip(), *(one.words for one in hit.validity.later)))
    if shown:
        text = f"{text.rstrip()}\n\nSource: {cited}"
    return CompatResult(
        hit.docid, place, first, last, _rescale(hit.score, CUT.least, MIN_SCORE), text, cited if shown else None,
        source=source_of(hit),
    )  # fmt: skip


def _model(recaller: Recaller) -> str | None:
    if recaller.spaces is None:
        return None
    model = recaller.spaces.model
    return "static" if model is None else model.label


DEFAULT_LINES = 120
MAX_LINES = 10_000
MAX_CHARS = 12_000
NOT_ALLOWED = "MEMORY_PATH_NOT_ALLOWED"
READ_FAILED = "MEMORY_READ_FAILED"


@dataclass(frozen=True)
class Getter:
    """Lines of a file of a collection, secrets scrubbed."""

    store: Store
    files: Files
    collections: Sequence[Collection]
    redact: Redactor

    def __call__(self, path: str, from_line: int | None = None, lines: int | None = None) -> MemoryText:
        """``path`` is relative to a collection, with or without its name in front, or absolute inside one;
        ``memory/…`` is first what the engine wrote. A citation's lines count where none are given. ``from_line``
        is 1-based; beyond the end the text is empty.

        Raises ``UsageError`` for numbers below 1. Anything else is in the status."""
        place, cited, count = without_lines(path.strip())
        first = from_line if from_line is not None else cited or 1
        lines = min(lines if lines is not None else count or DEFAULT_LINES, MAX_LINES)
        if first < 1 or lines < 1:
            raise UsageError(f"lines are counted from 1; got from {first} and lines {lines}")
        try:
            found = self._find(normal_path(place))
            if not found:
                return MemoryText("not_found", path, first=first)
            if len(found) > 1:
                names = ", ".join(sorted(name(c.name, s.document.path) for c, s in found)[:5])
                message = f"{path!r} fits {len(found)} files: {names}; give a full path"
                return replace(_refuse(path, NOT_ALLOWED, message), several=True)
            return self._read(*found[0], first, lines)
        except UsageError as error:
            return _refuse(path, NOT_ALLOWED, str(error))
        except NotFound:
            return MemoryText("not_found", path, first=first)
        except Unavailable as error:
            return _refuse(path, READ_FAILED, str(error))

    def _read(self, collection: Collection, stored: StoredDocument, first: int, lines: int) -> MemoryText:
        whole = read_lines(self.files, collection, ReferenceTarget(stored), self.redact)
        rows = whole.text.split("\n")[: whole.total_lines] if whole.total_lines else []
        text, length, cut = _cut(rows[first - 1 : first - 1 + lines])
        end = first + length
        more = end <= len(rows)
        return MemoryText(
            "ok",
            name(collection.name, stored.document.path),
            text,
            first,
            length,
            len(rows),
            truncated=cut or more,
            next=end if more and length else None,
            docid=stored.document.docid,
        )

    def _find(self, place: str) -> list[tuple[Collection, StoredDocument]]:
        """The documents that a path may mean: by full name where there are any."""
        by_name = {collection.name: collection for collection in self.collections}
        wanted = dict.fromkeys(self._candidates(place, by_name))
        with self.store.read() as reader:
            stored = [(by_name[c], s) for c, relative in wanted if (s := _find_stored(reader, c, relative)) is not None]
        full = [(c, s) for c, s in stored if place in (f"{c.name}/{s.document.path}", name(c.name, s.document.path))]
        chosen = full or stored
        for collection, one in chosen:
            inside(collection.root, one.file.disk_path.decode("utf-8", "surrogateescape"))
        return chosen

    def _candidates(self, place: str, by_name: Mapping[str, Collection]) -> Iterator[tuple[str, str]]:
        """(collection, path in it). Raises ``UsageError`` for a path that leads anywhere else."""
        if place.startswith("/"):
            yield from self._absolute(place)
            return
        place = place.removeprefix("hearth://").removeprefix("./")
        inside("/", place)  # the shape alone: what it means in which collection is open yet
        if is_private(place.split("/")):
            raise UsageError(f"path {place[:200]!r} is private and never read")
        head, _, rest = place.partition("/")
        if head in by_name and rest:
            yield head, rest
        if head == MEMORY and rest and INTERNAL in by_name:
            yield INTERNAL, rest
        yield from ((collection, place) for collection in by_name)

    def _absolute(self, place: str) -> Iterator[tuple[str, str]]:
        for collection in sorted(self.collections, key=lambda c: -len(c.root)):
            root = collection.root.rstrip("/") + "/"
            if place.startswith(root):
                inside(collection.root, place[len(root) :])
                yield collection.name, place[len(root) :]
                return
        raise UsageError(f"path {place[:200]!r} is in no collection; name a file inside one")


def _find_stored(reader: Reader, collection: str, relative: str) -> StoredDocument | None:
    """What the index knows and nobody forgot."""
    stored = reader.document(docid(collection, relative))
    if stored is None or (stored.document.collection, stored.document.path) != (collection, relative):
        found = reader.look_up("place", [f"{collection}/{relative}"])
        docids = (one.docid for one in found if one[1:] == (collection, relative))
        stored = next(map(reader.document, docids), None)
    if stored is None or stored.vanished or stored.state.forgotten or is_purged(stored.document):
        return None
    return stored


def _cut(rows: Sequence[str]) -> tuple[str, int, bool]:
    """Whole lines up to ``MAX_CHARS``, their number, and whether something was left out; a longer first line is cut."""
    size = 0
    for count, row in enumerate(rows):
        size += len(row) + 1
        if size > MAX_CHARS + 1:
            return ("\n".join(rows[:count]), count, True) if count else (row[:MAX_CHARS], 1, True)
    return "\n".join(rows), len(rows), False


def _refuse(path: str, code: str, error: str) -> MemoryText:
    return MemoryText("error", path, code=code, error=error)


@dataclass(frozen=True, slots=True)
class MemoryTools:
    """``memory_search``, ``memory_get`` and ``memory_context`` in their known shapes. ``citations`` is ``auto``, ``on``
    or ``off``, else what the settings say (``default``); ``auto`` cites where ``direct``, which is where one person
    reads. ``ask`` makes a query of the present moment; ``get`` reads lines of a file of a collection."""

    recaller: Recaller
    store: Store
    get: Getter
    default: str
    ask: Callable[..., Query]
    usage: Callable[[], UsageLog]

    def search(
        self,
        query: str,
        max_results: int = DEFAULT_RESULTS,
        min_score: float = MIN_SCORE,
        *,
        citations: str | None = None,
        direct: bool = True,
        session: str | None = None,
    ) -> MemorySearch:
        """The fragments that answer; that they were asked for is recorded. Raises ``UsageError`` for an empty question
        or a number out of range."""
        least = None if min_score == MIN_SCORE else _rescale(min_score, MIN_SCORE, CUT.least)
        asked = self.ask(query, limit=max_results, min_score=least)
        found, recall = search(asked, self.recaller, mode(citations or self.default), direct=direct)
        # A journal that can't be written keeps nobody from an answer.
        with suppress(HearthError, OSError):
            self.usage().recalled(recall, session)
        return found

    def context(
        self, message: str, *, citations: str | None = None, direct: bool = True, **given: Any
    ) -> MemoryContext:
        """What the notes say to a whole message, as a digest within ``budget_tokens``; ``given`` are that and other
        fields of ``ContextRequest``. Raises ``UsageError`` for numbers out of range."""
        shown = cites(mode(citations or self.default), direct=direct)
        return context(ContextRequest(message, self.ask(""), cites=shown, **given), self.recaller, self.store)
