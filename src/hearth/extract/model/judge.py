"""What of a model's answer is kept: what somebody said in the turn that it names, in words of that turn.

A model can be wrong, talked into something, or repeat what it was asked with. So nothing counts because it says so: the
quote must occur where it says, whose words they are is looked up, a statement must be made of words of its turns, and
must not be made of the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property

from hearth.extract.model.schema import PieceReply, ToldEntity, ToldMemory
from hearth.extract.model.vocabulary import SPEAKERS, Vocabulary
from hearth.extract.rules.importance import importance
from hearth.extract.rules.looks import is_look
from hearth.extract.rules.proposals import accepted
from hearth.lazy import dataclass, regex
from hearth.model import instants
from hearth.model.capture.admission import admitted, plain, spoken
from hearth.model.capture.extraction import (
    MAX_FACTS,
    MAX_QUOTE,
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
)
from hearth.model.host.transcript import Turn
from hearth.text.similarity import near_identical

_CONFIDENCE = {"explicit": 0.97, "implied": 0.80, "inferred": 0.55, "speculative": 0.30}
_LEAST_QUOTE = 8
"""Characters: a shorter one stands anywhere."""
_GROUNDED = 0.5
"""The share of a statement's words that its turns must hold."""
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

    def extraction(self, reply: PieceReply, path: str, version: str) -> Extraction:
        """Within the limits of a piece; ``dropped`` tells of what is not kept."""
        found = Extraction(
            memories=tuple(self._memories(reply.memories)),
            entities=tuple(self._entities(reply.entities)),
            questions=tuple(
                OpenQuestion(_line(one.text), evidence)
                for one in reply.questions
                if (evidence := self._evidence("question", one.text, one.turn, one.quote))
            ),
            profile=tuple(
                Statement(_line(one.text), evidence)
                for one in reply.profile
                if (evidence := self._evidence("profile", one.text, one.turn, one.quote))
                and evidence.source is not Source.ASSISTANT
            ),
            path=path,
            version=version,
            dropped=tuple(self.dropped),
        )
        return admitted(found, self.turns)

    def holds(self, text: str) -> bool:
        """Whether a line of a hand-off is made of words of the session, and of nothing else."""
        return bool(text.strip()) and self._fault(text, self._vocabulary.everywhere) is None

    # -- details ---------------------------------------------------------------------------------------------------

    def _memories(self, told: Iterable[ToldMemory]) -> Iterator[ExtractedMemory]:
        kept: list[str] = []
        for one in told:
            text = _line(one.text)
            evidence = self._evidence("memory", text, one.turn, one.quote)
            if evidence is None:
                continue
            if any(near_identical(text, other) for other in kept):
                self._drop("memory", text, "it is there twice")
                continue
            if evidence.source is Source.ASSISTANT and self._is_of_person(one.category, text, evidence):
                self._drop("memory", text, "the assistant alone says so of the person")
                continue
            if one.category is Category.DECISION and is_look(evidence.quote):
                self._drop("memory", text, "a tool taken up for one look")
                continue
            kept.append(text)
            yield self._memory(one, text, evidence)

    def _entities(self, told: Iterable[ToldEntity]) -> Iterator[ExtractedEntity]:
        """What the assistant knows of a thing is no news; of the rest, the facts that were said."""
        for one in told:
            evidence = self._evidence("entity", one.name, one.turn, one.quote)
            near = self._vocabulary.near(one.turn)
            facts = tuple(fact for given in one.facts if (fact := _line(given)) and self._fault(fact, near) is None)
            if evidence is not None and evidence.source is not Source.ASSISTANT and facts:
                yield ExtractedEntity(_line(one.name), one.kind, facts[:MAX_FACTS], evidence)

    def _memory(self, one: ToldMemory, text: str, evidence: Evidence) -> ExtractedMemory:
        tags = tuple(dict.fromkeys(tag for given in one.tags if (tag := _line(given).lower()[:_TAG_CHARS])))[:MAX_TAGS]
        subject = self._subject(one.subject, text)
        confidence = _CONFIDENCE[one.certainty]
        if evidence.source is Source.ASSISTANT:
            confidence = min(confidence, _CONFIDENCE["implied"])
        return ExtractedMemory(
            one.category,
            text,
            confidence,
            evidence,
            tags,
            subject,
            (_line(one.attribute)[:_TAG_CHARS] or None) if one.attribute and subject else None,
            _due(one.due) if one.category is Category.COMMITMENT else None,
            importance=importance(text, one.category, tags),
            reason="model",
        )

    def _evidence(self, kind: str, text: str, turn: int, quote: str) -> Evidence | None:
        """Where the quote stands, by whom it was said; ``None``, and noted, where the item is not kept."""
        named = next((one for one in self.turns if one.ordinal == turn), None)
        quote = quote[:MAX_QUOTE]
        source = None if named is None else _speaker(named, quote)
        reason = self._fault(text, self._vocabulary.near(turn))
        if named is None or turn <= self.since:
            reason = f"turn {turn} is not in the piece"
        elif source is None:
            reason = "its quote does not occur in its turn"
        if reason is None and source is not None:
            return Evidence(turn, quote, source)
        self._drop(kind, text, reason or "")
        return None

    def _is_of_person(self, category: Category, text: str, evidence: Evidence) -> bool:
        """Whether it says what the person wants or is like, and they did not take it up in the next turn."""
        if category not in _WILL and not SPEAKERS & set(_WORD.findall(text.casefold())):
            return False
        named, after = (next((t for t in self.turns if t.ordinal == evidence.turn + step), None) for step in (0, 1))
        answer = "\n".join(prompt.text for prompt in after.prompts) if after is not None else ""
        proposals = (accepted(answer, reply) for reply in (named.replies if named is not None else ()))
        return not any(taken and plain(evidence.quote) in plain(taken) for taken in proposals)

    def _fault(self, text: str, words: frozenset[str]) -> str | None:
        said = self._vocabulary.of(text)
        if len(said & words) < _GROUNDED * len(said):
            return "it says what its turn does not say"
        if shingles(text) & self._prompted:
            return "it repeats the prompt"
        return "it gives an order to whoever reads it" if self.suspicious(text) else None

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
    def _prompted(self) -> frozenset[tuple[str, ...]]:
        return shingles(self.prompt)


def _speaker(turn: Turn, quote: str) -> Source | None:
    """Whose words they are: the person's before the host's before the assistant's. A call is the assistant's word."""
    wanted = plain(quote)
    answers = [text for step in turn.steps if step.outcome for _, text in step.outcome.answers]
    if len(wanted) < _LEAST_QUOTE and wanted not in map(plain, (*spoken(turn, Source.PERSON), *answers)):
        return None
    decided = [*answers, *(step.outcome.plan for step in turn.steps if step.outcome)]
    for source, texts in (
        (Source.PERSON, spoken(turn, Source.PERSON)),
        (Source.HOST, decided),
        (Source.ASSISTANT, spoken(turn, Source.ASSISTANT)),
    ):
        if any(wanted in plain(text) for text in texts):
            return source
    return None


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Runs of six words, which nobody says by chance."""
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1))


def _line(text: str) -> str:
    return " ".join(text.split())


def _due(text: str | None) -> int | None:
    return instants.parse_written(text) if text else None
