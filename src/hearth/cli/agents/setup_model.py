"""Which model reads sessions, for ``hearth setup``: offered once, with what it costs; rules stay the default."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click

from hearth.app import Settings
from hearth.app.settings import now_ms
from hearth.cli.session import CommandSession, is_terminal
from hearth.config import config_file, edit
from hearth.core.errors import Unavailable, UsageError
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass
from hearth.hosts import Host
from hearth.models import llm

CaptureModel = Literal["agent", "configured", "off"]
CHOICES = ("agent", "configured", "off")
_KEY = "llm.provider"
_OWN = ("none", "agent")
# The agent's program by host; other hosts have none that can be asked.
_PROGRAMS = {"claude-code": "claude", "codex": "codex"}
# What a call takes: the instructions, a full part of a session, the answer, and what the program adds by itself.
TOKENS_PER_CALL = 9_500
_TURNS_A_DAY = 30
_SESSIONS_A_DAY = 3
_DAYS = 14


@dataclass(frozen=True, slots=True)
class DailyUse:
    """What a day takes: of ``turns`` and ``sessions`` a day, measured where ``is_measured``, else assumed."""

    turns: int
    sessions: int
    calls: int
    tokens: int
    is_measured: bool

    @property
    def words(self) -> str:
        days = f"{self.turns} turns in {self.sessions} sessions a day"
        seen = f"by your last {_DAYS} days: {days}" if self.is_measured else f"assuming {days}"
        return f"about {self.tokens:,} tokens a day in {self.calls} calls ({seen})"


def estimate_use(turns: int, sessions: int, days: int, turns_per_call: int) -> DailyUse:
    """What capture by a model takes a day, by the turns and sessions of so many days: a call for each captured part,
    and one for the hand-off of each session."""
    is_measured = turns > 0 and days > 0
    daily_turns = max(1, round(turns / days)) if is_measured else _TURNS_A_DAY
    daily_sessions = max(1, round(sessions / days)) if is_measured else _SESSIONS_A_DAY
    calls = max(daily_sessions, -(-daily_turns // turns_per_call)) + daily_sessions
    return DailyUse(daily_turns, daily_sessions, calls, calls * TOKENS_PER_CALL, is_measured)


def choose(
    session: CommandSession, host: Host, given: CaptureModel | None, *, dry_run: bool, can_ask: bool
) -> Iterator[str]:
    """Sets the model that was asked for, or offers the agent's own once; gives what is to be said of it. Raises
    ``UsageError`` for a model that is not to be had."""
    settings = session.settings()
    chosen = given
    if chosen is None:
        # Whoever decided once is not asked again.
        decided = _KEY in settings.loaded.origins
        asks = can_ask and not decided and sys.stdin.isatty() and is_terminal()
        if not asks or not _is_there(host, settings):
            return
        use = measure(session, settings)
        question = (
            f"Let {host.title}'s own model read your sessions for what to keep, instead of "
            f"rules? It uses {use.words}, at most "
            f"{_budget(settings)}, and sends your sessions to your agent's provider"
        )
        chosen = "agent" if click.confirm(question, default=False) else "off"
    yield from _carry_out(session, host, chosen, dry_run=dry_run)


def measure(session: CommandSession, settings: Settings) -> DailyUse:
    """By what this vault saw lately."""
    with session.vault() as vault:
        since = now_ms() - _DAYS * DAY_MS
        found = [one for one in vault.sessions.recent(1_000, empty=False) if one.last >= since]
    began = min((one.began for one in found), default=0)
    days = min(_DAYS, max(1, -(-(now_ms() - began) // DAY_MS))) if found else 0
    turns = sum(one.turns for one in found)
    return estimate_use(turns, len(found), days, settings.loaded.config.capture.turns)


def _carry_out(session: CommandSession, host: Host, chosen: CaptureModel, *, dry_run: bool) -> Iterator[str]:
    settings = session.settings()
    provider = settings.loaded.config.llm.provider
    if chosen == "configured":
        if provider in _OWN:
            raise UsageError(
                "no model is configured for --capture-model configured; first: hearth config set llm.provider openai, "
                "llm.url and llm.model (docs/models.md)"
            )
        yield f"sessions are read by {provider}, as configured; {measure(session, settings).words}"
        return
    if chosen == "off":
        if not dry_run:
            _set(settings, _KEY, "none")
        yield "sessions are read by rules; no language model is asked"
        return
    program = _program(host, settings)
    if not dry_run:
        _set(settings, _KEY, "agent")
        _set(settings, "llm.command", program)
    verb = "would be" if dry_run else "are"
    yield (
        f"sessions {verb} read by {program}, your agent's own model: {measure(session, settings).words}, at most "
        f"{_budget(settings)}; rules read when it is not available; test it: hearth llm test"
    )


def _program(host: Host, settings: Settings) -> str:
    """The one of the settings where it is this agent's. Raises ``UsageError`` where there is none."""
    wanted, given = _PROGRAMS.get(host.name), settings.loaded.config.llm.command
    if given is not None and wanted is not None and Path(given).name.startswith(wanted):
        wanted = given
    try:
        found = llm.find(wanted, settings.environ)
    except Unavailable as error:
        why = f"{host.title} has no model of its own that can be asked, and " if wanted is None else ""
        raise UsageError(f"--capture-model agent: {why}{error.said}") from error
    return wanted or found.name


def _is_there(host: Host, settings: Settings) -> bool:
    try:
        return host.name in _PROGRAMS and bool(llm.find(_PROGRAMS[host.name], settings.environ))
    except Unavailable:
        return False


def _set(settings: Settings, key: str, value: str) -> None:
    edit.set_value(settings.folders, key, value)


def _budget(settings: Settings) -> str:
    most = settings.loaded.config.llm.tokens_per_day
    file = config_file(settings.folders).name
    return "no limit" if most is None else f"{most:,} (llm.tokens_per_day in {file})"
