"""When a turn or a session ends: what was used of what was shown, and how far the transcript was read."""

from __future__ import annotations

from hearth.engine.hooks.desk import Desk, News
from hearth.model.hook import Handled, HookReply, SessionEnded, TurnEnded


def ended(desk: Desk, event: TurnEnded) -> Handled:
    """Answers at once; everything is written down afterwards."""
    return Handled(HookReply(reason="recorded"), lambda: _record(desk, event))


def closed(desk: Desk, event: SessionEnded) -> Handled:
    return Handled(HookReply(reason="recorded"), lambda: _close(desk, event))


def _record(desk: Desk, event: TurnEnded) -> None:
    desk.seen(event)
    found = desk.news(event)
    news = found or News()
    prompt, reply = event.prompt or news.prompt, event.reply or news.reply
    turn = desk.ended_turn(event, prompt)
    if turn is not None and reply:
        desk.vault.feedback(event.session, turn, reply, prompt)
    if found is not None and not event.paused:
        desk.mark(event, found, turn)


def _close(desk: Desk, event: SessionEnded) -> None:
    desk.seen(event)
    news = desk.news(event)
    if news is not None:
        desk.mark(event, news)
    desk.vault.session_ended(event.session, event.reason)
