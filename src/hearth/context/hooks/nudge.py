"""What a session that begins is reminded of, once a day: the most urgent of what the vault needs of the person."""

from __future__ import annotations

from hearth.context.hooks.context import HookContext
from hearth.core.hook import Handled, HookReply, SessionStarted
from hearth.guard.fence import fence, line
from hearth.pages.curation_log import Nudge
from hearth.text.lines import estimate_tokens

TAG = "vault-upkeep"
LEAD = "What the user's memory needs of them. Mention it when it suits them; do none of it unless they ask."
TOKENS = 200
_ALL = "hearth curate"


def remind(context: HookContext, event: SessionStarted) -> Handled:
    """By itself; the briefing ends with the same lines."""
    if event.source not in ("startup", "clear"):
        return Handled(HookReply(reason=f"a session that goes on: {event.source}"), lambda: context.seen(event))
    found = reminder(context)
    if not found:
        return Handled(HookReply(reason="nothing to remind of today"), lambda: context.seen(event))
    return Handled(HookReply(found), lambda: _after(context, event))


def reminder(context: HookContext) -> str:
    """The block of today's reminder; empty where there is none."""
    nudge = context.vault.sessions.curations().nudge()
    return "" if nudge is None else _block(nudge)


def _block(nudge: Nudge) -> str:
    """A line for each action as far as they fit, the age of the report last."""
    kept = list(nudge.actions)
    while True:
        more = nudge.more + len(nudge.actions) - len(kept)
        rows = [f"- {line(one.said)}: {line(one.commands[0]) if one.commands else _ALL}" for one in kept]
        rows += [f"- {more} more: {_ALL}"] if more else []
        rows += [f"- Last review: {nudge.days} days ago. Run: {_ALL}"] if nudge.overdue else []
        text = fence(TAG, LEAD, rows)
        if estimate_tokens(text) <= TOKENS or not kept:
            return text
        kept.pop()


def _after(context: HookContext, event: SessionStarted) -> None:
    context.seen(event)
    context.vault.sessions.curations().remember_nudge()
