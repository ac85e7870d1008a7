"""Errors as clients hear them: a stable code, what is wrong, and a remedy in the words of the surface."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hearth.core.errors import Ambiguous, Guidance, HearthError
from hearth.core.lazy import dataclass

if TYPE_CHECKING:
    from hearth.core.errors import Kind

MCP = "mcp"
REST = "rest"

_SAME: Mapping[Kind, str] = {
    "again": "; search again",
    "events": "; events of the answer to a change name them",
    "fill": "; a person adds notes: hearth {command}",
}
_OWN: Mapping[str, Mapping[Kind, str]] = {
    MCP: {
        **_SAME,
        "list": "{joint}a search finds it, or multi_get with a glob",
        "sessions": "; session_log lists them",
        "restore": "; restore it first: lifecycle_restore with reference #{last} and confirm true",
        "status": "{joint}status says more",
    },
    REST: {
        **_SAME,
        "list": "{joint}GET /documents lists all",
        "sessions": "; GET /sessions lists them",
        "restore": "; restore it first: POST /documents/{last}/restore",
        "status": "{joint}GET /collections says more",
    },
}
_PERSON = "{joint}a person runs: hearth {command}{more}"


def worded(text: str, surface: str) -> str:
    if not isinstance(text, Guidance):
        return text
    remedy = text.remedy
    form = _OWN[surface].get(remedy.kind, _PERSON)
    last = remedy.command.rpartition(" ")[2]
    return text.fact + form.format(command=remedy.command, last=last, joint=remedy.joint, more=remedy.more)


logger = logging.getLogger("hearth.server")

_MAX_MESSAGE = 2_000
_HINTS = {
    "usage": "compare the arguments with the schema and try again",
    "config": "a person has to correct the settings; hearth doctor helps them",
    "not_found": "use a name that is given here, or search and use a docid from the results",
    "ambiguous": "name one by its docid",
    "conflict": "look at the present state, then decide again",
    "unavailable": "try again later; else a person runs hearth doctor, which says what is in the way",
    "rebuilding": "ask again in a minute",
    "index_newer": "restart this server with the Hearth that wrote the index",
    "bad_reply": "a person has to look at the model's server; hearth doctor helps them",
}
_OTHERWISE = "a person runs hearth doctor, which looks for the cause"


@dataclass(frozen=True, slots=True)
class Problem:
    """``code`` is the error class's; ``internal`` for what nobody expected, whose details only the log has."""

    code: str
    message: str
    hint: str
    candidates: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {"code": self.code, "message": self.message, "hint": self.hint}
        return found | ({"candidates": list(self.candidates)} if self.candidates else {})


def problem(error: BaseException, where: str, surface: str) -> Problem:
    """``where`` is the request, for the log, ``surface`` who hears it. Secrets are taken out of messages and log."""
    from hearth.guard.secrets.redaction import redact

    if isinstance(error, HearthError):
        candidates = error.candidates[:20] if isinstance(error, Ambiguous) else ()
        hint = _HINTS.get(error.code, _OTHERWISE)
        return Problem(error.code, redact(worded(error.said, surface)[:_MAX_MESSAGE]).text, hint, candidates)
    logger.error("%s failed\n%s", where, redact("".join(traceback.format_exception(error))).text)
    return Problem("internal", "something unexpected went wrong", "the log of the server says what; " + _OTHERWISE)
