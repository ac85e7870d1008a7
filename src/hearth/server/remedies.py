"""Remedies in the words of a surface: who asks over MCP or REST has no shell, so what no tool or route can do is left
to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hearth.errors import Guidance

if TYPE_CHECKING:
    from hearth.errors import Kind

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
        "restore": "; bring it back first: lifecycle_restore with reference #{last} and confirm true",
        "status": "{joint}status says more",
    },
    REST: {
        **_SAME,
        "list": "{joint}GET /documents lists all",
        "sessions": "; GET /sessions lists them",
        "restore": "; bring it back first: POST /documents/{last}/restore",
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
