"""When a turn or a session ends: what was used of what was shown, and how far the transcript was read."""

from __future__ import annotations

from hearth.context.hooks.context import HookContext
from hearth.context.hooks.transcript import News
from hearth.core.hook import Handled, HookReply, SessionEnded, TurnEnded
from hearth.language.asking import knows_nothing
from hearth.memory.sessions.record import TurnState


def record_turn(context: HookContext, event: TurnEnded) -> Handled:
    """Answers at once; everything is written down afterwards."""
    return Handled(HookReply(reason="recorded"), lambda: _end_turn(context, event))


def record_end(context: HookContext, event: SessionEnded) -> Handled:
    return Handled(HookReply(reason="recorded"), lambda: _end_session(context, event))


def _end_turn(context: HookContext, event: TurnEnded) -> None:
    found = context.transcripts.news(event, context.vault.sessions)
    news = found or News()
    context.seen(event, unattended=news.unattended)
    prompt, reply = event.prompt or news.prompt, event.reply or news.reply
    turn = context.ended_turn(event, prompt)
    if turn is not None and reply and not knows_nothing(reply):
        context.vault.usage.feedback(event.session, turn, reply, prompt)
    if found is not None and not event.paused:
        _mark(context, event, found, turn or found.turn, urgent=found.forgets or _is_urgent(context, prompt))


def _end_session(context: HookContext, event: SessionEnded) -> None:
    news = context.transcripts.news(event, context.vault.sessions)
    context.seen(event, unattended=news is not None and news.unattended)
    if news is not None:
        # On a busy machine a session's end may be recorded before the end of its last turn, or alone.
        _mark(context, event, news, news.turn)
    context.vault.sessions.ended(event.session, event.reason)


def _is_urgent(context: HookContext, prompt: str) -> bool:
    from hearth.capture.requests import Signal, Triggers, signal

    return bool(prompt) and signal(prompt, Triggers.of(context.capture_patterns))[0] is Signal.HIGH


def _mark(
    context: HookContext, event: TurnEnded | SessionEnded, news: News, turn: str | None = None, *, urgent: bool = False
) -> None:
    """Writes down how far the transcript reaches, for whoever reads the new part later."""
    assert event.transcript is not None
    same = isinstance(event, SessionEnded) or news.goes_on
    state: TurnState = "urgent" if urgent else "same turn" if same else "ended"
    context.vault.sessions.turn_ended(event.session, event.transcript, news.end, turn, news.files, state=state)
