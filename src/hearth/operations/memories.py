"""What agents and programs write: memories, notes of the day, a diary; a whole vault out and in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from hearth.capture.batches import HandoverReceipt
from hearth.capture.handoff import MAX_TURN_BYTES, TurnText
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass
from hearth.core.memory import (
    CONTENT_TYPES,
    DEFAULT_TYPE,
    MAX_LINE_CHARS,
    MAX_PROJECT_CHARS,
    MAX_SUPERSEDED,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MAX_TEXT_BYTES,
    Merge,
    Remembered,
)
from hearth.core.session import Sighting
from hearth.operations import render
from hearth.operations.arguments import Arguments, OneOf, Place, about, item, text, texts, whole
from hearth.operations.operation import LINES, Operation, Request, Route, Row, Tool
from hearth.operations.shapes import INSTANT, TEXT, TEXTS, WHOLE, listed, obj, ref

if TYPE_CHECKING:
    from hearth.vault.exchange import Imported

DAILY = "daily"
"""Not a memory of its own: added to the file of the day."""
_WRITTEN = [name for name, kind in CONTENT_TYPES.items() if kind.merge is not Merge.NEVER]
_TEXT = "What to remember, in full sentences that make sense without this conversation. Markdown."
_GIVEN = {"title", "tags", "subject", "project", "session", "supersedes"}


class Remember(Arguments):
    text: Annotated[str, text(_TEXT, MAX_TEXT_BYTES)]
    type: Annotated[str, OneOf(*_WRITTEN), about(f"What kind of memory (default {DEFAULT_TYPE}).")] = DEFAULT_TYPE
    title: Annotated[str | None, text("Its title [default: made from the text].", MAX_LINE_CHARS)] = None
    tags: Annotated[tuple[Annotated[str, item(MAX_TAG_CHARS)], ...], texts("Tags.", MAX_TAGS)] = ()
    subject: Annotated[
        str | None, text("What it is about; a later memory with the same subject revises it.", MAX_LINE_CHARS)
    ] = None
    project: Annotated[str | None, text("The project it belongs to.", MAX_LINE_CHARS)] = None
    session: Annotated[
        str | None, text("The session it comes from [default: the client's, if known].", MAX_LINE_CHARS)
    ] = None
    supersedes: Annotated[tuple[Place, ...], texts("Documents that it supersedes.", MAX_SUPERSEDED)] = ()


class Note(Arguments):
    text: Annotated[str, text("The text. Markdown.", MAX_TEXT_BYTES)]


class Exchanged(Arguments):
    session: Annotated[str, text("The session's name, the same for all its turns.", 4_096)]
    user: Annotated[str | None, text("What the person said.", MAX_TURN_BYTES)] = None
    assistant: Annotated[str | None, text("What was answered.", MAX_TURN_BYTES)] = None
    host: Annotated[str | None, text("The client's name.", 64)] = None
    project: Annotated[str | None, text("Which project it is about.", MAX_PROJECT_CHARS)] = None
    end: Annotated[bool, about("Whether the session is over.")] = False


class DiaryEntry(Arguments):
    text: Annotated[str, text("The entry. Markdown.", MAX_TEXT_BYTES)]
    topic: Annotated[str | None, text("What it is about (default general).", MAX_LINE_CHARS)] = None
    agent: Annotated[str, text("Whose diary (default agent).", MAX_LINE_CHARS)] = "agent"


class Diary(Arguments):
    limit: Annotated[int, whole("At most this many (default 10).", 1, 100)] = 10
    agent: Annotated[str | None, text("Only this agent's.", MAX_LINE_CHARS)] = None
    topic: Annotated[str | None, text("Only this topic.", MAX_LINE_CHARS)] = None


@dataclass(frozen=True, slots=True)
class Written:
    """Without the place on the disk, which helps nobody who has the path."""

    done: Remembered

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in self.done.to_dict().items() if name != "file"}


def _remember(call: Request, given: Remember) -> Written:
    if given.type == DAILY:
        if given.subject or given.supersedes:
            raise UsageError("a note of the day has no subject and supersedes nothing; leave them out")
        return Written(call.vault.memories.note(f"{given.title}: {given.text}" if given.title else given.text))
    more = given.pick(*_GIVEN)
    if call.session is not None:
        more.setdefault("session", call.session)
    return Written(call.vault.memories.remember(given.text, given.type, **more))


def _capture(call: Request, given: Exchanged) -> HandoverReceipt:
    exchange = (("user", given.user), ("assistant", given.assistant))
    turns = [TurnText(role, text) for role, text in exchange if text is not None]
    taken = call.vault.capture(Sighting(given.session, given.host, given.project), turns, end=given.end)
    call.opened.wake()
    return taken


def render_written(result: Written, given: Arguments) -> str:
    done = result.done
    text = f"{done.action}: {render.name(done.path)} | {render.line(done.title)} ({done.content_type}, #{done.docid})"
    if done.supersedes:
        text += f"\nIt replaces, out of searches now: {', '.join(f'#{docid}' for docid in done.supersedes)}"
    if done.asks:
        text += f"\nIt may contradict {', '.join(f'#{docid}' for docid in done.asks)}; the user is asked"
    if done.redacted:
        text += f"\n{render.plural(done.redacted, 'secret')} taken out before it was written."
    return text


def render_capture(result: HandoverReceipt, given: Arguments) -> str:
    when = "with its next turns or its end" if result.due_at is None else f"at {render.minute(result.due_at)} or sooner"
    return f"taken: {render.plural(result.turns, 'turn')} of session {render.line(result.session)}; captured {when}"


def _read_diary(call: Request, given: Diary) -> Row:
    entries = call.vault.memories.read_diary(given.limit, agent=given.agent, topic=given.topic)
    return Row({"entries": [entry.to_dict() for entry in entries]})


def render_diary(result: Row, given: Arguments) -> str:
    entries = result.data["entries"]
    if not entries:
        return "The diary holds nothing of that."
    return "\n\n".join(map(_say_entry, entries))


def _say_entry(entry: dict[str, Any]) -> str:
    about = f"{render.line(entry['agent'])}  {render.line(entry['topic'])} (#{entry['docid']})"
    return f"{render.minute(entry['at'])}  {about}\n{render.quoted(render.clean(entry['text']))}"


REMEMBER = Operation(
    "remember",
    "Remember something",
    "Write a memory, unless it exists already. Searchable at once, on the disk before the answer.",
    Remember,
    ref("Written"),
    _remember,
    reads=False,
    writes=True,
    destructive=True,
    idempotent=False,
    words=render_written,
    tools=(
        Tool(
            "memory_store",
            "text|content type title tags subject project session supersedes",
            described="Remember what a later session has to know: one decision, preference, fact, problem or hand-off "
            "a call. Existing ones are found, merged or revised, never duplicated; superseded ones leave searches and "
            "are named. Secrets are removed. Searchable at once.",
        ),
    ),
    routes=(Route("POST", "/memories"),),
)
NOTE = Operation(
    "note",
    "Add to the day's notes",
    "Add a text to the file of the day.",
    Note,
    ref("Written"),
    lambda call, given: Written(call.vault.memories.note(given.text)),
    reads=False,
    writes=True,
    idempotent=False,
    routes=(Route("POST", "/notes"),),
)
CAPTURE = Operation(
    "capture",
    "Hand over what was said",
    "Submit a turn of a session whose client writes no transcript; it is captured like others.",
    Exchanged,
    obj({"session": TEXT, "turns": WHOLE, "due_at": INSTANT | {"type": ["integer", "null"]}}),
    _capture,
    reads=False,
    writes=True,
    idempotent=False,
    words=render_capture,
    tools=(Tool("memory_capture", "session user assistant project end"),),
    routes=(Route("POST", "/capture"),),
)
DIARY_WRITE = Operation(
    "diary_write",
    "Write into the diary",
    "Keep a note to yourself: what you did, learned or want to look at again.",
    DiaryEntry,
    ref("Written"),
    lambda call, given: Written(call.vault.memories.write_diary(given.text, given.topic, given.agent)),
    reads=False,
    writes=True,
    idempotent=False,
    words=render_written,
    tools=(Tool("diary_write", "text|entry topic agent"),),
    routes=(Route("POST", "/diary"),),
    command="diary",
)
DIARY_READ = Operation(
    "diary_read",
    "Read the diary",
    "Read the diary's newest entries, newest first.",
    Diary,
    obj(
        {
            "entries": listed(
                obj({"docid": TEXT, "path": TEXT, "at": INSTANT, "agent": TEXT, "topic": TEXT, "text": TEXT}),
                "Newest first; at is ms UTC.",
            )
        }
    ),
    _read_diary,
    words=render_diary,
    tools=(Tool("diary_read"),),
    routes=(Route("GET", "/diary"),),
    command="diary",
)


_NUMBERS = ("memories", "files", "events", "unchanged", "kept", "left", "redacted", "skipped")


class Export(Arguments):
    files: Annotated[bool, about("With the texts of people's files.")] = True


def _export(call: Request, given: Export) -> Iterator[bytes]:
    if call.is_of_agent:
        raise UsageError("an agent can't export the vault: it holds what other agents have")
    return call.vault.exchange.export(files=given.files)


def _import(call: Request, given: Arguments) -> Imported:
    """People's files go nowhere from here: no client names a folder of this machine."""
    assert call.source is not None
    return call.vault.exchange.import_(call.source)


EXPORT = Operation(
    "export",
    "Export the vault",
    "Everything that a vault knows, as lines of JSON. Without a last line of kind end it is not complete.",
    Export,
    {},
    _export,
    routes=(Route("GET", "/export", media=LINES),),
)
IMPORT = Operation(
    "import",
    "Import into the vault",
    "Take in an export: memories and journal. Nothing that is there is replaced.",
    Arguments,
    obj({**dict.fromkeys(_NUMBERS, WHOLE), "problems": TEXTS}),
    _import,
    reads=False,
    writes=True,
    long=True,
    routes=(Route("POST", "/import", source=True),),
)
