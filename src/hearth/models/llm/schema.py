"""JSON Schema of a reply, as strict servers want it: every field there, no other ones, nothing that they don't know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

_KEPT = frozenset({"$defs", "$ref", "type", "properties", "items", "enum", "anyOf", "const"})


def strict_schema(cls: type[BaseModel]) -> dict[str, Any]:
    """Lengths and defaults are left out: servers refuse them, and the reply is checked against the class anyway."""
    found: dict[str, Any] = _strict(cls.model_json_schema())
    return found


def _strict(node: Any) -> Any:
    if not isinstance(node, Mapping):
        return node
    kept = {key: value for key, value in node.items() if key in _KEPT}
    if "$ref" in kept:
        return {"$ref": kept["$ref"]}
    for table in ("$defs", "properties"):
        if table in kept:
            kept[table] = {name: _strict(inner) for name, inner in kept[table].items()}
    if "items" in kept:
        kept["items"] = _strict(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [_strict(inner) for inner in kept["anyOf"]]
    if "properties" in kept:
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    return kept
