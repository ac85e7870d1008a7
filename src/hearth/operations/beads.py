"""Issues of Beads, read again from the repositories that a person connected."""

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
    folder: Annotated[str | None, text("A folder of one repository (default: all connected repositories).", 4_096)] = (
        None
    )
    force: Annotated[bool, about("Archive issues even if most are gone at once (default false).")] = False


_COUNTS = ("created", "updated", "unchanged", "archived", "restored", "kept_elsewhere", "skipped")


@dataclass(frozen=True, slots=True)
class Synced:
    reports: Sequence[SyncReport]

    def to_dict(self) -> dict[str, Any]:
        return {"repositories": [report.to_dict() for report in self.reports]}


def _sync(call: Request, given: Syncing) -> Synced:
    return Synced(call.vault.beads.sync(given.folder, force=given.force))


def render_synced(result: Synced, given: Arguments) -> str:
    if not result.reports:
        return "No repository is connected; a person connects one with: hearth beads add"
    return "\n".join(say_report(report) for report in result.reports)


def say_report(report: SyncReport) -> str:
    """The result for one repository, in one line."""
    where = render.name(report.repository)
    if report.problem is not None and not report.counts:
        return f"{where}: not read: {render.word_message(report.problem)}"
    counts = [f"{report.counts[name]:,} {name.replace('_', ' ')}" for name in _COUNTS[:-1] if report.counts.get(name)]
    edges, ended, kept = (report.counts.get(name, 0) for name in ("relations", "ended", "captured"))
    counts += [render.plural(edges, "relation") + " added"] if edges else []
    counts += [render.plural(ended, "relation") + " ended"] if ended else []
    counts += [f"{kept:,} {'memory' if kept == 1 else 'memories'} captured"] if kept else []
    if skipped := report.counts.get("skipped"):
        why = " (neither an issue nor a memory)" if report.problem is None else ""
        counts.append(f"{render.plural(skipped, 'entry')} skipped{why}")
    problem = "" if report.problem is None else f"; {render.word_message(report.problem)}"
    return f"{where}: {', '.join(counts) or 'no issues'}{problem}"


SYNC = Operation(
    "beads_sync",
    "Read the issues of Beads",
    "Read changed issues of the repositories that a person connected with hearth beads add.",
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
                        "documents": TEXTS | {"description": "Docids of new documents."},
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
