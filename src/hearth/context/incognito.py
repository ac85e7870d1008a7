"""Hooks where the person switched something off."""

from __future__ import annotations

from hearth.context.hook_context import HookContext
from hearth.core.errors import HearthError
from hearth.core.hook import (
    NOTHING_OFF,
    PRIVATE_PROMPT,
    CompactionImminent,
    Handled,
    HookEvent,
    HookReply,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    SwitchedOff,
    TurnEnded,
)
from hearth.transcripts.typed import is_private

_TOLD = (
    "Hearth is incognito in this session ({why}): it reads nothing from memory and keeps nothing of what is said here."
)
# These record, and bring nothing.
_RECORDING = (TurnEnded, SessionEnded, CompactionImminent)


def find_off(context: HookContext, event: HookEvent) -> SwitchedOff:
    """What is switched off for an event. After a private prompt everything is, until its turn is over."""
    privacy, transcript = context.privacy, event.transcript
    off = privacy.find_off(event.session, event.cwd)
    if isinstance(event, PromptSubmitted):
        return PRIVATE_PROMPT if is_private(event.prompt) and not off.everything else off
    if off.capture or transcript is None or isinstance(event, SessionStarted | SessionEnded):
        return off
    hidden = privacy.hidden(transcript)
    if event.reached is not None and any(
        first < event.reached and (end is None or event.reached <= end) for first, end in hidden
    ):
        return PRIVATE_PROMPT
    return PRIVATE_PROMPT if hidden and hidden[-1][1] is None else off


def mark(context: HookContext, event: HookEvent, off: SwitchedOff) -> None:
    """Hides what is said of a transcript from now on, or ends that. Raises ``Unavailable``."""
    if event.transcript is None:
        return
    hidden = context.privacy.hidden(event.transcript)
    is_open = bool(hidden) and hidden[-1][1] is None
    if off.capture and not is_open:
        context.privacy.hide(event.transcript, _find_start(context, event.session, event.transcript))
    elif is_open and not off.capture and isinstance(event, PromptSubmitted | SessionEnded):
        context.privacy.show(event.transcript)


def _find_start(context: HookContext, session: str, transcript: str) -> int:
    """Where the last turn that was recorded ended: a prompt may stand in the transcript before its hook runs."""
    if not context.vault.index.is_stale():
        return context.vault.sessions.watermark(session, transcript)
    try:
        return context.transcripts.files.size(transcript)
    except HearthError:
        return 0


def withhold(context: HookContext, event: HookEvent, off: SwitchedOff, answer: Handled | None) -> Handled:
    """The answer without what is switched off; ``None`` if the event was not handled."""
    notice = _tell(context, event, off)
    reply = HookReply(notice, reason=off.why) if off.surface or answer is None else answer.reply
    after = answer.after if answer is not None and not off.capture else lambda: None
    if notice is None:
        return Handled(reply, after)

    def say() -> None:
        context.privacy.mark_announced(event.session)
        after()

    return Handled(reply, say)


def is_answered(event: HookEvent, off: SwitchedOff) -> bool:
    """Whether an event is handled anyway."""
    if off == NOTHING_OFF:
        return True
    return not off.capture if isinstance(event, _RECORDING) else not off.surface


def _tell(context: HookContext, event: HookEvent, off: SwitchedOff) -> str | None:
    """A line for the agent and the person, once in a session."""
    can_be_told = isinstance(event, PromptSubmitted | SessionStarted)
    if not off.everything or off == PRIVATE_PROMPT or off.agent or not can_be_told:
        return None
    if context.privacy.was_announced(event.session):
        return None
    return _TOLD.format(why=off.why)
