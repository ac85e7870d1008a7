"""Memories in words: what was written, its state, its lifecycle, and what is incognito."""

from __future__ import annotations

from hearth.capture.report import HandedOver
from hearth.core.action import IncognitoReport
from hearth.core.document import INTERNAL
from hearth.core.instants import show_date
from hearth.memory.lifecycle.status import LifecycleStatus, Restored, Swept
from hearth.operations import render
from hearth.operations.arguments import Arguments
from hearth.operations.lifecycle import BroughtBack
from hearth.operations.memories import Entries, Written
from hearth.operations.state import Change


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
        return changed(result.change, given)
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


def incognito(result: IncognitoReport, given: Arguments) -> str:
    what = f"session {result.session}" if result.session is not None else f"folder {result.folder}"
    where = "" if result.session is None and result.folder is None else f" for {render.name(what)}"
    problems = "".join(f"\nProblem: {render.line(problem)}" for problem in result.problems)
    off = result.here
    if off.everything:
        said = f"Incognito{where}: {render.line(off.why)}. Nothing is read, nothing is kept."
    elif off.capture or off.surface:
        said = f"{'Capture' if off.capture else 'Surfacing'} is off{where}: {render.line(off.why)}."
    else:
        said = f"Not incognito{where}."
    others = [*(f"session {one}" for one in result.sessions), *result.folders]
    listed = f"\nIncognito on this machine: {', '.join(map(render.name, others))}" if others else ""
    return f"{said}{listed}{problems}"
