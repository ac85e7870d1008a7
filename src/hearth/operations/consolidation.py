"""Consolidation, curation, dreaming and reflection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from hearth.core.lazy import dataclass
from hearth.operations.arguments import Arguments, about, whole
from hearth.operations.operation import Operation, Request
from hearth.operations.shapes import ANYTHING, FLAG, INSTANT, TEXT, TEXTS, WHOLE, listed, maybe, obj
from hearth.operations.state import Reasoned

if TYPE_CHECKING:
    from hearth.pages.dream.report import DreamStatus, Dreamt


class Consolidate(Reasoned):
    dry_run: Annotated[bool, about("Only show what would be done (default true).")] = True


CONSOLIDATE = Operation(
    "consolidate",
    "Unite what says the same",
    "Merge duplicate memories and archive expired ones; unless dry_run is false, only say what would be done.",
    Consolidate,
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
)


class Curate(Reasoned):
    apply: Annotated[bool, about("Do what can be undone (default false). Only as the person wants it.")] = False


CURATE = Operation(
    "curate",
    "Curate",
    "What the vault needs of a person, each with its command; with apply, do what can be undone.",
    Curate,
    obj(
        {
            "at": INSTANT,
            "actions": listed(ANYTHING, "Ten at most, the most urgent first: what, its commands, whether reversible."),
            "done": TEXTS,
            "run": maybe(TEXT) | {"description": "What undoes it all at once."},
        }
    ),
    lambda call, given: call.vault.dream.curator().curate(apply=given.apply, reason=given.reason, actor=call.actor),
    writes=True,
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
    "Move what answers used again and again into MEMORY.md, once a day, or say how that stands.",
    Dream,
    obj(
        {
            "status": maybe(ANYTHING) | {"description": "Signals, nights, who writes the page."},
            "night": maybe(ANYTHING) | {"description": "What was promoted, what left, what not yet and why."},
        }
    ),
    _dream,
    writes=True,
)


class Reflect(Arguments):
    days: Annotated[int, whole("Of so many days, today included.", 1, 3_650)] = 14


REFLECT = Operation(
    "reflect",
    "Reflect",
    "What the last weeks were about: themes, decisions, recurring problems, open questions.",
    Reflect,
    obj(
        {
            "days": WHOLE,
            "first": TEXT,
            "last": TEXT,
            "documents": WHOLE,
            "passages": WHOLE,
            "themes": listed(ANYTHING, "Term, how many passages on how many days, examples."),
            "decisions": listed(ANYTHING, "The newest first, with place and line."),
            "problems": listed(ANYTHING, "What came up on several days."),
            "questions": listed(ANYTHING, "About which nothing was decided since."),
            "left_out": WHOLE | {"description": "Documents and passages for which there was no room."},
            "skipped": listed(ANYTHING, "Documents that could not be read."),
        }
    ),
    lambda call, given: call.vault.dream.reflector.reflect(given.days),
)
