"""The hooks of a vault: an event goes to the one handler that answers it."""

from __future__ import annotations

import time
from dataclasses import replace

from hearth import context as handlers
from hearth.context.hook_context import CITING_SECONDS, PROFILES, HookContext, Profile
from hearth.core.errors import UsageError
from hearth.core.hook import (
    NOTHING_OFF,
    PROBE,
    CompactionImminent,
    Handled,
    HookEvent,
    HookReply,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    ToolAboutToRun,
    ToolFailed,
    TurnEnded,
)
from hearth.core.lazy import dataclass
from hearth.core.session import MAIN_AGENT, agent_of_session, session_of_agent
from hearth.memory.session_record import is_shared

# The hooks that say how far a transcript reaches: there may be something to capture after them.
MARKING = frozenset({"feedback-loop", "session-end", "precompact-extract"})
# A subagent's prompts and tools are its parent's doing; its turns are no turns of the session.
_OF_SUBAGENTS = "a subagent's event"


@dataclass(frozen=True, slots=True)
class Hooks:
    context: HookContext

    def answer(self, name: str, event: HookEvent, deadline_ms: int, profile: str | None = None) -> Handled:
        """What the hook ``name`` says to an event, and what is to be done afterwards. ``profile`` goes over the
        configured one; ``deadline_ms`` is the time that is left.

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
