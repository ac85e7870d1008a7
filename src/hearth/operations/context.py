"""The context engine: what an agent's model is sent, what was said, flush, compaction and resets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from hearth.context.engine.assembly import AssembleRequest, Assembly
from hearth.context.engine.engine import CompactionReport
from hearth.context.engine.messages import plain_text, read_sizes
from hearth.context.engine.plan import Plan
from hearth.context.engine.pruning import Action
from hearth.context.engine.sessions import SessionId
from hearth.core.errors import UsageError
from hearth.operations import render
from hearth.operations.arguments import Arguments, OneOf, about, text, whole
from hearth.operations.operation import Operation, Request, Route, Row
from hearth.operations.shapes import ANYTHING, COUNTS, FLAG, NUMBER, TEXT, WHOLE, listed, maybe, obj

_TRIGGERS = ("user", "heartbeat", "cron", "subagent")
_MESSAGES = 32 * 1024 * 1024


class OfSession(Arguments):
    session: Annotated[str, text("The session's name, as the host calls it.", 1_000)]
    agent: Annotated[str, text("The agent that the session belongs to.", 100)] = "main"


class Assembling(OfSession):
    budget: Annotated[int, whole("Tokens that may be sent.", 1, 10_000_000)]
    prompt: Annotated[str | None, text("The new prompt, where it isn't among the messages.", 1_000_000)] = None
    messages: Annotated[
        str | None, text("The host's messages as a JSON list [default: those committed].", _MESSAGES)
    ] = None
    files: Annotated[bool, about("Include the agent's own files and daily notes.")] = True
    private: Annotated[bool, about("The chat is a direct one with the owner.")] = False
    trigger: Annotated[str, OneOf(*_TRIGGERS), about("What started the turn.")] = "user"
    window: Annotated[int | None, whole("The model's window in tokens.", 1_000, 10_000_000)] = None
    chat_type: Annotated[str | None, text("direct, group, channel or thread.", 40)] = None
    channel: Annotated[str | None, text("The channel of the chat.", 100)] = None


class Committing(OfSession):
    key: Annotated[str, text("The turn's own name: the same turn sent again is a duplicate.", 1_000)]
    messages: Annotated[str, text("The turn's messages as JSON, a list.", _MESSAGES)]
    trigger: Annotated[str, OneOf(*_TRIGGERS), about("What started the turn.")] = "user"
    folder: Annotated[str | None, text("The folder the agent works in, as an absolute path.", 4_096)] = None
    shared: Annotated[bool, about("Others take part: only the transcript is kept.")] = False
    host: Annotated[str | None, text("The program that runs the agent, for the session's note.", 100)] = None


class Sized(OfSession):
    tokens: Annotated[int | None, whole("Tokens in the window, as the host counts them.", 0, 100_000_000)] = None
    window: Annotated[int | None, whole("The model's window in tokens.", 1_000, 10_000_000)] = None


class Compacting(Sized):
    focus: Annotated[str | None, text("The topic to keep in detail.", 1_000)] = None
    only_due: Annotated[bool, about("Do nothing while the window has room for an answer.")] = False


class Fitting(Arguments):
    budget: Annotated[int, whole("Tokens that may be sent.", 1, 10_000_000)]
    skeletons: Annotated[
        str,
        text(
            "The sizes of the host's messages as JSON, a list of id, role, tokens, chars, images, calls, answers, "
            "tools, at.",
            _MESSAGES,
        ),
    ]
    former: Annotated[str | None, text("What the last plan did to them, as JSON: an action by id.", _MESSAGES)] = None
    window: Annotated[int | None, whole("The model's window in tokens.", 1_000, 10_000_000)] = None
    ttl: Annotated[int | None, whole("Seconds for which the provider's cache holds.", 0, 1_000_000)] = None


class Summarizing(Arguments):
    messages: Annotated[str, text("The messages to summarize as JSON, a list.", _MESSAGES)]
    former: Annotated[str | None, text("The summary of what came before them.", 100_000)] = None
    focus: Annotated[str | None, text("What to keep in detail.", 1_000)] = None


class Flushing(Sized):
    trigger: Annotated[str, OneOf(*_TRIGGERS), about("What started the turn.")] = "user"
    skip: Annotated[str | None, text("Why the host can't run a silent turn now.", 200)] = None
    ended: Annotated[str | None, OneOf("done", "failed"), about("How this cycle's silent turn ended.")] = None


class Resetting(OfSession):
    reason: Annotated[str, text("Why: new, reset, idle or daily.", 100)] = "new"


def _session(call: Request, given: OfSession) -> SessionId:
    """Whose it is says the host, where it says that, never an argument."""
    host = given.host or "" if isinstance(given, Committing) else ""
    return SessionId(given.session, call.vault.agent if call.is_of_agent else given.agent, host)


_LIKE = 'give a list such as [{"role": "user", "content": "Hello"}]'


def _read_json(given: str, what: str, like: str = "") -> Any:
    try:
        return json.loads(given)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what} is no JSON: {error}{like and f'; {like}'}") from None


def _read_messages(given: str, what: str = "messages") -> list[Mapping[str, Any]]:
    like = _LIKE if what == "messages" else ""
    found = _read_json(given, what, like)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise UsageError(f"{what} is not a list of objects{like and f'; {like}'}")
    return found


def _read_actions(given: str | None) -> dict[str, Action]:
    found = {} if given is None else _read_json(given, "former")
    if not isinstance(found, dict) or not all(action in set(Action) for action in found.values()):
        raise UsageError(f"former is not an object of actions; there are: {', '.join(Action)}")
    return {name: Action(action) for name, action in found.items()}


def _request(given: Assembling) -> AssembleRequest:
    messages = None if given.messages is None else _read_messages(given.messages)
    return AssembleRequest(
        given.budget, given.prompt, messages, given.files, given.private, given.trigger, given.window,
        given.chat_type, given.channel,
    )  # fmt: skip


def _fit(call: Request, given: Fitting) -> Plan:
    sizes = [read_sizes(one) for one in _read_messages(given.skeletons, "skeletons")]
    return call.vault.context.fit(sizes, given.budget, given.window, _read_actions(given.former), given.ttl)


def _summarize(call: Request, given: Summarizing) -> Row:
    messages = _read_messages(given.messages)
    return Row({"summary": call.vault.context.summarize(messages, given.former or "", given.focus or "")})


def _commit(call: Request, given: Committing) -> Row:
    messages = _read_messages(given.messages)
    status = call.vault.context.commit(
        _session(call, given), given.key, messages, trigger=given.trigger, cwd=given.folder, shared=given.shared
    )
    return Row({"status": status})


def _flush(call: Request, given: Flushing) -> Row:
    engine, session = call.vault.context, _session(call, given)
    if given.ended is not None:
        engine.flushed(session, failed=given.ended == "failed")
    found = engine.flush(session, given.tokens, window=given.window, skip=given.skip or "", trigger=given.trigger)
    return Row(found.to_dict())


def _compact(call: Request, given: Compacting) -> CompactionReport:
    return call.vault.context.compact(
        _session(call, given), focus=given.focus or "", window=given.window, tokens=given.tokens,
        only_due=given.only_due,
    )  # fmt: skip


def _read(call: Request, given: OfSession) -> Row:
    engine, session = call.vault.context, _session(call, given)
    return Row({"messages": engine.messages(session), "unreadable": engine.count_unreadable(session)})


_DONE = {"drop": "left out", "trim": "trimmed", "clear": "cleared", "unillustrate": "without attachments"}


def _say_plan(result: Plan, given: Assembling | Fitting) -> str:
    return _say_budget(result.tokens, result.parts, Counter(map(str, result.actions.values())), result.overflow)


def _say_assembly(result: Assembly, given: Assembling) -> str:
    head = _say_budget(result.tokens, result.parts, result.cut, result.overflow)
    texts = [render.line(plain_text(message)[:300]) for message in result.messages]
    shown = [f"{message.get('role', '')}: {text}" for message, text in zip(result.messages, texts, strict=True)]
    return "\n".join([head, *([f"system: {render.line(result.system[:300])}"] if result.system else []), *shown])


def _say_budget(tokens: int, parts: Mapping[str, int], cut: Mapping[str, int], overflow: int) -> str:
    filled = "".join(f"; {name} {count:,}" for name, count in parts.items() if count)
    changed = "".join(f"; {render.plural(count, 'message')} {_DONE[action]}" for action, count in cut.items())
    over = f" Over the budget by {overflow:,} tokens." if overflow else ""
    return f"{render.plural(tokens, 'token')}{filled}{changed}.{over}"


def _say_flush(result: Row, given: Flushing) -> str:
    plan = result.data
    if not plan["due"]:
        return f"Not due: {plan['reason']}."
    return f"Due. Write to {plan['path']}.\n\nSystem prompt: {plan['system_prompt']}\n\nPrompt: {plan['prompt']}"


def _say_compaction(result: CompactionReport, given: Compacting) -> str:
    if not result.compacted:
        return f"Nothing compacted: {result.reason}."
    return f"Compacted: {result.tokens_before:,} to {result.tokens_after:,} tokens.\n\n{result.summary}"


def _say_messages(result: Row, given: OfSession) -> str:
    found: Sequence[Mapping[str, Any]] = result.data["messages"]
    lines = [f"#{one['id']} {one.get('role', '')}: {render.line(plain_text(one)[:300])}" for one in found]
    if result.data["unreadable"]:
        lines.append(f"{render.plural(result.data['unreadable'], 'line')} could not be read.")
    return "\n".join(lines) or "Nothing was said in this session."


_PLAN = {"parts": COUNTS, "tokens": WHOLE, "overflow": WHOLE}

PLAN = Operation(
    "context_plan",
    "Plan a context",
    "Show which messages fit into a budget, without their text.",
    Assembling,
    obj({"actions": ANYTHING, **_PLAN}),
    lambda call, given: call.vault.context.plan(_session(call, given), _request(given)),
    words=_say_plan,
    routes=(Route("POST", "/context/plan"),),
    command="context",
    of_window=True,
)
ASSEMBLE = Operation(
    "context_assemble",
    "Assemble a context",
    "Assemble what an agent's model should see: its files, notes, a summary, the newest messages and recall.",
    Assembling,
    obj({"system": TEXT, "messages": listed(ANYTHING), **_PLAN, "cut": COUNTS, "reset": maybe(TEXT)}),
    lambda call, given: call.vault.context.assemble(_session(call, given), _request(given)),
    words=_say_assembly,
    routes=(Route("POST", "/context/assemble"),),
    command="context",
    of_window=True,
    writes=True,
    idempotent=False,
)
FIT = Operation(
    "context_fit",
    "Fit messages",
    "Plan how messages that a host keeps itself fit into a budget.",
    Fitting,
    obj({"actions": ANYTHING, **_PLAN}),
    _fit,
    words=_say_plan,
    routes=(Route("POST", "/context/fit"),),
    command="context",
    of_window=True,
    reads=False,
    apart=True,
)
SUMMARIZE = Operation(
    "context_summarize",
    "Summarize messages",
    "Summarize messages that a host keeps itself, as a compaction does.",
    Summarizing,
    obj({"summary": TEXT}),
    _summarize,
    words=lambda result, given: str(result.data["summary"]),
    routes=(Route("POST", "/context/summarize"),),
    command="context",
    of_window=True,
    reads=False,
    apart=True,
)
COMMIT = Operation(
    "context_commit",
    "Commit a turn",
    "Store the messages of a turn: on disk before it answers, and only once however often it is sent.",
    Committing,
    obj({"status": TEXT | {"enum": ["committed", "duplicate"]}}),
    _commit,
    words=lambda result, given: f"{result.data['status'].capitalize()}.",
    routes=(Route("POST", "/context/commit"),),
    command="context",
    of_window=True,
    reads=False,
    writes=True,
    apart=True,
)
COMPACT = Operation(
    "context_compact",
    "Compact a session",
    "Replace all but the newest messages by a summary in what the model sees; the transcript keeps them.",
    Compacting,
    obj(
        {
            "compacted": FLAG,
            "reason": TEXT,
            "summary": TEXT,
            "first_kept": maybe(TEXT),
            "tokens_before": WHOLE,
            "tokens_after": WHOLE,
            "model": TEXT | {"enum": ["unused", "used", "failed"]},
        }
    ),
    _compact,
    words=_say_compaction,
    routes=(Route("POST", "/context/compact"),),
    command="context",
    of_window=True,
    reads=False,
    writes=True,
    idempotent=False,
    apart=True,
)
FLUSH = Operation(
    "context_flush",
    "Flush a session",
    "Say whether the agent should store lasting notes before compaction, and with which prompt.",
    Flushing,
    obj({"due": FLAG, "threshold": NUMBER, "reason": TEXT, "system_prompt": TEXT, "prompt": TEXT, "path": TEXT}),
    _flush,
    words=_say_flush,
    routes=(Route("POST", "/context/flush"),),
    command="context",
    of_window=True,
    reads=False,
    writes=True,
    idempotent=False,
    apart=True,
)
RESET = Operation(
    "context_reset",
    "Reset a session",
    "Start a session anew, after capturing it and writing a note of it.",
    Resetting,
    obj({"note": maybe(TEXT) | {"description": "The note's path in the workspace, else below the memories."}}),
    lambda call, given: Row({"note": call.vault.context.reset(_session(call, given), given.reason)}),
    words=lambda result, given: f"Begun anew; note: {result.data['note'] or 'none, nothing was said'}.",
    routes=(Route("POST", "/context/reset"),),
    command="context",
    of_window=True,
    writes=True,
)
MESSAGES = Operation(
    "context_messages",
    "Read a transcript",
    "Print all messages of a session held here, including compacted ones.",
    OfSession,
    obj({"messages": listed(ANYTHING), "unreadable": WHOLE | {"description": "Lines that were passed over."}}),
    _read,
    words=_say_messages,
    routes=(Route("GET", "/context/messages"),),
    command="context",
    of_window=True,
    reads=False,
    apart=True,
)
