"""Distills a batch: what is worth keeping becomes memories and the session's hand-off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from hearth.capture.batches import Folders
from hearth.capture.changes_of_mind import REASON, ChangesOfMind
from hearth.capture.conversations import CaptureBatch
from hearth.capture.handoff import state_of, text_of
from hearth.capture.model_reading import ModelReading, pick_recorded
from hearth.capture.requests import title_of
from hearth.core.document import CAPTURE
from hearth.core.errors import BadReply, Conflict, HearthError, NotFound, Unavailable, UsageError
from hearth.core.extraction import (
    REMEMBERED,
    Category,
    Evidence,
    ExtractedMemory,
    Extraction,
    Handoff,
    Observation,
    Source,
    Statement,
    Tier,
    plain,
)  # fmt: skip
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, Merge, NewMemory, Origin
from hearth.core.session import Session
from hearth.core.transcript import Position, TranscriptEntry, Turn, Watermark
from hearth.graph.causes import Ask, draft_causes
from hearth.memory.file_names import id_of
from hearth.memory.memories import Memories
from hearth.memory.policy import mark_of
from hearth.memory.session_log import HANDED_OFF
from hearth.memory.session_record import Answer
from hearth.pages.questions import find_answered, is_asked
from hearth.ports import Transcripts
from hearth.transcripts.turns import turns
from hearth.transcripts.typed import entries_heard, without_forgotten
from hearth.truth.commitments import draft_fulfilment, find_kept
from hearth.vault.validity import QUESTION

_MOST_FILES = 10
_PROFILE = 0.80


_SURE = ("record:", "mark:")
"""What a host recorded, and what the person marked as lasting."""


def is_pending(reason: str, approve: str) -> bool:
    """Whether a memory that was found for a ``reason`` waits for approval, by the setting ``capture.approve``."""
    if approve == "off":
        return False
    return not reason.startswith(_SURE if approve == "inferred" else REMEMBERED)


def wishes(found: Extraction, approve: str = "off") -> Iterator[tuple[Evidence, NewMemory]]:
    """In the order in which they weigh, each with what it rests on. Questions wait for nobody: they state nothing."""
    inferred = is_pending("", approve)
    # Rules take observations from commits and test runs alone.
    observed = is_pending("record:work" if found.path == "rules" else "", approve)
    for memory in found.memories:
        origin = Origin(
            "", tier=memory.tier.value, importance=round(memory.importance.score, 2), by_user=_is_by_user(memory)
        )
        yield (
            memory.evidence,
            NewMemory(
                memory.text,
                memory.category.value,
                tags=memory.tags,
                subject=memory.subject,
                confidence=memory.confidence,
                origin=origin,
                due_at=memory.due_at,
                owner=memory.owner,
                pending=is_pending(memory.reason, approve),
            ),
        )
    for observation in found.observations:
        tags = (observation.kind, *observation.concepts)
        yield (
            observation.evidence,
            NewMemory(
                _tell(observation),
                "observation",
                observation.title,
                tags,
                confidence=observation.confidence,
                pending=observed,
            ),
        )
    for entity in found.entities:
        for fact in entity.facts:
            yield entity.evidence, NewMemory(fact, "entity", subject=entity.name, tags=(entity.kind,), pending=inferred)
    for lasting in _lasting(found):
        # No one said how sure it is, and a profile takes what was at least implied.
        origin = Origin("", tier=Tier.IMPLIED.value)
        yield (
            lasting.evidence,
            NewMemory(lasting.text, Category.FACT.value, confidence=_PROFILE, origin=origin, pending=inferred),
        )
    for one in found.questions:
        yield one.evidence, NewMemory(one.question, QUESTION)


def _is_by_user(memory: ExtractedMemory) -> bool:
    """Whether the person said or chose it; what a plan says that they approve, the agent does."""
    said = memory.evidence.source is Source.PERSON and memory.reason != "record:plan"
    return said or memory.reason == "record:answer"


def _lasting(found: Extraction) -> Iterator[Statement]:
    """The statements about the person that rest on other words than the memories: of the same words one is enough."""
    taken = [(memory.evidence.turn, plain(memory.evidence.quote)) for memory in found.memories]
    for one in found.profile:
        turn, quote = one.evidence.turn, plain(one.evidence.quote)
        if not any(turn == at and (quote in statement or statement in quote) for at, statement in taken):
            taken.append((turn, quote))
            yield one


def _tell(observation: Observation) -> str:
    facts = "\n".join(f"- {fact}" for fact in observation.facts)
    triples = "\n".join(f"- {one.subject} {one.predicate} {one.object}" for one in observation.triples)
    files = (("Changed", observation.files_modified), ("Read", observation.files_read))
    named = "\n".join(f"{what}: {_names(paths)}" for what, paths in files if paths)
    return "\n\n".join(filter(None, (facts, observation.narrative, triples, named)))


def _names(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:_MOST_FILES])
    return shown if len(paths) <= _MOST_FILES else f"{shown} and {len(paths) - _MOST_FILES} more"


# What was said before a piece says what it refers to.
_BEFORE_BYTES = 256 * 1024
_SESSION_BYTES = 4 * 1024 * 1024
# A question and its answer leave nothing to go on with.
_LEAST_TURNS = 3

Extract = Callable[[Sequence[Turn], int], Extraction]
"""Of turns, those after an ordinal; the ones up to it are context."""


@dataclass(frozen=True, slots=True)
class DistillReport:
    """``documents`` are docids, ``left_out`` says why each statement that could not be kept was not, ``turns`` counts
    the person's. ``marks`` are those of facts that were added to a subject's document. ``unread`` says why the rules
    read in the language model's place, ``tries`` counts the answers that it gave in vain. ``taken_back`` counts turns
    whose memories were forgotten since the person took them back. ``answers`` say what became of what the person asked
    to be forgotten."""

    documents: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    turns: int = 0
    marks: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    tries: int = 0
    taken_back: int = 0
    answers: tuple[Answer, ...] = ()


NoteDay = Callable[[str, str | None, int | None, str], object]


@dataclass(frozen=True, slots=True)
class Distiller:
    """``asks``: questions that a session leaves open are kept. ``cite`` gives the docid of a session's conversation,
    where it is kept. ``approve``: which memories wait for a person, ``off``, ``inferred`` or ``all``. ``changes`` finds
    changes of mind in what the person said, where conversations are kept. ``note_day`` is given a session, the project
    and the moment of what the person asked to be remembered, and the text."""

    memories: Memories
    transcripts: Transcripts
    extract: Extract
    model: ModelReading | None = None
    asks: bool = True
    cite: Callable[[str], str | None] = lambda session: None
    folders: Folders = Folders()
    approve: str = "off"
    changes: ChangesOfMind | None = None
    note_day: NoteDay | None = None

    def keep(self, session: Session, batch: CaptureBatch, since: Watermark, *, patient: bool = True) -> DistillReport:
        """Writes the memories of a piece that begins at ``since``, each once, however often the piece comes.

        A language model reads it where one is configured, and of the rules what hosts recorded stays; where it is not
        to be had, or nobody is ``patient`` enough for it, the rules read, and ``unread`` says why."""
        turns, first = self._read_turns(batch, since)
        new = [turn for turn in turns if turn.ordinal > first]
        if not new:
            return DistillReport()
        self._settle(session, turns, first)
        kept = self._keep(session, _name(batch, since), turns, first, patient=patient)
        kept = replace(kept, documents=(*kept.documents, *_keep_changes(self, session, new)))
        self._tick_off(session, new)
        return kept

    def _keep(self, session: Session, batch: str, turns: Sequence[Turn], first: int, *, patient: bool) -> DistillReport:
        found = self.extract(turns, first)
        if self.model is None:
            return self._relate(session, self._write(session, turns, found))
        tries = 0
        try:
            if not patient:
                raise Unavailable("interrupted by other work")
            # What the rules say of the person is among their memories.
            sure = replace(found, memories=pick_recorded(found.memories), profile=())
            reply = self.model.read(session.id, batch, turns, first, sure.memories)
        except BadReply as error:
            tries, why = 1, error.said
        except Unavailable as error:
            why = error.said
        else:
            one, other = self._write(session, turns, sure), self._write(session, turns, reply)
            documents = dict.fromkeys((*one.documents, *other.documents))
            kept = DistillReport(tuple(documents), (*one.left_out, *other.left_out), marks=(*one.marks, *other.marks))
            return self._relate(session, kept, self.model.causes)
        return replace(self._relate(session, self._write(session, turns, found)), unread=(why,), tries=tries)

    def keep_read(self, session: Session, batch: CaptureBatch, since: Watermark) -> DistillReport:
        """Writes what the model finds in a piece that the rules have read, beside what they found. Raises
        ``Unavailable`` or ``BadReply`` where it finds nothing because it does not answer."""
        turns, first = self._read_turns(batch, since)
        if self.model is None or not any(turn.ordinal > first for turn in turns):
            return DistillReport()
        found = self.extract(turns, first)
        reply = self.model.read(session.id, _name(batch, since), turns, first, found.memories)
        return self._relate(session, self._write(session, turns, reply), self.model.causes)

    def settled(self) -> None:
        """All of a piece is written and noted: it never comes again."""
        if self.model is not None:
            self.model.done()

    def hand_off(self, session: Session, transcript: str, end: int, *, ended: bool = False) -> str | None:
        """Writes down what the next session has to know of this one up to the byte ``end``; gives its docid. While the
        session lives the rules do so; once it ``ended``, the language model where there is one."""
        turns = self._so_far(transcript, end)
        found = _drop_menus(self.extract(turns, 0).handoff, turns) if turns else Handoff()
        if replace(found, request="", state="") == Handoff() and len(turns) < _LEAST_TURNS:
            return None
        if ended and self.model is not None:
            with suppress(Unavailable, BadReply):  # the rules' hand-off is good enough to go on with
                found = self.model.hand_off(turns, found)
        title = f"{HANDED_OFF}{title_of(found.request) or session.id}"
        wish = NewMemory(text_of(found), title=title, project=session.project, created_by=CAPTURE, said_at=_last(turns))
        try:
            return self.memories.hand_off(session.id, wish)
        except Conflict:  # a person made the file theirs
            return None

    def so_far(self, transcript: str, end: int) -> str:
        """What a session is about so far, as markdown; empty where its transcript holds no words."""
        turns = self._so_far(transcript, end)
        return state_of(self.extract(turns, 0).handoff, turns) if turns else ""

    def _so_far(self, transcript: str, end: int) -> list[Turn]:
        """The last megabytes before the byte ``end``."""
        start = Watermark(Position(offset=max(0, end - _SESSION_BYTES)))
        try:
            entries = self.folders.select_kept(self.transcripts.read(transcript, start, until=end).entries)
            return turns(entries_heard(without_forgotten(entries)))
        except NotFound:
            return []

    def _read_turns(self, batch: CaptureBatch, since: Watermark) -> tuple[list[Turn], int]:
        """The turns of a piece with what came before them, and the last of these. A turn of which a part was captured
        before is looked at as a whole: what it said then has its key."""
        if not batch.entries:
            return [], 0
        before = [] if batch.again else self.read_before(batch.transcript, since.position)
        before = [entry for entry in before if entry.turn not in batch.gone]
        return turns(entries_heard([*before, *batch.entries])), batch.entries[0].turn - 1

    def _write(self, session: Session, spoken: Sequence[Turn], found: Extraction) -> DistillReport:
        written: dict[str, None] = {}
        marks: list[str] = []
        left_out: list[str] = []
        payload = {
            turn.ordinal: (turn.at, project)
            for project, turns in self.folders.find_projects(session, spoken).items()
            for turn in turns
        }
        requested = {one.text for one in found.memories if one.reason.startswith(REMEMBERED)}
        for evidence, wish in wishes(found if self.asks else replace(found, questions=()), self.approve):
            at, project = payload.get(evidence.turn, (None, session.project))
            wish = replace(wish, said_at=at, project=project)
            try:
                docid, mark = self._remember(session, found, evidence, wish)
            except UsageError as error:  # it will never be fit to be kept
                left_out.append(error.said)
                continue
            if self.note_day is not None and wish.text in requested and not wish.pending:
                with suppress(HearthError):  # it is kept; the file is for others to read
                    self.note_day(session.id, project, at, wish.text)
            written |= {} if docid is None else {docid: None}
            marks += [] if mark is None else [mark]
        return DistillReport(tuple(written), tuple(left_out), marks=tuple(marks))

    def _relate(self, session: Session, kept: DistillReport, ask: Ask | None = None) -> DistillReport:
        """Says what led to what in the session, as far as what was just written bears on it."""
        writer = self.memories.writer
        writer.syncer.history.record(draft_causes(writer.store, session.id, kept.documents, ask))
        return kept

    def _settle(self, session: Session, turns: Sequence[Turn], first: int) -> None:
        """Questions that were open before these turns, and that the person answers in them."""
        writer, history = self.memories.writer, self.memories.writer.syncer.history
        with writer.store.read() as reader:
            now = writer.clock()
            new = (turn for turn in turns if turn.ordinal > first)
            found = {
                stored.document.docid: stored
                for project in self.folders.find_projects(session, new)
                for stored in find_answered(reader, turns, first, session.id, project, now)
            }
            drafts = [
                draft
                for stored in found.values()
                for draft in draft_fulfilment(reader, history, stored, now, None, {"actor": CAPTURE})
            ]
        history.record(drafts)

    def _tick_off(self, session: Session, spoken: Sequence[Turn]) -> None:
        """Promises that the person says they kept."""
        writer, history = self.memories.writer, self.memories.writer.syncer.history
        with writer.store.read() as reader:
            now = writer.clock()
            kept = [
                stored
                for project, turns in self.folders.find_projects(session, spoken).items()
                for stored in find_kept(reader, turns, session.id, project, now)
            ]
            metadata = {"actor": CAPTURE, "reason": "the user says it is done"}
            drafts = [
                draft for stored in kept for draft in draft_fulfilment(reader, history, stored, now, None, metadata)
            ]
        history.record(drafts)

    def read_before(self, transcript: str, position: Position) -> list[TranscriptEntry]:
        """The last of what was captured already, its turns numbered as those of the piece."""
        start = max(0, position.offset - _BEFORE_BYTES)
        if not position.offset:
            return []
        try:
            reading = self.transcripts.read(transcript, Watermark(Position(offset=start)), until=position.offset)
        except HearthError:
            return []
        shift = position.turn - reading.watermark.position.turn
        return [replace(entry, turn=entry.turn + shift) for entry in self.folders.select_kept(reading.entries)]

    def _remember(
        self, session: Session, found: Extraction, evidence: Evidence, wish: NewMemory
    ) -> tuple[str | None, str | None]:
        """Gives the docid of the memory, but not of one that somebody else had written and that says the same; and the
        mark of a fact that was added to a subject's file."""
        source = f"session {session.id}, turn {evidence.turn}, {found.path} {found.version}"
        key = "\0".join((source, wish.content_type, wish.text))
        gathers = CONTENT_TYPES[wish.content_type].merge is Merge.GATHER
        cited = self.cite(session.id) if gathers else None
        origin = replace(wish.origin or Origin(""), source=source, evidence=evidence.quote, cited=cited)
        # Whoever somebody is, they are so in each project.
        project = None if gathers else wish.project
        if wish.content_type == QUESTION and self._is_asked(wish.text, project, id_of(key)):
            return None, None
        done = self.memories.keep(
            replace(wish, project=project, session=session.id, created_by=CAPTURE, origin=origin, key=key)
        )
        if gathers:
            return done.docid, mark_of(id_of(key), source)
        return (None if done.action == "duplicate" and done.docid != id_of(key) else done.docid), None

    def _is_asked(self, text: str, project: str | None, docid: str) -> bool:
        writer = self.memories.writer
        with writer.store.read() as reader:
            return is_asked(reader, writer.redact(text).text, project, writer.clock(), but=docid)


def _keep_changes(distiller: Distiller, session: Session, new: Sequence[Turn]) -> list[str]:
    """Writes what new turns change of what was said before, and what they change; gives the docids."""
    if distiller.changes is None:
        return []
    projects = distiller.folders.find_projects(session, new).items()
    turns = [(turn, project) for project, part in projects for turn in part]
    pending = is_pending(REASON, distiller.approve)
    found = [one.as_memory() for one in distiller.changes.find(session.id, turns)]
    return [distiller.memories.keep(replace(one, created_by=CAPTURE, pending=pending)).docid for one in found]


def _drop_menus(found: Handoff, turns: Sequence[Turn]) -> Handoff:
    """Without the questions that the assistant asked as it took its leave: the next session need not answer them."""
    typed = " ".join(" ".join(prompt.text for turn in turns for prompt in turn.prompts).replace("**", "").split())
    return replace(found, questions=tuple(one for one in found.questions if one.removesuffix("…") in typed))


def _last(turns: Sequence[Turn]) -> int | None:
    """When the last of the turns was, as far as that is known."""
    return next((turn.at for turn in reversed(turns) if turn.at is not None), None)


def _name(batch: CaptureBatch, since: Watermark) -> str:
    """What a piece is called while it is read."""
    return f"{batch.transcript}\0{since.position.offset}\0{batch.end}"
