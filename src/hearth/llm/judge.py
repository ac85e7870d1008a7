"""What of a model's answer is kept: what somebody said in the turn that it names, in words of that turn.

A model can be wrong, talked into something, or repeat what it was asked with. So nothing counts because it says so: the
quote must occur where it says, whose words they are is looked up, a statement must say no more than the sentences that
hold its quote (``language.evidence``), and must not be made of the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import date
from functools import cached_property

from hearth.capture.rules import find_accepted_proposal, importance
from hearth.core import instants
from hearth.core.extraction import (
    MAX_FACTS,
    MAX_QUOTE,
    MAX_STATEMENT,
    MAX_TAGS,
    Category,
    Dropped,
    Evidence,
    ExtractedEntity,
    ExtractedMemory,
    Extraction,
    OpenQuestion,
    Source,
    Statement,
    admitted,
    plain,
)
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Turn
from hearth.language.evidence import Sources, find_context, find_fault, fits_date, is_hedged
from hearth.language.signals import is_look
from hearth.llm.dialogue import SPEAKERS, Vocabulary
from hearth.llm.prompts import BatchReply, EntityReply, MemoryReply
from hearth.text.similarity import near_identical
from hearth.transcripts.typed import find_words

_CONFIDENCE = {"explicit": 0.97, "implied": 0.80, "inferred": 0.55, "speculative": 0.30}
_LEAST_QUOTE = 8
"""Characters: a shorter one stands anywhere."""
_SHARE = 0.5
"""The share of its words that a line of a hand-off takes from the session."""
_SHINGLE = 6
"""Words in a row that are nobody's by chance."""
_WORD = regex(r"\w+")
_SUBJECT_WORDS, _TAG_CHARS = 4, 40
_SHOWN = 80
# What only the person themselves can say.
_WILL = frozenset(
    {
        Category.CORRECTION,
        Category.PRINCIPLE,
        Category.PREFERENCE,
        Category.COMMITMENT,
        Category.DECISION,
        Category.RELATIONSHIP,
        Category.ANTIPATTERN,
    }
)


@dataclass(frozen=True)
class Judge:
    """``turns`` are those that the model was shown, after ``since`` those to be read; ``prompt`` is its prompt without
    them; ``suspicious`` tells orders to whoever reads them."""

    turns: Sequence[Turn]
    since: int
    prompt: str
    suspicious: Callable[[str], bool]
    dropped: list[Dropped] = field(default_factory=list)

    def extraction(self, reply: BatchReply, path: str, version: str) -> Extraction:
        """Within the limits of a piece; ``dropped`` tells of what is not kept."""
        found = Extraction(
            memories=tuple(self._memories(reply.memories)),
            entities=tuple(self._entities(reply.entities)),
            questions=tuple(
                OpenQuestion(_line(one.text), support.evidence)
                for one in reply.questions
                if (support := self._support("question", one.text, one.turn, one.quote))
            ),
            profile=tuple(
                Statement(_line(one.text), support.evidence)
                for one in reply.profile
                if (support := self._support("profile", one.text, one.turn, one.quote))
                and support.evidence.source is not Source.ASSISTANT
            ),
            path=path,
            version=version,
            dropped=tuple(self.dropped),
        )
        return admitted(found, self.turns, find_words)

    def holds(self, text: str) -> bool:
        """Whether a line of a hand-off is made of words of the session, and of nothing else."""
        return bool(text.strip()) and (self._session.find_fault(text, _SHARE) or self._fault(text)) is None

    # -- details ---------------------------------------------------------------------------------------------------

    def _memories(self, memories: Iterable[MemoryReply]) -> Iterator[ExtractedMemory]:
        kept: list[str] = []
        for one in memories:
            text = _line(one.text)
            support = self._support("memory", text, one.turn, one.quote)
            if support is None:
                continue
            evidence = support.evidence
            if any(near_identical(text, other) for other in kept):
                self._drop("memory", text, "it is a duplicate")
                continue
            if evidence.source is Source.ASSISTANT and self._is_of_person(one.category, text, evidence):
                self._drop("memory", text, "only the assistant says so about the user")
                continue
            if one.category is Category.DECISION and is_look(evidence.quote):
                self._drop("memory", text, "a tool used once")
                continue
            kept.append(text)
            yield self._memory(one, text, support)

    def _entities(self, entities: Iterable[EntityReply]) -> Iterator[ExtractedEntity]:
        """What the assistant knows of a thing is no news; of the rest, the facts that were said."""
        for one in entities:
            support = self._support("entity", one.name, one.turn, one.quote, is_name=True)
            if support is None or support.evidence.source is Source.ASSISTANT:
                continue
            facts = (_line(given) for given in one.facts)
            kept = tuple(fact for fact in facts if fact and (support.find_fault(fact) or self._fault(fact)) is None)
            if kept:
                yield ExtractedEntity(_line(one.name), one.kind, kept[:MAX_FACTS], support.evidence)

    def _memory(self, one: MemoryReply, text: str, support: _Support) -> ExtractedMemory:
        evidence = support.evidence
        tags = tuple(dict.fromkeys(tag for given in one.tags if (tag := _line(given).lower()[:_TAG_CHARS])))[:MAX_TAGS]
        subject = self._subject(one.subject, text)
        confidence = _CONFIDENCE[one.certainty]
        if evidence.source is Source.ASSISTANT or support.is_accepted or is_hedged(text):
            confidence = min(confidence, _CONFIDENCE["implied"])
        return ExtractedMemory(
            one.category,
            text,
            confidence,
            evidence,
            tags,
            subject,
            (_line(one.attribute)[:_TAG_CHARS] or None) if one.attribute and subject else None,
            support.due(one.due) if one.category is Category.COMMITMENT else None,
            importance=importance(text, one.category, tags),
            reason="model",
        )

    def _support(self, kind: str, text: str, turn: int, quote: str, *, is_name: bool = False) -> _Support | None:
        """Where the quote stands, by whom it was said; ``None``, and noted, where the item is not kept."""
        named = next((one for one in self.turns if one.ordinal == turn), None)
        quote = quote[:MAX_QUOTE]
        found = [] if named is None else list(self._find(named, quote))
        reason = self._fault(text)
        if named is None or turn <= self.since:
            reason = f"turn {turn} is not in this batch"
        elif not found:
            reason = "its quote does not occur in its turn"
        if reason is None:
            if not 0 < len(text.strip()) <= MAX_STATEMENT:
                return found[0]  # admission says why it is not kept
            faults = [one.find_fault(text, is_name=is_name) for one in found]
            if None in faults:
                return found[faults.index(None)]
            reason = faults[0]
        self._drop(kind, text, reason or "")
        return None

    def _find(self, turn: Turn, quote: str) -> Iterator[_Support]:
        """The sentences that hold the quote, by whose words they are; with the proposal that they accept, too."""
        source = _speaker(turn, quote)
        if source is None:
            return
        said_on = next((instants.moment(one.at).date() for one in turn.prompts if one.at is not None), None)
        texts = _decided(turn) if source is Source.HOST else find_words(turn, source)
        places = [place for text in texts if (place := find_context(text, quote))]
        is_taken = source is Source.ASSISTANT and self._is_taken(turn.ordinal, quote)
        evidence = Evidence(turn.ordinal, quote, source)
        nearby = _quote_nearby(self.turns, turn) if source is Source.PERSON else ""
        yield from (_Support(evidence, place, said_on, is_taken, nearby) for place in places)
        if source is Source.PERSON:
            before = next((one for one in self.turns if one.ordinal == turn.ordinal - 1), None)
            for reply in before.replies if before is not None else ():
                proposals = (
                    find_accepted_proposal(prompt.text, reply)
                    for prompt in turn.prompts
                    if find_context(prompt.text, quote)
                )
                yield from (_Support(evidence, taken, said_on, True) for taken in proposals if taken)

    def _is_of_person(self, category: Category, text: str, evidence: Evidence) -> bool:
        """Whether it says what the person wants or is like, and they did not take it up in the next turn."""
        if category not in _WILL and not SPEAKERS & set(_WORD.findall(text.casefold())):
            return False
        return not self._is_taken(evidence.turn, evidence.quote)

    def _is_taken(self, turn: int, quote: str) -> bool:
        """Whether the person took up in the next turn what the assistant said in this one."""
        named, after = (next((t for t in self.turns if t.ordinal == turn + step), None) for step in (0, 1))
        answer = "\n".join(prompt.text for prompt in after.prompts) if after is not None else ""
        proposals = (find_accepted_proposal(answer, reply) for reply in (named.replies if named is not None else ()))
        return any(taken and plain(quote) in plain(taken) for taken in proposals)

    def _fault(self, text: str) -> str | None:
        if shingles(text) & self._prompted:
            return "it repeats the prompt"
        return "it gives orders to its reader" if self.suspicious(text) else None

    def _subject(self, subject: str | None, text: str) -> str | None:
        """Only one that the text names: a subject decides what a memory is merged with."""
        named = _line(subject or "")
        words = self._vocabulary.of(named)
        fits = words and words <= self._vocabulary.of(text) and len(named.split()) <= _SUBJECT_WORDS
        return named if fits else None

    def _drop(self, kind: str, text: str, reason: str) -> None:
        self.dropped.append(Dropped(kind, _line(text)[:_SHOWN], reason))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self.turns)

    @cached_property
    def _session(self) -> Sources:
        return Sources([text for turn in self.turns for source in Source for text in find_words(turn, source)])

    @cached_property
    def _prompted(self) -> frozenset[tuple[str, ...]]:
        return shingles(self.prompt)


@dataclass(frozen=True, slots=True)
class _Support:
    """A quote and the sentences that hold it; ``is_accepted`` of a proposal that the person took up."""

    evidence: Evidence
    text: str
    said_on: date | None
    is_accepted: bool
    nearby: str = ""

    def find_fault(self, statement: str, *, is_name: bool = False) -> str | None:
        if is_name:
            return Sources([self.text]).find_fault(statement, 1.0)
        return find_fault(statement, self.text, self.said_on, is_accepted=self.is_accepted, nearby=self.nearby)

    def due(self, written: str | None) -> int | None:
        """A date that the sentences name; a model may make up a date as well as a name."""
        at = instants.parse_written(written) if written else None
        if at is None:
            return None
        day = instants.moment(at).date().isoformat()
        return at if day in self.text or fits_date(day, self.text, self.said_on) else None


def _speaker(turn: Turn, quote: str) -> Source | None:
    """Whose words they are: the person's before the host's before the assistant's. A call is the assistant's word."""
    wanted = plain(quote)
    answers = [text for step in turn.steps if step.outcome for _, text in step.outcome.answers]
    if len(wanted) < _LEAST_QUOTE and wanted not in map(plain, (*find_words(turn, Source.PERSON), *answers)):
        return None
    for source, texts in (
        (Source.PERSON, find_words(turn, Source.PERSON)),
        (Source.HOST, _decided(turn)),
        (Source.ASSISTANT, find_words(turn, Source.ASSISTANT)),
    ):
        if any(wanted in plain(text) for text in texts):
            return source
    return None


def _quote_nearby(turns: Sequence[Turn], turn: Turn) -> str:
    """What the person said in this turn and in the one before."""
    near = [one for one in turns if turn.ordinal - 1 <= one.ordinal <= turn.ordinal]
    return "\n".join(text for one in near for text in find_words(one, Source.PERSON))


def _decided(turn: Turn) -> list[str]:
    """What a host recorded of the person: each question with its answer, and plans that they approved."""
    found = []
    for step in turn.steps:
        if step.outcome is None:
            continue
        names = {one.key: one.question for one in (step.action.choices if step.action else ()) if one.key}
        # On one line, so that an answer is read with what was asked.
        found += [f"{names.get(key, key).rstrip('?？ ')}: {answer}" for key, answer in step.outcome.answers]
        found.append(step.outcome.plan)
    return found


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Runs of six words, which nobody says by chance."""
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1))


def _line(text: str) -> str:
    return " ".join(text.split())
