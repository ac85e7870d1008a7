"""What a reflection takes out of documents: fragments by term, and what decides, fails or asks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby

from hearth.capture.handoff import TITLES
from hearth.core.document import INTERNAL, content_hash, is_session_note
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import CONVERSATION
from hearth.language.asking import telling_words
from hearth.language.signals import decisions, open_questions, problems
from hearth.pages.dream.fragments import HASH_CHARS, Key, StatementBlock, blocks
from hearth.pages.dream.scores import NO_TEXT
from hearth.pages.dream.themes import Mention, drop_assistant_words, is_talk, own_words, read_section
from hearth.ports import Reader, StoredDocument, StoredFragment
from hearth.text.language import background_share, idle_words, is_stop_word
from hearth.text.lines import split_sentences, without_code
from hearth.text.terms import chunks, terms

_CHARS = (15, 300)
_LEAST_TELLING = 2
_ITEM = regex(r"^(?P<indent>\s*)(?P<mark>(?:[-*+]|\d+[.)])\s+)?(?P<box>\[.?\]\s*)?(?P<text>.*)$")


def find_note_questions(text: str) -> list[str]:
    """The items that end with a question, each once, but for what is done, and what an item below goes on about. Prose
    asks its reader."""
    lines = [line.rstrip() for line in without_code(text).split("\n")]
    return list(dict.fromkeys(one for has_text, block in groupby(lines, bool) if has_text for one in _ask(list(block))))


def _ask(block: list[str]) -> Iterator[str]:
    for at, line in enumerate(block):
        item = _ITEM.match(line)
        if item is None or not (item["mark"] or item["box"]) or "x" in (item["box"] or "").lower():
            continue
        sentences = split_sentences(item["text"])
        question = " ".join(sentences[-1].replace("**", "").split()) if sentences else ""
        if _is_question(question) and not _goes_on(item["indent"], block[at + 1 :]):
            yield question


def _is_question(sentence: str) -> bool:
    low, high = _CHARS
    return (
        sentence.endswith(("?", "？"))
        and low <= len(sentence) <= high
        and len(telling_words(sentence)) >= _LEAST_TELLING
    )


def _goes_on(indent: str, below: list[str]) -> bool:
    """Whether the next line answers: it stands deeper, or is no item."""
    following = _ITEM.match(below[0]) if below else None
    if following is None:
        return False
    return len(following["indent"]) > len(indent) or not (following["mark"] or following["box"])


MAX_FRAGMENTS, MAX_OF_ONE = 5_000, 200
"""What comes later is counted and left out, so that a reflection over years ends in seconds."""
COMMON = 0.01
"""A term in so large a share of ordinary texts is nobody's theme."""
_LEAST_TAG = 3
# Notes in which people write what happens to them.
_JOURNALS = frozenset(("daily", "weekly", "meeting"))
_Finder = Callable[[StoredFragment, str], list[str]]
_TYPED = {"decision": "decisions", "problem": "problems", "antipattern": "problems"}
_LETTER = regex(r"[^\W\d_]")
# An item that is done.
_DONE = regex(r"^\s*(?:[-*+]\s+)?\[[xX]\].*$", re.MULTILINE)
_EDGE = ".-_/\\'’:"
_WHOLE = "="
# Who speaks, at the beginning of what they say.
_SPEAKER = regex(r"\A\*{0,2}[^\W\d_][\w .'’-]{0,24}\*{0,2}:\*{0,2}\s")


@dataclass(frozen=True, slots=True)
class RecalledSource:
    """``titles`` are the title and tags of a document; ``asks`` says that the title is a request."""

    titles: tuple[str, ...]
    language: str
    asks: bool


@dataclass
class Recollection:
    """``mentions`` are all fragments, ``sources`` their documents by docid; ``left_out`` counts fragments for which
    there was no room."""

    mentions: list[Mention] = field(default_factory=list)
    decisions: list[Mention] = field(default_factory=list)
    problems: list[Mention] = field(default_factory=list)
    questions: list[Mention] = field(default_factory=list)
    sources: dict[str, RecalledSource] = field(default_factory=dict)
    documents: int = 0
    left_out: int = 0

    def add(self, reader: Reader, stored: StoredDocument, written: str | None, used: Mapping[Key, set[str]]) -> None:
        """All of a document ``written`` on that local day; of another the fragments that were ``used``, by day."""
        document = stored.document
        place = document.place
        about = _Source(document.docid, place, document.language, {written} - {None}, used)
        parts = [part for part in reader.fragments_of(stored.id) if part.kind not in NO_TEXT]
        room = max(0, min(MAX_OF_ONE, MAX_FRAGMENTS - len(self.mentions)))
        found, own = _blocks(parts, about), own_words(reader, stored)
        self.left_out += max(0, len(found) - room)
        every = [self._mention(block, about) for block in found[:room]]
        if own is None or document.content_type == CONVERSATION:  # what else is noted of a session repeats that
            self.mentions += [replace(one, echo=own is not None and one.key[1] not in own) for one in every]
        self.documents += 1
        titles = (document.title, *document.tags)
        self.sources[document.docid] = RecalledSource(titles, document.language, document.content_type == CONVERSATION)
        typed = _TYPED.get(document.content_type)
        if typed is not None and found:
            # A memory says one thing; a page that a person wrote is named for it.
            text = found[0].text if document.collection == INTERNAL else document.title
            tags = self._tags(text, document.language, 1.0)
            getattr(self, typed).append(replace(self._mention(found[0], about), text=text, tags=tags))
        # A session left memories and a hand-off, which say it better; other notes than those of a day or a meeting
        # explain, quote and advise.
        is_note = is_session_note(document) and document.content_type != CONVERSATION
        if written is not None and (is_note or document.content_type in _JOURNALS):
            self._find(parts, about, is_note=is_note)

    # -- details ---------------------------------------------------------------------------------------------------

    def _mention(self, block: StatementBlock, about: _Source) -> Mention:
        tags = self._tags(block.text, about.language)
        key = (about.docid, block.hash)
        return Mention(key, block.text, about.place, block.start, about.days_of(block.hash), tags)

    def _find(self, parts: Sequence[StoredFragment], about: _Source, *, is_note: bool) -> None:
        """What they decide, tell of failures and ask; a note of ours about a session does so under headings."""

        def list_texts(name: str) -> list[tuple[StoredFragment, str]]:
            return [
                (part, read_section(part, TITLES[name]) if is_note else _DONE.sub("", drop_assistant_words(part)))
                for part in parts
            ]

        # What one asks in a conversation the other answers; what they call undecided stays.
        ask: _Finder = lambda part, text: _open_questions(text, is_note=is_note, is_talk=is_talk(part))  # noqa: E731
        rows = (
            (self.decisions, self._sentences(list_texts("decisions"), about, lambda part, text: decisions([text]))),
            (self.problems, self._sentences(list_texts("learned"), about, lambda part, text: problems([text]))),
            (self.questions, self._sentences(list_texts("questions"), about, ask)),
        )
        for fragments, found in rows:
            fragments += [replace(one, echo=is_note) for one in found]

    def _sentences(self, parts: Iterable[tuple[StoredFragment, str]], about: _Source, find: _Finder) -> list[Mention]:
        found: dict[str, Mention] = {}  # windows of a long text overlap
        for part, text in parts:
            for sentence in find(part, text):
                name = content_hash(sentence.encode("utf-8", "surrogatepass"))[:HASH_CHARS]
                days, line = about.days_of(name), _line_of(part, sentence)
                tags = self._tags(sentence, about.language, 1.0)
                found.setdefault(name, Mention((about.docid, name), sentence, about.place, line, days, tags))
        return list(found.values())

    def _tags(self, text: str, language: str, common: float = COMMON) -> tuple[str, ...]:
        """The terms that say what a text is about, but for what is more ``common``."""
        found: dict[str, None] = {}
        for chunk in chunks(_SPEAKER.sub("", text)):
            word = chunk.strip(_EDGE)
            plain = word.lower()
            if not _LETTER.search(word) or plain in idle_words() or is_stop_word(plain, (language, "en")):
                continue
            every = list(terms(word, language))
            for term in every:
                plain = term.removeprefix(_WHOLE)
                long = len(plain) >= (_LEAST_TAG if plain.isascii() else _LEAST_TAG - 1)
                if long and not plain.isdecimal() and background_share(term) <= common:
                    found[term] = None
        return tuple(found)


@dataclass(frozen=True, slots=True)
class _Source:
    docid: str
    place: str
    language: str
    written: set[str | None]
    used: Mapping[Key, set[str]]

    def days_of(self, name: str) -> frozenset[str]:
        return frozenset(day for day in (*self.written, *self.used.get((self.docid, name), ())) if day is not None)


def _blocks(parts: Iterable[StoredFragment], about: _Source) -> list[StatementBlock]:
    """Those that were written or used in the time, each once."""
    once: dict[str, StatementBlock] = {}
    for part in parts:
        for block in blocks(part.text, part.start_line):
            if block.hash not in once and about.days_of(block.hash):
                once[block.hash] = block
    return list(once.values())


def _open_questions(text: str, *, is_note: bool, is_talk: bool) -> list[str]:
    undecided = open_questions([text], [text] if is_note and not is_talk else [])
    return undecided if is_note or is_talk else [*undecided, *find_note_questions(text)]


def _line_of(part: StoredFragment, sentence: str) -> int:
    """The line on which a sentence begins."""
    start = sentence[:24].strip()
    rows = part.text.split("\n")
    return part.start_line + next((number for number, row in enumerate(rows) if start in row), 0)
