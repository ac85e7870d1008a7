"""What is worth keeping of a piece of a session, written down as memories and as the session's hand-off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hearth.engine.capture.conversation import TITLE_CHARS
from hearth.engine.capture.conversations import MAKER, Piece
from hearth.engine.capture.wishes import wishes
from hearth.engine.writing.facts import mark_of
from hearth.engine.writing.memories import Memories
from hearth.engine.writing.names import id_of
from hearth.errors import Conflict, HearthError, NotFound, UsageError
from hearth.extract.session.handoff import state_of, text_of
from hearth.extract.turns import turns
from hearth.extract.withheld import heard
from hearth.model.capture.extraction import Evidence, Extraction, Handoff
from hearth.model.host.session import Session
from hearth.model.host.transcript import Position, TranscriptEntry, Turn, Watermark
from hearth.model.memory import NewMemory, Origin
from hearth.model.types import CONTENT_TYPES, Merge
from hearth.ports import Transcripts
from hearth.text.lines import cut_line

# What was said before a piece says what it refers to.
_BEFORE_BYTES = 256 * 1024
_SESSION_BYTES = 4 * 1024 * 1024
# A question and its answer leave nothing to go on with.
_LEAST_TURNS = 3

Extract = Callable[[Sequence[Turn], int], Extraction]
"""Of turns, those after an ordinal; the ones up to it are context."""


@dataclass(frozen=True, slots=True)
class Kept:
    """``documents`` are docids, ``left_out`` says why each statement that could not be kept was not, ``turns`` counts
    the person's. ``marks`` are those of facts that were added to a subject's document."""

    documents: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    turns: int = 0
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Distiller:
    memories: Memories
    transcripts: Transcripts
    extract: Extract

    def keep(self, session: Session, piece: Piece, since: Watermark) -> Kept:
        """Writes the memories of a piece that begins at ``since``, each once, however often the piece comes."""
        if not piece.entries:
            return Kept()
        before = [] if piece.again else self._before(piece.transcript, since.position)
        said = turns(heard([*before, *piece.entries]))
        # A turn of which a part was captured before is looked at as a whole: what it said then has its key.
        found = self.extract(said, piece.entries[0].turn - 1)
        written: dict[str, None] = {}
        marks: list[str] = []
        left_out: list[str] = []
        for item in wishes(found):
            try:
                docid, mark = self._remember(session, found, *item)
            except UsageError as error:  # it will never be fit to be kept
                left_out.append(error.said)
                continue
            written |= {} if docid is None else {docid: None}
            marks += [] if mark is None else [mark]
        return Kept(tuple(written), tuple(left_out), marks=tuple(marks))

    def hand_off(self, session: Session, transcript: str, end: int) -> str | None:
        """Writes down what the next session has to know of this one up to the byte ``end``; gives its docid."""
        said = self._said(transcript, end)
        found = self.extract(said, 0).handoff if said else Handoff()
        if replace(found, request="", state="") == Handoff() and len(said) < _LEAST_TURNS:
            return None
        title = f"Hand-off: {cut_line(found.request, TITLE_CHARS) or session.id}"
        wish = NewMemory(text_of(found), title=title, project=session.project, created_by=MAKER)
        try:
            return self.memories.hand_off(session.id, wish)
        except Conflict:  # a person made the file theirs
            return None

    def so_far(self, transcript: str, end: int) -> str:
        """What a session is about so far, as markdown; empty where its transcript holds no words."""
        said = self._said(transcript, end)
        return state_of(self.extract(said, 0).handoff, said) if said else ""

    def _said(self, transcript: str, end: int) -> list[Turn]:
        """The last megabytes before the byte ``end``."""
        start = Watermark(Position(offset=max(0, end - _SESSION_BYTES)))
        try:
            return turns(heard(self.transcripts.read(transcript, start, until=end).entries))
        except NotFound:
            return []

    def _before(self, transcript: str, position: Position) -> list[TranscriptEntry]:
        """The last of what was captured already, its turns numbered as those of the piece."""
        start = max(0, position.offset - _BEFORE_BYTES)
        if not position.offset:
            return []
        try:
            reading = self.transcripts.read(transcript, Watermark(Position(offset=start)), until=position.offset)
        except HearthError:
            return []
        last = reading.entries[-1].turn if reading.entries else 0
        return [replace(entry, turn=entry.turn - last + position.turn) for entry in reading.entries]

    def _remember(
        self, session: Session, found: Extraction, evidence: Evidence, wish: NewMemory
    ) -> tuple[str | None, str | None]:
        """Gives the docid of the memory, but not of one that somebody else had written and that says the same; and the
        mark of a fact that was added to a subject's file."""
        source = f"session {session.id}, turn {evidence.turn}, {found.path} {found.version}"
        key = "\0".join((source, wish.content_type, wish.text))
        origin = replace(wish.origin or Origin(""), source=source, evidence=evidence.quote)
        gathers = CONTENT_TYPES[wish.content_type].merge is Merge.GATHER
        # Whoever somebody is, they are so in each project.
        project = None if gathers else session.project
        done = self.memories.writer.remember(
            replace(wish, project=project, session=session.id, created_by=MAKER, origin=origin, key=key)
        )
        if gathers:
            return done.docid, mark_of(id_of(key))
        return (None if done.action == "duplicate" and done.docid != id_of(key) else done.docid), None
