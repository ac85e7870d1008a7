"""The calls of other memory systems, in the words that their agents know."""

from __future__ import annotations

from hearth.engine.compat.report import CompatResult, MemoryContext, MemorySearch, MemoryText
from hearth.server.mcp import render
from hearth.server.mcp.words.search import nothing, perhaps
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.operation import HINDRANCES


def found(result: MemorySearch, given: Arguments) -> str:
    if not result.results:
        return nothing(result.reason)
    sure = "" if result.confident else f" {perhaps(result.reason)}"
    head = f"{render.plural(len(result.results), 'passage')}, best first.{sure}"
    return "\n\n".join([head, *(_block(at, one) for at, one in enumerate(result.results, 1))])


def _block(at: int, result: CompatResult) -> str:
    place = result.citation or f"{result.path}#L{result.start_line}-L{result.end_line}"
    return f"[{at}] {render.name(place)} (score: {result.score:.3f})\n{render.quoted(render.clean(result.snippet))}"


def lines(result: MemoryText, given: Arguments) -> str:
    if result.status == "not_found":
        return f"There is no {render.name(result.path)}."
    more = f"\n\n(cut here; read on with from {result.next})" if result.next is not None else ""
    last = result.first + max(0, result.lines - 1)
    head = f"## {render.name(result.path)}, lines {result.first}-{last} of {result.total}"
    return f"{head}\n\n{result.text}{more}"


def context(result: MemoryContext, given: Arguments) -> str:
    if result.digest:
        return result.digest if result.confident else f"{perhaps(None)}\n\n{result.digest}"
    if result.skipped or result.reason in HINDRANCES:
        return f"(not searched: {render.line(result.skipped or str(result.reason))})"
    return f"(no relevant memory: {render.said(result.reason or 'nothing fits')})"
