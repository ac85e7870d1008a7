"""What was said in a session, from its host's transcript: before a prompt, in a turn, since the last look."""

from __future__ import annotations

from hearth.core.errors import HearthError
from hearth.core.hook import PromptSubmitted, SessionEnded, TurnEnded
from hearth.core.lazy import dataclass
from hearth.core.session import NAMELESS
from hearth.core.transcript import UNATTENDED, Kind, Position, TranscriptEntry, Watermark
from hearth.memory.sessions.record import SessionLog
from hearth.ports import Clock, Transcripts

# Prompts before the present one that say what it is about.
_EARLIER = 2
_EARLIER_MS = 600_000


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

    def said(self, transcript: str, since: int = 0, until: int | None = None) -> tuple[list[TranscriptEntry], Position]:
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
            entries, end = self.said(event.transcript, since, until)
        except HearthError:
            return None
        from hearth.transcripts.turns import turns  # no prompt asks for what was said before
        from hearth.transcripts.typed import entries_heard, find_requests

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
