"""The hooks of a vault: an event goes to the one handler that answers it. What every hook has at hand: the vault,
the session so far, and how much it may say."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from datetime import timedelta
from typing import Protocol

from hearth import context as handlers
from hearth.context.notes import Notes
from hearth.context.packing import Block, Now
from hearth.core import instants
from hearth.core.document import INTERNAL
from hearth.core.errors import HearthError, UsageError
from hearth.core.hook import (
    NOTHING_OFF,
    PROBE,
    CompactionImminent,
    Handled,
    HookEvent,
    HookReply,
    Occasion,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    ToolAboutToRun,
    ToolFailed,
    TurnEnded,
)
from hearth.core.lazy import dataclass
from hearth.core.query import Conversation, Hit, Query
from hearth.core.session import (
    BRIEFING,
    MAIN_AGENT,
    NAMELESS,
    Shown,
    ShownTurn,
    Sighting,
    Surfacing,
    agent_of_session,
    session_of_agent,
    turn_key,
)
from hearth.core.transcript import UNATTENDED, Kind, Position, TranscriptEntry, Watermark
from hearth.memory import session_log
from hearth.memory.session_record import SessionLog, is_shared
from hearth.ports import Clock, StoredDocument, Transcripts
from hearth.ports.files import NoPrivacy, Privacy
from hearth.recall.ranking.gate import is_eligible
from hearth.transcripts.typed import entries_heard, find_requests
from hearth.vault.vault import Vault

# Prompts before the present one that say what it is about.
_EARLIER = 2
_EARLIER_MS = 600_000
# Turns, more than any session has.
_WHOLE_SESSION = 1_000


@dataclass(frozen=True, slots=True)
class News:
    """What is new in a transcript: the last prompt and what was replied to it, the files that tools changed, and where
    it ends, in bytes. ``unattended`` says that a script runs the session, where the lines read do. ``turn`` names the
    last turn where the host does not; ``goes_on`` says that only the turn before went on. ``forgets`` says that
    something is not to be kept, or to be forgotten."""

    prompt: str = ""
    reply: str = ""
    files: tuple[str, ...] = ()
    end: int = 0
    unattended: bool = False
    turn: str | None = None
    goes_on: bool = False
    forgets: bool = False


@dataclass(frozen=True, slots=True)
class TranscriptReader:
    files: Transcripts
    clock: Clock

    def earlier(self, event: PromptSubmitted) -> tuple[str, ...]:
        """Up to two prompts of the last ten minutes, newest first."""
        if event.transcript is None:
            return ()
        try:
            entries = self.files.tail(event.transcript)
        except HearthError:
            return ()
        since, own = self.clock() - _EARLIER_MS, event.prompt.strip()
        others = [e.text for e in entries if (e.at or 0) >= since and e.text.strip() != own]
        return tuple(dict.fromkeys(reversed(others)))[:_EARLIER]

    def read_entries(
        self, transcript: str, since: int = 0, until: int | None = None
    ) -> tuple[list[TranscriptEntry], Position]:
        """What a transcript holds from a byte on, and where it ends. Raises as ``Transcripts.read``."""
        entries: list[TranscriptEntry] = []
        mark, more = Watermark(Position(offset=since)), True
        while more:
            reading = self.files.read(transcript, mark, until=until)
            gone = {one.turn for one in reading.taken_back}
            entries = [entry for entry in entries if entry.turn not in gone] if gone else entries
            entries += reading.entries
            mark, more = reading.watermark, reading.more
        return entries, mark.position

    def news(self, event: TurnEnded | SessionEnded, sessions: SessionLog) -> News | None:
        """What the transcript holds since the last turn that was written down; ``None`` where it can't be read, or a
        later event than this one was written down before."""
        if event.transcript is None:
            return None
        since = sessions.watermark(event.session, event.transcript)
        # Of a session that is over all counts: hosts may write the last lines after they say so.
        until = event.reached if isinstance(event, TurnEnded) else None
        if until is not None and until <= since:
            return None
        try:
            entries, end = self.read_entries(event.transcript, since, until)
        except HearthError:
            return None
        from hearth.transcripts.turns import turns  # no prompt asks for what was said before

        found = turns(entries_heard(entries))
        last = found[-1] if found else None
        prompts = [prompt.text for prompt in last.prompts] if last is not None else []
        reply = "\n\n".join(last.replies) if last is not None and prompts else ""
        files = dict.fromkeys(name for turn in found for name in turn.files)
        unattended = UNATTENDED in end.marks
        asked = [prompt.offset for turn in found for prompt in turn.prompts[:1]]
        name = f"{NAMELESS}{asked[-1]}" if asked else None
        prompt = prompts[-1] if prompts else ""
        forgets = any(find_requests(entry.text) for entry in entries if entry.kind is Kind.USER)
        goes_on = bool(entries) and not (asked or forgets)
        return News(prompt, reply, tuple(files), end.offset, unattended, name, goes_on, forgets)


@dataclass(frozen=True, slots=True)
class Profile:
    """``tokens`` is the size of the whole block, wrapper included; ``fragments`` how many it holds at most;
    ``milliseconds`` the time for the answer."""

    name: str
    recipe: str
    tokens: int
    fragments: int
    milliseconds: int


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("speed", "surface-speed", 400, 3, 150),
        Profile("balanced", "surface", 400, 3, 400),
        Profile("deep", "surface-deep", 800, 3, 1500),
    )
}


_TURNS = 5
_LAST_LINE = 2**31
# For what only accompanies something else.
_DEADLINE_MS = 500


class FolderWriter(Protocol):
    def __call__(self, vault: Vault, folder: str, *, session: str) -> object: ...


# A text, when it was written (ms UTC), the project's folder, seconds -> "fresh", "changed (names)" or "gone (names)".
CitationChecker = Callable[[str, int, str, float], str | None]
CITING_SECONDS = 0.4
"""For all that is cited in one answer, and never beyond its deadline."""


@dataclass(frozen=True)
class HookContext:
    """``heartbeats`` are whole prompts to ignore. ``sweeps``: a new session archives what is due; ``briefs``: it gets
    a briefing; ``capture_patterns`` mark what is captured at once. ``update_folders``, if set, updates the blocks of
    the folders that a session changed when it ends. ``check_citations`` says what became of the code a text cites,
    until the moment ``citing_until`` of the monotonic clock."""

    vault: Vault
    notes: Notes
    transcripts: TranscriptReader
    profile: str = "balanced"
    heartbeats: tuple[str, ...] = ()
    sweeps: bool = False
    briefs: bool = True
    capture_patterns: tuple[str, ...] = ()
    privacy: Privacy = field(default_factory=NoPrivacy)
    update_folders: FolderWriter | None = None
    check_citations: CitationChecker | None = None
    citing_until: float = 0.0

    def conversation(self, event: Occasion, turns: Sequence[ShownTurn], *, asks: bool) -> Conversation:
        """Where a search that nobody asked for happens, and what of it was shown lately."""
        earlier = self.transcripts.earlier(event) if isinstance(event, PromptSubmitted) else ()
        return Conversation(
            self.notes.project(event.cwd),
            self.notes.other_projects,
            earlier,
            shown=self._find_current(turns),
            asks=asks,
            here=self.notes.here(event.cwd),
            session=session_log.of_session(event.session),
            shared=self.notes.shared,
            readable=self.notes.readable(event.cwd),
        )

    def _find_current(self, turns: Sequence[ShownTurn]) -> tuple[tuple[str, int, int], ...]:
        """What of the fragments of these turns would be shown the same way now, as (docid, first line, last line). A
        memory that is out of sight or says something else by now was not shown, nor was its successor beside it."""
        with self.vault.store.read() as reader:
            known = {docid: reader.document(docid) for turn in turns for docid in turn.docids}
        found = []
        for turn in turns:
            outdated = {place.docid for place in turn.shown if _is_outdated(place, known[place.docid])}
            outdated |= {one.state.superseded_by or "" for docid in outdated if (one := known[docid]) is not None}
            found += [place for place in turn.shown if place.docid not in outdated]
        return tuple((place.docid, place.start_line, place.end_line or _LAST_LINE) for place in found)

    def question(
        self,
        event: Occasion,
        text: str,
        *,
        limit: int,
        types: Sequence[str] = (),
        elsewhere: bool = False,
        recipe: str = "surface",
    ) -> Query:
        """A search that accompanies something else; ``elsewhere``: not only of what belongs to the folder. A recipe
        that answers whoever asks finds what may not be brought, too: ``may_be_brought`` leaves that out."""
        where = self.conversation(event, self.turns(event), asks=True)
        given = {"recipe": recipe, "limit": limit, "types": tuple(types), "deadline_ms": _DEADLINE_MS}
        here = where.here or ()
        given["collections"] = (*here, *self.notes.elsewhere(here)) if elsewhere else here
        return self.vault.query(text, conversation=where, **given)

    def may_be_brought(self, event: Occasion, hits: Sequence[Hit]) -> list[Hit]:
        """Those that a session may be shown, and neither was nor is shown by its host."""
        where = self.conversation(event, self.vault.usage.list_shown(event.session, _WHOLE_SESSION), asks=True)
        shown, at = {docid for docid, *_ in where.shown}, self.vault.clock()
        with self.vault.store.read() as reader:
            known = {hit.docid: reader.document(hit.docid) for hit in hits if hit.docid not in shown}
        allowed = {docid for docid, one in known.items() if one is not None and is_eligible(one, at, where)}
        return self.notes.drop_loaded([hit for hit in hits if hit.docid in allowed], event.host, event.cwd)

    def with_citations(self, event: Occasion, hit: Hit) -> Hit:
        """A memory with what became of the project's code that it cites."""
        left = self.citing_until - time.monotonic()
        if hit.collection != INTERNAL or self.check_citations is None or event.cwd is None or left <= 0:
            return hit
        root = self.notes.root(event.cwd)
        written = hit.authored_at or hit.modified_at
        cited = None if root is None else self.check_citations(hit.text, written, root, left)
        return hit if cited is None else replace(hit, validity=replace(hit.validity, cited=cited))

    def now(self) -> Now:
        return Now(self.vault.clock(), self.vault.zone)

    def yesterday(self) -> int:
        """12:00 UTC of the day before the present one in the user's zone, where date-only values stand (ms UTC)."""
        today = instants.moment(self.vault.clock(), instants.zone_of(self.vault.zone)).date()
        return instants.noon(today - timedelta(days=1))

    def topic(self, event: Occasion) -> str | None:
        found = self.vault.sessions.focus.of(event.session, self.notes.project(event.cwd))
        return None if found is None else found.topic

    # -- turns -----------------------------------------------------------------------------------------------------

    def turns(self, event: Occasion) -> list[ShownTurn]:
        return self.vault.usage.list_shown(event.session, _TURNS)

    def is_repeat(self, prompt: PromptSubmitted, turns: Sequence[ShownTurn], within_ms: int) -> bool:
        """Whether another turn of the session was shown something for the same prompt was just answered."""
        if not turns:
            return False
        own, since = self.vault.usage.digest(prompt.prompt), self.vault.clock() - within_ms
        return any(own in turn.prompt_hashes and turn.at >= since and turn.turn != prompt.turn for turn in turns)

    def ended_turn(self, event: TurnEnded | SessionEnded, prompt: str) -> str | None:
        """The turn that ends: the host's name of it, else the last one that was shown something for this prompt."""
        if event.turn:
            return turn_key(event.session, event.turn)
        if not prompt:
            return None
        own = self.vault.usage.digest(prompt)
        return next((turn.turn for turn in self.turns(event) if own in turn.prompt_hashes), None)

    # -- what is written down --------------------------------------------------------------------------------------

    def record_session(self, event: Occasion, *, unattended: bool = False) -> None:
        """``unattended`` is what the transcript says of the session."""
        project = self.notes.project(event.cwd)
        alone = event.unattended or unattended
        self.vault.sessions.seen(Sighting(event.session, event.host, project, event.cwd, alone, event.shared))

    def surfaced(self, event: Occasion, hook: str, found: Block, prompt: str | None = None) -> None:
        shown = tuple(Shown(p.hit.docid, p.hit.start_line, p.hit.end_line) for p in found.fragments)
        hashed = None if prompt is None else self.vault.usage.digest(prompt)
        self.record_session(event)
        turn = f"{BRIEFING}{hook}" if isinstance(event, SessionStarted) else self._turn(event)
        self.vault.usage.surfaced(Surfacing(event.session, turn, shown, found.tokens, hook, hashed))

    def _turn(self, event: Occasion) -> str:
        """The host's name of the present turn; without one, its number by what is known of the session."""
        ordinal = None if event.turn else self.vault.usage.turn_count(event.session) + 1
        return turn_key(event.session, event.turn, ordinal)


def _is_outdated(place: Shown, now: StoredDocument | None) -> bool:
    return now is None or now.state.hidden or not now.document.body_hash.startswith(place.body)


# The hooks that say how far a transcript reaches: there may be something to capture after them.
MARKING = frozenset({"feedback-loop", "session-end", "precompact-extract"})
# A subagent's prompts and tools are its parent's doing; its turns are no turns of the session.
_OF_SUBAGENTS = "a subagent's event"


@dataclass(frozen=True, slots=True)
class Hooks:
    context: HookContext

    def answer(
        self, name: str, event: HookEvent, deadline_ms: int, profile: str | None = None, tokens: int | None = None
    ) -> Handled:
        """What the hook ``name`` says to an event, and what is to be done afterwards. ``profile`` goes over the
        configured one; ``deadline_ms`` is the time that is left; ``tokens`` lower the profile's for a prompt.

        Raises ``UsageError`` for a hook that does not answer such events.
        """
        context = self.context
        if (agent := _find_agent(context, event)) != MAIN_AGENT:
            vault = context.vault.as_agent(agent)
            event = replace(event, session=session_of_agent(event.session, agent))
            context = replace(context, vault=vault, notes=replace(context.notes, vault=vault))
        if event.agent is not None:
            return Handled(HookReply(reason=_OF_SUBAGENTS))
        off = handlers.incognito.find_off(context, event)
        handlers.incognito.mark(context, event, off)
        if not handlers.incognito.is_answered(event, off):
            return handlers.incognito.withhold(context, event, off, None)
        if context.vault.index.is_stale():  # no hook waits for a rebuild
            return Handled(HookReply(reason="rebuilding"), done=False)
        if event.shared or is_shared(context.vault.store, event.session):
            event = replace(event, shared=True)
            context = replace(context, notes=replace(context.notes, shared=True))
            if event.session != PROBE:
                context.record_session(event)  # before the reply: an event that comes at once must know it
        if isinstance(event, PromptSubmitted) and self._is_unscanned():
            return Handled(HookReply(reason="the notes are not indexed yet"), lambda: self._scan(event))
        chosen = PROFILES[profile or context.profile]
        if tokens is not None:
            chosen = replace(chosen, tokens=min(chosen.tokens, tokens))
        citing = min(deadline_ms / 2_000, CITING_SECONDS)
        context = replace(context, citing_until=time.monotonic() + citing)
        found = _handle(context, name, event, chosen, min(deadline_ms, chosen.milliseconds))
        if off != NOTHING_OFF:
            return handlers.incognito.withhold(context, event, off, found)
        return Handled(found.reply) if event.session == PROBE else found

    def _is_unscanned(self) -> bool:
        """Whether the index knows nothing of the folders: it was deleted, or is new."""
        if not self.context.vault.collections:
            return False
        with self.context.vault.store.read() as reader:
            return not reader.collections()

    def _scan(self, event: PromptSubmitted) -> None:
        self.context.record_session(event)
        self.context.vault.index.freshen()


def _find_agent(context: HookContext, event: HookEvent) -> str:
    """The agent that the session's name says, else the one whose workspace the host runs in."""
    named = agent_of_session(event.session)
    return named if named != MAIN_AGENT else context.notes.agent(event.cwd) or MAIN_AGENT


def _handle(context: HookContext, name: str, event: HookEvent, profile: Profile, deadline_ms: int) -> Handled:
    match name, event:
        case "context-surfacing", PromptSubmitted():
            return handlers.surfacing.surface(context, event, profile, deadline_ms)
        case "session-bootstrap", SessionStarted():
            return handlers.briefing.bootstrap(context, event)
        case "staleness-check", SessionStarted():
            return handlers.briefing.staleness(context, event)
        case "curator-nudge", SessionStarted():
            return handlers.briefing.remind(context, event)
        case "postcompact-inject", SessionStarted():
            return handlers.session_ends.give_back(context, event)
        case "precompact-extract", CompactionImminent():
            return handlers.session_ends.save(context, event)
        case "feedback-loop", TurnEnded():
            return handlers.session_ends.record_turn(context, event)
        case "session-end", SessionEnded():
            return handlers.session_ends.record_end(context, event)
        case "pretool-inject", ToolAboutToRun():
            return handlers.point_of_action.advise(context, event)
        case "failure-inject", ToolFailed():
            return handlers.point_of_action.help_after_failure(context, event)
    raise UsageError(f"the hook {name!r} does not answer {type(event).__name__}")
