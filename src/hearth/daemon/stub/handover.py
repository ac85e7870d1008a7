"""What a caller does that the daemon refuses: a newer one asks an older daemon to end. Standard library only."""

from __future__ import annotations

import json
from time import monotonic

from hearth.daemon.stub import call
from hearth.daemon.stub.start import newer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hearth.daemon.stub.address import Address

_SECONDS = 0.2
_TRIES = 3


def hand_over(at: Address, refusal: str) -> bool:
    """Whether the daemon behind the refusal (its reply line) was asked to end; the next to call starts a new one."""
    try:
        reply = json.loads(refusal)
        theirs = reply["version"] if reply.get("refused") == "version" else None
    except (ValueError, KeyError, AttributeError):
        return False
    if not isinstance(theirs, str) or not newer(call.build(), theirs):
        return False
    request = call.encoded({"op": "stop", "version": call.build(), "hash": at.agreement})
    for _ in range(_TRIES):
        try:
            call.ask(at.socket, at.uid, request, monotonic() + _SECONDS)
        except call.Absent:
            return True
        except (call.Silent, call.Busy):
            continue
        return True
    return False
