"""Tools: operations as a model sees them, as short as a model can work with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from hearth.app.opened import OpenVault
from hearth.app.pool import VaultPool
from hearth.core.lazy import dataclass
from hearth.operations import catalog, render
from hearth.operations.arguments import Arguments, Schema, View
from hearth.operations.operation import Operation, Request, Tool
from hearth.operations.problems import MCP
from hearth.operations.shapes import COMPONENTS, valid

PROFILES = ("core", "full")

# What names and errors say well enough; choices stay.
_LEFT_OUT = frozenset({"description", "minLength", "maxLength", "maxItems", "minimum", "maximum", "default"})
_TEXT_ALONE = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def listed(tool: McpTool) -> dict[str, Any]:
    """Required arguments keep their descriptions; hints are those that differ from what the protocol takes for granted
    (readOnly false, destructive true, idempotent false, openWorld true)."""
    operation = tool.operation
    changes: dict[str, bool] = {"readOnlyHint": True} if not operation.writes else {}
    if operation.writes and not operation.destructive:
        changes["destructiveHint"] = False
    if operation.writes and operation.idempotent:
        changes["idempotentHint"] = True
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": _arguments(tool),
        "outputSchema": _TEXT_ALONE,
        "annotations": {**changes, "openWorldHint": False},
    }


def _arguments(tool: McpTool) -> Schema:
    schema = tool.takes
    required = schema["required"]
    chosen = (*tool.tool.in_brief.split(), "vault") if tool.tool.in_brief else schema["properties"]
    properties = {name: _argument(schema["properties"][name], told=name in required) for name in chosen}
    return {**schema, "properties": properties}


def _argument(schema: Schema, *, told: bool) -> Schema:
    kept = {key: value for key, value in schema.items() if key not in _LEFT_OUT}
    if "items" in kept:
        kept["items"] = {"type": kept["items"]["type"]}
    return kept | {"description": schema["description"]} if told else kept


# What a model has no use for beside the text, which holds fragments and lines already.
_BESIDE = frozenset({"text", "headings", "context", "query", "trace", "explain", "digest", "outline"})
_BESIDE |= {
    "size",
    "tags",
    "language",
    "pinned",
    "snoozed_until",
    "state",
    "ending",
    "surfaced",
    "referenced",
    "tokens",
    "took_ms",
}
_LINES = frozenset({"title", "summary", "why", "reason", "agent", "topic", "host", "project", "problems", "missing"})
_ALL = {
    "text": {"type": "string", "description": "The answer for reading."},
    "remarks": {"type": "array", "items": {"type": "string"}, "description": "What stands in the way."},
}


def request(vaults: VaultPool, opened: OpenVault, **more: Any) -> Request:
    """What is written down is, before the answer goes out: the client may end the process with it."""
    return Request(vaults, opened, "agent", describes=True, **more)


@dataclass(frozen=True)
class McpTool:
    """An operation under a name that a model calls. A ``brief`` tool is listed without what a model can do without:
    every session pays for the list."""

    operation: Operation[Any]
    tool: Tool
    brief: bool = False

    @property
    def name(self) -> str:
        return self.tool.name

    @cached_property
    def view(self) -> View[Any]:
        return self.tool.view(self.operation)

    @property
    def takes(self) -> Schema:
        return self.view.schema

    @cached_property
    def gives(self) -> Schema:
        """The result's schema, always with a text that says it all."""
        found = _reduce(self.operation.gives, _BESIDE - self.tool.keeps)
        properties = _ALL | found["properties"]
        return {"type": "object", "properties": properties, "required": ["text", *found["required"]]}

    @property
    def description(self) -> str:
        return self.tool.describe(self.operation)

    @cached_property
    def listed(self) -> dict[str, Any]:
        """The tool as ``tools/list`` shows it."""
        if self.brief:
            return listed(self) | self._meta
        title = self.tool.title or self.operation.title
        hints = {
            "title": title,
            "readOnlyHint": not self.operation.writes,
            "destructiveHint": self.operation.destructive,
            "idempotentHint": self.operation.idempotent,
            "openWorldHint": False,
        }
        found: dict[str, Any] = {
            "name": self.name,
            "title": title,
            "description": self.description,
            "inputSchema": self.takes,
            "outputSchema": self.gives,
            "annotations": hints,
        }
        return found | self._meta

    @property
    def _meta(self) -> dict[str, Any]:
        # Else Claude Code shows a model the name alone until it searches for the tool.
        return {"_meta": {"anthropic/alwaysLoad": True}} if self.tool.always_load else {}

    def read(self, given: Mapping[str, Any]) -> Arguments:
        """Raises ``UsageError``."""
        found: Arguments = self.view.read(given)
        return found.updated(**self.tool.fixed) if self.tool.fixed else found

    def answer(self, result: Any, given: Arguments) -> dict[str, Any]:
        """Text and data; what is unknown is left out. Where data says all, ``lead`` is the text beside it."""
        data: dict[str, Any] = valid(_keep(result.to_dict(), _BESIDE - self.tool.keeps), nulls=False, surface=MCP)
        return {"text": self.operation.words(result, given), "lead": self.tool.lead(result, given), **data}


def tools(profile: str = "full") -> Mapping[str, McpTool]:
    """What is listed, by name: ``core`` are the few that most sessions need."""
    brief = profile != "full"
    names = catalog.CORE if brief else catalog.listed()
    return {name: McpTool(*catalog.find(name), brief=brief) for name in names}


def find(name: str) -> McpTool:
    """Any tool, listed or not, by whatever name it is known. Raises ``NotFound``."""
    return McpTool(*catalog.find(name))


def _keep(value: Any, beside: frozenset[str], name: str = "") -> Any:
    if isinstance(value, Mapping):
        return {key: _keep(part, beside, key) for key, part in value.items() if key not in beside}
    if isinstance(value, list | tuple):
        return [_keep(part, beside, name) for part in value]
    if isinstance(value, str) and name in _LINES:
        return render.word_message(value)
    return render.clean(value) if name == "snippet" else value


def _reduce(schema: Schema, beside: frozenset[str]) -> Schema:
    """A schema without what is left out: of what may be ``null``, too, and of references."""
    if "$ref" in schema:
        schema = COMPONENTS[schema["$ref"].rpartition("/")[2]]
    found = dict(schema)
    if isinstance(found.get("type"), list):
        found["type"] = found["type"][0]
    if "items" in found:
        found["items"] = _reduce(found["items"], beside)
    if "properties" in found:
        there = {name: part for name, part in found["properties"].items() if name not in beside}
        found["properties"] = {name: _reduce(part, beside) for name, part in there.items()}
        needed = (name for name in found["required"] if name in there)
        found["required"] = [name for name in needed if not isinstance(there[name].get("type"), list)]
    return found
