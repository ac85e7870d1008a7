"""The state of a session before its compaction, saved late: where the hook could not, whoever needs it next does."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from hearth import hook, hosts
from hearth.daemon.intake import EventIntake
from hearth.daemon.stub import spool
from hearth.daemon.stub.address import Address, address
from hearth.errors import HearthError

HOOK = "precompact-extract"
_NAMES = ("session_id", "sessionId", "conversation_id", "conversationId")
# Of the time there is, what is left for the answer that needs the state.
_SHARE = 0.7


def save_waiting(vaults: hook.Vaults, at: Address, raw: str, deadline: float) -> None:
    """Takes in what waits of the session of this event; what can't be done by ``deadline`` keeps waiting."""
    if not spool.waiting(at):
        return
    session = _session_in(hosts.payload(raw))
    if session is None:
        return
    until = time.monotonic() + _SHARE * max(0.0, deadline - time.monotonic())

    def is_wanted(found: Mapping[str, Any]) -> bool:
        given = found["input"]
        return found["name"] == HOOK and isinstance(given, dict) and _session_in(given) == session

    EventIntake(vaults, at).take_in(is_wanted, until=until)


def save_now(raw: str, environ: Mapping[str, str], deadline: float) -> None:
    """The same by a process of its own. Never raises: what fails waits on."""
    try:
        save_waiting(hook.Fallback(environ), address(environ), raw, deadline)
    except (HearthError, OSError, json.JSONDecodeError) as error:
        hook.log_of(environ).failure("saving what a session was about before its compaction", error)


def _session_in(given: Mapping[str, Any]) -> str | None:
    return next((given[name] for name in _NAMES if isinstance(given.get(name), str)), None)
