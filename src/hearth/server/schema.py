"""JSON Schemas of the tools, written as literals, and the check of arguments against them.

The subset that every provider's model reads: an object of strings, numbers, flags and lists of strings, nothing nested,
no references, no alternatives.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hearth.errors import UsageError

Schema = dict[str, Any]
_SHOWN = 60
_NAMES = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}


def text(description: str, *, longest: int, shortest: int = 1, **more: Any) -> Schema:
    return {"type": "string", "description": description, "minLength": shortest, "maxLength": longest, **more}


def choice(description: str, options: Sequence[str], default: str | None = None) -> Schema:
    found: Schema = {"type": "string", "description": description, "enum": list(options)}
    return found if default is None else found | {"default": default}


def whole(description: str, least: int, most: int, default: int | None = None) -> Schema:
    found: Schema = {"type": "integer", "description": description, "minimum": least, "maximum": most}
    return found if default is None else found | {"default": default}


def number(description: str, least: float, most: float) -> Schema:
    return {"type": "number", "description": description, "minimum": least, "maximum": most}


def flag(description: str, *, default: bool) -> Schema:
    return {"type": "boolean", "description": description, "default": default}


def texts(description: str, *, longest: int, most: int, options: Sequence[str] = ()) -> Schema:
    item: Schema = {"type": "string", "minLength": 1, "maxLength": longest}
    if options:
        item = {"type": "string", "enum": list(options)}
    return {"type": "array", "description": description, "items": item, "maxItems": most}


VAULT = text("Which vault; left out: the one this server was started with. list_vaults names them.", longest=64)


def inputs(*required: str, **properties: Schema) -> Schema:
    """What a tool takes; every tool takes a vault."""
    return {
        "type": "object",
        "properties": properties | {"vault": properties.get("vault", VAULT)},
        "required": list(required),
        "additionalProperties": False,
    }


def outputs(**properties: Schema) -> Schema:
    """What a tool gives: always a text that says it all, and the same as data."""
    common: dict[str, Schema] = {
        "text": {"type": "string", "description": "The answer for reading."},
        "remarks": {"type": "array", "items": {"type": "string"}, "description": "What stands in the way."},
    }
    needed = [name for name, schema in properties.items() if not schema.get("optional")]
    plain = {name: {k: v for k, v in schema.items() if k != "optional"} for name, schema in properties.items()}
    return {"type": "object", "properties": common | plain, "required": ["text", *needed]}


def optional(schema: Schema) -> Schema:
    """A property of an answer that may be absent."""
    return schema | {"optional": True}


def rows(description: str, **properties: str) -> Schema:
    """A list of objects whose properties have the JSON types given; a ``?`` behind a type: may be absent."""
    items = {name: _typed(kind.rstrip("?")) for name, kind in properties.items()}
    needed = [name for name, kind in properties.items() if not kind.endswith("?")]
    item: Schema = {"type": "object", "properties": items, "required": needed}
    return {"type": "array", "description": description, "items": item}


def value(kind: str, description: str = "") -> Schema:
    """A property of an answer; a ``?`` behind the type: may be absent."""
    found = _typed(kind.rstrip("?")) | ({"description": description} if description else {})
    return optional(found) if kind.endswith("?") else found


def _typed(kind: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}} if kind == "strings" else {"type": kind}


def checked(schema: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with defaults filled in; ``null`` counts as left out. Raises ``UsageError`` naming the argument."""
    properties: dict[str, Schema] = schema["properties"]
    for name in given:
        if name not in properties:
            raise UsageError(f"unknown argument {_shown(name)}; there are: {', '.join(properties)}")
    found: dict[str, Any] = {}
    for name, wanted in properties.items():
        if given.get(name) is not None:
            found[name] = _checked(name, wanted, given[name])
        elif name in schema["required"]:
            raise UsageError(f"{name} is missing: {wanted['description']}")
        elif "default" in wanted:
            found[name] = wanted["default"]
    return found


def _checked(name: str, wanted: Schema, given: Any) -> Any:
    kind = wanted["type"]
    if kind == "array":
        return _list(name, wanted, given)
    if kind == "string":
        return _text(name, wanted, given)
    if kind == "boolean":
        if not isinstance(given, bool):
            raise _wrong(name, wanted, given)
        return given
    return _number(name, wanted, given)


def _list(name: str, wanted: Schema, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, list):
        raise UsageError(f"{name} is to be a list of texts, not {_shown(given)}")
    if len(given) > wanted["maxItems"]:
        raise UsageError(f"{name} holds {len(given)} items; at most {wanted['maxItems']}")
    return tuple(_text(f"{name}[{at}]", wanted["items"], item) for at, item in enumerate(given))


def _text(name: str, wanted: Schema, given: Any) -> str:
    if not isinstance(given, str):
        raise _wrong(name, wanted, given)
    if "enum" in wanted and given not in wanted["enum"]:
        raise UsageError(f"{name} is {_shown(given)}; choose one of {', '.join(wanted['enum'])}")
    if not wanted.get("minLength", 0) <= len(given) <= wanted.get("maxLength", len(given)):
        least, most = wanted.get("minLength", 0), wanted["maxLength"]
        raise UsageError(f"{name} has {len(given):,} characters; it takes {least} to {most:,}")
    return given


def _number(name: str, wanted: Schema, given: Any) -> int | float:
    whole_number = wanted["type"] == "integer"
    if isinstance(given, float) and whole_number and given.is_integer():
        given = int(given)  # JSON knows one kind of number
    right = int if whole_number else int | float
    # A whole number may be too large for any float.
    if (
        isinstance(given, bool)
        or not isinstance(given, right)
        or (isinstance(given, float) and not math.isfinite(given))
    ):
        raise _wrong(name, wanted, given)
    if not wanted["minimum"] <= given <= wanted["maximum"]:
        raise UsageError(f"{name} is {_shown(given)}; it takes {wanted['minimum']} to {wanted['maximum']}")
    return given


def _wrong(name: str, wanted: Schema, given: Any) -> UsageError:
    return UsageError(f"{name} is to be {_NAMES[wanted['type']]}, not {_shown(given)}")


def _shown(given: Any) -> str:
    """So much of an argument as helps; what is nested or huge is only named."""
    if isinstance(given, str):
        return repr(given[:_SHOWN]) + ("…" if len(given) > _SHOWN else "")
    if isinstance(given, dict | list):
        return "an object" if isinstance(given, dict) else "a list"
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) > 10**18:
        return "a number that large"
    return str(given)
