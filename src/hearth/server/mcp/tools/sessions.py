"""The session log: which conversations there were, and what came of them."""

from __future__ import annotations

from hearth.model.host.session import Session
from hearth.server.mcp import render
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.schema import Schema, inputs, outputs, rows, text, whole

ROW = {
    "id": "string",
    "began": "integer",
    "last": "integer",
    "ended": "integer?",
    "host": "string?",
    "project": "string?",
    "machine": "string?",
    "turns": "integer",
    "files": "integer",
    "summary": "string?",
    "handoff": "string?",
}
SESSIONS: Schema = rows("Newest first; began, last and ended are ms UTC, handoff is a docid.", **ROW)


def _session_log(call: Call) -> Answer:
    sessions = call.vault.sessions.recent(call["limit"], call["project"])
    if not sessions:
        return Answer("No session is known.", {"sessions": []})
    return Answer("Newest first.\n" + "\n".join(map(line, sessions)), {"sessions": [row(one) for one in sessions]})


def line(session: Session) -> str:
    state = "open" if session.ended is None else "ended"
    facts = [state, render.plural(session.turns, "turn")]
    if session.files:
        facts.append(f"{render.plural(session.files, 'file')} changed")
    facts += [render.line(fact) for fact in (session.host, session.project) if fact]
    said = f": {render.line(session.summary)}" if session.summary else ""
    handoff = f" (hand-off #{session.handoff})" if session.handoff else ""
    return f"{render.minute(session.began)}  {render.name(session.id)}, {', '.join(facts)}{said}{handoff}"


def row(session: Session) -> dict[str, object]:
    found = {name: getattr(session, name) for name in ROW}
    return found | {"summary": render.line(session.summary) if session.summary else None}


TOOLS = (
    Tool(
        name="session_log",
        title="List past sessions",
        description="List the last sessions with agents: when, where, how long, and their hand-offs, which get reads.",
        takes=inputs(
            limit=whole("At most so many (default 10).", 1, 100, 10),
            project=text("Only of this project, as the log names it.", longest=1_000),
        ),
        gives=outputs(sessions=SESSIONS),
        run=_session_log,
        core=True,
    ),
)
