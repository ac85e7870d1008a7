"""From a memory to the thread it comes from, and from a thread to its memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.core.instants import show_date_or_none
from hearth.operations import render
from hearth.operations.arguments import Arguments, Referring
from hearth.operations.operation import Operation, Request, Route
from hearth.operations.shapes import ANYTHING, TEXT, listed, obj
from hearth.vault.reference import find

if TYPE_CHECKING:
    from hearth.pages.threads import ThreadMemories


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
