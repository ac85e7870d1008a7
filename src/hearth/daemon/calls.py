"""Operations that a program asks the daemon for by name: the same as over MCP and REST, on a vault of the pool."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from hearth.app.pool import VaultPool
from hearth.config import vault_for
from hearth.core.errors import HearthError
from hearth.core.session import GROUP, MAIN_AGENT, session_of_agent
from hearth.operations import catalog
from hearth.operations.operation import Request
from hearth.operations.problems import REST, problem
from hearth.operations.runner import carry_out
from hearth.operations.sessions import check_incognito

# At a time; the workers left are for the hooks.
AT_ONCE = 2


class Calls:
    """Answers ``{"operation": NAME, "arguments": {…}}`` with ``result``, or ``error`` as other surfaces say it. A call
    ``for`` a ``model`` was made by an agent: the answer then has a ``text``, too, an incognito session gets none, and
    the program's ``vault`` comes before one among the arguments; without either it is that of the folder ``cwd``. An
    ``agent``, as the host names it, is answered from what it sees, and in a ``shared`` session from what groups see."""

    def __init__(self, pool: VaultPool) -> None:
        self._pool = pool
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def __call__(self, request: Mapping[str, Any], deadline: float) -> dict[str, Any] | None:
        """``None`` where too many are asked at a time."""
        if not self._places.acquire(blocking=False):
            return None
        try:
            return self._answer(request, deadline)
        except Exception as error:  # noqa: BLE001 (told to the caller, its details to the log)
            if not isinstance(error, HearthError):
                self._pool.log.failure("an operation: unexpected", error)
            return {"error": problem(error, "a call of the daemon", REST).to_dict()}
        finally:
            self._places.release()

    def _answer(self, request: Mapping[str, Any], deadline: float) -> dict[str, Any]:
        operation, tool = catalog.find(str(request.get("operation")))
        given = request.get("arguments")
        read = tool.view(operation).read(given if isinstance(given, dict) else {})
        read = read.updated(**tool.fixed) if tool.fixed else read
        by_agent = request.get("for") == "model"
        named = (request.get("vault"), read.vault) if by_agent else (read.vault, request.get("vault"))
        session, cwd, agent = (
            one if isinstance(one := request.get(key), str) and one else None for key in ("session", "cwd", "agent")
        )
        session = session and session_of_agent(session, agent or MAIN_AGENT)
        if request.get("shared"):
            agent = f"{agent or MAIN_AGENT}{GROUP}"
        name = named[0] or named[1] or self._vault_of(cwd)
        source = BytesIO(str(request.get("source", "")).encode("utf-8"))
        with self._pool.use(str(name), deadline=deadline) as opened:
            call = Request(
                self._pool,
                opened,
                "agent" if by_agent else "program",
                describes=by_agent,
                behind=True,
                session=session,
                agent=agent,
                stopped=lambda: time.monotonic() > deadline,
                source=source,
            )
            if by_agent:
                check_incognito(operation, call.vault, session, cwd)
            result, remarks = carry_out(operation, call, read)
            if isinstance(result, Iterator):
                result = b"".join(result).decode("utf-8")
        if isinstance(result, str):
            return {"result": result, "remarks": remarks}
        extra = {"text": operation.words(result, read)} if by_agent else {}
        return {"result": result.to_dict(), "remarks": remarks, **extra}

    def _vault_of(self, cwd: str | None) -> str:
        return self._pool.default if cwd is None else vault_for(Path(cwd), self._pool.settings().loaded.config)
