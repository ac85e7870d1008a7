"""What surfaces tell of sessions, put into the journal: only what it does not know yet. What somebody says they are
working on, and what a session is to be answered at its next prompt."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from hearth.core import subjects
from hearth.core.errors import UsageError
from hearth.core.instants import HOUR_MS
from hearth.core.journal import Draft, MalformedPayload, check_docid
from hearth.core.lazy import dataclass
from hearth.core.memory import MAX_PROJECT_CHARS
from hearth.core.session import NAMELESS, Focus, Session, SessionDetail, Sighting
from hearth.core.transcript import UNATTENDED
from hearth.memory import session_log
from hearth.ports import Clock, StateReader, Store
from hearth.vault.history import History

if TYPE_CHECKING:
    from hearth.pages.curation_log import CurationLog


MAX_TOPIC = 200
MAX_HOURS = 24 * 365
DEFAULT_HOURS = 8


@dataclass(frozen=True)
class FocusRecord:
    history: History
    clock: Clock

    def set(
        self, topic: str, session: str | None = None, project: str | None = None, hours: int = DEFAULT_HOURS
    ) -> Focus:
        """For one session, else for all of a project, else for all. Raises ``UsageError`` for an empty topic, one over
        200 characters, or a span out of range."""
        text = " ".join(topic.split())
        if not text or len(text) > MAX_TOPIC:
            raise UsageError(f"a focus is a text of 1 to {MAX_TOPIC} characters, not {len(text)}")
        if not 1 <= hours <= MAX_HOURS:
            raise UsageError(f"a focus lasts 1 to {MAX_HOURS} hours, not {hours}")
        plain = session_log.one_line(text, MAX_TOPIC)
        if plain is None:
            raise UsageError("the focus holds nothing that can be read")
        scope = _scope(session, project)
        until = self.clock() + hours * HOUR_MS
        self.history.record([Draft("focus", data={**scope, "topic": plain, "until": until})])
        found = self._at(*_subject(scope))
        return found or Focus(plain, *_subject(scope), until)

    def clear(self, session: str | None = None, project: str | None = None) -> Focus | None:
        """Ends the focus of exactly this scope; gives it, if there was one."""
        scope = _scope(session, project)
        found = self._at(*_subject(scope))
        if found is not None:
            self.history.record([Draft("focus", data={**scope, "topic": None})])
        return found

    def of(self, session: str | None = None, project: str | None = None) -> Focus | None:
        """The closest one that has not run out: the session's, its project's, the vault's.
        Without ``project`` it is the one that the session was first seen in."""
        key = session_log.of_session(session) if session else None
        with self.history.store.read() as reader:
            if project is None and key is not None:
                project = find_session_project(reader, key)
            name = session_log.one_line(project, MAX_PROJECT_CHARS)
            places = (("session", key), ("project", name), ("vault", None))
            found = (
                _read(reader, scope, subject, self.clock()) for scope, subject in places if subject or scope == "vault"
            )
            return next((focus for focus in found if focus is not None), None)

    def _at(self, scope: str, subject: str | None) -> Focus | None:
        with self.history.store.read() as reader:
            return _read(reader, scope, subject, self.clock())


def find_session_project(reader: StateReader, key: str) -> str | None:
    """Where the session of this key was first seen; ``None`` where nobody said."""
    known = reader.registers(subjects.name_session(key), "project").get("project")
    return known if isinstance(known, str) else None


def _scope(session: str | None, project: str | None) -> dict[str, Any]:
    if session:
        return {"session": session_log.of_session(session)}
    name = session_log.one_line(project, MAX_PROJECT_CHARS)
    return {"project": name} if name else {}


def _subject(scope: dict[str, Any]) -> tuple[str, str | None]:
    return next(iter(scope.items()), ("vault", None))


def _read(reader: StateReader, scope: str, subject: str | None, now: int) -> Focus | None:
    value = reader.registers(subjects.name_scope(scope, subject), "focus").get("focus")
    if not isinstance(value, dict) or not isinstance(value.get("topic"), str):
        return None
    until = value.get("until")
    if isinstance(until, int) and until <= now:
        return None
    return Focus(value["topic"], scope, subject, until if isinstance(until, int) else None)


_ANSWERS, _TOLD = "answers", "answered"
_MOST = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """``wish`` is what was asked (``withhold``, ``forget``, ``forget-fact``). ``forgotten`` names memories with the
    event that forgot each, which is empty where only a part of it went; ``meant`` are those of which any may have been
    meant, so that none was forgotten."""

    wish: str
    forgotten: Mapping[str, str] = field(default_factory=dict)
    meant: tuple[str, ...] = ()

    @property
    def is_of_turn(self) -> bool:
        """Whether it was only asked that the turn itself is not kept."""
        return self.wish == "withhold"

    def as_data(self) -> dict[str, Any]:
        return {"wish": self.wish, "forgotten": dict(self.forgotten), "meant": list(self.meant)}


def draft_answers(reader: StateReader, session: str, answers: Sequence[Answer]) -> list[Draft]:
    """Adds answers to those that the session was not told yet; nothing where there are none."""
    if not answers:
        return []
    number, waiting = find_answers(reader, session)
    rows = [one.as_data() for one in (*waiting, *answers)][-_MOST:]
    return [Draft("session", data={"session": session, _ANSWERS: {"number": number + 1, "rows": rows}})]


def draft_announced(session: str, number: int) -> Draft:
    """Says that the session was told the answers up to this number."""
    return Draft("session", data={"session": session_log.of_session(session), _TOLD: number})


def find_answers(reader: StateReader, session: str) -> tuple[int, list[Answer]]:
    """The number of the last answers, and those of them that the session was not told yet."""
    subject = subjects.name_session(session_log.of_session(session))
    found = reader.registers(subject, _ANSWERS).get(_ANSWERS)
    if not isinstance(found, dict) or type(found.get("number")) is not int:
        return 0, []
    number, register = found["number"], reader.registers(subject, _TOLD).get(_TOLD)
    if type(register) is int and register >= number:
        return number, []
    rows = found.get("rows")
    answers = [_read_answer(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return number, answers


def _read_answer(row: Mapping[str, Any]) -> Answer:
    """Journals are written by other versions and by hand, so every field may be missing or odd."""
    forgotten, meant = row.get("forgotten"), row.get("meant")
    return Answer(
        str(row.get("wish", "")),
        {str(docid): str(event) for docid, event in forgotten.items()} if isinstance(forgotten, dict) else {},
        tuple(map(str, meant)) if isinstance(meant, list) else (),
    )


TurnState = Literal["ended", "urgent", "under way", "same turn"]
MAX_HOST, MAX_ENDING, MAX_PATH = 64, 64, 1024
MAX_FILES = 500
_MAX_FILE_CHARS = 512
# Half of what an event may hold, with room for what escaping adds.
_MAX_FILES_BYTES = 24_000
_WATERMARK_END = 2**53
_SHARED = "shared"
# Files of one session that wait to be captured.
_MOST_BEFORE = 4


@dataclass(frozen=True)
class SessionLog:
    """A session is named as its host names it; a name that is long or odd is kept as a hash. All calls may come twice,
    in any order and from several processes: what the journal knows is not journaled again. Any of them makes the
    session known that it names. They raise ``UsageError`` for an empty name and ``Unavailable`` where the journal
    can't be written.

    ``project_of`` gives the identity of the project that a folder belongs to, ``None`` for the home folder;
    ``curations`` is what sessions are reminded of."""

    history: History
    clock: Clock
    project_of: Callable[[str], str | None]
    focus: FocusRecord
    curations: Callable[[], CurationLog]

    def recent(self, limit: int = 20, project: str | None = None, *, empty: bool = True) -> list[Session]:
        """The newest first; unless ``empty``, without those in which nothing happened."""
        with self.history.store.read() as reader:
            return session_log.sessions(reader, limit, project, empty=empty)

    def get(self, reference: str) -> SessionDetail:
        """One session turn by turn, by its name or the beginning of it. Raises ``NotFound``, ``Ambiguous``."""
        with self.history.store.read() as reader:
            return session_log.detail(reader, session_log.find(reader, reference), self.clock())

    def seen(self, sighting: Sighting) -> str:
        """Keeps what is new of a session; gives the name under which it is kept. Raises ``UsageError`` for a session
        without a name."""
        key = session_log.of_session(sighting.session)
        self.history.record(self.news(key, sighting))
        return key

    def news(self, key: str, sighting: Sighting | None = None) -> list[Draft]:
        """What there is to journal of a session that was just seen; nothing where all of it is known."""
        unknown = self._unknown(key, sighting)
        if "began" in unknown:
            # A new index knows nothing yet: without a look at the journal it would move the session's beginning.
            self.history.replay()
            unknown = self._unknown(key, sighting)
        return [Draft("session", data={"session": key, **unknown})] if unknown else []

    def _unknown(self, key: str, sighting: Sighting | None) -> dict[str, Any]:
        subject = subjects.name_session(key)
        news: dict[str, Any] = {}
        with self.history.store.read() as reader:
            lacking = [
                name
                for name in ("began", "host", "project", UNATTENDED, _SHARED)
                if not reader.registers(subject, name)
            ]
        if "began" in lacking:
            news["began"] = self.clock()
        if sighting is not None and "host" in lacking:
            news["host"] = session_log.one_line(sighting.host, MAX_HOST)
        if sighting is not None and "project" in lacking:
            given = sighting.project or (self.project_of(sighting.cwd) if sighting.cwd else None)
            news["project"] = session_log.one_line(given, MAX_PROJECT_CHARS)
        if sighting is not None and sighting.unattended and UNATTENDED in lacking:
            news[UNATTENDED] = True
        if sighting is not None and sighting.shared and _SHARED in lacking:
            news[_SHARED] = True
        return {name: value for name, value in news.items() if value is not None}

    def turn_ended(
        self,
        session: str,
        transcript: str,
        watermark: int,
        turn: str | None = None,
        files: Sequence[str] = (),
        *,
        state: TurnState = "ended",
    ) -> None:
        """Keeps how many bytes of the transcript are complete and which files the turn changed, at most 500; on the
        disk on return. One without a name that reached further than the one before it counts as another turn, unless
        it is the ``same turn`` that goes on. What an ``urgent`` turn reached is captured at once; so is what one
        reached that goes on after a compaction (``under way``), which is read again when it ends. Raises
        ``UsageError`` for a transcript or watermark that can't be kept."""
        key = session_log.of_session(session)
        if not _is_name(transcript, MAX_PATH):
            raise UsageError(f"the transcript's name must be a text of 1 to {MAX_PATH} characters, none for control")
        if not 0 <= watermark < _WATERMARK_END:
            raise UsageError(f"the watermark {watermark} is no number of bytes")
        data: dict[str, Any] = {"transcript": transcript, "watermark": watermark}
        if not turn and state in ("ended", "urgent") and watermark > self.watermark(session, transcript):
            turn = f"{NAMELESS}{watermark}"
        elif (
            turn
            and turn.startswith(NAMELESS)
            and int(turn.removeprefix(NAMELESS)) < self.watermark(session, transcript)
        ):
            turn = None  # its end was recorded meanwhile, under the name that the host gave it
        if turn:
            data["turn"] = session_log.of_turn(key, turn)
        if state in ("urgent", "under way"):
            data["urgent"] = True
        if state == "under way":
            data["since"] = self.watermark(session, transcript)
        drafts = self.news(key)
        with self.history.store.read() as reader:
            known = reader.registers(subjects.name_session(key), "turn").get("turn")
            named = reader.keys(subjects.name_session(key), "files") if files else {}
            captured = reader.registers(subjects.name_session(key), "captured").get("captured")
        if before := _find_uncaptured(known, captured, transcript):
            data["before"] = before
        new, left_out = _new_files(files, named)
        if left_out:
            data["files_left_out"] = left_out
        if new or not isinstance(known, dict) or {**known, **data} != known:
            extra = {"files": new} if new else {}
            drafts.append(Draft("turn", data={"session": key, **data, **extra}))
        self.history.record(drafts)

    def project(self, session: str) -> str | None:
        """Where a session was first seen; ``None`` where nobody said."""
        with self.history.store.read() as reader:
            return find_session_project(reader, session_log.of_session(session))

    def transcript_of(self, session: str) -> tuple[str, int] | None:
        """The transcript of the last turn that ended, and the byte that it reached."""
        known = _read_last_turn(self.history.store, session)
        return (known["transcript"], known["watermark"]) if known else None

    def watermark(self, session: str, transcript: str) -> int:
        """Where the last turn that ended did, in bytes of this transcript; 0 for another one."""
        known = _read_last_turn(self.history.store, session)
        if known.get("transcript") != transcript:
            return 0
        reached: int = known["since"] if "since" in known else known["watermark"]
        return reached

    def is_last_turn(self, session: str, turn: str) -> bool:
        """Whether the last turn that ended has this name."""
        known = _read_last_turn(self.history.store, session)
        return bool(known) and known.get("turn") == session_log.of_turn(session_log.of_session(session), turn)

    def ended(self, session: str, reason: str = "other") -> None:
        """A session that goes on afterwards counts as open again. Nothing is journaled where it had ended already and
        nothing was heard of it since."""
        key = session_log.of_session(session)
        subject = subjects.name_session(key)
        drafts = self.news(key)
        with self.history.store.read() as reader:
            ended = reader.registers(subject, "ended").get("ended")
            turn = reader.registers(subject, "turn").get("turn")
            shown = next(iter(reader.keys(subject, "surfaced", 1).values()), 0)
        heard = max(shown, turn["at"] if isinstance(turn, dict) else 0)
        if not isinstance(ended, int) or ended < heard:
            now = max(self.clock(), heard)
            ending = session_log.one_line(reason, MAX_ENDING) or "other"
            drafts.append(Draft("session", data={"session": key, "ended": now, "ending": ending}))
        self.history.record(drafts)

    def handed_off(self, session: str, docid: str) -> None:
        """Names the memory that hands the session's work on. Raises ``UsageError`` for what is no docid."""
        key = session_log.of_session(session)
        try:
            check_docid(docid, "the hand-off")
        except MalformedPayload as error:
            raise UsageError(f"can't note the hand-off of session {key}: {error}") from error
        drafts = self.news(key)
        with self.history.store.read() as reader:
            if reader.registers(subjects.name_session(key), "handoff").get("handoff") != docid:
                drafts.append(Draft("session", data={"session": key, "handoff": docid}))
        self.history.record(drafts)


def _read_last_turn(store: Store, session: str) -> dict[str, Any]:
    """The last turn of a session that ended, as the journal has it; empty where none did."""
    with store.read() as reader:
        known = reader.registers(subjects.name_session(session_log.of_session(session)), "turn").get("turn")
    return known if isinstance(known, dict) else {}


def is_unattended(store: Store, session: str) -> bool:
    """Whether a script runs the session, as far as its host said."""
    with store.read() as reader:
        return bool(reader.registers(subjects.name_session(session_log.of_session(session)), UNATTENDED))


def is_shared(store: Store, session: str) -> bool:
    """Whether the host said once that others take part in the session."""
    with store.read() as reader:
        return bool(reader.registers(subjects.name_session(session_log.of_session(session)), _SHARED))


def _find_uncaptured(known: Any, captured: Any, transcript: str) -> list[dict[str, Any]]:
    """The files that a session was written to before this one and that are not captured yet, oldest first."""
    if not isinstance(known, dict):
        return []
    files = [*known.get("before", ()), {name: known[name] for name in ("transcript", "watermark")}]
    done = captured if isinstance(captured, dict) else {}
    for at, one in enumerate(files):
        if one["transcript"] == done.get("transcript"):
            files = files[at if done["watermark"] < one["watermark"] else at + 1 :]
            break
    return [one for one in files if one["transcript"] != transcript][-_MOST_BEFORE:]


def _new_files(files: Sequence[str], known: dict[str, int]) -> tuple[list[str], int]:
    """Names that the session does not have yet, and how many were left out: over the limits, or no text."""
    new: dict[str, None] = {}
    left_out = size = 0
    for name in dict.fromkeys(files):
        if name in known:
            continue
        fits = _is_name(name, _MAX_FILE_CHARS) and len(new) < MAX_FILES
        size += len(json.dumps(name)) if fits else 0
        if fits and size <= _MAX_FILES_BYTES:
            new[name] = None
        else:
            left_out += 1
    return list(new), left_out


def _is_name(text: str, limit: int) -> bool:
    """Whether the journal can keep the name of a file: control characters and what is no text it can't."""
    return 0 < len(text) <= limit and not any(char < " " or "\ud800" <= char <= "\udfff" for char in text)
