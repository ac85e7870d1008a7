"""Templates that models expect around a text, from ``prompts.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from hearth.lazy import dataclass, regex
from hearth.models.http.family import Role

# Begins and ends the control tokens of the usual chat models; a passage must not speak for the system.
_CONTROL = regex(r"<\|(?=[a-z_]+\|>)")


@dataclass(frozen=True, slots=True)
class Prompts:
    """``{text}`` stands for the text, once."""

    query: str = "{text}"
    document: str = "{text}"

    def around(self, text: str, role: Role) -> str:
        before, _, after = (self.query if role == "query" else self.document).partition("{text}")
        return f"{before}{text}{after}"


def prompts_for(model: str | None) -> Prompts:
    """The templates of the model that ``model`` names; without any for one that is not known."""
    found = _find("embedding", model or "")
    return Prompts(**{role: found[role] for role in ("query", "document") if role in found})


def judgement(model: str | None, query: str, text: str) -> str:
    """The prompt that asks a language model whether ``text`` answers ``query``."""
    template: str = _find("judgement", model or "")["prompt"]
    given = {"{query}": query, "{text}": text}
    pieces = re.split(r"(\{query\}|\{text\})", template)
    return "".join(_CONTROL.sub("< |", given[piece]) if piece in given else piece for piece in pieces)


def _find(table: str, model: str) -> dict[str, Any]:
    name = model.lower()
    return next((entry for entry in _entries()[table] if re.search(entry["pattern"], name)), {})


@cache
def _entries() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files(__package__).joinpath("prompts.toml").read_text(encoding="utf-8"))
