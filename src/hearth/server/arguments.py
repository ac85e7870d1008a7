"""What a request asks for: read with limits, parsed strictly, checked against the schema that is published."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, NoReturn, cast
from urllib.parse import parse_qsl

import anyio

from hearth.core.errors import UsageError
from hearth.core.lazy import regex
from hearth.operations.arguments import Schema
from hearth.operations.operation import JSON, LINES
from hearth.server.limits import RefusedRequest
from hearth.server.routes import RestRoute

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
    """These arguments, each of which may stand where it was found, and none of which is ``null``."""
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
