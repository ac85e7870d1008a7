"""A route: where an operation is, and which of its arguments stand in path, query and body."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from hearth.engine.vault import Vault
from hearth.lazy import dataclass
from hearth.server.operations.arguments import Schema, View
from hearth.server.operations.operation import Operation, Request

JSON = "application/json"
LINES = "application/x-ndjson"
PLAIN = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class RestRequest(Request):
    """One request, in a thread of its own; its arguments are checked."""

    actor = "rest"
    describes = False

    def afterwards(self, work: Callable[[Vault], object]) -> None:
        vaults, name = self.vaults, self.opened.name

        def done() -> None:
            with vaults.use(name) as opened:
                work(opened.vault)
                if vaults.background.due(name):
                    opened.vault.usage.settle()

        vaults.background.do(name, done)


@dataclass(frozen=True)
class Route:
    """``path`` is as in OpenAPI; ``names`` are the arguments as ``View`` reads them, all where it is ``None``;
    ``vault`` says whether one can be named. ``source`` takes an NDJSON body of any size; a ``former`` name of another
    route is answered and not told of."""

    method: str
    path: str
    operation: Operation[Any]
    names: str | None = None
    media: str = JSON
    source: bool = False
    vault: bool = True
    former: bool = False

    @cached_property
    def view(self) -> View[Any]:
        model = self.operation.takes
        names = self.names if self.names is not None else " ".join(f for f in model.model_fields if f != "vault")
        if "{docid}" in self.path:
            names = " ".join("reference=docid" if name == "reference" else name for name in names.split())
        return View(model, names + " vault" * self.vault)

    @property
    def in_path(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def in_query(self) -> tuple[str, ...]:
        """All of a ``GET``; of others which vault."""
        named = (name for name in self.view.names if name not in self.in_path)
        return tuple(name for name in named if self.method == "GET" or name == "vault")

    @property
    def in_body(self) -> tuple[str, ...] | None:
        """``None`` where none is read."""
        if self.method == "GET" or self.source:
            return None
        return tuple(name for name in self.view.names if name not in (*self.in_path, *self.in_query))

    def described(self, name: str) -> Schema:
        found: Schema = self.view.schema["properties"][name]
        return found

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(name for name in self.in_body or () if name in self.view.schema["required"])
