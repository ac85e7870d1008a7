"""The server as the SDK sees it: its handlers, which translate and leave the work to others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from hearth import __version__
from hearth.app.pool import VaultPool
from hearth.core.errors import NotFound, UsageError
from hearth.core.instants import HOUR_MS
from hearth.core.session import Sighting
from hearth.operations.problems import MCP, problem
from hearth.server.mcp import resources
from hearth.server.mcp.resources import instructions
from hearth.server.mcp.runner import ToolRunner, failed
from hearth.server.mcp.tool import McpTool, find

Context = ServerRequestContext[Any, Any]
Result = TypeVar("Result")

# What is listed does not change while a server runs, and is the same for everybody.
_HOUR = CacheHint(ttl_ms=HOUR_MS, scope="public")
# Required in a result since 2026-07-28; the SDK takes it out for older clients.
_WHOLE: dict[str, Any] = {"resultType": "complete"}
_HINTS: dict[Any, CacheHint] = {
    "tools/list": _HOUR,
    "prompts/list": _HOUR,
    "resources/list": _HOUR,
    "resources/templates/list": _HOUR,
    "resources/read": CacheHint(),
    "server/discover": CacheHint(),
}


class HearthServer(Server[Any]):
    """The SDK's server, with instructions that are made anew for every client."""

    def __init__(self, vaults: VaultPool, tools: Mapping[str, McpTool], client: Sighting | None = None) -> None:
        self._vaults = vaults
        self._tools = tools
        self._runner: ToolRunner | None = None
        self._client = client
        super().__init__(
            "hearth",
            version=__version__,
            title="Hearth",
            description="The memory of past sessions and notes on this machine.",
            cache_hints=_HINTS,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,  # type: ignore[arg-type]  # a mapping passes as the result it describes
            on_call_tool=self._call_tool,  # type: ignore[arg-type]
            on_list_resources=self._list_resources,  # type: ignore[arg-type]
            on_list_resource_templates=self._list_templates,  # type: ignore[arg-type]
            on_read_resource=self._read_resource,  # type: ignore[arg-type]
            on_list_prompts=self._list_prompts,  # type: ignore[arg-type]
            on_get_prompt=self._get_prompt,  # type: ignore[arg-type]
            on_completion=self._complete,  # type: ignore[arg-type]
        )

    @property
    def instructions(self) -> str:
        return instructions(self._vaults, self._tools)

    @instructions.setter
    def instructions(self, given: str | None) -> None:
        """The base class sets none."""

    @property
    def runner(self) -> ToolRunner:
        """Made in the event loop, to which its limits belong."""
        if self._runner is None:
            self._runner = ToolRunner(self._vaults, self._client)
        return self._runner

    # -- tools -----------------------------------------------------------------------------------------------------

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> dict[str, Any]:
        _refuse_cursor(params)
        return {**_WHOLE, "tools": [tool.listed for tool in self._tools.values()]}

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        """Also of what is not listed: a name that says what is meant is enough."""
        try:
            tool = self._tools.get(params.name) or find(params.name)
        except NotFound as error:
            return _WHOLE | failed(problem(error, "tools/call", MCP))

        async def report(done: int, total: int) -> None:
            await ctx.session.report_progress(done, total or None, f"{done:,} of {total:,} files")

        return _WHOLE | await self.runner.run(tool, params.arguments or {}, report)

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        tool = self._tools.get(name)
        return None if tool is None else tool.takes

    # -- resources -------------------------------------------------------------------------------------------------

    async def _list_resources(self, ctx: Context, params: types.PaginatedRequestParams | None) -> dict[str, Any]:
        _refuse_cursor(params)
        return {**_WHOLE, "resources": list(resources.RESOURCES)}

    async def _list_templates(self, ctx: Context, params: types.PaginatedRequestParams | None) -> dict[str, Any]:
        _refuse_cursor(params)
        return {**_WHOLE, "resourceTemplates": list(resources.TEMPLATES)}

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        uri = str(params.uri)
        text, media = await self._tell(lambda: resources.read(self._vaults, uri), {"uri": uri[:2_000]})
        return {**_WHOLE, "contents": [{"uri": uri, "mimeType": media, "text": text}]}

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> dict[str, Any]:
        asked, begun = params.argument.name, params.argument.value
        known = dict(params.context.arguments or {}) if params.context is not None else {}
        ours = [resources.TEMPLATE] if isinstance(params.ref, types.ResourceTemplateReference) else []
        named = params.ref.uri if isinstance(params.ref, types.ResourceTemplateReference) else params.ref.name
        if named not in (*ours, *(str(one["name"]) for one in resources.PROMPTS)):
            raise MCPError(types.INVALID_PARAMS, f"nothing to complete for {str(named)[:200]!r}")
        values: list[str] = []
        total = 0
        if ours or asked == "vault":
            values, total = await self._tell(lambda: resources.complete(self._vaults, asked, begun, known))
        return {**_WHOLE, "completion": {"values": values, "total": total, "hasMore": total > len(values)}}

    # -- prompts ---------------------------------------------------------------------------------------------------

    async def _list_prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> dict[str, Any]:
        _refuse_cursor(params)
        return {**_WHOLE, "prompts": list(resources.PROMPTS)}

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> dict[str, Any]:
        text = await self._tell(lambda: resources.prompt(params.name, params.arguments or {}, self._vaults.names()))
        return {**_WHOLE, "messages": [{"role": "user", "content": {"type": "text", "text": text}}]}

    async def _tell(self, work: Callable[[], Result], data: dict[str, Any] | None = None) -> Result:
        """Blocking work whose errors become those of the protocol."""
        try:
            return await self.runner.threads.call(work)
        except Exception as error:  # noqa: BLE001 (told to the client, never its details)
            found = problem(error, "request", MCP)
            code = types.INVALID_PARAMS if isinstance(error, NotFound | UsageError) else types.INTERNAL_ERROR
            raise MCPError(code, f"{found.message}; {found.hint}", (data or {}) | {"code": found.code}) from None


def _refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "every list is one page; there is no cursor")
