"""The operation that reaches all others: an agent whose list of tools is short finds here what else there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from hearth.core.lazy import dataclass
from hearth.operations import catalog
from hearth.operations.arguments import Arguments, Field, Schema, about, text
from hearth.operations.operation import Operation, Request, Tool
from hearth.operations.shapes import TEXT, TEXTS, listed, obj


class Reaching(Arguments):
    operation: Annotated[
        str | None, text("Which; left out: the list of all. Alone: what it takes, where it takes anything.", 64)
    ] = None
    arguments: Annotated[dict[str, Any] | None, about("Its arguments.")] = None


def gather(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a model puts beside the operation can only be meant as its arguments."""
    beside = {name: value for name, value in given.items() if name not in ("operation", "arguments", "vault")}
    if not beside or not given.get("operation"):
        return given
    named = given.get("arguments")
    more = named if isinstance(named, Mapping) else {}
    kept = {name: value for name, value in given.items() if name not in beside}
    return kept | {"arguments": {**beside, **more}}


def find_call(given: Reaching) -> tuple[str, dict[str, Any]] | None:
    """The tool that is meant, and its arguments; ``None`` where it is to be described. Raises ``NotFound``."""
    if given.operation is None:
        return None
    operation, tool = catalog.find(given.operation)
    if operation is HEARTH or (given.arguments is None and (operation.writes or _needed(operation, tool))):
        return None
    return tool.name, dict(given.arguments or {})


def _needed(operation: Operation[Any], tool: Tool) -> list[str]:
    required: list[str] = tool.view(operation).schema["required"]
    return required


@dataclass(frozen=True, slots=True)
class Directory:
    """Operations with what each takes."""

    operations: tuple[tuple[Operation[Any], Tool], ...]

    def to_dict(self) -> dict[str, Any]:
        rows = [
            {"name": tool.name, "summary": tool.describe(operation), "arguments": list(tool.view(operation).names)}
            for operation, tool in self.operations
        ]
        return {"operations": rows}


def _describe(call: Request | None, given: Reaching) -> Directory:
    if given.operation is None:
        return Directory(tuple(catalog.tools().values()))
    return Directory((catalog.find(given.operation),))


def render_directory(result: Directory, given: Reaching) -> str:
    if given.operation is None:
        rows = (
            f"- {tool.name}({_signature(operation, tool)}): {operation.summary}"
            for operation, tool in result.operations
        )
        return "Each is called by hearth with operation and arguments.\n" + "\n".join(rows)
    [(operation, tool)] = result.operations
    fields = tool.view(operation).fields
    rows = (_argument(name, field) for name, field in fields.items())
    again = f'Call it by hearth with operation "{tool.name}" and arguments; {{}} for none.'
    return "\n".join([f"{tool.name}: {tool.describe(operation)}", *rows, again])


def _signature(operation: Operation[Any], tool: Tool) -> str:
    fields = tool.view(operation).fields
    return ", ".join(name if field.required else f"{name}?" for name, field in fields.items() if name != "vault")


def _argument(name: str, field: Field) -> str:
    needed = ", needed" if field.required else ""
    return f"- {name} ({_takes(field.schema)}{needed}): {field.description}"


def _takes(schema: Schema) -> str:
    """How pages and lists say what an argument takes."""
    if "enum" in schema:
        return " / ".join(schema["enum"])
    match schema["type"]:
        case "string":
            return "text"
        case "boolean":
            return "true / false"
        case "array":
            return f"list of {schema['maxItems']} at most"
        case "object":
            return "object"
    return f"{schema['minimum']:,} to {schema['maximum']:,}"


HEARTH = Operation(
    "hearth",
    "Reach every operation",
    "Call any other operation by name; without arguments it lists them, with only an operation it shows its arguments. "
    "For entities, facts, history, review, undo, diary, summaries, lifecycle, capture and more.",
    Reaching,
    obj({}, {"operations": listed(obj({"name": TEXT, "summary": TEXT, "arguments": TEXTS}))}),
    _describe,
    words=render_directory,
    tools=(Tool("hearth"),),
    command="help",
    reads=False,
    writes=True,
    idempotent=False,
    empty=lambda given, why: _describe(None, given),
)
