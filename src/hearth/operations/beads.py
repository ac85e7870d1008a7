"""Issues of Beads: what repositories that a person connected say, read again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from hearth.core.lazy import dataclass
from hearth.operations import render
from hearth.operations.arguments import Arguments, about, text
from hearth.operations.operation import Operation, Request, Route, Tool
from hearth.operations.shapes import TEXT, TEXTS, WHOLE, listed, maybe, obj

if TYPE_CHECKING:
    from hearth.capture.beads import SyncReport


class Syncing(Arguments):
    folder: Annotated[
        str | None, text("Of the repository that holds this folder; else of all that a person connected.", 4_096)
    ] = None
    force: Annotated[bool, about("Archive them although most issues are gone at once (default false).")] = False


@dataclass(frozen=True, slots=True)
class Synced:
    reports: Sequence[SyncReport]

    def to_dict(self) -> dict[str, Any]:
        return {"repositories": [report.to_dict() for report in self.reports]}


def _sync(call: Request, given: Syncing) -> Synced:
    return Synced(call.vault.beads.sync(given.folder, force=given.force))


def render_synced(result: Synced, given: Arguments) -> str:
    if not result.reports:
        return "No repository is connected; a person connects one: hearth beads add"
    return "\n".join(say_report(report) for report in result.reports)


def say_report(report: SyncReport) -> str:
    """What became of a repository, in one line."""
    where = render.name(report.repository)
    if report.problem is not None:
        return f"{where}: not read: {render.said(report.problem)}"
    names = ("created", "updated", "unchanged", "archived", "restored", "kept_elsewhere", "skipped")
    counts = [f"{report.counts[name]:,} {name.replace('_', ' ')}" for name in names if report.counts.get(name)]
    edges, ended, kept = (report.counts.get(name, 0) for name in ("relations", "ended", "captured"))
    counts += [render.plural(edges, "relation") + " added"] if edges else []
    counts += [render.plural(ended, "relation") + " ended"] if ended else []
    counts += [render.plural(kept, "memory").replace("memorys", "memories") + " captured"] if kept else []
    return f"{where}: {', '.join(counts) or 'no issues'}"


_COUNTS = ("created", "updated", "unchanged", "archived", "restored", "kept_elsewhere", "skipped")
SYNC = Operation(
    "beads_sync",
    "Read the issues of Beads",
    "Read what changed in the issues of repositories that a person connected by hearth beads add.",
    Syncing,
    obj(
        {
            "repositories": listed(
                obj(
                    {
                        "repository": TEXT,
                        "name": TEXT,
                        "reader": TEXT,
                        **dict.fromkeys((*_COUNTS, "relations", "ended", "captured"), WHOLE),
                        "documents": TEXTS | {"description": "Docids of what is new."},
                        "problem": maybe(TEXT),
                    }
                )
            )
        }
    ),
    _sync,
    words=render_synced,
    tools=(Tool("beads_sync"),),
    routes=(Route("POST", "/beads/sync"),),
    command="beads",
    reads=False,
    writes=True,
    long=True,
)
