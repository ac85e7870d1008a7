"""The routes of REST, and the OpenAPI document that is made from them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from typing import Any

from hearth import __version__
from hearth.core.lazy import dataclass
from hearth.operations.arguments import Schema, View
from hearth.operations.catalog import operations
from hearth.operations.operation import JSON, LINES, Operation, Route
from hearth.operations.shapes import COMPONENTS, ref


@dataclass(frozen=True)
class RestRoute:
    """An operation at its place, with what of its arguments stands in path, query and body."""

    operation: Operation[Any]
    route: Route

    @property
    def method(self) -> str:
        return self.route.method

    @property
    def path(self) -> str:
        return self.route.path

    @property
    def media(self) -> str:
        return self.route.media

    @property
    def source(self) -> bool:
        return self.route.source

    @cached_property
    def view(self) -> View[Any]:
        takes, names = self.operation.takes, self.route.names
        if names is None:
            names = " ".join(name for name in takes.fields() if name != "vault")
        if "{docid}" in self.path:
            names = " ".join("reference=docid" if name == "reference" else name for name in names.split())
        return View(takes, names, vault=self.route.vault)

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


@cache
def routes() -> tuple[RestRoute, ...]:
    """All that operations name. Where a path fits several, the one with more to it goes first."""
    found = (RestRoute(operation, route) for operation in operations().values() for route in operation.routes)
    return tuple(sorted(found, key=lambda one: (-one.path.count("/") + 2 * one.path.endswith("}"), one.path)))


PREFIX = "/v1"
OPEN_PATHS = ("/health", f"{PREFIX}/health")
_DESCRIPTION = (
    "The memory on this machine. Instants are ms UTC. Every route is there with and without /v1. "
    "Any may answer 401, 403, 408, 413, 415, 421, 429 or 503, always as problem details."
)
_PROBLEM: Schema = {"application/problem+json": {"schema": ref("Problem")}}


def document(routes: Iterable[RestRoute], *, token: bool) -> dict[str, Any]:
    """OpenAPI 3.1. ``token`` says whether one is asked for."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if route.route.former:
            continue
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, token=token)
    components: dict[str, Any] = {"schemas": COMPONENTS}
    if token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Hearth", "version": __version__, "description": _DESCRIPTION},
        "servers": [{"url": PREFIX}],
        "paths": paths,
        "components": components,
    }


def _operation(route: RestRoute, *, token: bool) -> dict[str, Any]:
    problem = {"description": "What is wrong, and what to do.", "content": _PROBLEM}
    found: dict[str, Any] = {
        "operationId": route.operation.name,
        "summary": route.operation.summary,
        "parameters": [
            *(_parameter(route, name, "path") for name in route.in_path),
            *(_parameter(route, name, "query") for name in route.in_query),
        ],
        "responses": {"200": _answer(route), "default": problem},
    }
    if route.source:
        found["requestBody"] = {"required": True, "content": {LINES: {"schema": {"type": "string"}}}}
    elif route.in_body is not None:
        properties = {name: route.described(name) for name in route.in_body}
        body = route.view.schema | {"properties": properties, "required": list(route.required)}
        found["requestBody"] = {"required": bool(route.required), "content": {JSON: {"schema": body}}}
    if token and route.path not in OPEN_PATHS:
        found["security"] = [{"token": []}]
    return found


def _answer(route: RestRoute) -> dict[str, Any]:
    schema: Schema = route.operation.gives if route.media == JSON else {"type": "string"}
    return {"description": "Done.", "content": {route.media: {"schema": schema}}}


def _parameter(route: RestRoute, name: str, place: str) -> dict[str, Any]:
    schema = route.described(name)
    plain = {key: value for key, value in schema.items() if key != "description"}
    about = {"name": name, "in": place, "required": place == "path", "description": schema["description"]}
    return about | {"schema": plain}
