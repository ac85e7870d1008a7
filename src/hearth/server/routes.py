"""The routes of REST, the OpenAPI document that is made from them, and what a request asks for: read with limits,
parsed strictly, checked against the schema that is published."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from functools import cache, cached_property
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, NoReturn, cast
from urllib.parse import parse_qsl

import anyio

from hearth import __version__
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, regex
from hearth.operations.arguments import Schema, View
from hearth.operations.catalog import operations
from hearth.operations.operation import JSON, LINES, Operation, Route
from hearth.operations.shapes import COMPONENTS, ref
from hearth.server.limits import RefusedRequest


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


MOST_BODY_BYTES = 2 * 1024 * 1024
MOST_IMPORT_BYTES = 1024 * 1024 * 1024
BODY_SECONDS = 15.0
"""For a whole JSON body; an import may take so long for each chunk."""
_WHOLE = regex(r"-?\d{1,18}")
_NUMBER = regex(r"-?\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,3})?")
_MEMORY_BYTES = 2 * 1024 * 1024


def from_query(route: RestRoute, raw: bytes) -> dict[str, Any]:
    """Raises ``UsageError`` for what can't be read, and an argument that is given twice."""
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except (UnicodeDecodeError, ValueError):
        raise UsageError("the query string can't be read; encode it as UTF-8 with percent signs") from None
    given: dict[str, Any] = {}
    for name, value in pairs:
        if name in given:
            raise UsageError(f"{name[:60]!r} is given twice")
        given[name] = _convert(value, route.described(name)) if name in route.in_query else value
    return _place(given, route.in_query)


def _convert(value: str, schema: Schema) -> Any:
    """What is not of the type stays text, which the check then refuses."""
    match schema.get("type"):
        case "integer" if _WHOLE.fullmatch(value):
            return int(value)
        case "number" if _NUMBER.fullmatch(value):
            return float(value)
        case "boolean" if value in ("true", "false"):
            return value == "true"
        case _:
            return value


def from_body(route: RestRoute, raw: bytes, media: str) -> dict[str, Any]:
    """The arguments of a JSON body; none at all where nothing is required and nothing came."""
    names = route.in_body or ()
    if not raw and not route.required:
        return {}
    if not _is(media, JSON):
        raise RefusedRequest(415, "media_type", f"send the body as Content-Type: {JSON}")
    try:
        given = json.loads(raw.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_once)
    except RecursionError:
        raise UsageError("the body is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"the body is not JSON: {str(error)[:200]}") from None
    if not isinstance(given, dict):
        raise UsageError("the body is to be a JSON object")
    return _place(given, names)


def _place(given: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The same arguments. Raises ``UsageError`` if one does not belong here or is ``null``."""
    for name, value in given.items():
        if name not in names:
            raise UsageError(f"unknown argument {name[:60]!r}; there are: {', '.join(names) or 'none'}")
        if value is None:
            raise UsageError(f"{name[:60]!r} is null; leave it out")
    return given


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def _is(media: str, wanted: str) -> bool:
    kind, _, parameters = media.partition(";")
    charset = parameters.strip().lower()
    return kind.strip().lower() == wanted and charset in ("", "charset=utf-8", 'charset="utf-8"')


# -- bodies -----------------------------------------------------------------------------------------------------------


async def body(chunks: AsyncIterator[bytes]) -> bytes:
    """Raises ``RefusedRequest`` for one that is too large or too slow, however it is sent."""
    found = bytearray()
    with anyio.move_on_after(BODY_SECONDS):
        async for chunk in chunks:
            found += chunk
            if len(found) > MOST_BODY_BYTES:
                raise RefusedRequest(413, "too_large", f"the body is over {MOST_BODY_BYTES:,} bytes")
        return bytes(found)
    raise RefusedRequest(408, "too_slow", f"the body did not come within {BODY_SECONDS:.0f} s")


async def spooled(chunks: AsyncIterator[bytes], media: str) -> BinaryIO:
    """An NDJSON body of any size, beyond a few MB on the disk."""
    if not _is(media, LINES):
        raise RefusedRequest(415, "media_type", f"send the export as Content-Type: {LINES}")
    file = cast(BinaryIO, SpooledTemporaryFile(_MEMORY_BYTES))  # noqa: SIM115 (closed by who asked)
    try:
        while True:
            with anyio.move_on_after(BODY_SECONDS):
                chunk = await anext(chunks, None)
                if chunk is None:
                    file.seek(0)
                    return file
                file.write(chunk)
                if file.tell() > MOST_IMPORT_BYTES:
                    raise RefusedRequest(413, "too_large", f"the export is over {MOST_IMPORT_BYTES:,} bytes")
                continue
            raise RefusedRequest(408, "too_slow", f"nothing of the body came within {BODY_SECONDS:.0f} s")
    except BaseException:
        file.close()
        raise
