"""One line at the next prompt about what a person asked their memory to leave out or to forget, told once."""

from __future__ import annotations

from dataclasses import replace

from hearth.context.hooks.context import HookContext
from hearth.core.hook import Handled, PromptSubmitted
from hearth.guard.fence import fence, line
from hearth.memory.sessions.focus import Answer, draft_told, find_answers
from hearth.ports import DocumentReader
from hearth.text.lines import cut_line

TAG = "vault-answer"
LEAD = "What became of what the user asked of their memory. Tell them in one line."
_MOST = 3
_TITLE_CHARS = 80


def with_answers(context: HookContext, event: PromptSubmitted, found: Handled) -> Handled:
    """What a hook says to a prompt, with the answers that the session waits for in front."""
    if not event.by_person:
        return found
    with context.vault.store.read() as reader:
        number, answers = find_answers(reader, event.session)
        said = list(dict.fromkeys(_show(reader, one) for one in answers))
    if not said:
        return found

    def tell() -> None:
        found.after()
        context.vault.sessions.history.record([draft_told(event.session, number)])

    block = fence(TAG, LEAD, [line(" ".join(said))])
    text = "\n".join(filter(None, (block, found.reply.context)))
    return replace(found, reply=replace(found.reply, context=text, reason=None), after=tell)


def _show(reader: DocumentReader, answer: Answer) -> str:
    if answer.is_of_turn:
        return "Not kept, as you asked."
    forgotten = [
        f"{title} (undo: hearth undo {event})" if event else f"a part of {title}"
        for docid, event in answer.forgotten.items()
        if (title := _find_title(reader, docid))
    ]
    if forgotten:
        more = f" and {len(forgotten) - _MOST} more (hearth journal show)" if len(forgotten) > _MOST else ""
        return f"Forgotten, as you asked: {', '.join(forgotten[:_MOST])}{more}."
    meant = [f"{title} (hearth forget {docid})" for docid in answer.meant if (title := _find_title(reader, docid))]
    if meant:
        return f"Nothing was forgotten yet; it may be any of: {', '.join(meant)}."
    return "Nothing of it had been kept."


def _find_title(reader: DocumentReader, docid: str) -> str:
    stored = reader.document(docid)
    return "" if stored is None else f'"{cut_line(stored.document.title, _TITLE_CHARS)}"'
