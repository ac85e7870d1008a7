"""How memories age, what a sweep takes away and what comes back."""

from __future__ import annotations

from hearth.engine.lifecycle.report import LifecycleStatus, Restored, Swept
from hearth.model.identity import INTERNAL
from hearth.model.instants import show_date
from hearth.server.mcp import render
from hearth.server.mcp.words import state
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.lifecycle import BroughtBack

_SHOWN = 20


def status(result: LifecycleStatus, given: Arguments) -> str:
    policy = result.policy
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in result.counts.items() if count)
    governed = ", ".join("memories" if name == INTERNAL else name for name in policy.governed) or "nothing"
    lines = [
        f"Counts: {counts or 'no documents'}",
        f"The sweep looks after {governed}; unused for {policy.archive_after_days} days: archived.",
    ]
    if result.oldest_access is not None:
        lines.append(f"Least recent use: {show_date(result.oldest_access)}")
    lines += [f"Consider {a.action}: {render.place(a.collection, a.path)} (#{a.docid}): {render.line(a.why)}"
              for a in result.advice[:_SHOWN]]  # fmt: skip
    lines += [f"Review overdue {n.overdue_days:,} days: {render.place(n.collection, n.path)} (#{n.docid})"
              for n in result.stale[:_SHOWN]]  # fmt: skip
    return "\n".join(lines)


def swept(result: Swept, given: Arguments) -> str:
    ops = (*result.archived, *result.purged)
    if not ops:
        return "Nothing is due."
    head = "Archived" if result.applied else "Preview, nothing changed. This would archive"
    head += f" {len(result.archived):,}"
    if result.purged:
        head += f" and {'purged' if result.applied else 'purge'} {len(result.purged):,}"
    lines = [f"- {render.place(op.collection, op.path)} (#{op.docid}): {render.line(op.why)}" for op in ops[:_SHOWN]]
    if len(ops) > _SHOWN:
        lines.append(f"and {len(ops) - _SHOWN:,} more")
    lines.append("lifecycle_restore brings archived ones back." if result.applied else "To do it: dry_run false.")
    return "\n".join([head + ":", *lines, *([render.said(result.pending)] if result.pending else [])])


def restored(result: BroughtBack | Restored, given: Arguments) -> str:
    if isinstance(result, BroughtBack):
        return state.changed(result.change, given)
    if not result.documents:
        return "Nothing archived fits."
    head = "Restored" if result.applied else "Preview, nothing changed. This would restore"
    lines = [f"{head} {len(result.documents):,}:"]
    lines += [
        f"- {render.place(d.collection, d.path)} | {render.line(d.title)} (#{d.docid})"
        for d in result.documents[:_SHOWN]
    ]
    if len(result.documents) > _SHOWN:
        lines.append(f"and {len(result.documents) - _SHOWN:,} more")
    if result.left:
        lines.append(f"{result.left:,} more fit, beyond the limit.")
    return "\n".join(lines if result.applied else [*lines, "To do it: confirm true."])
