"""What replaced what, and what waits for a decision, in words."""

from __future__ import annotations

from hearth.engine.truth.chain import Chain, Version
from hearth.model.instants import show_date_or_none
from hearth.server.mcp import render
from hearth.server.operations.arguments import Arguments


def history(result: Chain, given: Arguments) -> str:
    lines = [_version(one) for one in result.versions]
    lines += [f"{edge.kind}: {render.name(edge.other)}" for edge in result.edges]
    return "Oldest first; > is the one asked for.\n" + "\n".join(lines)


def _version(one: Version) -> str:
    document, validity = one.stored.document, one.validity
    until = show_date_or_none(validity.valid_to) if validity.hidden else "now"
    head = f"{'>' if one.focus else ' '} {show_date_or_none(validity.valid_from)} to {until}  "
    head += f"{render.place(document.collection, document.path)} | {render.line(document.title)} (#{document.docid})"
    if validity.hidden:
        head += f", not current: {validity.words}"
    said = [f"  > {render.line(one.said)}"] if one.said else []
    why = [f"  why: {render.line(str(one.why['reason']))}"] if one.why.get("reason") else []
    return "\n".join([head, *said, *why])
