"""A route: its place, what it takes and gives, and the function behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, BinaryIO

from hearth.engine.vault import Vault
from hearth.pool.freshness import Stopped
from hearth.server.request import Request
from hearth.server.schema import Schema, text

JSON = "application/json"
LINES = "application/x-ndjson"
PLAIN = "text/plain; version=0.0.4; charset=utf-8"

DOCID = text(
    "Which document: its docid or an unmistakable beginning of it, or collection/path.", longest=4_096, shortest=1
)
VAULT = text("Which vault; left out: the one that the server was started with.", longest=64)


@dataclass
class Asked(Request):
    """One request, in a thread of its own; the arguments of path, query and body are checked."""

    stop: Event | None = None
    source: BinaryIO | None = None

    def afterwards(self, work: Callable[[Vault], object]) -> None:
        """Done on the same vault, once the answer is made."""
        vaults, name = self.vaults, self.opened.name

        def done() -> None:
            with vaults.use(name) as opened:
                work(opened.vault)
                if vaults.background.due(name):
                    opened.vault.usage.settle()

        vaults.background.do(name, done)

    def progress(self, done: int, total: int) -> None:
        """For the engine's long calls, which end here when nobody waits for them. Raises ``Stopped``."""
        if (self.stop is not None and self.stop.is_set()) or self.vaults.stopping.is_set():
            raise Stopped


Handler = Callable[[Asked], "dict[str, Any] | str | Iterator[bytes]"]


@dataclass(frozen=True)
class Route:
    """``path`` is as in OpenAPI; ``query`` and ``body`` hold the properties, ``required`` names those of the body that
    must be there. What ``reads`` comes after a
    look at the folders, and like what changes something not while the index is being rebuilt. ``long`` work may take
    its time. ``source`` takes an NDJSON body of any size instead of ``body``."""

    name: str
    method: str
    path: str
    summary: str
    run: Handler
    gives: Schema = field(default_factory=dict)
    query: Mapping[str, Schema] = field(default_factory=dict)
    body: Mapping[str, Schema] | None = None
    required: tuple[str, ...] = ()
    reads: bool = False
    long: bool = False
    media: str = JSON
    source: bool = False
    vault: bool = True

    @property
    def in_path(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def in_query(self) -> Mapping[str, Schema]:
        return {**self.query, **({"vault": VAULT} if self.vault else {})}
