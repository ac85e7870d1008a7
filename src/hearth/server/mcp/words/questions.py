"""Open questions in words."""

from __future__ import annotations

from hearth.model.instants import show_date_or_none
from hearth.server.mcp import render
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.graph.questions import QuestionsReply


def questions(result: QuestionsReply, given: Arguments) -> str:
    done = result.changed
    if done is not None:
        back = f"\nTo take it back: memory_undo with event {done.events[-1]}" if done.events else ""
        return f"{done.action} #{done.docid}{back}"
    if not result.found:
        return "Nothing of that kind is there."
    rows = [
        f"{number}. {one.status}, {show_date_or_none(one.asked_at)} (#{one.docid})\n> {render.line(one.text)}"
        for number, one in enumerate(result.found, 1)
    ]
    more = result.total - len(result.found)
    return "\n".join([*rows, *([f"{more} more are not shown."] if more else [])])
