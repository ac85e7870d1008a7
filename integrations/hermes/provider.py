"""Hearth as the memory provider of Hermes. Standard library alone, and Hermes' own base class.

Each moment goes to a hook of Hearth in a process of its own, which asks the daemon and ends in time. Whatever goes
wrong, Hermes goes on without it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

try:
    from agent.memory_provider import MemoryProvider
except ImportError:  # another version's place; the methods are what counts
    MemoryProvider = object

_SECONDS = 5.0
_MOST_PAIRS = 200
_OWN_CHATS = frozenset({"cli", "tui", "desktop", "acp", "local"})
_DIRECT = frozenset({"dm", "direct", "private"})
_WRAPPED = ("<memory-context>", "</memory-context>")

Pair = tuple[str, str]


class Hearth(MemoryProvider):  # type: ignore[misc]
    """``settings`` say which Python runs which script with which variables."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._reset("")
        self._primary = False
        self._private = False

    @property
    def name(self) -> str:
        return "hearth"

    def is_available(self) -> bool:
        return all(Path(self._settings[name]).is_file() for name in ("python", "stub"))

    def initialize(self, session_id: str, **given: Any) -> None:
        self._reset(session_id)
        self._primary = given.get("agent_context", "primary") == "primary"
        direct = given.get("chat_type") in _DIRECT
        self._private = given.get("platform", "cli") in _OWN_CHATS or direct

    def system_prompt_block(self) -> str:
        """The same in every request of a session."""
        if self._opening is None:
            self._opening = self._ask("session-bootstrap", {"source": "startup"}) if self._primary else ""
        return self._opening

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """What the notes know about this turn's prompt. Hermes asks before each request of the turn."""
        if not self._primary or not query.strip():
            return ""
        if self._recalled is None or self._recalled[0] != query:
            self._turns += 1
            self._recalled = (query, self._ask("context-surfacing", {"prompt": query, "trigger": "user"}))
        return self._recalled[1]

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        pair = (_plain(user_content), _plain(assistant_content))
        self._recalled = None
        if self._handed_early[pair] > 0:
            self._handed_early[pair] -= 1
        else:
            self._hand_over(pair)

    def on_session_end(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """It may come before the last ``sync_turn``, and some versions never call that: the turns of this process that
        are not handed over yet are taken from ``messages``."""
        own = _pairs(messages)[-max(self._turns, 1) :]
        missing = Counter(own) - self._handed
        for pair in own:
            if missing[pair] > 0:
                missing[pair] -= 1
                self._handed_early[pair] += 1
                self._hand_over(pair)
        if self._primary:
            self._ask("session-end", {"reason": "exit"})

    def on_session_switch(self, new_session_id: str, **given: Any) -> None:
        """A compaction goes on under another name; a reset begins anew."""
        opening = None if given.get("reset") else self._opening
        self._reset(new_session_id)
        self._opening = opening

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """The tools come by MCP, where ``hearth setup mcp --client hermes`` registered it."""
        return []

    def _reset(self, session: str) -> None:
        self._session = session
        self._opening: str | None = None
        self._recalled: Pair | None = None
        self._turns = 0
        self._handed: Counter[Pair] = Counter()
        self._handed_early: Counter[Pair] = Counter()

    def _hand_over(self, pair: Pair) -> None:
        """Only the main agent's turns are a person's; those of subagents, schedules and flushes are not."""
        if not self._primary or not all(pair):
            return
        turns = [{"role": role, "text": text} for role, text in zip(("user", "assistant"), pair, strict=True)]
        number = self._handed.total()
        self._handed[pair] += 1
        turn = sha256(json.dumps([self._session, number, *pair]).encode("utf-8", "replace")).hexdigest()[:16]
        self._ask("feedback-loop", {"turn_id": turn, "turns": turns})

    def _ask(self, hook: str, more: Mapping[str, Any]) -> str:
        event = {"session_id": self._session, "cwd": str(Path.cwd()), "private": self._private, **more}
        command = [self._settings["python"], "-I", "-S", self._settings["stub"], hook, "--host", "hermes"]
        try:
            done = subprocess.run(
                command, input=json.dumps(event), env={**os.environ, **self._settings["env"]}, capture_output=True,
                encoding="utf-8", timeout=_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, ValueError, subprocess.SubprocessError):
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""


def _pairs(messages: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Each prompt of the person with the last answer to it, in order."""
    found: list[Pair] = []
    asked, answer = "", ""
    for message in [*messages, {"role": "user", "content": ""}]:
        role, text = message.get("role"), _plain(message.get("content"))
        if role == "user":
            if asked and answer:
                found.append((asked, answer))
            asked, answer = text, ""
        elif role == "assistant" and text:
            answer = text
    return found[-_MOST_PAIRS:]


def _plain(content: Any) -> str:
    """The text of a message without what providers put into it."""
    if isinstance(content, list):
        content = "\n".join(part.get("text") or "" for part in content if isinstance(part, Mapping))
    text = content if isinstance(content, str) else ""
    while _WRAPPED[0] in text:
        before, _, rest = text.partition(_WRAPPED[0])
        text = before + rest.partition(_WRAPPED[1])[2]
    return text.strip()
