"""Consolidation, curation, dreaming and reflection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from hearth.core.lazy import dataclass
from hearth.operations import render
from hearth.operations.arguments import Arguments, about, whole
from hearth.operations.operation import Operation, Request, Route, Tool
from hearth.operations.shapes import ANYTHING, FLAG, INSTANT, TEXT, TEXTS, WHOLE, listed, maybe, obj
from hearth.operations.state import DryRun, Reasoned
from hearth.pages.curation_log import Curation
from hearth.pages.dream.fragments import Key
from hearth.pages.dream.reflector import Reflection
from hearth.pages.dream.themes import Mention
from hearth.truth.consolidator import ConsolidationReport

if TYPE_CHECKING:
    from hearth.pages.dream.report import DreamStatus, Dreamt


def render_consolidated(result: ConsolidationReport, given: Arguments) -> str:
    verb = "Done" if result.applied else "Would be done"
    lines = [
        f"- {one.kind} #{one.keep.docid} ({len(one.others)} others): {render.line(one.why)}"
        + (f": {render.line(one.text)}" if one.kind == "deduction" else "")
        for one in result.changes
    ]
    lines += [f"By rules alone: {render.line(remark)}" for remark in result.remarks]
    undo = f"\nA person takes it back with: hearth undo --run {result.run}" if result.run else ""
    return f"{verb}: {len(result.changes)} changes of {result.memories:,} memories.\n" + "\n".join(lines) + undo


def render_dream(result: Dreaming, given: Arguments) -> str:
    if result.status is not None:
        status = result.status
        nights = ", ".join(status.nights[:7]) or "none"
        problem = f"\nProblem: {render.line(status.problem)}" if status.problem else ""
        waiting = f"\n{_waiting(status.waiting)}" if status.waiting else ""
        counts = f"{status.signals:,} signals of {status.fragments:,} fragments, {status.items} items."
        return f"{counts} Nights: {nights}.{waiting}{problem}{render.undo_by_run(status.run)}"
    night = result.night
    if night is None:
        return "Nothing."
    verb = "Promoted" if night.applied else "Would promote"
    lines = [f"- {render.line(one.fragment.short or one.fragment.text)}" for one in night.put]
    lines += [f"- {render.line(one.short or one.text)}" for one in night.successors]
    gone = [f"- {render.line(text)} ({render.line(why)})" for text, why in night.left.values()]
    problem = f"\nNothing was written: {render.line(night.problem)}" if night.problem else ""
    gone += [_waiting(night.waiting)] if night.waiting else []
    refused = [f"- {render.line(one.fragment.text)} ({'; '.join(one.lacks)})" for one in night.night.refused]
    yet = ["Not yet:", *refused] if refused else []
    summary = "\n".join([f"{verb}: {len(lines)}.", *lines, f"Leaving: {len(night.left)}.", *gone, *yet])
    return f"{summary}{problem}{render.undo_by_run(night.run)}"


def _waiting(items: Mapping[Key, tuple[str, str]]) -> str:
    rows = [f"- {render.line(text)} ({render.line(why)})" for text, why in items.values()]
    return "\n".join([f"Would leave once a person approves with hearth dream --approve: {len(rows)}.", *rows])


def render_reflection(result: Reflection, given: Arguments) -> str:
    """What notes say is quoted, a line each."""
    head = f"{result.first} to {result.last}: {result.documents:,} documents, {result.fragments:,} fragments."
    themes = [f"- {render.line(one.term)}: {one.fragments} fragments on {one.days} days" for one in result.themes]
    problems = [
        f"{_mention(one.last)}\n  {len(one.mentions)} times, on {', '.join(one.days)}" for one in result.problems
    ]
    parts = (
        ("Themes", themes),
        ("Decisions", [_mention(one) for one in result.decisions]),
        ("Recurring problems", problems),
        ("Open questions", [_mention(one) for one in result.questions]),
    )
    parts_shown = [f"{title}:\n" + "\n".join(lines) for title, lines in parts if lines]
    missing = [f"{len(result.skipped)} documents could not be read."] if result.skipped else []
    return "\n".join([head, *(parts_shown or ["Nothing stands out."]), *missing])


def _mention(one: Mention) -> str:
    return f"- {one.day} {render.name(one.place)}:{one.line} (#{one.key[0]})\n  > {render.line(one.text)}"


def render_curation(result: Curation, given: Arguments) -> str:
    lines = []
    for one in result.actions:
        lines.append(f"- {one.kind}: {one.said}. {'; '.join(map(render.line, one.commands))}")
        lines += [f"  > {render.line(detail)}" for detail in one.details]
    head = "To be done, the most urgent first; ask the person before any of it." if lines else "Nothing is to be done."
    done = [f"Done: {render.line(one)}" for one in result.done]
    undo = [f"A person takes it back with: hearth undo --run {result.run}"] if result.run else []
    return "\n".join([*done, *undo, head, *lines])


CONSOLIDATE = Operation(
    "consolidate",
    "Unite what says the same",
    "Merge duplicate memories and archive expired ones; only a preview unless dry_run is false.",
    DryRun,
    obj(
        {
            "dry_run": FLAG,
            "changes": listed(ANYTHING, "The most certain first."),
            "memories": WHOLE | {"description": "Memories that were looked at."},
            "kept": WHOLE | {"description": "Changes left alone, since documents changed meanwhile."},
            "run": maybe(TEXT) | {"description": "What undoes it all at once."},
            "remarks": TEXTS | {"description": "Why a language model had no part in it."},
        }
    ),
    lambda call, given: call.vault.truth.consolidator.run(
        apply=not given.dry_run, reason=given.reason, actor=call.actor
    ),
    writes=True,
    words=render_consolidated,
    tools=(Tool("memory_consolidate", "dry_run reason"),),
    routes=(Route("POST", "/consolidate", "dry_run reason"),),
)


class Curate(Reasoned):
    apply: Annotated[bool, about("Do what can be undone (default false). Only as the person wants it.")] = False


CURATE = Operation(
    "curate",
    "Curate",
    "List maintenance tasks, each with its command; with apply, do what can be undone.",
    Curate,
    obj(
        {
            "at": INSTANT,
            "actions": listed(ANYTHING, "Ten at most, the most urgent first: what, its commands, whether reversible."),
            "done": TEXTS,
            "run": maybe(TEXT) | {"description": "What undoes it all at once."},
        }
    ),
    lambda call, given: call.vault.knowledge.curator().curate(apply=given.apply, reason=given.reason, actor=call.actor),
    writes=True,
    words=render_curation,
    tools=(Tool("curate", "apply reason"),),
    routes=(Route("POST", "/curate", "apply reason"),),
)


class Dream(Arguments):
    action: Annotated[
        Literal["status", "run", "dry-run"], about("How dreaming stands, tonight's run, or what it would do.")
    ] = "status"


@dataclass(frozen=True, slots=True)
class Dreaming:
    """One of both is there."""

    status: DreamStatus | None = None
    night: Dreamt | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "status": None if self.status is None else self.status.to_dict(),
            "night": None if self.night is None else self.night.to_dict(),
        }


def _dream(call: Request, given: Dream) -> Dreaming:
    if given.action == "status":
        return Dreaming(status=call.vault.dream.status())
    return Dreaming(night=call.vault.dream.dream(apply=given.action == "run"))


DREAM = Operation(
    "dream",
    "Dream",
    "Promote what answers used repeatedly into MEMORY.md, once a day, or show the state of that.",
    Dream,
    obj(
        {
            "status": maybe(ANYTHING) | {"description": "Signals, nights, who writes the page."},
            "night": maybe(ANYTHING) | {"description": "What was promoted, what left, what not yet and why."},
        }
    ),
    _dream,
    writes=True,
    words=render_dream,
    tools=(Tool("dream"),),
    routes=(Route("POST", "/dream"),),
)


class Reflect(Arguments):
    days: Annotated[int, whole("Of this many days, today included.", 1, 3_650)] = 14


REFLECT = Operation(
    "reflect",
    "Reflect",
    "Summarize the last weeks: themes, decisions, recurring problems, open questions.",
    Reflect,
    obj(
        {
            "days": WHOLE,
            "first": TEXT,
            "last": TEXT,
            "documents": WHOLE,
            "passages": WHOLE,
            "themes": listed(ANYTHING, "Term, how many fragments on how many days, examples."),
            "decisions": listed(ANYTHING, "The newest first, with place and line."),
            "problems": listed(ANYTHING, "What came up on several days."),
            "questions": listed(ANYTHING, "About which nothing was decided since."),
            "left_out": WHOLE | {"description": "Documents and fragments for which there was no room."},
            "skipped": listed(ANYTHING, "Documents that could not be read."),
        }
    ),
    lambda call, given: call.vault.dream.reflector.reflect(given.days),
    words=render_reflection,
    tools=(Tool("reflect"),),
    routes=(Route("GET", "/reflect"),),
    command="overview",
)
