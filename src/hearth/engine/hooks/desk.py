"""What the hooks need of a vault beyond its questions: who is asking, what they were shown, what was said before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hearth.engine.hooks.block import Block
from hearth.errors import HearthError
from hearth.guard.fence import TRUSTED
from hearth.markdown.render import body_of
from hearth.model.document import Document
from hearth.model.hook import Occasion, PromptSubmitted, SessionEnded, SessionStarted, TurnEnded
from hearth.model.query import Conversation, Hit, Query
from hearth.model.session import BRIEFING, Shown, ShownTurn, Sighting, Surfacing, turn_key
from hearth.model.transcript import Entry, Kind, Position, Watermark
from hearth.ports import Filter, StoredDocument, Transcripts
from hearth.ranking.welcome import is_welcome

if TYPE_CHECKING:
    from hearth.engine.vault import Vault

# Prompts before the present one that say what it is about.
_EARLIER = 2
_EARLIER_MS = 600_000
_TURNS = 5
_LAST_LINE = 2**31
# For what only accompanies something else.
_DEADLINE_MS = 500
# Read before a compaction, which waits: a quarter of a second.
_LATELY_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class News:
    """What is new in a transcript: the last prompt and what was replied to it, the files that tools changed, and where
    it ends, in bytes."""

    prompt: str = ""
    reply: str = ""
    files: tuple[str, ...] = ()
    end: int = 0


@dataclass(frozen=True)
class Desk:
    """``project`` gives the key of the project that a folder belongs to; ``heartbeats`` are whole prompts to be
    ignored; ``other_projects`` lets memories of all projects in; ``sweeps`` that a new session archives what is due."""

    vault: Vault
    transcripts: Transcripts
    project: Callable[[str | None], str | None]
    profile: str = "balanced"
    heartbeats: tuple[str, ...] = ()
    other_projects: bool = False
    sweeps: bool = False

    def now(self) -> int:
        return self.vault.parts.clock()

    def rebuilding(self) -> bool:
        """Whether the index is of another version: no hook waits for a rebuild."""
        return self.vault.parts.stale()

    def unscanned(self) -> bool:
        """Whether the index knows nothing of the folders: it was deleted, or is new."""
        if not self.vault.parts.collections:
            return False
        with self.vault.parts.store.read() as reader:
            return not reader.collections()

    def scan(self, event: Occasion) -> None:
        self.seen(event)
        self.vault.freshen()

    # -- documents -------------------------------------------------------------------------------------------------

    def newest(
        self,
        types: Sequence[str],
        cwd: str | None,
        *,
        since: int | None = None,
        until: int | None = None,
        limit: int = 6,
    ) -> list[Hit]:
        """Documents of these types dated in [since, until), newest first, with their whole text; those of other
        projects, and what is put off, stay out."""
        found = self.vault.documents(Filter(types=tuple(types), since=since, until=until))
        welcome = self._welcome(found, cwd)
        welcome.sort(key=lambda stored: (-stored.document.dated_at, stored.document.docid))
        return [hit for stored in welcome[:limit] if (hit := self.whole(stored)) is not None]

    def whole(self, stored: StoredDocument) -> Hit | None:
        """A document as one passage, without its frontmatter; ``None`` where its file can't be read."""
        try:
            passage = self.vault.read(stored)
        except HearthError:
            return None
        return _as_hit(stored.document, body_of(passage.text), passage.total_lines)

    def own(self, name: str, cwd: str | None) -> list[Hit]:
        """Documents of that name at the root of a collection that the user wrote: nobody else's words are theirs."""
        named = (s for s in self.vault.documents(Filter(paths=(name,))) if s.document.path == name)
        mine = self._welcome((s for s in named if s.document.trust == TRUSTED), cwd)
        return [hit for stored in mine if (hit := self.whole(stored)) is not None]

    def by_docid(self, docid: str, cwd: str | None) -> Hit | None:
        with self.vault.parts.store.read() as reader:
            stored = reader.document(docid)
        found = [] if stored is None else self._welcome([stored], cwd)
        return self.whole(found[0]) if found else None

    def _welcome(self, found: Iterable[StoredDocument], cwd: str | None) -> list[StoredDocument]:
        at, where = self.now(), Conversation(self.project(cwd), self.other_projects)
        return [stored for stored in found if is_welcome(stored, at, where)]

    def yesterday(self) -> int:
        """12:00 UTC of the day before the present one in the user's zone, where date-only values stand (ms UTC)."""
        from hearth.engine.writing import days  # no prompt asks for days

        day = days.local(self.now(), self.vault.parts.zone).date() - timedelta(days=1)
        return int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp() * 1000)

    def question(self, event: Occasion, text: str, *, limit: int, types: Sequence[str] = ()) -> Query:
        """A search that nobody asked for, for what the session was not shown lately."""
        where = Conversation(self.project(event.cwd), self.other_projects, shown=places(self.turns(event)), asks=True)
        given = {"recipe": "surface", "limit": limit, "types": tuple(types), "deadline_ms": _DEADLINE_MS}
        return self.vault.query(text, conversation=where, **given)

    # -- the conversation ------------------------------------------------------------------------------------------

    def turn(self, event: Occasion) -> str:
        """The host's name of the present turn; without one, its number by what is known of the session."""
        return turn_key(event.session, event.turn, None if event.turn else self.vault.turn_count(event.session) + 1)

    def turns(self, event: Occasion) -> list[ShownTurn]:
        return self.vault.shown(event.session, _TURNS)

    def is_repeat(self, prompt: PromptSubmitted, turns: Sequence[ShownTurn], within_ms: int) -> bool:
        """Whether another turn of the session was shown something for the same prompt a moment ago."""
        if not turns:
            return False
        own, since = self.vault.prompt_hash(prompt.prompt), self.now() - within_ms
        return any(own in turn.prompt_hashes and turn.at >= since and turn.turn != prompt.turn for turn in turns)

    def earlier(self, event: PromptSubmitted) -> tuple[str, ...]:
        """Up to two prompts of the last ten minutes, newest first, from the transcript."""
        if event.transcript is None:
            return ()
        try:
            entries = self.transcripts.tail(event.transcript)
        except HearthError:
            return ()
        since, own = self.now() - _EARLIER_MS, event.prompt.strip()
        others = [e.text for e in entries if (e.at or 0) >= since and e.text.strip() != own]
        return tuple(dict.fromkeys(reversed(others)))[:_EARLIER]

    def said(self, transcript: str, since: int = 0) -> tuple[list[Entry], int]:
        """What a transcript holds from a byte on, and how many bytes of it are complete. Raises as
        ``Transcripts.read``."""
        entries: list[Entry] = []
        mark, more = Watermark(Position(offset=since)), True
        while more:
            reading = self.transcripts.read(transcript, mark)
            entries += reading.entries
            mark, more = reading.watermark, reading.more
        return entries, mark.position.offset

    def lately(self, transcript: str) -> list[Entry]:
        """The last megabytes of a transcript, at most back to where it was compacted before."""
        entries, _ = self.said(transcript, max(0, self.transcripts.size(transcript) - _LATELY_BYTES))
        last = max((at for at, entry in enumerate(entries) if entry.kind is Kind.BOUNDARY), default=-1)
        return entries[last + 1 :]

    def topic(self, event: Occasion) -> str | None:
        found = self.vault.focus(event.session, self.project(event.cwd))
        return None if found is None else found.topic

    # -- what is written down --------------------------------------------------------------------------------------

    def ended_turn(self, event: TurnEnded, prompt: str) -> str | None:
        """The turn that ends: the host's name of it, else the last one that was shown something for this prompt."""
        if event.turn:
            return turn_key(event.session, event.turn)
        if not prompt:
            return None
        own = self.vault.prompt_hash(prompt)
        return next((turn.turn for turn in self.turns(event) if own in turn.prompt_hashes), None)

    def news(self, event: TurnEnded | SessionEnded) -> News | None:
        """What the transcript holds since the last turn that was written down; ``None`` where it can't be read."""
        if event.transcript is None:
            return None
        try:
            since = self.vault.watermark(event.session, event.transcript)
            entries, end = self.said(event.transcript, since)
        except HearthError:
            return None
        from hearth.extract.turns import turns  # nor for what was said before

        found = turns(entries)
        last = found[-1] if found else None
        prompts = [prompt.text for prompt in last.prompts] if last is not None else []
        reply = "\n\n".join(last.replies) if last is not None and prompts else ""
        files = dict.fromkeys(name for turn in found for name in turn.files)
        return News(prompts[-1] if prompts else "", reply, tuple(files), end)

    def mark(self, event: TurnEnded | SessionEnded, news: News, turn: str | None = None) -> None:
        """Writes down how far the transcript reaches, for whoever reads the new part later."""
        assert event.transcript is not None
        self.vault.turn_ended(event.session, event.transcript, news.end, turn, news.files)

    def seen(self, event: Occasion) -> None:
        sighting = Sighting(event.session, event.host, self.project(event.cwd), event.cwd)
        self.vault.session_seen(sighting)

    def surfaced(self, event: Occasion, hook: str, found: Block, prompt: str | None = None) -> None:
        shown = tuple(Shown(p.hit.docid, p.hit.start_line, p.hit.end_line) for p in found.passages)
        hashed = None if prompt is None else self.vault.prompt_hash(prompt)
        self.seen(event)
        turn = f"{BRIEFING}{hook}" if isinstance(event, SessionStarted) else self.turn(event)
        self.vault.surfaced(Surfacing(event.session, turn, shown, found.tokens, hook, hashed))


def places(turns: Sequence[ShownTurn]) -> tuple[tuple[str, int, int], ...]:
    """The passages of these turns as (docid, first line, last line)."""
    shown = (place for turn in turns for place in turn.shown)
    return tuple((place.docid, place.start_line, place.end_line or _LAST_LINE) for place in shown)


def _as_hit(document: Document, text: str, lines: int) -> Hit:
    return Hit(
        docid=document.docid,
        collection=document.collection,
        path=document.path,
        start_line=1,
        end_line=max(1, lines),
        title=document.title,
        score=1.0,
        content_type=document.content_type,
        modified_at=document.modified_at,
        authored_at=document.authored_at,
        fragment="section",
        snippet="",
        text=text,
        trust=document.trust,
    )
