"""When a session's memory is flushed, when it is compacted, and when it begins anew."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from hearth.config.tree import FlushSettings, ResetSettings
from hearth.context.engine.plan import MOST_RESERVED, reserve_of
from hearth.context.engine.transcript import FlushState
from hearth.core.instants import of
from hearth.core.lazy import dataclass, regex

SILENT = "NO_REPLY"
MOST_SOFT = 4_000
MOST_FAILURES = 3
FLUSH_SYSTEM_PROMPT = (
    "The session is close to compaction: older messages will be replaced by a summary. Store what should last now."
)
FLUSH_PROMPT = (
    "Append lasting notes of this session (decisions, preferences, facts, open ends) to memory/{day}.md; create the "
    "folder if it is missing, never overwrite. If there is nothing to store, answer NO_REPLY."
)
_SILENT_HINT = "If there is nothing to store, answer NO_REPLY."
_SILENT = regex(r"\s*[`*_\"']{0,3}NO_REPLY(?![A-Za-z0-9_])", re.IGNORECASE)
_GROWTH = 0.05
_WORTH = 0.1
UNATTENDED = ("heartbeat", "cron", "subagent")


@dataclass(frozen=True, slots=True)
class FlushPlan:
    """Whether a silent turn is due, and what it is asked; ``reason`` says why not. ``path`` is relative to the
    workspace, ``threshold`` in tokens."""

    due: bool
    threshold: int
    reason: str = ""
    system_prompt: str = ""
    prompt: str = ""
    path: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "due": self.due, "threshold": self.threshold, "reason": self.reason, "system_prompt": self.system_prompt,
            "prompt": self.prompt, "path": self.path,
        }  # fmt: skip


def flush_threshold(window: int, most_reserved: int = MOST_RESERVED, most_soft: int = MOST_SOFT) -> int:
    """Tokens from which a session is flushed: a step before it is compacted."""
    room = window - reserve_of(window, most_reserved)
    return max(0, room - min(most_soft, room // 2))


@dataclass(frozen=True, slots=True)
class SessionSize:
    """``tokens`` in the window now, ``grown`` the bytes since the last compaction, ``reserve`` the most tokens kept
    free for an answer."""

    tokens: int
    grown: int
    window: int
    reserve: int = MOST_RESERVED


def plan_flush(settings: FlushSettings, state: FlushState, size: SessionSize, day: str, skip: str = "") -> FlushPlan:
    """Once per cycle; a turn that was asked for and never ended is asked for once more. ``skip`` is a reason why a turn
    of this kind isn't flushed."""
    threshold = flush_threshold(size.window, size.reserve, settings.soft)
    reason = skip or _settled(settings, state)
    if not reason and not 0 < threshold <= size.tokens and size.grown < settings.bytes:
        reason = f"{size.tokens:,} tokens are under the threshold of {threshold:,}"
    if reason:
        return FlushPlan(False, threshold, reason)
    prompt = (settings.prompt or FLUSH_PROMPT).replace("{day}", day)
    if SILENT.lower() not in prompt.lower():
        prompt = f"{prompt.rstrip()} {_SILENT_HINT}"
    return FlushPlan(True, threshold, "", settings.system_prompt or FLUSH_SYSTEM_PROMPT, prompt, f"memory/{day}.md")


def _settled(settings: FlushSettings, state: FlushState) -> str:
    if not settings.enabled:
        return "the flush is switched off"
    if state.done:
        return "this cycle was flushed"
    if state.failed >= MOST_FAILURES:
        return f"it failed {state.failed} times in this cycle"
    return "it was asked for twice in this cycle" if state.asked - state.failed > 1 else ""


def skip_reason(trigger: str = "user") -> str:
    """Why a turn of this kind isn't flushed; empty where it may be."""
    return f"a {trigger} turn" if trigger in UNATTENDED else ""


def is_silent(reply: str) -> bool:
    """Whether a reply asks not to be delivered: it is, or begins with, ``NO_REPLY``."""
    return _SILENT.match(reply) is not None


def may_become_silent(draft: str) -> bool:
    """Whether the beginning of a streamed reply may still turn out silent: it is held back until then."""
    bare = draft.lstrip().lstrip("`*_\"'")
    return is_silent(draft) or SILENT.startswith(bare.upper())


def choose_mode(settings: ResetSettings, chat_type: str | None = None, channel: str | None = None) -> str:
    """That of the channel, else of the type of chat (``dm`` is ``direct``), else the default."""
    chat_type = "direct" if chat_type == "dm" else chat_type
    return settings.by_channel.get(channel or "") or settings.by_type.get(chat_type or "") or settings.mode


def reset_reason(
    settings: ResetSettings, mode: str, span: tuple[int | None, int | None], now: datetime, trigger: str = "user"
) -> str | None:
    """``daily`` or ``idle`` where a session has to begin anew before the next message. ``span`` is when it began and
    when a person spoke last, ms UTC; ``now`` is local. Turns that no person began neither reset it nor keep it
    alive."""
    started, active = span
    if trigger in UNATTENDED or started is None:
        return None
    if "daily" in mode and started < _last_boundary(now, settings.at_hour):
        return "daily"
    last = started if active is None else active
    if "idle" in mode and settings.idle_minutes and of(now) > last + settings.idle_minutes * 60_000:
        return "idle"
    return None


def is_compaction_due(tokens: int, window: int, reserve: int, *, after: int | None = None) -> bool:
    """``after`` are the tokens that an earlier compaction left where it freed too little: it isn't tried again before
    the session has grown by a twentieth."""
    if after is not None and tokens < after * (1 + _GROWTH):
        return False
    return tokens > window - reserve_of(window, reserve)


def freed_too_little(before: int, after: int) -> bool:
    """Less than a tenth."""
    return before - after < before * _WORTH


def _last_boundary(now: datetime, hour: int) -> int:
    """When it was ``hour`` o'clock last, ms UTC."""
    boundary = now.replace(hour=hour, minute=0, second=0, microsecond=0, fold=0)
    if of(boundary) > of(now):
        boundary = (boundary - timedelta(days=1)).replace(hour=hour)
    return of(boundary)
