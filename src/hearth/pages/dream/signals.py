"""Signals: which passages were found, opened and used, put into the events of usage. Hashes alone, never a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hearth.core.instants import show_date, zone_of
from hearth.core.lazy import dataclass, regex
from hearth.core.query import Hit, Recall
from hearth.memory.sessions import view
from hearth.pages.dream.blocks import StatementBlock, blocks
from hearth.ports import Clock, Reader, StoredDocument
from hearth.text.similarity import normalised

if TYPE_CHECKING:
    from hearth.language.references import ShownNote

MAX_RANK, MIN_SCORE = 3, 0.40
"""What is found lower down, or is less likely the answer, counts for nothing."""
MAX_BLOCKS = 3
"""Of one hit or one opened passage: who opens a whole file says nothing of its lines."""
NO_TEXT = ("code", "frontmatter", "table")
# Sessions in which nobody asks anything.
_UNATTENDED = regex(r"(?:\A|[:/_.-])(?:cron|heartbeat|subagent|headless|group)(?:\Z|[:/_.-])", re.IGNORECASE)
_WORD = regex(r"[^\W_]{3,}")
_PAGE = regex(r"(?:\A|/)(?:MEMORY|DREAMS(?:\.[^/]+)?)\.md\Z")

Passages = list[list[str]]
"""docid and hash of each."""
Quotes = Callable[[Mapping[str, str], Collection[str]], set[str]]
"""Which of named texts an answer has a phrase of; those of the second argument may repeat others."""


def is_page(path: str) -> bool:
    """Of those that a night writes, wherever in a collection: other programs keep them below ``memory/``. A year may
    have a second ``DREAMS.2026-1.md``, and a conflict of syncing leaves names of its own."""
    return _PAGE.search(path) is not None


@dataclass(frozen=True, slots=True)
class SignalRecorder:
    """Makes the part of an event that says which passages it is about; empty where that is not to be recorded
    (``enabled``), or nobody is there who asks, as the name of a session says, or ``unattended``. The local date is that
    of ``zone``."""

    enabled: bool
    clock: Clock
    zone: str
    unattended: Callable[[str], bool] = lambda session: False

    def found(self, recall: Recall, session: str | None, asked: str) -> dict[str, Any]:
        """Of the best hits, the passages in the lines shown that share most with the question."""
        if not self._counts(session):
            return {}
        hits = [hit for hit in recall.hits[:MAX_RANK] if hit.score >= MIN_SCORE and not is_page(hit.path)]
        words = _words(recall.query)
        return self._data([[hit.docid, block.hash] for hit in hits for block in _answering(hit, words)], asked)

    def opened(self, reader: Reader, docid: str, lines: tuple[int, int] | None, session: str | None) -> dict[str, Any]:
        """Of the lines that somebody had shown; of a whole document where it says one thing."""
        stored = reader.document(docid) if self._counts(session) else None
        if stored is None or is_page(stored.document.path):
            return {}
        every = list(document_blocks(reader, stored))
        hashes = {block.hash for block in every if lines is None or (block.start <= lines[1] and lines[0] <= block.end)}
        allowed = 1 if lines is None or len(hashes) == len({block.hash for block in every}) else MAX_BLOCKS
        return self._data([[docid, name] for name in sorted(hashes)] if len(hashes) <= allowed else [], "")

    def used(
        self,
        reader: Reader,
        shown: Sequence[ShownNote],
        said: Quotes,
        used: Sequence[str],
        session: str,
        asked: str,
    ) -> Mapping[str, dict[str, Any]]:
        """docid -> what to say of it. A passage counts where the answer has a phrase of it, as ``said`` tells. What was
        ``used`` otherwise (by path, docid or title) counts where it says one thing."""
        if not self._counts(session) or not used:
            return {}
        parts = {one.docid: {block.hash: block for block in blocks(one.text)} for one in shown}
        texts = {f"{docid}:{name}": block.text for docid, own in parts.items() for name, block in own.items()}
        echoes = {f"{one.docid}:{name}" for one in shown if one.echo for name in parts[one.docid]}
        phrased = said(texts, echoes)
        found: dict[str, dict[str, Any]] = {}
        for docid in used:
            hashes = [name for name in parts.get(docid, ()) if f"{docid}:{name}" in phrased]
            hashes = hashes or _only_hash(reader, docid)
            if data := self._data([[docid, name] for name in sorted(hashes)], asked):
                found[docid] = data
        return found

    def said_again(
        self, reader: Reader, docid: str, text: str, sessions: tuple[str | None, str | None]
    ) -> dict[str, Any]:
        """Of a document that says already what was said again: the passages that do, or the only one. ``sessions`` are
        those of the document and of who said it again; one and the same confirms nothing, nor does one unknown."""
        before, now = sessions
        if not before or not now or before == now or not self._counts(now):
            return {}
        stored = reader.document(docid)
        own = {} if stored is None else {block.hash: block.text for block in document_blocks(reader, stored)}
        again = [normalised(block.text) for block in blocks(text)]
        hashes = [name for name, one in own.items() if any(said in normalised(one) for said in again)]
        hashes = hashes or _only_hash(reader, docid)
        about = self._data([[docid, name] for name in sorted(hashes)] if len(hashes) <= MAX_BLOCKS else [], "")
        return {**about, "who": view.of_session(now)} if about else {}

    # -- details ---------------------------------------------------------------------------------------------------

    def _counts(self, session: str | None) -> bool:
        return self.enabled and not (session and (_UNATTENDED.search(session) or self.unattended(session)))

    def _data(self, passages: Passages, asked: str) -> dict[str, Any]:
        if not passages:
            return {}
        found: dict[str, Any] = {"blocks": passages, "on": show_date(self.clock(), zone_of(self.zone))}
        return {**found, "asked": asked} if asked else found


def document_blocks(reader: Reader, stored: StoredDocument) -> Iterator[StatementBlock]:
    """Windows of a long text may overlap, so a block may come twice."""
    for part in reader.fragments_of(stored.id):
        if part.kind not in NO_TEXT:
            yield from blocks(part.text, part.start_line)


def _only_hash(reader: Reader, docid: str) -> list[str]:
    """The passage of a document that says one thing."""
    stored = reader.document(docid)
    found = {block.hash for block in document_blocks(reader, stored)} if stored is not None else set()
    return list(found) if len(found) == 1 else []


def _answering(hit: Hit, words: set[str]) -> list[StatementBlock]:
    """The blocks of a hit that are shown, those that share most words with the question."""
    if hit.fragment in NO_TEXT:
        return []
    first, last = hit.cited(full=False)
    every = [block for block in blocks(hit.text, hit.start_line) if block.start <= last and first <= block.end]
    shares = {block.hash: len(words & _words(block.text)) for block in every}
    best = max(shares.values(), default=0)
    kept = {block.hash: block for block in every if shares[block.hash] == best}
    return list(kept.values()) if len(kept) <= MAX_BLOCKS else []


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
