"""Carrying out an operation: its vault opened, its index fresh or refused, for every protocol alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hearth.pool.opened import OpenVault
from hearth.pool.pool import VaultPool
from hearth.pool.rebuild import Rebuilding
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.operation import HINDRANCES, REBUILDING, Operation, Request, Result

Given = Result | str | Iterator[bytes]


def carried_out(operation: Operation[Any], call: Request, given: Arguments) -> tuple[Given, list[str]]:
    """The result, and remarks on what stands in the way of a better one. In a thread; the vault of ``call`` stays open
    meanwhile. Raises what the engine raises, and ``Unavailable`` while an index is rebuilt, which never happens here,
    where others wait."""
    if (operation.reads or operation.writes) and call.vault.index.is_stale():
        return _stale(operation, call.vaults, call.opened, given)
    remarks = call.opened.fresh() if operation.reads else []
    if remarks and call.vault.index.is_stale():  # the look came upon damage
        return _stale(operation, call.vaults, call.opened, given)
    return operation.run(call, given), remarks


def _stale(
    operation: Operation[Any], vaults: VaultPool, opened: OpenVault, given: Arguments
) -> tuple[Given, list[str]]:
    why = vaults.rebuilder.ask(opened.settings)
    if operation.empty is None:
        raise why
    if isinstance(why, Rebuilding):
        return operation.empty(given, REBUILDING), []
    return operation.empty(given, HINDRANCES[1]), [why.said]
