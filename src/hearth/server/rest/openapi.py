"""The OpenAPI document, made from the routes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hearth import __version__
from hearth.server.rest.route import DOCID, JSON, LINES, Route
from hearth.server.rest.shapes import COMPONENTS, Schema, ref

PREFIX = "/v1"
OPEN_PATHS = ("/health", f"{PREFIX}/health")
_DESCRIPTION = (
    "The memory on this machine. Instants are ms UTC. Every route is there with and without /v1. "
    "Any may answer 401, 403, 408, 413, 415, 421, 429 or 503, always as problem details."
)
_PROBLEM: Schema = {"application/problem+json": {"schema": ref("Problem")}}
_PATH_TEXTS: Mapping[str, Schema] = {
    "docid": DOCID,
    "session": {"type": "string", "minLength": 1, "description": "A session, or the beginning of its name."},
}


def document(routes: Iterable[Route], *, token: bool) -> dict[str, Any]:
    """OpenAPI 3.1. ``token`` says whether one is asked for."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
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
        "operationId": route.name,
        "summary": route.summary,
        "parameters": [*_in_path(route), *_in_query(route)],
        "responses": {"200": _answer(route), "default": problem},
    }
    if route.source:
        found["requestBody"] = {"required": True, "content": {LINES: {"schema": {"type": "string"}}}}
    elif route.body is not None:
        body = {
            "type": "object",
            "properties": dict(route.body),
            "required": list(route.required),
            "additionalProperties": False,
        }
        found["requestBody"] = {"required": bool(route.required), "content": {JSON: {"schema": body}}}
    if token and route.path not in OPEN_PATHS:
        found["security"] = [{"token": []}]
    return found


def _answer(route: Route) -> dict[str, Any]:
    schema: Schema = route.gives if route.media == JSON else {"type": "string"}
    return {"description": "Done.", "content": {route.media: {"schema": schema}}}


def _in_path(route: Route) -> list[dict[str, Any]]:
    return [_parameter(name, "path", _PATH_TEXTS[name], required=True) for name in route.in_path]


def _in_query(route: Route) -> list[dict[str, Any]]:
    return [_parameter(name, "query", schema, required=False) for name, schema in route.in_query.items()]


def _parameter(name: str, place: str, schema: Schema, *, required: bool) -> dict[str, Any]:
    plain = {key: value for key, value in schema.items() if key != "description"}
    return {"name": name, "in": place, "required": required, "schema": plain, "description": schema["description"]}
