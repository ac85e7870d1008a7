"""What was written, and the diary."""

from __future__ import annotations

from hearth.engine.capture.report import HandedOver
from hearth.server.mcp import render
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.memories import Entries, Written


def written(result: Written, given: Arguments) -> str:
    done = result.done
    said = f"{done.action}: {render.name(done.path)} | {render.line(done.title)} ({done.content_type}, #{done.docid})"
    if done.supersedes:
        said += f"\nIt replaces, out of searches now: {', '.join(f'#{docid}' for docid in done.supersedes)}"
    if done.asks:
        said += f"\nIt may contradict {', '.join(f'#{docid}' for docid in done.asks)}; the user is asked"
    if done.redacted:
        said += f"\n{render.plural(done.redacted, 'secret')} taken out before it was written."
    return said


def handed_over(result: HandedOver, given: Arguments) -> str:
    when = "with its next turns or its end" if result.due_at is None else f"at {render.minute(result.due_at)} or sooner"
    return f"taken: {render.plural(result.turns, 'turn')} of session {render.line(result.session)}; captured {when}"


def diary(result: Entries, given: Arguments) -> str:
    if not result.entries:
        return "The diary holds nothing of that."
    return "\n\n".join(
        f"{render.minute(entry.at)}  {render.line(entry.agent)}  {render.line(entry.topic)} (#{entry.docid})\n"
        + render.quoted(render.clean(entry.text))
        for entry in result.entries
    )
