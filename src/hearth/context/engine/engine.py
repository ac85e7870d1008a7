"""Sessions of agents without a host of their own: the window is a view of the transcript, which loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Any, Literal

from hearth.config.tree import ContextSettings
from hearth.context.engine.assembly import Assembler, AssembleRequest, Assembly, EngineServices
from hearth.context.engine.cycle import (
    FlushPlan,
    SessionSize,
    choose_mode,
    freed_too_little,
    is_compaction_due,
    plan_flush,
    reset_reason,
    skip_reason,
)
from hearth.context.engine.messages import Message, Outline, Role, is_empty, plain_text
from hearth.context.engine.plan import Plan, Skeleton, factor_of, find_cut, plan, reserve_of
from hearth.context.engine.pruning import Action
from hearth.context.engine.sessions import LiveSession, LiveSessions, SessionId, render_summary
from hearth.context.engine.transcript import (
    FLUSH,
    Record,
    SessionLogs,
    Transcript,
    encode_entry,
    encode_turn,
    read_message,
    scrub_message,
)
from hearth.core.errors import UsageError
from hearth.core.instants import moment, show_date
from hearth.core.lazy import dataclass
from hearth.core.session import is_group, is_of_group
from hearth.ports import Clock
from hearth.text.lines import estimate_tokens

MAX_TURN_MESSAGES = 2_000
MAX_MODEL_FAILURES = 3
"""After so many in a row the rules alone summarize, until the session begins anew."""
_TOO_SMALL = "a budget of {} tokens holds nothing; give at least 1"


@dataclass(frozen=True, slots=True)
class CompactionReport:
    compacted: bool
    reason: str = ""
    summary: str = ""
    first_kept: str | None = None
    tokens_before: int = 0
    tokens_after: int = 0
    model: str = "unused"
    """``used``, or ``failed``: then the rules wrote the summary."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "compacted": self.compacted, "reason": self.reason, "summary": self.summary,
            "first_kept": self.first_kept, "tokens_before": self.tokens_before, "tokens_after": self.tokens_after,
            "model": self.model,
        }  # fmt: skip


class ContextEngine:
    """Assembles, commits, flushes, compacts and resets. Any number of threads and processes may use one session."""

    def __init__(
        self, logs: SessionLogs, services: EngineServices, settings: ContextSettings, redact: Callable[[str], str],
        clock: Clock, zone: tzinfo,
    ) -> None:  # fmt: skip
        self._services, self._settings = services, settings
        self._redact, self._clock, self._zone = redact, clock, zone
        self._sessions = LiveSessions(logs, clock)
        self._assembler = Assembler(services, settings, clock, zone)

    def assemble(self, session: SessionId, request: AssembleRequest) -> Assembly:
        """What fits into ``budget`` tokens. Raises ``UsageError`` for a budget under 1."""
        _check(request)
        with self._sessions.open(session) as live:
            request = _without_private(live, request, self._services)
            reset = None if request.messages is not None else self._reset_due(live, request)
            return self._assembler.assemble(live, request, reset)

    def plan(self, session: SessionId, request: AssembleRequest) -> Plan:
        """The same, without texts."""
        _check(request)
        with self._sessions.open(session) as live:
            return self._assembler.plan(live, _without_private(live, request, self._services))

    def fit(
        self, messages: Sequence[Message], budget: int, window: int | None = None,
        former: Mapping[str, Action] | None = None, ttl: int | None = None,
    ) -> Plan:  # fmt: skip
        """What becomes of messages that a host keeps itself, from their sizes alone. ``former`` is what they became
        before, ``ttl`` how many seconds the provider's cache holds."""
        if budget < 1:
            raise UsageError(_TOO_SMALL.format(budget))
        outline = Outline(messages)
        skeleton = Skeleton(
            outline, window=window or self._settings.window, now=self._clock(), last_call=outline.last_call(),
            former=former or {},
        )  # fmt: skip
        pruning = self._settings.pruning
        return plan(skeleton, budget, pruning if ttl is None else replace(pruning, ttl=ttl))

    def summarize(self, messages: Sequence[Mapping[str, Any]], former: str = "", focus: str = "") -> str:
        """The summary of messages that a host keeps itself; ``former`` is that of what came before them."""
        clean = [scrub_message(message, self._redact) for message in messages]
        lines, _ = encode_turn(Transcript(), clean, {"trigger": "user"}, self._clock())
        return self._services.summarize(lines.splitlines(), (), former, focus, False)[0]

    # -- what was said ----------------------------------------------------------------------------------------------

    def commit(
        self, session: SessionId, key: str, messages: Sequence[Mapping[str, Any]], *, trigger: str = "user",
        cwd: str | None = None, shared: bool = False,
    ) -> Literal["committed", "duplicate"]:  # fmt: skip
        """Keeps a turn, on the disk on return; a turn with a ``key`` that was committed before is a duplicate. Once
        a turn is ``shared``, or the session's name says that others take part, only the transcript is kept: what
        others say must not become the user's. Raises ``UsageError`` for a turn without a key or content or with too
        many messages, and ``Unavailable`` if the disk refuses it: nothing of the turn counts then."""
        if not key or not messages:
            raise UsageError("a turn needs a key and messages")
        if all(map(is_empty, messages)):
            raise UsageError("a turn needs a message with content")
        if len(messages) > MAX_TURN_MESSAGES:
            raise UsageError(f"a turn of {len(messages):,} messages is over the limit of {MAX_TURN_MESSAGES:,}")
        with self._sessions.open(session) as live:
            clean = [scrub_message(message, self._redact) for message in messages]
            data = {"key": key, "trigger": trigger, **_usage(messages, live.estimated)}
            data |= {"host": session.host} if session.host else {}
            written: list[str] = []

            def write(at: int) -> bytes:
                if key in live.transcript.keys:
                    return b""
                # Each turn says so: it may be read without those before it.
                others = {"shared": True} if shared or _is_shared(live) else {}
                lines, names = encode_turn(live.transcript, clean, data | others, at)
                written.extend(names)
                return lines

            live.append(write, cwd)
            if not written:
                return "duplicate"
            live.remember(written, messages)
            live.estimated = live.recalled = None
            end, captured = live.transcript.offset, not live.transcript.is_shared
        if captured:
            self._services.committed(session, end)
        return "committed"

    def messages(self, session: SessionId, only: str | None = None) -> list[dict[str, Any]]:
        """All that was said in a session as it stands in its transcript, compacted parts included; with ``only`` the
        message of that id alone."""
        with self._sessions.open(session) as live:
            found = [one for one in live.transcript.lines() if only in (None, one.id)]
            read = map(read_message, live.lines(found))
            return [{"id": one.id, "at": one.at, **message} for one, message in zip(found, read, strict=True)]

    def count_unreadable(self, session: SessionId) -> int:
        """Lines of a transcript that were passed over."""
        with self._sessions.open(session) as live:
            return live.transcript.faults

    # -- flush, compaction, reset -----------------------------------------------------------------------------------

    def flush(
        self, session: SessionId, tokens: int | None = None, *, window: int | None = None, skip: str = "",
        trigger: str = "user",
    ) -> FlushPlan:  # fmt: skip
        """Whether a silent turn is due before compaction; where it is, that it was asked for is kept."""
        with self._sessions.open(session) as live:
            skip = (
                skip
                or skip_reason(trigger)
                or ("others take part in the session" if _is_shared(live) else "")
                or self._services.unflushed(session, live.transcript.header.get("cwd"))
            )
            found = plan_flush(
                self._settings.flush, live.transcript.flush, self._size(live, tokens, window),
                show_date(self._clock(), self._zone), skip,
            )  # fmt: skip
            if found.due:
                _note_flush(live, "asked")
            return found

    def flushed(self, session: SessionId, *, failed: bool = False) -> None:
        """How this cycle's silent turn ended."""
        with self._sessions.open(session) as live:
            _note_flush(live, "failed" if failed else "done")

    def is_compaction_due(self, session: SessionId, tokens: int | None = None, *, window: int | None = None) -> bool:
        with self._sessions.open(session) as live:
            return _is_compaction_due(live, self._size(live, tokens, window))

    def compact(
        self, session: SessionId, *, focus: str = "", window: int | None = None, tokens: int | None = None,
        only_due: bool = False,
    ) -> CompactionReport:  # fmt: skip
        """Replaces all but the newest messages by a summary, in what a model is sent: the transcript keeps them. With
        ``only_due`` nothing happens while there is room for an answer."""
        with self._sessions.open(session) as live:
            summary, records, outline = live.transcript.view()
            size = self._size(live, tokens, window)
            if only_due and not _is_compaction_due(live, size):
                return CompactionReport(False, f"{size.tokens:,} tokens leave room", tokens_before=size.tokens)
            most = min(self._settings.keep_recent, (size.window - reserve_of(size.window, size.reserve)) // 2)
            cut = find_cut(outline, most)
            before = size.tokens
            if cut <= 0:
                return CompactionReport(False, "there is nothing older than what is kept", tokens_before=before)
            lines = live.lines(records[:cut])
            begun = _turn_start(records, cut)
            by_rules = live.transcript.model_failures >= MAX_MODEL_FAILURES
            text, model = self._services.summarize(lines[:begun], lines[begun:], summary, focus, by_rules)
            kept = records[cut:]
            after = estimate_tokens(render_summary(text)) + int(outline.column("tokens")[cut:].sum())
            first = kept[0].id
            fields = {
                "summary": text, "firstKeptEntryId": first, "tokensBefore": before, "tokensAfter": after,
                "details": {"focus": focus, "model": model},
            }  # fmt: skip
            write = lambda at: encode_entry(live.transcript, "compaction", at, **fields)  # noqa: E731
            live.append(write)
            return CompactionReport(True, "", text, first, before, after, model)

    def reset(self, session: SessionId, reason: str = "new") -> str | None:
        """Begins the session anew: what was said is captured and noted first. Gives the note's path, if one was
        written. Nothing happens where nothing was said since the last reset."""
        with self._sessions.open(session) as live:
            return self._reset(live, reason)

    def _reset_due(self, live: LiveSession, request: AssembleRequest) -> str | None:
        span = live.transcript.started, live.transcript.active
        now = moment(self._clock(), self._zone)
        mode = choose_mode(self._settings.reset, request.chat_type, request.channel)
        reason = reset_reason(self._settings.reset, mode, span, now, request.trigger)
        if reason is None or not live.transcript.view()[1]:
            return None
        self._reset(live, reason)
        return reason

    def _reset(self, live: LiveSession, reason: str) -> str | None:
        _, records, _ = live.transcript.view()
        spoken = [one for one in records if one.message is not None and one.message.role in (Role.USER, Role.ASSISTANT)]
        if not spoken:
            return None
        spoken = [one for one in spoken if one.by_person]
        turns = [
            (str(one.message.role), plain_text(message))
            for one, message in zip(spoken, live.messages(spoken), strict=True)
            if one.message is not None
        ]
        host = live.transcript.host
        note = None
        if turns and not live.transcript.is_shared:
            note = self._services.ended(live.id, reason, turns, host)
        live.append(lambda at: encode_entry(live.transcript, "reset", at, reason=reason))
        live.begin_anew()
        return note

    def _size(self, live: LiveSession, tokens: int | None, window: int | None) -> SessionSize:
        summary, _, outline = live.transcript.view()
        spent = int(outline.column("tokens").sum()) + estimate_tokens(summary)
        ours = round(spent * factor_of(live.transcript.usages))
        grown = live.transcript.offset - live.transcript.compacted_at
        return SessionSize(max(ours, tokens or 0), grown, window or self._settings.window, self._settings.reserve)


def _is_compaction_due(live: LiveSession, size: SessionSize) -> bool:
    last = live.transcript.compacted
    after = last[1] if last is not None and freed_too_little(*last) else None
    return is_compaction_due(size.tokens, size.window, size.reserve, after=after)


def _note_flush(live: LiveSession, state: str) -> None:
    data = {"cycle": live.transcript.cycle, "state": state}
    live.append(lambda at: encode_entry(live.transcript, "custom", at, customType=FLUSH, data=data))


def _without_private(live: LiveSession, request: AssembleRequest, services: EngineServices) -> AssembleRequest:
    """Where others take part, and to an agent without memory, nothing private is shown, whatever the caller says."""
    hides = _is_shared(live) or is_group(request.chat_type or "") or not services.has_memory(live.id.agent)
    return replace(request, private=False) if hides else request


def _is_shared(live: LiveSession) -> bool:
    return live.transcript.is_shared or is_of_group(live.id.session)


def _check(request: AssembleRequest) -> None:
    if request.budget < 1:
        raise UsageError(_TOO_SMALL.format(request.budget))


def _turn_start(records: Sequence[Record], cut: int) -> int:
    """Where the turn begins whose end is kept; ``cut`` where a prompt begins what is kept."""
    if _is_prompt(records[cut]):
        return cut
    return max((at for at in range(cut) if _is_prompt(records[at])), default=cut)


def _is_prompt(record: Record) -> bool:
    return record.message is not None and record.message.role is Role.USER


def _usage(messages: Sequence[Mapping[str, Any]], estimated: int | None) -> dict[str, int]:
    """What the provider counted for the last call of a turn, beside our estimate."""
    for message in reversed(messages):
        usage = message.get("usage")
        if isinstance(usage, Mapping) and estimated:
            counts = [usage.get(name, 0) for name in ("input", "cacheRead", "cacheWrite", "prompt_tokens")]
            reported = sum(count for count in counts if isinstance(count, int))
            if reported > 0:
                return {"reported": reported, "estimated": estimated}
    return {}
