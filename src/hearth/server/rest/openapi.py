"""The OpenAPI document, made from the routes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hearth import __version__
from hearth.operations.shapes import COMPONENTS, Schema, ref
from hearth.server.rest.routes import JSON, LINES, Route

PREFIX = "/v1"
OPEN_PATHS = ("/health", f"{PREFIX}/health")
_DESCRIPTION = (
    "The memory on this machine. Instants are ms UTC. Every route is there with and without /v1. "
    "Any may answer 401, 403, 408, 413, 415, 421, 429 or 503, always as problem details."
)
_PROBLEM: Schema = {"application/problem+json": {"schema": ref("Problem")}}


def document(routes: Iterable[Route], *, token: bool) -> dict[str, Any]:
    """OpenAPI 3.1. ``token`` says whether one is asked for."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if route.former:
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


def _operation(route: Route, *, token: bool) -> dict[str, Any]:
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


def _answer(route: Route) -> dict[str, Any]:
    schema: Schema = route.operation.gives if route.media == JSON else {"type": "string"}
    return {"description": "Done.", "content": {route.media: {"schema": schema}}}


def _parameter(route: Route, name: str, place: str) -> dict[str, Any]:
    schema = route.described(name)
    plain = {key: value for key, value in schema.items() if key != "description"}
    about = {"name": name, "in": place, "required": place == "path", "description": schema["description"]}
    return about | {"schema": plain}
