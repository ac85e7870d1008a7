"""Pages of statements: who the person is, what projects came to, what an agent was told again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from hearth.lazy import dataclass
from hearth.server.operations.arguments import Arguments, about, text, whole
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import FLAG, TEXT, TEXTS, WHOLE, listed, maybe, obj

if TYPE_CHECKING:
    from hearth.engine.knowledge.statements import PageReport


class ProfileArguments(Arguments):
    rebuild: Annotated[bool, about("Bring the page up to date first (default false).")] = False


_STATEMENT = obj(
    {"section": TEXT, "text": TEXT, "sources": TEXTS | {"description": "Docids."}, "own": FLAG}, {"date": TEXT}
)
_SHAPE = obj(
    {
        "docid": maybe(TEXT),
        "path": TEXT,
        "statements": listed(_STATEMENT, "As they stand on the page; own are the person's words."),
        "changed": FLAG,
        "dismissed": WHOLE | {"description": "Statements that the person has deleted since the last rebuild."},
    }
)
SHOW = Operation(
    "profile",
    "Who the user is",
    "What is known of the person, each statement with its source.",
    Arguments,
    _SHAPE,
    lambda call, given: call.vault.profile.read(),
)
PROFILE = Operation(
    "profile_rebuild",
    "Who the user is",
    "Say what is known of the person: how they want things, what they use and what they are at, with sources.",
    ProfileArguments,
    _SHAPE,
    lambda call, given: call.vault.profile.rebuild() if given.rebuild else call.vault.profile.read(),
    writes=True,
)


class SummaryQuery(Arguments):
    period: Annotated[str | None, text("Only of a week (2026-W10) or a month (2026-03).", 10)] = None
    project: Annotated[str | None, text("Only of this project, by its name or the end of it.", 512)] = None
    limit: Annotated[int, whole("At most so many (default 20).", 1, 100)] = 20


@dataclass(frozen=True, slots=True)
class SummaryList:
    """The latest period first; ``total`` counts those that there are."""

    summaries: tuple[PageReport, ...]
    total: int

    def to_dict(self) -> dict[str, Any]:
        rows = [{"title": one.title, **one.to_dict()} for one in self.summaries]
        return {"summaries": rows, "total": self.total}


def _summaries(call: Request, given: SummaryQuery) -> SummaryList:
    found = call.vault.knowledge.summaries.show(given.period, given.project)
    return SummaryList(tuple(found[: given.limit]), len(found))


def _summarise(call: Request, given: SummaryQuery) -> SummaryList:
    call.vault.knowledge.summaries.rebuild()
    return _summaries(call, given)


_LIST = obj(
    {"summaries": listed(obj({"title": TEXT, **_SHAPE["properties"]}), "The latest period first."), "total": WHOLE}
)
SUMMARIES = Operation(
    "summaries",
    "What projects came to",
    "What projects came to in weeks and months: decisions, milestones, what is open, topics, each with its sources.",
    SummaryQuery,
    _LIST,
    _summaries,
)
SUMMARISE = Operation(
    "summaries_rebuild",
    "What projects came to",
    "Bring the summaries of all weeks and months up to date, and list them.",
    SummaryQuery,
    _LIST,
    _summarise,
    writes=True,
)
IDENTITY = Operation(
    "identity",
    "What an agent was told again",
    "What an agent had to be told again, each with its sources.",
    Arguments,
    _SHAPE,
    lambda call, given: call.vault.knowledge.identity.show(),
)
REFLECTION = Operation(
    "identity_rebuild",
    "What an agent was told again",
    "Bring the page of what an agent had to be told again up to date.",
    Arguments,
    _SHAPE,
    lambda call, given: call.vault.knowledge.identity.rebuild(),
    writes=True,
)
