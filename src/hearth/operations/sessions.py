"""Sessions: which there were and what came of them, and which are incognito; from a memory to the thread it comes
from, and back; and what is used most: documents by how often answers used them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from hearth.core.errors import Remedy, UsageError
from hearth.core.hook import IncognitoReport, check_switch
from hearth.core.instants import show_date_or_none
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES
from hearth.core.query import SOURCES
from hearth.core.session import Session
from hearth.memory.usage import UsedDocument
from hearth.operations import render, shapes
from hearth.operations.arguments import Arguments, Name, OneOf, Referring, about, existing, text, texts, whole
from hearth.operations.operation import Operation, Request, Route, Row, Tool
from hearth.operations.shapes import (
    ANYTHING,
    CURSOR,
    FLAG,
    INSTANT,
    NEXT,
    TEXT,
    TEXTS,
    WHOLE,
    cursor,
    key,
    listed,
    maybe,
    obj,
    ref,
)
from hearth.ports import Filter
from hearth.vault.changes import find

if TYPE_CHECKING:
    from hearth.pages.threads import ThreadMemories
    from hearth.vault.vault import Vault


_ALL = 1_000_000
_NAMED = 3
"""Files that a line of the log names."""
_END = Remedy("incognito off", lead="as the person wants it: ")


class SessionLogArguments(Arguments):
    limit: Annotated[int, whole("At most this many.", 1, 200)] = 20
    project: Annotated[str | None, text("Only of this project, as the log names it.", 1_000)] = None
    cursor: Annotated[str | None, CURSOR] = None


class McpSessionLog(SessionLogArguments):
    limit: Annotated[int, whole("At most this many (default 10).", 1, 100)] = 10


class One(Arguments):
    session: Annotated[str, text("A session, or the beginning of its name.", 4_096)]


@dataclass(frozen=True, slots=True)
class Logged:
    sessions: Sequence[Session]
    next: str | None

    def to_dict(self) -> dict[str, Any]:
        return {"sessions": [shapes.session(one) for one in self.sessions], "next": self.next}


def _log(call: Request, given: SessionLogArguments) -> Logged:
    after = key(given.cursor, int, str)
    wanted = given.limit + 1 if after is None else _ALL
    found = call.vault.sessions.recent(wanted, given.project, empty=False)
    if after is not None:
        found = [one for one in found if _key(one) > (-int(after[0]), str(after[1]))]
    page = found[: given.limit]
    return Logged(page, cursor((page[-1].began, page[-1].id)) if len(found) > given.limit else None)


def _key(session: Session) -> tuple[int, str]:
    """The order of the log."""
    return (-session.began, session.id)


def render_incognito(result: IncognitoReport, given: Arguments) -> str:
    what = f"session {result.session}" if result.session is not None else f"folder {result.folder}"
    where = "" if result.session is None and result.folder is None else f" for {render.name(what)}"
    problems = "".join(f"\nProblem: {render.line(problem)}" for problem in result.problems)
    off = result.here
    if off.everything:
        text = f"Incognito{where}: {render.line(off.why)}. Nothing is read, nothing is kept."
    elif off.capture or off.surface:
        text = f"{'Capture' if off.capture else 'Surfacing'} is off{where}: {render.line(off.why)}."
    else:
        text = f"Not incognito{where}."
    others = [*(f"session {one}" for one in result.sessions), *result.folders]
    listed = f"\nIncognito on this machine: {', '.join(map(render.name, others))}" if others else ""
    return f"{text}{listed}{problems}"


def render_log(result: Logged, given: Arguments) -> str:
    if not result.sessions:
        return "No session is known."
    return "Newest first.\n" + "\n".join(map(session_line, result.sessions))


def session_line(session: Session) -> str:
    state = "open" if session.ended is None else "ended"
    facts = [state, render.plural(session.turns, "turn")]
    if session.files:
        facts.append(say_changed(session))
    facts += [render.line(fact) for fact in (session.host, session.project) if fact]
    summary = f": {render.line(session.summary)}" if session.summary else ""
    links = ("hand-off", session.handoff), ("conversation", session.conversation)
    named = ", ".join(f"{what} #{docid}" for what, docid in links if docid)
    name = f" ({named})" if named else ""
    return f"{render.minute(session.began)}  {render.name(session.id)}, {', '.join(facts)}{summary}{name}"


def say_changed(session: Session) -> str:
    """How many files a session changed, and which of them latest."""
    named = [render.name(file) for file in session.changed[:_NAMED]]
    more = f" and {session.files - len(named):,} more" if session.files > len(named) else ""
    return f"{render.plural(session.files, 'file')} changed ({', '.join(named)}{more})"


LOG = Operation(
    "sessions",
    "List past sessions",
    "List the last sessions with agents: when, where, how long, what files changed, their hand-offs and what was said.",
    SessionLogArguments,
    obj({"sessions": listed(ref("Session"), "Newest first; handoff and conversation are docids."), "next": NEXT}),
    _log,
    words=render_log,
    tools=(
        Tool(
            "session_log",
            "limit project",
            takes=McpSessionLog,
            described="See what was done last time: the last sessions with agents, when, where, how long, what files "
            "changed, their hand-offs and what was said, which get reads.",
        ),
    ),
    routes=(Route("GET", "/sessions"),),
    command="log",
)
ONE = Operation(
    "session",
    "Read a session",
    "A session turn by turn, and what was shown in each.",
    One,
    ref("SessionDetail"),
    lambda call, given: Row(shapes.session(call.vault.sessions.get(given.session))),
    routes=(Route("GET", "/sessions/{session}"),),
    command="log",
)


class Where(Arguments):
    session: Annotated[str | None, text("Which session, by the host's id.", 256)] = None
    folder: Annotated[str | None, text("A folder and everything below it, as an absolute path.", 4_096)] = None


class Incognito(Where):
    action: Annotated[
        Literal["status", "on", "off"],
        about("On: nothing is read or kept from now on; off: again. Only as the person wants it (default status)."),
    ] = "status"


def _status(call: Request, given: Where) -> IncognitoReport:
    return call.vault.privacy.report(given.session or call.session, _folder(given))


def _switch(call: Request, given: Incognito) -> IncognitoReport:
    session, folder = given.session, _folder(given)
    if session is None and folder is None:
        session = call.session
    if given.action != "status":
        if (session is None) == (folder is None):
            raise UsageError("give session or folder: what is to be switched")
        call.vault.privacy.switch(given.action == "on", session=session, folder=folder)
    return call.vault.privacy.report(session, folder)


def check_incognito(operation: Operation[Any], vault: Vault, session: str | None, cwd: str | None) -> None:
    """Raises ``Conflict`` where an agent may neither read nor write: it has no memory, or the session or folder is
    incognito."""
    off = vault.privacy.find_off(session, cwd)
    if not (operation.of_window if off.agent else operation is SWITCH):
        check_switch(off, _END)


def _folder(given: Where) -> str | None:
    if given.folder is not None and not given.folder.startswith("/"):
        raise UsageError(f"folder {given.folder[:80]!r} is not an absolute name")
    return None if given.folder is None else given.folder.rstrip("/") or "/"


_GIVES = obj(
    {
        "incognito": FLAG | {"description": "Whether nothing is read and nothing kept here."},
        "capture": FLAG | {"description": "Whether what is said here is kept."},
        "surface": FLAG | {"description": "Whether hooks bring something here."},
        "why": TEXT | {"description": "What switches it off."},
        "session": maybe(TEXT),
        "folder": maybe(TEXT),
        "sessions": TEXTS | {"description": "All that are incognito on this machine."},
        "folders": TEXTS,
        "problems": TEXTS | {"description": "What of the files that switch things off can't be understood."},
    }
)
STATUS = Operation(
    "incognito_status",
    "What is incognito",
    "What is switched off for a session or a folder.",
    Where,
    _GIVES,
    _status,
    routes=(Route("GET", "/incognito"),),
    command="incognito",
)
SWITCH = Operation(
    "incognito",
    "Incognito",
    "Make a session or folder incognito (hooks add nothing, nothing is captured), end that, or show which are.",
    Incognito,
    _GIVES,
    _switch,
    writes=True,
    words=render_incognito,
    tools=(Tool("memory_incognito", "action session folder"),),
    routes=(Route("POST", "/incognito"),),
)


class MostUsed(Arguments):
    limit: Annotated[int, whole("At most this many (default 20).", 1, 200)] = 20
    collections: Annotated[tuple[Name, ...], texts("Only in these collections.", 100)] = ()
    types: Annotated[tuple[Annotated[str, OneOf(*CONTENT_TYPES)], ...], texts("Only these types of document.", 30)] = ()
    sources: Annotated[
        tuple[Annotated[str, OneOf(*SOURCES)], ...],
        texts("Only what people wrote (notes), memories (memory), or what sessions said (conversations).", 3),
    ] = ()


@dataclass(frozen=True, slots=True)
class MostUsedReply:
    documents: Sequence[UsedDocument]

    def to_dict(self) -> dict[str, Any]:
        return {"documents": [one.to_dict() for one in self.documents]}


def _rank(call: Request, given: MostUsed) -> MostUsedReply:
    within = Filter(existing(call.vault, given.collections), given.types, sources=given.sources, at=call.vault.clock())
    return MostUsedReply(call.vault.usage.rank(within, given.limit))


def render_most_used(result: MostUsedReply, given: Arguments) -> str:
    if not result.documents:
        return "No document was used yet."
    return "\n".join(map(_say, result.documents))


def _say(one: UsedDocument) -> str:
    document, use = one.document, one.use
    counts = (
        f"used in {render.plural(use.referenced, 'answer')}",
        f"shown in {render.plural(use.surfaced, 'turn')}",
        f"found by {render.plural(use.recalled, 'question')}",
    )
    last = f", last read or used {show_date_or_none(one.last_accessed_at)}" if one.last_accessed_at else ""
    return f"{render.document_line(document)}\n    {', '.join(counts)}{last}"


_USED = obj(
    {
        "docid": TEXT,
        "collection": TEXT,
        "path": TEXT,
        "title": TEXT,
        "content_type": TEXT,
        "used": WHOLE | {"description": "Answers that used it."},
        "shown": WHOLE | {"description": "Turns that it was shown in unasked."},
        "found": WHOLE | {"description": "Questions that found it."},
        "last_accessed_at": maybe(INSTANT),
    }
)
MOST_USED = Operation(
    "usage_top",
    "What is used most",
    "List the documents and memories that answers used most, with how often they were shown and found.",
    MostUsed,
    obj({"documents": listed(_USED, "The most used first; what was never used or read is left out.")}),
    _rank,
    words=render_most_used,
    routes=(Route("GET", "/usage/top"),),
    command="usage",
)


def _find(call: Request, given: Referring) -> ThreadMemories:
    """Of a memory, or of a conversation; with ``:line`` the thread that holds that line."""
    with call.vault.store.read() as reader:
        target = find(given.reference, reader, call.vault.core.roots)
    return call.vault.knowledge.overview.thread_of(target.stored.document.docid, target.start)


def render_thread(result: ThreadMemories, given: Arguments) -> str:
    thread = result.thread
    place = render.name(f"{thread.path}:{thread.start_line}-{thread.end_line}")
    when = show_date_or_none(thread.began)
    head = f"{when}  {render.line(thread.title)}  {render.plural(thread.turns, 'turn')}  {place} #{thread.docid}"
    if not result.memories:
        return f"{head}\nNo memory was captured from it."
    rows = (f"> {render.line(one.title)} ({one.content_type}, #{one.docid})" for one in result.memories)
    return "\n".join((head, *rows))


_MEMORY = obj({"docid": TEXT, "collection": TEXT, "path": TEXT, "title": TEXT, "content_type": TEXT})
THREAD = Operation(
    "thread",
    "Show the thread of a memory",
    "Show the conversation thread that a memory was captured from, or that holds a line of a conversation, with all "
    "memories from it.",
    Referring,
    obj({"thread": ANYTHING, "memories": listed(_MEMORY, "Oldest first.")}),
    _find,
    words=render_thread,
    routes=(Route("GET", "/threads/{docid}"),),
)
