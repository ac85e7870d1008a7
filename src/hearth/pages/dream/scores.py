"""How much a fragment was used, and what that weighs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from hearth.core.instants import show_date, zone_of
from hearth.core.lazy import dataclass, regex
from hearth.core.query import Hit, Recall
from hearth.memory import session_log
from hearth.pages.dream.fragments import DAYS, DreamFragment, Key, StatementBlock, blocks, days_between
from hearth.ports import Clock, Reader, StoredDocument
from hearth.text.similarity import near_identical, normalised

if TYPE_CHECKING:
    from hearth.language.references import ShownNote

MAX_RANK, MIN_SCORE = 3, 0.40
"""What is found lower down, or is less likely the answer, counts for nothing."""
MAX_BLOCKS = 3
"""Of one hit or one opened fragment: who opens a whole file says nothing of its lines."""
NO_TEXT = ("code", "frontmatter", "table")
# Sessions in which nobody asks anything.
_UNATTENDED = regex(r"(?:\A|[:/_.-])(?:cron|heartbeat|subagent|headless|group)(?:\Z|[:/_.-])", re.IGNORECASE)
_WORD = regex(r"[^\W_]{3,}")
_PAGE = regex(r"(?:\A|/)(?:MEMORY|DREAMS(?:\.[^/]+)?)\.md\Z")

Fragments = list[list[str]]
"""docid and hash of each."""
Quotes = Callable[[Mapping[str, str], Collection[str]], set[str]]
"""Which of named texts an answer has a phrase of; those of the second argument may repeat others."""


def is_page(path: str) -> bool:
    """Of those that a night writes, wherever in a collection: other programs keep them below ``memory/``. A year may
    have a second ``DREAMS.2026-1.md``, and a conflict of syncing leaves names of its own."""
    return _PAGE.search(path) is not None


@dataclass(frozen=True, slots=True)
class SignalRecorder:
    """Makes the part of an event that says which fragments it is about; empty where that is not to be recorded
    (``enabled``), or nobody is there who asks, as the name of a session says, or ``unattended``. The local date is that
    of ``zone``."""

    enabled: bool
    clock: Clock
    zone: str
    unattended: Callable[[str], bool] = lambda session: False

    def choose_fragments(self, recall: Recall, session: str | None, asked: str) -> dict[str, Any]:
        """Of the best hits, the fragments in the lines shown that share most with the question."""
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
        quotes: Quotes,
        used: Sequence[str],
        session: str,
        asked: str,
    ) -> Mapping[str, dict[str, Any]]:
        """docid -> what to say of it. A fragment counts if the answer has a phrase of it, by ``quotes``. What was
        ``used`` otherwise (by path, docid or title) counts where it says one thing."""
        if not self._counts(session) or not used:
            return {}
        parts = {one.docid: {block.hash: block for block in blocks(one.text)} for one in shown}
        texts = {f"{docid}:{name}": block.text for docid, own in parts.items() for name, block in own.items()}
        echoes = {f"{one.docid}:{name}" for one in shown if one.echo for name in parts[one.docid]}
        phrased = quotes(texts, echoes)
        found: dict[str, dict[str, Any]] = {}
        for docid in used:
            hashes = [name for name in parts.get(docid, ()) if f"{docid}:{name}" in phrased]
            hashes = hashes or _only_hash(reader, docid)
            if data := self._data([[docid, name] for name in sorted(hashes)], asked):
                found[docid] = data
        return found

    def find_repetitions(
        self, reader: Reader, docid: str, text: str, sessions: tuple[str | None, str | None]
    ) -> dict[str, Any]:
        """Of a document that says already what was said again: the fragments that do, or the only one. ``sessions`` are
        those of the document and of who said it again; one and the same confirms nothing, nor does one unknown."""
        before, now = sessions
        if not before or not now or before == now or not self._counts(now):
            return {}
        stored = reader.document(docid)
        own = {} if stored is None else {block.hash: block.text for block in document_blocks(reader, stored)}
        again = [normalised(block.text) for block in blocks(text)]
        hashes = [name for name, one in own.items() if any(sentence in normalised(one) for sentence in again)]
        hashes = hashes or _only_hash(reader, docid)
        about = self._data([[docid, name] for name in sorted(hashes)] if len(hashes) <= MAX_BLOCKS else [], "")
        return {**about, "who": session_log.of_session(now)} if about else {}

    # -- details ---------------------------------------------------------------------------------------------------

    def _counts(self, session: str | None) -> bool:
        return self.enabled and not (session and (_UNATTENDED.search(session) or self.unattended(session)))

    def _data(self, fragments: Fragments, asked: str) -> dict[str, Any]:
        if not fragments:
            return {}
        found: dict[str, Any] = {"blocks": fragments, "on": show_date(self.clock(), zone_of(self.zone))}
        return {**found, "asked": asked} if asked else found


def document_blocks(reader: Reader, stored: StoredDocument) -> Iterator[StatementBlock]:
    """Windows of a long text may overlap, so a block may come twice."""
    for part in reader.fragments_of(stored.id):
        if part.kind not in NO_TEXT:
            yield from blocks(part.text, part.start_line)


def _only_hash(reader: Reader, docid: str) -> list[str]:
    """The fragment of a document that says one thing."""
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


_NEAR = 0.7
_TOKEN = regex(r"[^\W_]+")


class KnownStatements:
    """Statements among which near-identical ones are found without comparing each with all."""

    def __init__(self, statements: Iterable[str]) -> None:
        self._exact: dict[str, str] = {}
        self._by_word: dict[str, list[tuple[frozenset[str], str]]] = {}
        for statement in statements:
            self.add(statement)

    def add(self, statement: str) -> None:
        plain = normalised(statement)
        if plain not in self._exact:
            self._exact[plain] = statement
            words = _score_words(plain)
            for word in _telling(words):
                self._by_word.setdefault(word, []).append((words, statement))

    def find(self, text: str) -> str | None:
        """The first of them that says the same."""
        plain = normalised(text)
        if plain in self._exact:
            return self._exact[plain]
        words = _score_words(plain)
        near = (
            statement
            for word in _telling(words)
            for known, statement in self._by_word.get(word, ())
            if len(words & known) >= _NEAR * max(len(words), len(known))
        )
        return next((statement for statement in dict.fromkeys(near) if near_identical(text, statement)), None)

    def holds(self, text: str) -> bool:
        return self.find(text) is not None


def _score_words(plain: str) -> frozenset[str]:
    """Without punctuation; of a text that is nothing else, itself."""
    return frozenset(_TOKEN.findall(plain)) or frozenset((plain,))


def _telling(words: frozenset[str]) -> list[str]:
    """The longest words: so many that two texts that share ``_NEAR`` of their words share one of these."""
    return sorted(words, key=lambda word: (-len(word), word))[: len(words) - math.ceil(_NEAR * len(words)) + 1]


FREQUENCY, RELEVANCE, DIVERSITY, RECENCY, CONSOLIDATION, RICHNESS = 0.24, 0.30, 0.15, 0.15, 0.10, 0.06
LIGHT, REM = 0.06, 0.09
HALF_LIFE_DAYS = 14
_MANY_SIGNALS, _MANY_QUESTIONS, _MANY_TAGS, _MANY_HITS = 11, 5, 6, 7
_CONFIRMED_DAYS = 2


@dataclass(frozen=True, slots=True)
class Gates:
    """What a fragment must have before it is promoted; chosen by ``bench/dreaming``."""

    min_score: float = 0.6
    min_signals: int = 3
    min_questions: int = 2
    min_confirmations: int = 2


@dataclass(frozen=True, slots=True)
class PhaseHits:
    """On which days the light and the REM phase met a fragment."""

    light: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    rem: Mapping[Key, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DreamScore:
    """``parts`` are weighted and add up to ``total``; ``lacks`` says which gates are shut, empty for none."""

    fragment: DreamFragment
    total: float
    parts: Mapping[str, float]
    lacks: tuple[str, ...] = ()


def score(fragment: DreamFragment, hits: PhaseHits, today: str, gates: Gates) -> DreamScore:
    count = len(fragment.signals)
    last = max(fragment.days, default="1970-01-01")
    since = days_between(last, today)
    mean = sum(signal.value for signal in fragment.signals) / count if count else 0.0
    parts = {
        "frequency": FREQUENCY * _share(math.log1p(count) / math.log(_MANY_SIGNALS)),
        "relevance": RELEVANCE * _share(mean),
        "diversity": DIVERSITY * _share(len(fragment.questions) / _MANY_QUESTIONS),
        "recency": RECENCY * _decay(since) if count else 0.0,
        "consolidation": CONSOLIDATION * _share(fragment.spacing),
        "richness": RICHNESS * _share(len(fragment.tags) / _MANY_TAGS),
        "phases": _phases(hits.light.get(fragment.key, frozenset()), hits.rem.get(fragment.key, frozenset()), today),
    }
    total = sum(parts.values())
    return DreamScore(fragment, total, parts, tuple(_lacks(fragment, total, since, gates)))


def _phases(light: frozenset[str], rem: frozenset[str], today: str) -> float:
    if not light and not rem:
        return 0.0
    met = (LIGHT * math.log1p(len(light)) + REM * math.log1p(len(rem))) / math.log(_MANY_HITS)
    return met * _decay(days_between(max(light | rem), today))


def _lacks(fragment: DreamFragment, total: float, since: int, gates: Gates) -> list[str]:
    confirmed = fragment.confirmations
    on, days = {signal.day for signal in confirmed}, _CONFIRMED_DAYS
    sure = _is_made_up_for(fragment, gates)
    few = len(confirmed) < gates.min_confirmations  # which says enough
    wanted = (
        (total >= gates.min_score, f"score {total:.2f} of {gates.min_score:.2f}"),
        (len(fragment.signals) >= gates.min_signals, f"{len(fragment.signals)} of {gates.min_signals} signals"),
        (
            len(fragment.questions) >= gates.min_questions,
            f"{len(fragment.questions)} of {gates.min_questions} questions",
        ),
        (sure or not few, f"{len(confirmed)} of {gates.min_confirmations} confirmations"),
        (
            sure or few or len(on) >= min(_CONFIRMED_DAYS, gates.min_confirmations),
            f"confirmed on {len(on)} of {days} days",
        ),
        (since <= DAYS, f"no signal for {since} days"),
        (not fragment.echo, "an assistant said it in a session"),
    )
    return [why for holds, why in wanted if not holds]


def _is_made_up_for(fragment: DreamFragment, gates: Gates) -> bool:
    """Whether signals beyond those asked for, one each, stand for confirmations that are missing, but for the first."""
    confirmed = len(fragment.confirmations)
    missing = max(1, gates.min_confirmations - confirmed)
    more = len(fragment.signals) - gates.min_signals
    return confirmed > 0 and more >= missing and len(fragment.days) >= _CONFIRMED_DAYS


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _decay(days: int) -> float:
    return math.pow(0.5, days / HALF_LIFE_DAYS)
