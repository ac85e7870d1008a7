"""A tool as short as a model can work with: every session with a client pays for the list of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hearth.server.mcp.tool import Tool
    from hearth.server.operations.arguments import Schema

# What names and errors say well enough; bounds of numbers and choices stay.
_LEFT_OUT = frozenset({"description", "minLength", "maxLength", "maxItems", "default"})


# Kinds of a result's fields that are worth a word: rows, and whether it is sure.
_TOLD = frozenset({"array", "boolean"})


def listed(tool: Tool) -> dict[str, Any]:
    """Required arguments keep their descriptions, results the kinds of their fields; hints are those that differ from
    what the protocol takes for granted (readOnly false, destructive true, idempotent false, openWorld true)."""
    operation = tool.operation
    kinds = {name: schema["type"] for name, schema in tool.gives["properties"].items()}
    needed = [name for name in tool.gives["required"] if name == "text" or kinds[name] in _TOLD]
    changes: dict[str, bool] = {"readOnlyHint": True} if not operation.writes else {}
    if operation.writes and not operation.destructive:
        changes["destructiveHint"] = False
    if operation.writes and operation.idempotent:
        changes["idempotentHint"] = True
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": _arguments(tool.takes),
        "outputSchema": {
            "type": "object",
            "properties": {name: {"type": kinds[name]} for name in needed},
            "required": needed,
        },
        "annotations": {**changes, "openWorldHint": False},
    }


def _arguments(schema: Schema) -> Schema:
    required = schema["required"]
    properties = {name: _argument(part, told=name in required) for name, part in schema["properties"].items()}
    return {**schema, "properties": properties}


def _argument(schema: Schema, *, told: bool) -> Schema:
    kept = {key: value for key, value in schema.items() if key not in _LEFT_OUT}
    if "items" in kept:
        kept["items"] = _argument(kept["items"], told=False)
    return kept | {"description": schema["description"]} if told else kept
