"""What a reflection takes out of documents: passages by term, and what decides, fails or asks something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from hearth.dream.blocks import HASH_CHARS, blocks
from hearth.dream.mentions import Mention
from hearth.dream.passage import Key
from hearth.engine.dream.signals import NO_TEXT
from hearth.extract.signals import decisions, open_questions, problems
from hearth.model.identity import content_hash
from hearth.model.types import CONVERSATION
from hearth.ports import Reader, StoredDocument, StoredFragment
from hearth.text.background import background_share
from hearth.text.stopwords import is_stop_word
from hearth.text.terms import chunks, terms

MAX_PASSAGES, MAX_OF_ONE = 5_000, 200
"""What comes later is counted and left out, so that a reflection over years ends in seconds."""
COMMON = 0.03
"""A term in so large a share of ordinary texts is nobody's theme."""
_LEAST_TAG = 3
_TYPED = {"decision": "decisions", "problem": "problems", "antipattern": "problems"}
_LETTER = re.compile(r"[^\W\d_]")
_EDGE = ".-_/\\'’:"
_WHOLE = "="


@dataclass
class Recollection:
    """``mentions`` are all passages; ``forms`` are the words that a term was written as; ``left_out`` counts passages
    for which there was no room."""

    mentions: list[Mention] = field(default_factory=list)
    decisions: list[Mention] = field(default_factory=list)
    problems: list[Mention] = field(default_factory=list)
    questions: list[Mention] = field(default_factory=list)
    forms: dict[str, Counter[str]] = field(default_factory=dict)
    documents: int = 0
    left_out: int = 0

    def add(self, reader: Reader, stored: StoredDocument, written: str | None, used: Mapping[Key, set[str]]) -> None:
        """All of a document ``written`` on that local day; of another the passages that were ``used``, by day."""
        document = stored.document
        place = f"{document.collection}/{document.path}"
        about = _Source(document.docid, place, document.language, {written} - {None}, used)
        parts = [part for part in reader.fragments_of(stored.id) if part.kind not in NO_TEXT]
        own = [one for one in self._passages(parts, about) if written is not None or one.key in used]
        room = max(0, min(MAX_OF_ONE, MAX_PASSAGES - len(self.mentions)))
        self.left_out += max(0, len(own) - room)
        self.mentions += own[:room]
        self.documents += 1
        typed = _TYPED.get(document.content_type)
        if typed is not None:
            whole = (replace(one, tags=self._tags(one.text, document.language, 1.0)) for one in own[:1])
            getattr(self, typed).extend(whole)
        if written is not None and typed is None and document.content_type != CONVERSATION:
            # What was said in a session is told by the memories and the hand-off that it left.
            self.decisions += self._sentences(parts, about, lambda text: decisions([text]))
            self.problems += self._sentences(parts, about, lambda text: problems([text]))
            self.questions += self._sentences(parts, about, lambda text: open_questions([text], [text]))

    # -- details ---------------------------------------------------------------------------------------------------

    def _passages(self, parts: Iterable[StoredFragment], about: _Source) -> list[Mention]:
        once: dict[str, Mention] = {}
        for part in parts:
            for block in blocks(part.text, part.start_line):
                if block.hash not in once and (days := about.days_of(block.hash)):
                    tags = self._tags(block.text, about.language)
                    once[block.hash] = Mention(
                        (about.docid, block.hash), block.text, about.place, block.start, days, tags
                    )
        return list(once.values())

    def _sentences(
        self, parts: Iterable[StoredFragment], about: _Source, find: Callable[[str], list[str]]
    ) -> list[Mention]:
        found = []
        for part in parts:
            for said in find(part.text):
                name = content_hash(said.encode("utf-8", "surrogatepass"))[:HASH_CHARS]
                days, line = about.days_of(name), _line_of(part, said)
                tags = self._tags(said, about.language, 1.0)
                found.append(Mention((about.docid, name), said, about.place, line, days, tags))
        return found

    def _tags(self, text: str, language: str, common: float = COMMON) -> tuple[str, ...]:
        """The terms that say what a text is about, but for what is more ``common``."""
        found: dict[str, None] = {}
        for chunk in chunks(text):
            word = chunk.strip(_EDGE)
            if not _LETTER.search(word) or is_stop_word(word.lower(), (language, "en")):
                continue
            every = list(terms(word, language))
            for term in every:
                plain = term.removeprefix(_WHOLE)
                long = len(plain) >= (_LEAST_TAG if plain.isascii() else _LEAST_TAG - 1)
                if long and not plain.isdecimal() and background_share(term) <= common:
                    found[term] = None
                    self.forms.setdefault(term, Counter())[word if len(every) == 1 or plain != term else plain] += 1
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


def _line_of(part: StoredFragment, said: str) -> int:
    """The line on which a sentence begins."""
    start = said[:24].strip()
    rows = part.text.split("\n")
    return part.start_line + next((number for number, row in enumerate(rows) if start in row), 0)
