"""What a language model reads in pieces of sessions: asked once a piece, beside what is there already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import TYPE_CHECKING, TypeVar

from hearth.capture.handoff import fit_handoff
from hearth.core import instants, subjects
from hearth.core.document import INTERNAL
from hearth.core.errors import BadReply, HearthError, Unavailable
from hearth.core.extraction import Category, Dropped, ExtractedMemory, Extraction, Handoff, Statement, plain
from hearth.core.lazy import dataclass
from hearth.core.memory import captured_turn
from hearth.core.session import hashed
from hearth.core.transcript import Turn
from hearth.memory import files
from hearth.memory.writer import MemoryWriter
from hearth.ports import Answers, Clock, Filter
from hearth.text.similarity import near_identical

if TYPE_CHECKING:
    from hearth.language.causes import CausalPair, SessionStatement
    from hearth.llm.reader import ModelReader

T = TypeVar("T")

REST_MS = 15 * 60_000
"""How long a model that could not be had is left alone."""
_NAMES = 40
_NAMED = (Category.ENTITY.value, Category.RELATIONSHIP.value)
_KINDS = frozenset(Category)


@dataclass(frozen=True, slots=True)
class _TurnTrace:
    """What a turn left behind already: a memory's words and the quote that it rests on."""

    turn: int
    quote: str
    text: str


class ModelReading:
    """``load`` opens the model by the settings, when first used. An answer is kept in ``answers`` until the next one,
    so that a crash asks nothing twice and writes nothing in two wordings. Not for several threads at once: who asks
    holds the lease of jobs."""

    def __init__(
        self, load: Callable[[], ModelReader], answers: Answers, writer: MemoryWriter, clock: Clock, zone: tzinfo
    ) -> None:
        self._load = load
        self._answers = answers
        self._writer = writer
        self._clock, self._zone = clock, zone
        self._rest_until, self._why = 0, ""

    @property
    def rests(self) -> float:
        """Seconds until the model is asked again; 0 where it may be asked now."""
        return max(0.0, (self._rest_until - self._clock()) / 1000)

    def read(
        self, session: str, batch: str, turns: Sequence[Turn], since: int, beside: Sequence[ExtractedMemory]
    ) -> Extraction:
        """What the model finds in the turns after ``since`` and is neither among ``beside`` nor there already;
        ``batch`` names them.

        Raises ``Unavailable`` (the model is to be asked later) or ``BadReply`` (it was asked, and in vain)."""
        reader = self._open()
        key = hashed("\0".join((session, batch, reader.label)))
        answer = self._answers.get(key)
        if answer is None:
            said_at = next((turn.at for turn in reversed(turns) if turn.at is not None), self._clock())
            today = instants.moment(said_at, self._zone).date()
            answer = self._attempt(lambda: reader.ask(turns, since, self._names(), today))
            self._answers.put(key, answer)
        left = [
            *self._find_earlier_traces(session),
            *(_TurnTrace(m.evidence.turn, m.evidence.quote, m.text) for m in beside),
        ]
        return _beside(reader.judge(answer, turns, since), left)

    def hand_off(self, turns: Sequence[Turn], rules: Handoff) -> Handoff:
        """What the next session has to know. Raises as ``read``."""
        reader = self._open()
        return self._attempt(lambda: fit_handoff(reader.hand_off(turns, rules)))

    def causes(self, statements: Sequence[SessionStatement]) -> Sequence[CausalPair]:
        """Which statements of a session led to which; nothing where the model is not to be had."""
        try:
            reader = self._open()
            return self._attempt(lambda: reader.causes(statements))
        except (BadReply, Unavailable):
            return ()

    def done(self) -> None:
        """All of the last answer is written."""
        self._answers.drop()

    # -- details ---------------------------------------------------------------------------------------------------

    def _open(self) -> ModelReader:
        if self.rests:
            raise Unavailable(f"the language model is paused for another {self.rests:.0f} s: {self._why}")
        return self._attempt(self._load)

    def _attempt(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except BadReply:
            raise
        except HearthError as error:
            self._rest_until, self._why = self._clock() + REST_MS, error.said
            raise Unavailable(error.said) from error

    def _names(self) -> list[str]:
        with self._writer.store.read() as reader:
            found = reader.find_documents(Filter((INTERNAL,), _NAMED), _NAMES)
        return [stored.document.title for stored in found]

    def _find_earlier_traces(self, session: str) -> list[_TurnTrace]:
        """Of pieces that were captured before, whatever became of it since."""
        with self._writer.store.read() as reader:
            keys = reader.keys(subjects.name_session(session), "captured")
            docids = dict.fromkeys(subjects.read_captured(key)[1] for key in keys)
            found = [stored.document for docid in docids if (stored := reader.document(docid)) is not None]
        left = []
        for document in found:
            data = self._writer.memories.read(document.path) if document.content_type in _KINDS else None
            one = None if data is None else files.read(document.path, data, self._writer.redact)
            origin = None if one is None else one.memory.origin
            turn = None if origin is None else captured_turn(origin.source)
            if one is not None and origin is not None and turn is not None:
                left.append(_TurnTrace(turn, origin.evidence, one.memory.text))
        return left


def _beside(found: Extraction, left: Sequence[_TurnTrace]) -> Extraction:
    """Without what rests on the same words, or says the same, as something of the same session."""
    kept: list[ExtractedMemory] = []
    dropped: list[Dropped] = []
    for memory in found.memories:
        if any(_is_same(memory, one) for one in left):
            dropped.append(Dropped("memory", memory.text[:80], "already stored"))
        else:
            kept.append(memory)
    profile = tuple(one for one in found.profile if not any(_is_same(one, other) for other in left))
    return replace(found, memories=tuple(kept), profile=profile, dropped=(*found.dropped, *dropped))


def _is_same(memory: ExtractedMemory | Statement, other: _TurnTrace) -> bool:
    if near_identical(memory.text, other.text):
        return True
    if memory.evidence.turn != other.turn:
        return False
    one, two = plain(memory.evidence.quote), plain(other.quote)
    return bool(one and two) and (one in two or two in one)


def pick_recorded(memories: Iterable[ExtractedMemory]) -> tuple[ExtractedMemory, ...]:
    """Those that a host recorded exactly, which no model knows better."""
    return tuple(memory for memory in memories if memory.reason.startswith("record:"))
