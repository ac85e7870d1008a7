"""A change of a document's state, done or shown first."""

from __future__ import annotations

from hearth.server.mcp import render
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.state import Change


def changed(result: Change, given: Arguments) -> str:
    done = result.done
    if result.preview is not None:
        shown = render.document_line(result.preview.document)
        again = f"To do it, call again with reference #{done.docid} and confirm true."
        return f"Preview, nothing changed. This would {result.would}:\n{shown}\n{again}"
    said = f"{done.action}: {render.place(done.collection, done.path)} (#{done.docid})"
    if done.note:
        said += f"\n{render.said(done.note)}"
    if done.events:
        said += f"\nTo take it back: memory_undo with event {done.events[-1]}"
    return said
