"""Notes on documents: what each is about, and how that grew with later ones."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, field
from functools import cache
from typing import TYPE_CHECKING, Any

from hearth.core import instants
from hearth.core.graph import CONTEXT_CHARS, LEAST_KEYWORDS, MOST_KEYWORDS
from hearth.core.journal import Event
from hearth.core.lazy import dataclass, regex
from hearth.graph.relations import relations_of
from hearth.markdown.blocks import paragraphs
from hearth.memory.session_log import HANDED_OFF
from hearth.pages.questions import spoken_lines
from hearth.ports import Filter, NoteLog, Reader, Store, StoredDocument
from hearth.text.language import background_share, detect, idle_words, stop_words
from hearth.text.lines import cut_line, split_sentences, without_code
from hearth.text.terms import chunks, terms, whole_form
from hearth.vault import usage_statistics
from hearth.vault.changes import find, is_purged

if TYPE_CHECKING:
    from hearth.core.document import Document
    from hearth.vault.vault import Vault


_LEAST_LETTERS = 4
_COMMON = 0.05
"""A word in so large a share of ordinary texts is no keyword."""
_BACKGROUND = 1_000
# A name says more of a text than another word, and so do two words that stand together again and again.
_NAME, _PAIR = 1.3, 1.4
_EDGE = ".-_:'’\"&~/"
_UNITS = frozenset(["kb", "mb", "gb", "tb", "kib", "mib", "gib", "ms", "am", "pm"])
_BREAK = regex(r"[,;!?()\[\]\n|]+|[.:](?=\s|$)")
# A remark on a picture, or a row of a table.
_ASIDE = regex(r"\[[^\]]*\]$|\|")


@dataclass
class KeywordCounts:
    """What a text holds: index term -> its spellings; how often two follow each other; which are names."""

    forms: dict[str, Counter[str]] = field(default_factory=dict)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    named: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, text: str) -> KeywordCounts:
        counts = cls()
        plain = without_code(text)
        language = detect(plain)
        for run in _BREAK.split(plain):
            before: str | None = None
            for at, chunk in enumerate(chunks(run)):
                word = chunk.strip(_EDGE)
                term = _term(word, language)
                if term is not None:
                    counts.forms.setdefault(term, Counter())[word] += 1
                    counts.named |= {term} if _is_name(word, first=at == 0) else set()
                    if before is not None and before != term:
                        counts.pairs[before, term] += 1
                before = term
        return counts

    def spelled(self, term: str) -> str:
        forms = self.forms[term]
        return min(forms, key=lambda form: (-forms[form], form))


def keywords(counts: KeywordCounts, df: Mapping[str, float], total: float) -> list[str]:
    """Three to seven, the weightiest first; fewer where the text has fewer. ``df`` says how many of the ``total``
    fragments of the vault hold a term."""

    def idf(term: str) -> float:
        rare = df.get(term, 0) + _BACKGROUND * background_share(term)
        return math.log((total + _BACKGROUND + 1) / (rare + 0.5))

    def weigh(term: str) -> float:
        return (1 + math.log(counts.forms[term].total())) * idf(term) * (_NAME if term in counts.named else 1)

    weights: dict[tuple[str, ...], float] = {(term,): weigh(term) for term in counts.forms}
    for (one, other), count in counts.pairs.items():
        if count > 1:
            weights[one, other] = (1 + math.log(count)) * (idf(one) + idf(other)) / 2 * _PAIR
    chosen: list[tuple[str, ...]] = []
    for found in sorted(weights, key=lambda key: (-weights[key], key)):
        if len(chosen) < MOST_KEYWORDS and not any(set(found) & set(other) for other in chosen):
            chosen.append(found)
    if not chosen:
        return []
    # Beyond three only what weighs half as much as the first.
    half = weights[chosen[0]] / 2
    kept = [one for at, one in enumerate(chosen) if at < LEAST_KEYWORDS or weights[one] >= half]
    return [" ".join(map(counts.spelled, one)) for one in kept]


def context(heads: Iterable[str | None], text: str, words: Sequence[str]) -> str:
    """On one line of at most 240 characters: what kind of document it is, and its sentence with most keywords, the
    first of them counting most."""
    head = ", ".join(filter(None, heads))
    sentence = _telling(text, words)
    return cut_line(f"{head}: {sentence}" if head and sentence else head or sentence, CONTEXT_CHARS)


def find_spelling(counts: KeywordCounts, keyword: str, language: str) -> str | None:
    """A keyword as a text spells it; ``None`` where it does not hold all words of it."""
    found = [_term(word, language) for word in keyword.split()]
    return (
        None if any(term not in counts.forms for term in found) else " ".join(map(counts.spelled, filter(None, found)))
    )


def _telling(text: str, words: Sequence[str]) -> str:
    weights = {word.casefold(): len(words) - at for at, word in enumerate(words)}
    best, most = "", 0.0
    for sentence in split_sentences(without_code(text)):
        line = " ".join(sentence.strip(" -*+>#").split())
        low = line.casefold()
        weight = sum(weight for word, weight in weights.items() if word in low) / math.log(8 + len(line))
        if weight > most and not _ASIDE.match(line):
            best, most = line, weight
    return best


def _term(word: str, language: str) -> str | None:
    """The index term of a word that may be a keyword."""
    lower = word.lower()
    if (
        not any(map(str.isalpha, word))
        or any(sign in word for sign in "'’/")
        or lower in _UNITS
        or lower in idle_words()
        or any(lower in listed for listed in stop_words().values())
    ):
        return None
    found = terms(word, language)
    whole = whole_form(word)
    if whole is not None and len(word) > 1:
        return whole if whole.startswith("=") else f"={whole}"
    term = next((one for one in found if not one.startswith("=")), None)
    if term is None or background_share(term) > _COMMON:
        return None
    ascii_word = word.isascii()
    return term if not ascii_word or len(word) >= _LEAST_LETTERS or word.isupper() else None


def _is_name(word: str, *, first: bool) -> bool:
    return word[1:] != word[1:].lower() or (not first and word != word.lower()) or any(map(str.isdigit, word))


NOTE, EVOLVED, THREAD = "note", "evolved", "thread"
MAX_TRIES = 3
"""Answers in vain after which the rules' reading stands."""
MOST_VERSIONS = 20
_PAUSE_MS = 15 * 60_000
_MOST_TEXTS, _MOST_CHARS = 8, 240


@dataclass(frozen=True, slots=True)
class NoteStanding:
    """What was said last of a document: of the text of which hash, after how many answers in vain (0: it was read),
    when (ms UTC), on which machine."""

    body_hash: str
    tries: int
    at: int
    machine: str

    def is_due(self, body_hash: str, now: int) -> bool:
        """Whether the document, of this text now, is to be read (again)."""
        if self.body_hash != body_hash:
            return True
        return 0 < self.tries < MAX_TRIES and now >= self.at + _PAUSE_MS * 4 ** (self.tries - 1)


@dataclass(frozen=True, slots=True)
class ModelNote:
    """``by`` is the model and its prompt; ``context`` is empty where the rules' holds."""

    body_hash: str
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    context: str
    by: str


@dataclass(frozen=True, slots=True)
class ModelVersion:
    """What ``newcomer`` (docid) added on ``day`` (YYYY-MM-DD), and what the document was about from then on."""

    newcomer: str
    day: str
    weight: float
    added: tuple[str, ...]
    body_hash: str
    tags: tuple[str, ...]
    context: str
    by: str


class NoteBook:
    """Thread-safe. Raises ``Unavailable`` where the files can't be read."""

    def __init__(self, log: NoteLog) -> None:
        self.log = log
        self._mutex = threading.Lock()
        self._position: Mapping[str, Any] = {}
        self._standing: dict[str, tuple[tuple[int, str, str], NoteStanding]] = {}

    def standing(self) -> dict[str, NoteStanding]:
        """By docid, of all documents of which anything was said."""
        with self._mutex:
            more = True
            while more:
                batch = self.log.read_after(self._position)
                if batch.lost:
                    self._standing.clear()
                    batch = self.log.read_after({})
                for event in batch.events:
                    self._fold(event)
                self._position, more = batch.position, batch.more
            return {docid: one for docid, (_, one) in self._standing.items()}

    def _fold(self, event: Event) -> None:
        if event.kind != NOTE or event.doc is None or event.body_hash is None:
            return
        known = self._standing.get(event.doc)
        if known is None or event.stamp > known[0]:
            tries = event.data.get("tries", 0)
            found = NoteStanding(event.body_hash, tries if type(tries) is int else 0, event.at, event.machine)
            self._standing[event.doc] = event.stamp, found

    def note(self, names: Sequence[str], body_hash: str) -> ModelNote | None:
        """What was said last of a document under its names; ``None`` where that was of another text, or nothing."""
        found = [event for event in self._events(names) if event.kind == NOTE]
        latest = max(found, key=lambda event: event.stamp, default=None)
        if latest is None or latest.body_hash != body_hash or not (keywords := _texts(latest.data.get("keywords"))):
            return None
        data = latest.data
        return ModelNote(
            body_hash, keywords, _texts(data.get("tags")), _text(data.get("context")), _text(data.get("by"))
        )

    def versions(self, names: Sequence[str]) -> list[ModelVersion]:
        """One a day, the first that was said, the oldest first; at most 20."""
        days: dict[str, ModelVersion] = {}
        found = (event for event in self._events(names) if event.kind == EVOLVED)
        for event in sorted(found, key=lambda event: event.stamp):
            data = event.data
            newcomer, day, weight = _text(data.get("newcomer")), _text(data.get("day")), data.get("weight")
            if newcomer and day and isinstance(weight, int | float):
                added, tags = _texts(data.get("added")), _texts(data.get("tags"))
                body, context, by = event.body_hash or "", _text(data.get("context")), _text(data.get("by"))
                days.setdefault(day, ModelVersion(newcomer, day, float(weight), added, body, tags, context, by))
        return [days[day] for day in sorted(days)][:MOST_VERSIONS]

    def threads(self, docids: Sequence[str]) -> dict[tuple[str, str], tuple[str, str]]:
        """What threads of these conversations are called, and by which model, by docid and key; empty where no name
        held."""
        latest: dict[tuple[str, str], Event] = {}
        for event in self._events(docids):
            key = event.doc or "", _text(event.data.get("thread"))
            if event.kind == THREAD and (key not in latest or event.stamp > latest[key].stamp):
                latest[key] = event
        return {key: (_text(one.data.get("title")), _text(one.data.get("by"))) for key, one in latest.items()}

    def _events(self, names: Sequence[str]) -> Iterable[Event]:
        return (event for event in self.log.newest(own=False, naming=names) if event.doc in names)


def forget_gone(store: Store, log: NoteLog, exclusive: Callable[[], AbstractContextManager[None]]) -> None:
    """Takes what was said of documents, and by documents, that are not there any more out of this machine's files.
    Raises ``Unavailable``."""
    with exclusive(), store.read() as reader:
        moved = usage_statistics.moves(reader)

        @cache
        def is_there(name: str) -> bool:
            found = (reader.document(docid) for docid in usage_statistics.present(name, moved))
            return any(one is not None and not is_purged(one.document) for one in found)

        log.erase(lambda event: not all(map(is_there, filter(None, (event.doc, event.data.get("newcomer"))))))


def _text(value: Any) -> str:
    """One line, as our own lines have it."""
    return " ".join(value.split())[:_MOST_CHARS] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    found = map(_text, value) if isinstance(value, list) else ()
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST_TEXTS]


ALIKE = 0.6
"""How alike a newcomer is that adds to a note."""
GAINED = 2
"""Keywords that it adds at most."""
_MOST_TAGS, _LEAST_SHARING = 5, 2
_MOST_NEIGHBOURS = 64
_TEXT_CHARS = 64 * 1024
_SEMANTIC = ("semantic",)
_RULES = "rules"
_WORD = regex(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class NoteVersion:
    """What a newcomer (docid, title) added on its day (YYYY-MM-DD), by rules or by a model."""

    version: int
    date: str
    docid: str
    title: str
    weight: float
    added: tuple[str, ...]
    read_by: str = _RULES


@dataclass(frozen=True, slots=True)
class DocumentNote:
    """``keywords`` are the document's own, the weightiest first, ``tags`` its own and those that several like it have;
    ``versions`` the oldest first, each with what it added. ``path`` is who read it: the rules, or a model."""

    document: Document
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    context: str
    versions: tuple[NoteVersion, ...] = ()
    path: str = _RULES

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        document = self.document
        return {
            "docid": document.docid,
            "collection": document.collection,
            "path": document.path,
            "title": document.title,
            "keywords": list(self.keywords),
            "tags": list(self.tags),
            "context": self.context,
            "versions": [
                {**asdict(one), "added": list(one.added), "weight": round(one.weight, 3)} for one in self.versions
            ],
            "read_by": self.path,
        }


def tell_note(vault: Vault, reference: str) -> DocumentNote:
    """Of one document. Raises ``NotFound`` and ``Ambiguous`` for the reference."""
    notes = vault.knowledge.notes
    with vault.store.read() as reader:
        stored = find(reference, reader, vault.core.roots).stored
        return NoteFinder(reader, Filter(at=vault.clock()), vault.zone).tell(stored, notes.book if notes.told else None)


@dataclass
class NoteFinder:
    reader: Reader
    within: Filter
    zone: str
    _counts: dict[int, KeywordCounts] = field(default_factory=dict)

    def tell(self, stored: StoredDocument, book: NoteBook | None = None) -> DocumentNote:
        document = stored.document
        names = usage_statistics.former(self.reader, document.docid)
        note = None if book is None else book.note(names, document.body_hash)
        own = self.keywords(stored) if note is None else note.keywords
        near = self.neighbours(document.docid)
        tags = self._tags(stored, [one for one, _ in near], note)
        grown = [] if book is None else self._grown(stored, book.versions(names))
        versions = tuple(self._versions(stored, own, near, grown))
        heads = (document.content_type, self.day(stored), document.facts.get("project"))
        about = note.context if note is not None and note.context else context(heads, self.text(stored), own)
        for one, _ in grown:
            # Each says anew what the document was about, if it is still the text that was read.
            if one.body_hash == document.body_hash and any(one.newcomer == kept.docid for kept in versions):
                about = one.context or about
                tags = tuple(dict.fromkeys((*stored.tags, *one.tags, *tags)))[:_MOST_TAGS]
        return DocumentNote(document, own, tags, about, versions, _RULES if note is None else note.by)

    def keywords(self, stored: StoredDocument) -> tuple[str, ...]:
        """By the rules."""
        counts = self._terms(stored)
        df = {term: float(row.df) for term, row in self.reader.terms(counts.forms).items()}
        return tuple(keywords(counts, df, self.reader.statistics().fragments))

    def find_words(self, stored: StoredDocument, words: Sequence[str]) -> tuple[str, ...]:
        """Those that the document's text holds, as it spells them."""
        counts, language = self._terms(stored), stored.document.language
        found = dict.fromkeys(find_spelling(counts, word, language) for word in words)
        return tuple(word for word in found if word is not None)

    def neighbours(self, docid: str) -> list[tuple[StoredDocument, float]]:
        """Documents like it, with how much they are; the likest first."""
        found = relations_of(self.reader, [docid], _SEMANTIC, self.within)
        found.sort(key=lambda one: (-one.weight, one.other(docid)))
        rows = ((self.reader.document(one.other(docid)), one.weight) for one in found[:_MOST_NEIGHBOURS])
        return [(stored, weight) for stored, weight in rows if stored is not None]

    def text(self, stored: StoredDocument) -> str:
        """What people say in it, a paragraph a line."""
        rows = ("" if line.head else line.text for line in spoken_lines(self.reader, stored) if line.by_person)
        return "\n".join(text for _, text in paragraphs("\n".join(rows)[:_TEXT_CHARS]))

    def day(self, stored: StoredDocument) -> str | None:
        at = stored.document.dated_at
        return None if at is None else instants.show_date(at, instants.zone_of(self.zone))

    def came_later(self, newcomer: StoredDocument, stored: StoredDocument) -> bool:
        began, came = stored.document.dated_at, newcomer.document.dated_at
        return began is not None and came is not None and came > began

    # -- details ---------------------------------------------------------------------------------------------------

    def _grown(
        self, stored: StoredDocument, versions: Sequence[ModelVersion]
    ) -> list[tuple[ModelVersion, StoredDocument]]:
        """What a model said, of newcomers that are still there."""
        there = set(self.reader.find_rows("docid", sorted({one.newcomer for one in versions}), self.within).values())
        found = ((one, self.reader.document(one.newcomer)) for one in versions if one.newcomer in there)
        return [(one, newcomer) for one, newcomer in found if newcomer is not None]

    def _versions(
        self,
        stored: StoredDocument,
        own: tuple[str, ...],
        near: list[tuple[StoredDocument, float]],
        grown: list[tuple[ModelVersion, StoredDocument]],
    ) -> Iterator[NoteVersion]:
        """Once a day, what a model said before what the rules say by the likest newcomer of the day."""
        rules = [
            (self.day(one) or "", True, -weight, one, self.keywords, _RULES)
            for one, weight in near
            if weight >= ALIKE and self.came_later(one, stored)
        ]
        versions = [(one.day, False, -one.weight, by, lambda _, one=one: one.added, one.by) for one, by in grown]
        known = {word.casefold() for word in own}
        days: set[str] = set()
        for day, by_rules, weight, one, words, by in sorted(
            [*versions, *rules], key=lambda row: (*row[:3], row[3].document.docid)
        ):
            if day in days or len(days) == MOST_VERSIONS:
                continue
            held_too = self.find_words(stored, words(one))
            added = tuple(word for word in held_too if word.casefold() not in known)[:GAINED]
            if added or not by_rules:
                days.add(day)
                known |= {word.casefold() for word in added}
                yield NoteVersion(len(days), day, one.document.docid, one.document.title, -weight, added, by)

    def _tags(self, stored: StoredDocument, near: list[StoredDocument], note: ModelNote | None) -> tuple[str, ...]:
        """Its own, then what a model said as far as it is the text's or still in use, then those of several."""
        shared = Counter(tag for one in near for tag in dict.fromkeys(one.tags))
        others = sorted(
            (tag for tag, count in shared.items() if count >= _LEAST_SHARING), key=lambda t: (-shared[t], t)
        )
        there = {word.casefold() for word in _WORD.findall(f"{stored.document.title}\n{self.text(stored)}")}
        tags = [tag for tag in (() if note is None else note.tags) if tag in shared or set(_WORD.findall(tag)) <= there]
        return tuple(dict.fromkeys((*stored.tags, *tags, *others)))[:_MOST_TAGS]

    def _terms(self, stored: StoredDocument) -> KeywordCounts:
        if stored.id not in self._counts:
            title = stored.document.title.removeprefix(HANDED_OFF)
            self._counts[stored.id] = KeywordCounts.of(f"{title}.\n{self.text(stored)}")
        return self._counts[stored.id]
