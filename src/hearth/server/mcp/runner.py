"""Running a tool: arguments checked, work done in a thread, progress reported, errors told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Event
from typing import Any

import anyio

from hearth.app.pool import VaultPool
from hearth.core.errors import Stopped
from hearth.core.lazy import dataclass
from hearth.core.session import Sighting
from hearth.operations import render, sessions
from hearth.operations.arguments import Arguments
from hearth.operations.hearth import HEARTH, Reaching, find_call, gather
from hearth.operations.problems import MCP, Problem, problem
from hearth.operations.runner import Threads, carry_out
from hearth.operations.shapes import valid
from hearth.server.mcp.tool import McpTool, find, request

# Seconds between two reports of progress.
_REPORT_EVERY = 0.2


@dataclass
class CallProgress:
    """How far a long call got; written in its thread, read in the loop's."""

    done: int = 0
    total: int = 0

    def note_progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total


class ToolRunner:
    """``client`` is the session, where the whole process serves one; its name may be empty where nobody told it."""

    def __init__(self, vaults: VaultPool, client: Sighting | None = None) -> None:
        self.vaults = vaults
        self.threads = Threads()
        self._client = client

    async def run(self, tool: McpTool, given: Mapping[str, Any], report: Callable[[int, int], Any]) -> dict[str, Any]:
        """The result as it goes out. ``report`` is awaited with how far a long call got."""
        try:
            # Checking describes the tool first, which is not done in the loop that others wait for.
            tool, read = await self.threads.call(lambda: self._read(tool, given))
            if tool.operation.long:
                answer = await self._long(tool, read, report)
            else:
                answer = await self.threads.call(lambda: self.answer(tool, read))
        except Exception as error:  # noqa: BLE001 (whatever a tool raises is told to the client, never its details)
            return failed(problem(error, f"tool {tool.name}", MCP))
        return succeeded(answer)

    def _read(self, tool: McpTool, given: Mapping[str, Any]) -> tuple[McpTool, Arguments]:
        """The tool that is meant, which ``hearth`` may name, and its arguments."""
        read = tool.read(gather(given) if tool.operation is HEARTH else given)
        if not isinstance(read, Reaching) or (found := find_call(read)) is None:
            return tool, read
        name, arguments = found
        reached = find(name)
        if read.vault is not None:
            arguments.setdefault("vault", read.vault)
        return reached, reached.read(arguments)

    def answer(
        self,
        tool: McpTool,
        given: Arguments,
        stop: Event | None = None,
        seen: Callable[[int, int], None] = lambda done, total: None,
    ) -> dict[str, Any]:
        """In a thread. Raises what the engine raises."""
        with self.vaults.use(given.vault) as opened:
            stopped = stop.is_set if stop is not None else lambda: False
            client = self._client
            session = (client.session or None) if client is not None else None
            if client is not None:
                sessions.check_incognito(tool.operation, opened.vault, session, client.cwd)
            call = request(self.vaults, opened, session=session, stopped=stopped, seen=seen)
            if client is not None and client.unattended:
                call.afterwards(lambda vault: vault.sessions.seen(client))
            result, remarks = carry_out(tool.operation, call, given)
        answer = tool.answer(result, given)
        if not remarks:
            return answer
        remarks_said = [render.word_message(remark) for remark in remarks]
        return answer | {"text": render.remarked(answer["text"], remarks_said), "remarks": remarks_said}

    async def _long(self, tool: McpTool, given: Arguments, report: Callable[[int, int], Any]) -> dict[str, Any]:
        position = CallProgress()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_reporting, position, report)
            try:
                answer = await self.threads.long(lambda stop: self._run_to_end(tool, given, stop, position))
            finally:
                tasks.cancel_scope.cancel()
        if isinstance(answer, Exception):
            raise answer
        await report(position.total, position.total)
        return answer

    def _run_to_end(
        self, tool: McpTool, given: Arguments, stop: Event, position: CallProgress
    ) -> dict[str, Any] | Exception:
        """Errors come back as values: out of a task group they would come in a group."""
        try:
            return self.answer(tool, given, stop, position.note_progress)
        except Stopped:
            return {"text": "stopped"}
        except Exception as error:  # noqa: BLE001 (raised again where it is awaited)
            return error


async def _reporting(position: CallProgress, report: Callable[[int, int], Any]) -> None:
    reported = 0
    while True:
        await anyio.sleep(_REPORT_EVERY)
        if position.done > reported:
            reported = position.done
            await report(reported, position.total)


def succeeded(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The text twice: clients show a model either the content or the structure. Where the data says all, it has only a
    lead beside it."""
    structured = valid(answer, nulls=False)
    text, lead = structured["text"], structured.pop("lead", None)
    if lead is not None:
        structured["text"] = lead
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": structured,
        "isError": False,
    }


def failed(found: Problem) -> dict[str, Any]:
    """Without structure, which would have to fit the tool's output schema; programs find the code in ``_meta``."""
    text = valid(f"{found.code}: {render.clean(found.message)}\nHint: {found.hint}")
    return {
        "content": [{"type": "text", "text": text}],
        "isError": True,
        "_meta": {"hearth/error": valid(found.to_dict(), nulls=False)},
    }
