"""What agents write: memories, and a diary."""

from __future__ import annotations

from typing import Any

from hearth.model.memory import MAX_LINE_CHARS, MAX_SUPERSEDED, MAX_TAG_CHARS, MAX_TAGS, MAX_TEXT_BYTES, Remembered
from hearth.model.types import CONTENT_TYPES, DEFAULT_TYPE, Merge
from hearth.server.mcp import render
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.schema import choice, inputs, outputs, rows, text, texts, value, whole

_WRITTEN = [name for name, kind in CONTENT_TYPES.items() if kind.merge is not Merge.NEVER and name != "daily"]
_TEXT = "What to remember, in full sentences that make sense without this conversation. Markdown."
_GIVEN = ("title", "subject", "project")


def _store(call: Call) -> Answer:
    given: dict[str, Any] = call.given(*_GIVEN, "tags", "supersedes")
    session = call["session"] or call.session
    if session is not None:
        given["session"] = session
    return _written(call.vault.memories.remember(call["content"], call["type"], **given))


def _diary_write(call: Call) -> Answer:
    return _written(call.vault.memories.write_diary(call["entry"], call["topic"], call["agent"]))


def _written(done: Remembered) -> Answer:
    row = done.to_dict()
    del row["file"]  # where it lies on the disk helps nobody who has its path
    said = f"{done.action}: {render.name(done.path)} | {render.line(done.title)} ({done.content_type}, #{done.docid})"
    if done.supersedes:
        said += f"\nIt replaces, out of searches now: {', '.join(f'#{docid}' for docid in done.supersedes)}"
    if done.redacted:
        said += f"\n{render.plural(done.redacted, 'secret')} taken out before it was written."
    return Answer(said, row | {"title": render.line(done.title)})


def _diary_read(call: Call) -> Answer:
    entries = call.vault.memories.read_diary(call["limit"], agent=call["agent"], topic=call["topic"])
    if not entries:
        return Answer("The diary holds nothing of that.", {"entries": []})
    said = [
        f"{render.minute(entry.at)}  {render.line(entry.agent)}  {render.line(entry.topic)} (#{entry.docid})\n"
        + render.quoted(render.clean(entry.text))
        for entry in entries
    ]
    keys = ("docid", "path", "at", "agent", "topic")
    return Answer("\n\n".join(said), {"entries": [{key: getattr(entry, key) for key in keys} for entry in entries]})


_WROTE = outputs(
    action=value("string", "written, duplicate, revised, merged, appended or set aside."),
    docid=value("string"),
    collection=value("string"),
    path=value("string"),
    content_type=value("string"),
    title=value("string"),
    revision=value("string?", "Where the former text went."),
    supersedes=value("strings", "Docids that it replaces; they are out of searches now."),
    redacted=value("integer", "Secrets taken out."),
)

TOOLS = (
    Tool(
        name="memory_store",
        title="Remember something",
        description=(
            "Write a memory: one decision, preference, fact, problem or hand-off a call. What is there already is "
            "found, merged or revised, not doubled; what it replaces leaves searches and is named. Secrets are taken "
            "out. Searchable at once."
        ),
        takes=inputs(
            "content",
            content=text(_TEXT, longest=MAX_TEXT_BYTES),
            type=choice(f"What kind of memory (default {DEFAULT_TYPE}).", _WRITTEN, DEFAULT_TYPE),
            title=text("A title; else made from the text.", longest=MAX_LINE_CHARS),
            tags=texts("Tags.", longest=MAX_TAG_CHARS, most=MAX_TAGS),
            subject=text("Who or what it is about: a later memory about it revises this one.", longest=MAX_LINE_CHARS),
            project=text("Which project it belongs to.", longest=MAX_LINE_CHARS),
            session=text("The session it comes from; else the client's, where known.", longest=MAX_LINE_CHARS),
            supersedes=texts("References of documents that it replaces.", longest=4_096, most=MAX_SUPERSEDED),
        ),
        gives=_WROTE,
        run=_store,
        core=True,
        writes=True,
        destructive=True,
        idempotent=False,
    ),
    Tool(
        name="diary_write",
        title="Write into the diary",
        description="Keep a note to yourself: what you did, learned or want to look at again.",
        takes=inputs(
            "entry",
            entry=text("The entry. Markdown.", longest=MAX_TEXT_BYTES),
            topic=text("What it is about (default general).", longest=MAX_LINE_CHARS),
            agent=text("Whose diary (default agent).", longest=MAX_LINE_CHARS, default="agent"),
        ),
        gives=_WROTE,
        run=_diary_write,
        core=True,
        writes=True,
        idempotent=False,
    ),
    Tool(
        name="diary_read",
        title="Read the diary",
        description="Read the newest entries of the diary, newest first.",
        takes=inputs(
            limit=whole("At most so many (default 10).", 1, 100, 10),
            agent=text("Only this agent's.", longest=MAX_LINE_CHARS),
            topic=text("Only about this.", longest=MAX_LINE_CHARS),
        ),
        gives=outputs(
            entries=rows(
                "Newest first; at is ms UTC.",
                docid="string",
                path="string",
                at="integer",
                agent="string",
                topic="string",
            )
        ),
        run=_diary_read,
    ),
)
