"""The session log, a line each."""

from __future__ import annotations

from hearth.model.host.session import Session
from hearth.server.mcp import render
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.sessions import Logged


def log(result: Logged, given: Arguments) -> str:
    if not result.sessions:
        return "No session is known."
    return "Newest first.\n" + "\n".join(map(line, result.sessions))


def line(session: Session) -> str:
    state = "open" if session.ended is None else "ended"
    facts = [state, render.plural(session.turns, "turn")]
    if session.files:
        facts.append(f"{render.plural(session.files, 'file')} changed")
    facts += [render.line(fact) for fact in (session.host, session.project) if fact]
    said = f": {render.line(session.summary)}" if session.summary else ""
    links = ("hand-off", session.handoff), ("conversation", session.conversation)
    named = ", ".join(f"{what} #{docid}" for what, docid in links if docid)
    told = f" ({named})" if named else ""
    return f"{render.minute(session.began)}  {render.name(session.id)}, {', '.join(facts)}{said}{told}"
