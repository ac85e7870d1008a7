"""A tool: what it is called, what it takes and gives, and the function behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hearth.pool.freshness import Stopped
from hearth.server.request import Request
from hearth.server.schema import Schema


@dataclass(frozen=True, slots=True)
class Answer:
    """``text`` says it all, for a model that sees nothing else; ``data`` is the same for programs."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


REBUILDING = "rebuilding"


@dataclass
class Call(Request):
    """One call, in a thread of its own. ``arguments`` are checked; ``stopped`` says that nobody waits any more,
    ``hindrance`` why an ``empty`` answer is."""

    session: str | None = None
    stopped: Callable[[], bool] = lambda: False
    seen: Callable[[int, int], None] = lambda done, total: None
    hindrance: str = REBUILDING

    def progress(self, done: int, total: int) -> None:
        """For the engine's long calls, which end here when nobody waits for them. Raises ``Stopped``."""
        if self.stopped() or self.vaults.stopping.is_set():
            raise Stopped
        self.seen(done, total)


Handler = Callable[[Call], Answer]


@dataclass(frozen=True)
class Tool:
    """``reads`` says whether it looks into the index: then it comes after a look at the folders, and not while the
    index is being rebuilt; ``empty`` is its answer then, else the call fails. ``long`` calls report
    progress and can be cancelled."""

    name: str
    title: str
    description: str
    takes: Schema
    gives: Schema
    run: Handler
    core: bool = False
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True
    reads: bool = True
    long: bool = False
    always_load: bool = False
    empty: Handler | None = None

    @cached_property
    def listed(self) -> dict[str, Any]:
        """The tool as ``tools/list`` shows it."""
        hints = {
            "title": self.title,
            "readOnlyHint": not self.writes,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": False,
        }
        found: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.takes,
            "outputSchema": self.gives,
            "annotations": hints,
        }
        # Else Claude Code shows a model the name alone until it searches for the tool.
        return found | {"_meta": {"anthropic/alwaysLoad": True}} if self.always_load else found
