"""What replaced what, and what waits for a decision, in words."""

from __future__ import annotations

from collections.abc import Mapping

from hearth.core.instants import show_date_or_none
from hearth.operations import render
from hearth.operations.arguments import Arguments
from hearth.operations.consolidation import Dreaming
from hearth.operations.truth import Promises, Reviewed
from hearth.pages.curation_log import Curation
from hearth.pages.dream.fragments import Key
from hearth.pages.dream.reflector import Reflection
from hearth.pages.dream.themes import Mention
from hearth.truth.approval import ApprovalReport, PendingMemory
from hearth.truth.chain import Chain, Version
from hearth.truth.commitments import Commitment
from hearth.truth.consolidator import Consolidated
from hearth.truth.review import ReviewCase, ReviewSide


def history(result: Chain, given: Arguments) -> str:
    lines = [_version(result, one) for one in result.versions]
    lines += [f"{edge.kind}: {render.name(edge.other)}" for edge in result.edges]
    return "Oldest first; > is the one asked for.\n" + "\n".join(lines)


def review(result: Reviewed, given: Arguments) -> str:
    if result.settled is not None:
        done = result.settled
        return (
            f"Settled {done.case.entry.id}: {done.decision}\nTo take it back: memory_undo with event {done.events[-1]}"
        )
    if result.approval is not None:
        return _approved(result.approval)
    names = [f"May be one name: {render.line(one.name)} | {render.line(one.like)}" for one in result.names]
    leaving = [f"Would leave MEMORY.md: {render.line(one.text)} ({render.line(one.why)})" for one in result.leaving]
    if not (result.cases or names or leaving or result.pending):
        return "Nothing waits for a decision."
    shown = [_case(case) for case in result.cases]
    if result.pending:
        head = f"Captured, not yet approved: {result.unapproved}. Accept or reject each as the person wants it."
        shown.append("\n".join([head, *map(_pending, result.pending)]))
    if names:
        shown.append("\n".join([*names, "memory_names says so: merge, or split where they are two."]))
    if leaving:
        commands = dict.fromkeys(one.command for one in result.leaving)
        shown.append("\n".join([*leaving, f"The person lets them go: {', '.join(commands)}"]))
    return "\n\n".join(shown)


def _approved(done: ApprovalReport) -> str:
    count = len(done.docids)
    memories = f"{count} {'memory' if count == 1 else 'memories'}"
    verb = "Accepted" if done.verdict == "accept" else "Rejected"
    if done.run is not None:
        return f"{verb} {memories}.{_undo(done.run)}"
    back = f"\nTo take it back: memory_undo with event {done.events[-1]}" if done.events else ""
    return f"{verb} {memories}.{back}"


def _pending(one: PendingMemory) -> str:
    about = f"{one.content_type}, #{one.docid}, {show_date_or_none(one.since)}, session {render.line(one.session)}"
    quote = f"\n   from: {render.line(one.quote)}" if one.quote else ""
    return f"{one.number}. {about}\n> {render.line(one.said)}{quote}"


def _case(case: ReviewCase) -> str:
    entry = case.entry
    sure = "" if entry.confidence is None else f", {entry.confidence:.2f} sure"
    why = f": {render.line(entry.why)}" if entry.why else ""
    decided = "" if entry.decision is None else f" (decided: {entry.decision})"
    sides = [_side("newer", case.newer), _side("older", case.older)]
    return "\n".join([f"{case.number}. [{entry.id}] {entry.relation}{sure}{why}{decided}", *sides])


def _side(name: str, side: ReviewSide | None) -> str:
    if side is None:
        return f"   {name}: gone"
    about = f"{show_date_or_none(side.dated_at)}, {render.line(side.source)}, #{side.docid}"
    return f"   {name} ({about}):\n> {render.line(side.said)}"


def commitments(result: Promises, given: Arguments) -> str:
    if not result.commitments:
        return "Nothing promised is open."
    return "\n".join(_promise(one) for one in result.commitments)


def _promise(one: Commitment) -> str:
    when = "no day" if one.due_at is None else f"due {show_date_or_none(one.due_at)}"
    if one.state != "open":
        when = one.state
    elif one.overdue:
        when = f"OVERDUE since {show_date_or_none(one.due_at)}"
    owner = "" if one.owner is None else f", owed by {one.owner}"
    return f"{when}{owner} (#{one.docid})\n> {render.line(one.said)}"


def consolidated(result: Consolidated, given: Arguments) -> str:
    verb = "Done" if result.applied else "Would be done"
    lines = [
        f"- {one.kind} #{one.keep.docid} ({len(one.others)} others): {render.line(one.why)}"
        + (f": {render.line(one.text)}" if one.kind == "deduction" else "")
        for one in result.changes
    ]
    lines += [f"By rules alone: {render.line(remark)}" for remark in result.remarks]
    undo = f"\nA person takes it back with: hearth undo --run {result.run}" if result.run else ""
    return f"{verb}: {len(result.changes)} changes of {result.memories:,} memories.\n" + "\n".join(lines) + undo


def _version(chain: Chain, one: Version) -> str:
    document, validity = one.stored.document, one.validity
    until = chain.show(validity.valid_to) if validity.hidden else "now"
    head = f"{'>' if one.focus else ' '} {chain.show(validity.valid_from)} to {until}  "
    head += f"{render.place(document.collection, document.path)} | {render.line(document.title)} (#{document.docid})"
    if validity.hidden:
        head += f", {validity.label()}"
    elif validity.status:
        head += f", status: {validity.status}"
    said = [f"  > {render.line(one.said)}"] if one.said else []
    why = [f"  why: {render.line(str(one.why['reason']))}"] if one.why.get("reason") else []
    return "\n".join([head, *said, *why])


def dreamt(result: Dreaming, given: Arguments) -> str:
    if result.status is not None:
        said = result.status
        nights = ", ".join(said.nights[:7]) or "none"
        problem = f"\nProblem: {render.line(said.problem)}" if said.problem else ""
        waiting = f"\n{_waiting(said.waiting)}" if said.waiting else ""
        counts = f"{said.signals:,} signals of {said.passages:,} passages, {said.items} items."
        return f"{counts} Nights: {nights}.{waiting}{problem}{_undo(said.run)}"
    night = result.night
    if night is None:
        return "Nothing."
    verb = "Promoted" if night.applied else "Would promote"
    lines = [f"- {render.line(one.passage.short or one.passage.text)}" for one in night.put]
    lines += [f"- {render.line(one.short or one.text)}" for one in night.successors]
    gone = [f"- {render.line(text)} ({render.line(why)})" for text, why in night.left.values()]
    problem = f"\nNothing was written: {render.line(night.problem)}" if night.problem else ""
    gone += [_waiting(night.waiting)] if night.waiting else []
    refused = [f"- {render.line(one.passage.text)} ({'; '.join(one.lacks)})" for one in night.night.refused]
    yet = ["Not yet:", *refused] if refused else []
    told = "\n".join([f"{verb}: {len(lines)}.", *lines, f"Leaving: {len(night.left)}.", *gone, *yet])
    return f"{told}{problem}{_undo(night.run)}"


def _undo(run: str | None) -> str:
    return f"\nA person takes it back with: hearth undo --run {run}" if run else ""


def _waiting(items: Mapping[Key, tuple[str, str]]) -> str:
    rows = [f"- {render.line(text)} ({render.line(why)})" for text, why in items.values()]
    return "\n".join([f"Would leave once a person approves with hearth dream --approve: {len(rows)}.", *rows])


def reflected(result: Reflection, given: Arguments) -> str:
    """What notes say is quoted, a line each."""
    head = f"{result.first} to {result.last}: {result.documents:,} documents, {result.passages:,} passages."
    themes = [f"- {render.line(one.term)}: {one.passages} passages on {one.days} days" for one in result.themes]
    problems = [
        f"{_mention(one.last)}\n  {len(one.mentions)} times, on {', '.join(one.days)}" for one in result.problems
    ]
    parts = (
        ("Themes", themes),
        ("Decisions", [_mention(one) for one in result.decisions]),
        ("Recurring problems", problems),
        ("Open questions", [_mention(one) for one in result.questions]),
    )
    told = [f"{title}:\n" + "\n".join(lines) for title, lines in parts if lines]
    missing = [f"{len(result.skipped)} documents could not be read."] if result.skipped else []
    return "\n".join([head, *(told or ["Nothing stands out."]), *missing])


def _mention(one: Mention) -> str:
    return f"- {one.day} {render.name(one.place)}:{one.line} (#{one.key[0]})\n  > {render.line(one.text)}"


def curated(result: Curation, given: Arguments) -> str:
    lines = []
    for one in result.actions:
        lines.append(f"- {one.kind}: {one.said}. {'; '.join(map(render.line, one.commands))}")
        lines += [f"  > {render.line(detail)}" for detail in one.details]
    head = "To be done, the most urgent first; ask the person before any of it." if lines else "Nothing is to be done."
    done = [f"Done: {render.line(one)}" for one in result.done]
    undo = [f"A person takes it back with: hearth undo --run {result.run}"] if result.run else []
    return "\n".join([*done, *undo, head, *lines])
