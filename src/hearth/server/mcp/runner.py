"""Running a tool: arguments checked, vault opened, folders looked at, errors told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any

import anyio

from hearth.pool.freshness import Stopped
from hearth.pool.pool import VaultPool
from hearth.pool.rebuild import Rebuilding
from hearth.server.hints import MCP, all_worded
from hearth.server.mcp import render
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.problems import Problem, problem
from hearth.server.schema import checked
from hearth.server.threads import Threads
from hearth.server.wellformed import valid

# Seconds between two reports of progress.
_REPORT_EVERY = 0.2


@dataclass
class Position:
    """How far a long call got; written in its thread, read in the loop's."""

    done: int = 0
    total: int = 0

    def seen(self, done: int, total: int) -> None:
        self.done, self.total = done, total


class Runner:
    """``session`` is the client's own name of its session, where the whole process serves one."""

    def __init__(self, vaults: VaultPool, session: str | None = None) -> None:
        self.vaults = vaults
        self.threads = Threads()
        self._session = session

    async def run(self, tool: Tool, given: Mapping[str, Any], report: Callable[[int, int], Any]) -> dict[str, Any]:
        """The result as it goes out. ``report`` is awaited with how far a long call got."""
        try:
            arguments = checked(tool.takes, given)
            if tool.long:
                answer = await self._long(tool, arguments, report)
            else:
                answer = await self.threads.call(lambda: self.answer(tool, arguments))
        except Exception as error:  # noqa: BLE001 (whatever a tool raises is told to the client, never its details)
            return failed(problem(error, f"tool {tool.name}", MCP))
        return succeeded(answer)

    def answer(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        stop: Event | None = None,
        seen: Callable[[int, int], None] = lambda done, total: None,
    ) -> Answer:
        """In a thread. Raises what the engine raises, and ``Rebuilding``."""
        with self.vaults.use(arguments.get("vault")) as opened:
            stopped = stop.is_set if stop is not None else lambda: False
            call = Call(self.vaults, opened, arguments, self._session, stopped, seen)
            if tool.reads and opened.vault.index.is_stale():
                return self._rebuilding(tool, call)
            remarks = opened.fresh() if tool.reads else []
            return _remarked(tool.run(call), remarks)

    def _rebuilding(self, tool: Tool, call: Call) -> Answer:
        why = self.vaults.rebuilder.ask(call.opened.settings)
        if tool.empty is None:
            raise why
        if isinstance(why, Rebuilding):
            return tool.empty(call)
        call.hindrance = "the index can't be rebuilt"
        return _remarked(tool.empty(call), [str(why)])

    async def _long(self, tool: Tool, arguments: Mapping[str, Any], report: Callable[[int, int], Any]) -> Answer:
        position = Position()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_reporting, position, report)
            try:
                answer = await self.threads.long(lambda stop: self._ended(tool, arguments, stop, position))
            finally:
                tasks.cancel_scope.cancel()
        if isinstance(answer, Exception):
            raise answer
        await report(position.total, position.total)
        return answer

    def _ended(self, tool: Tool, arguments: Mapping[str, Any], stop: Event, position: Position) -> Answer | Exception:
        """Errors come back as values: out of a task group they would come in a group."""
        try:
            return self.answer(tool, arguments, stop, position.seen)
        except Stopped:
            return Answer("stopped", {})
        except Exception as error:  # noqa: BLE001 (raised again where it is awaited)
            return error


def _remarked(answer: Answer, remarks: list[str]) -> Answer:
    if not remarks:
        return answer
    remarks = [render.line(remark) for remark in all_worded(remarks, MCP)]
    return Answer(render.remarked(answer.text, remarks), {**answer.data, "remarks": remarks})


async def _reporting(position: Position, report: Callable[[int, int], Any]) -> None:
    told = 0
    while True:
        await anyio.sleep(_REPORT_EVERY)
        if position.done > told:
            told = position.done
            await report(told, position.total)


def succeeded(answer: Answer) -> dict[str, Any]:
    """The text twice: clients show a model either the content or the structure."""
    structured = valid({"text": answer.text, **answer.data}, nulls=False)
    return {
        "content": [{"type": "text", "text": structured["text"]}],
        "structuredContent": structured,
        "isError": False,
    }


def failed(found: Problem) -> dict[str, Any]:
    """Without structure, which would have to fit the tool's output schema; programs find the code in ``_meta``."""
    said = valid(f"{found.code}: {render.clean(found.message)}\nHint: {found.hint}")
    return {
        "content": [{"type": "text", "text": said}],
        "isError": True,
        "_meta": {"hearth/error": valid(found.to_dict(), nulls=False)},
    }
