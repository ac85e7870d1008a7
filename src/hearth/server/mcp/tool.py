"""A tool: an operation as a model sees it, as short as a model can work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Annotated, Any

from hearth.core.errors import HearthError
from hearth.core.lazy import dataclass
from hearth.operations import compat, documents, lifecycle, render, search, sessions, state
from hearth.operations.arguments import Arguments, OneOf, Schema, View, about, text, whole
from hearth.operations.operation import Operation, Request
from hearth.operations.problems import MCP, logger
from hearth.operations.rows import valid
from hearth.operations.shapes import COMPONENTS
from hearth.recall.routes import MOST_ADDED
from hearth.vault.vault import Vault

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


# What a model has no use for beside the text, which holds passages and lines already.
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


class Call(Request):
    """What is written down is, before the answer goes out: the client may end the process with it."""

    actor = "agent"
    describes = True

    def afterwards(self, work: Callable[[Vault], object]) -> None:
        try:
            work(self.vault)
        except (HearthError, OSError) as error:
            logger.warning("something was not written down after an answer: %s", error)


def plain(result: Any, given: Any) -> str:
    """For results that nothing else words."""
    return "\n".join(f"{name}: {value}" for name, value in valid(result.to_dict(), surface=MCP).items())


@dataclass(frozen=True)
class Tool:
    """``names`` are the arguments as ``View`` reads them, of the ``model`` where it is narrower than the operation's;
    ``fixed`` are those that the tool sets itself. ``described`` is for what a model has to know beyond the summary,
    ``keeps`` names what goes into the data though it stands in the text; ``lead`` is a shorter text beside data that
    says all. A ``brief`` tool is listed without what a model can do without: every session pays for the list."""

    name: str
    operation: Operation[Any]
    words: Callable[[Any, Any], str] = plain
    names: str | None = None
    model: type[Arguments] | None = None
    title: str = ""
    described: str = ""
    lead: Callable[[Any, Any], str | None] = lambda result, given: None
    brief: bool = False
    fixed: Mapping[str, Any] = field(default_factory=dict)
    keeps: frozenset[str] = frozenset()
    always_load: bool = False

    @cached_property
    def view(self) -> View[Any]:
        model = self.model or self.operation.takes
        names = self.names if self.names is not None else " ".join(f for f in model.model_fields if f != "vault")
        return View(model, f"{names} vault", formats=False)

    @property
    def takes(self) -> Schema:
        return self.view.schema

    @cached_property
    def gives(self) -> Schema:
        """The result's schema, always with a text that says it all."""
        found = _reduce(self.operation.gives, _BESIDE - self.keeps)
        properties = _ALL | found["properties"]
        return {"type": "object", "properties": properties, "required": ["text", *found["required"]]}

    @property
    def description(self) -> str:
        return self.described or self.operation.summary

    @cached_property
    def listed(self) -> dict[str, Any]:
        """The tool as ``tools/list`` shows it."""
        if self.brief:
            return listed(self) | self._meta
        title = self.title or self.operation.title
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
        return {"_meta": {"anthropic/alwaysLoad": True}} if self.always_load else {}

    def read(self, given: Mapping[str, Any]) -> Arguments:
        """Raises ``UsageError``."""
        found: Arguments = self.view.read(given)
        return found.model_copy(update=dict(self.fixed)) if self.fixed else found

    def answer(self, result: Any, given: Arguments) -> dict[str, Any]:
        """Text and data; what is unknown is left out. Where data says all, ``lead`` is the text beside it."""
        data: dict[str, Any] = valid(_keep(result.to_dict(), _BESIDE - self.keeps), nulls=False, surface=MCP)
        return {"text": self.words(result, given), "lead": self.lead(result, given), **data}


def _keep(value: Any, beside: frozenset[str], name: str = "") -> Any:
    if isinstance(value, Mapping):
        return {key: _keep(part, beside, key) for key, part in value.items() if key not in beside}
    if isinstance(value, list | tuple):
        return [_keep(part, beside, name) for part in value]
    if isinstance(value, str) and name in _LINES:
        return render.said(value)
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


class McpSearch(search.Search):
    limit: Annotated[int, whole("At most so many passages (default 10).", 1, 50)] = 10


class McpRetrieve(search.Retrieve):
    limit: Annotated[
        int,
        whole(
            f"At most so many passages (default 10); the kind of search adds {MOST_ADDED} more at most. Also of "
            "documents by date, and of sessions.",
            1,
            50,
        ),
    ] = 10
    compact: Annotated[
        bool, about("Only what tells whether to read a passage, and where: get reads it (default true); not with full.")
    ] = True


class McpSimilar(search.Similar):
    limit: Annotated[int, whole("At most so many (default 5).", 1, 50)] = 5


class McpRead(documents.Read):
    max_lines: Annotated[int, whole("At most so many lines (default 400).", 1, 5_000)] = 400


class McpSessionLog(sessions.SessionLogArguments):
    limit: Annotated[int, whole("At most so many (default 10).", 1, 100)] = 10


class McpForget(state.Forget):
    confirm: Annotated[bool, state.CONFIRM] = False


class McpUndo(state.Reasoned):
    event: Annotated[str, text("The event, from events of the answer to the change.", 64)]


class McpRestore(lifecycle.Restore):
    limit: Annotated[int, whole("With query: at most so many (default 10).", 1, 100)] = 10


class McpMemorySearch(compat.CompatSearch):
    max_results: Annotated[int, whole("At most so many (default 6).", 1, 50)] = 6


class McpMemoryGet(compat.Get):
    lines: Annotated[int | None, whole("At most so many lines (default 120).", 1, 10_000)] = None


class McpMemoryContext(compat.ContextArguments):
    message: Annotated[str, text("The message as the user wrote it.", 20_000)]
    format: Annotated[str, OneOf("digest", "json"), about("json adds each passage to the data (default digest).")] = (
        "digest"
    )
