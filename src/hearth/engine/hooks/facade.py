"""The call by which every host's hook is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.engine.hooks.profile import PROFILES, Profile
from hearth.errors import UsageError
from hearth.model.hook import (
    PROBE,
    CompactionImminent,
    Handled,
    HookEvent,
    HookReply,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    ToolAboutToRun,
    TurnEnded,
)

if TYPE_CHECKING:
    from hearth.engine.hooks.desk import Desk

# A subagent's prompts and tools are its parent's doing; its turns are no turns of the session.
_OF_SUBAGENTS = "a subagent's event"


class Hooks:
    def _desk(self) -> Desk:
        raise NotImplementedError

    def hook(self, name: str, event: HookEvent, deadline_ms: int, profile: str | None = None) -> Handled:
        """What the hook ``name`` says to an event, and what is to be done afterwards. ``profile`` goes over the
        configured one; ``deadline_ms`` is the time that is left.

        Raises ``UsageError`` for a hook that does not answer such events.
        """
        if event.agent is not None:
            return Handled(HookReply(reason=_OF_SUBAGENTS))
        desk = self._desk()
        if desk.rebuilding():
            return Handled(HookReply(reason="rebuilding"))
        if isinstance(event, PromptSubmitted) and desk.unscanned():
            return Handled(HookReply(reason="the notes are not indexed yet"), lambda: desk.scan(event))
        chosen = PROFILES[profile or desk.profile]
        found = _handled(desk, name, event, chosen, min(deadline_ms, chosen.milliseconds))
        return Handled(found.reply) if event.session == PROBE else found


def _handled(desk: Desk, name: str, event: HookEvent, profile: Profile, deadline_ms: int) -> Handled:
    # Each is imported when its hook runs: a prompt pays for no transcript reader.
    match name, event:
        case "context-surfacing", PromptSubmitted():
            from hearth.engine.hooks import surfacing

            return surfacing.surface(desk, event, profile, deadline_ms)
        case "session-bootstrap", SessionStarted():
            from hearth.engine.hooks import bootstrap

            return bootstrap.bootstrap(desk, event)
        case "staleness-check", SessionStarted():
            from hearth.engine.hooks import bootstrap

            return bootstrap.staleness(desk, event)
        case "postcompact-inject", SessionStarted():
            from hearth.engine.hooks import compaction

            return compaction.give_back(desk, event)
        case "precompact-extract", CompactionImminent():
            from hearth.engine.hooks import compaction

            return compaction.save(desk, event)
        case "feedback-loop", TurnEnded():
            from hearth.engine.hooks import turn

            return turn.ended(desk, event)
        case "session-end", SessionEnded():
            from hearth.engine.hooks import turn

            return turn.closed(desk, event)
        case "pretool-inject", ToolAboutToRun():
            from hearth.engine.hooks import tool

            return tool.advise(desk, event)
    raise UsageError(f"the hook {name!r} does not answer {type(event).__name__}")
