"""Runs an operation for every protocol alike: its vault opened, its index fresh or refused, in a few threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from hearth.core.errors import UsageError
from hearth.core.hook import check_switch
from hearth.core.lazy import library
from hearth.core.session import GROUP
from hearth.operations.arguments import Arguments
from hearth.operations.operation import HINDRANCES, REBUILDING, Operation, Request, Result

if TYPE_CHECKING:
    from hearth.app.opened import OpenVault
    from hearth.app.pool import VaultPool
    from hearth.vault.vault import Vault

# For servers, which alone have an event loop.
anyio = library("anyio")
to_thread = library("anyio.to_thread")

Given = Result | str | Iterator[bytes]


def carry_out(operation: Operation[Any], call: Request, given: Arguments) -> tuple[Given, list[str]]:
    """The result, and remarks on what stands in the way of a better one. In a thread; the vault of ``call`` stays open
    meanwhile. Raises what the engine raises, and ``Unavailable`` while an index is rebuilt, which never happens here,
    where others wait. Where others take part, nothing may be written (``UsageError``), and for an agent without memory
    nothing read either (``Conflict``)."""
    if (operation.reads or operation.writes) and not operation.of_window:
        check_switch(call.vault.core.off)
    if operation.writes and call.vault.agent.endswith(GROUP):
        raise UsageError(f"{operation.name} writes; a session that others take part in can only read")
    if (operation.reads or operation.writes) and not operation.apart and call.vault.index.is_stale():
        return _stale(operation, call.vaults, call.opened, given)
    remarks = call.opened.fresh() if operation.reads else []
    if remarks and call.vault.index.is_stale():  # the look came upon damage
        return _stale(operation, call.vaults, call.opened, given)
    return operation.run(call, given), remarks


@contextmanager
def carried_out(
    operation: Operation[Any],
    given: Arguments,
    vault: str | None = None,
    *,
    actor: str = "program",
    environ: Mapping[str, str] | None = None,
    prepare: Callable[[Vault], None] = lambda vault: None,
) -> Iterator[tuple[Given, list[str]]]:
    """``carry_out`` for a process that keeps no vault open: its vault is open within. ``vault`` is used if the
    arguments name none; ``prepare`` may bring its index up to date, else one of another version is refused."""
    from hearth.app.pool import VaultPool

    pool = VaultPool(vault, environ)
    try:
        with pool.use(given.vault) as opened:
            prepare(opened.vault)
            yield carry_out(operation, Request(pool, opened, actor, describes=True), given)
    finally:
        pool.close()


def call(
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    vault: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Any operation by the name that MCP, REST and the daemon know; the JSON that they answer. Opens the vault for this
    one call. Raises ``NotFound`` for an unknown operation, ``UsageError`` for arguments that it doesn't take, and what
    it raises itself.

    >>> from hearth.operations.runner import call
    >>> call("memory_history", {"reference": "0008-server-side-sessions.md"})["versions"]  # doctest: +SKIP
    """
    from hearth.operations import catalog

    operation, tool = catalog.find(name)
    if not catalog.has_answer(operation):
        raise UsageError(f"{name} answers with a stream or takes a file; use the command or REST for it")
    given = tool.view(operation).read(dict(arguments or {})).updated(**tool.fixed)
    with carried_out(operation, given, vault, environ=environ) as (result, _):
        if isinstance(result, str):
            return {"text": result}
        return {} if isinstance(result, Iterator) else result.to_dict()


def _stale(
    operation: Operation[Any], vaults: VaultPool, opened: OpenVault, given: Arguments
) -> tuple[Given, list[str]]:
    why = vaults.rebuilder.ask(opened.settings)
    if operation.empty is None:
        raise why
    if why.code == REBUILDING:
        return operation.empty(given, REBUILDING), []
    return operation.empty(given, HINDRANCES[1]), [why.said]


Returned = TypeVar("Returned")

CALLS = 8
LONG = 2


class Threads:
    """``CALLS`` short calls and ``LONG`` long ones at a time; others wait their turn. Belongs to one event loop."""

    def __init__(self) -> None:
        self._calls = anyio.CapacityLimiter(CALLS)
        self._long = anyio.CapacityLimiter(LONG)

    async def call(self, work: Callable[[], Returned]) -> Returned:
        """To its end, also where nobody waits any more: half a change would be worse than one too many."""
        found: Returned = await to_thread.run_sync(work, limiter=self._calls)
        return found

    async def long(self, work: Callable[[Event], Returned]) -> Returned:
        """Work that looks at the event it is given and ends when that is set: when nobody waits any more."""
        stop = Event()
        try:
            found: Returned = await to_thread.run_sync(work, stop, limiter=self._long, abandon_on_cancel=True)
            return found
        finally:
            stop.set()
