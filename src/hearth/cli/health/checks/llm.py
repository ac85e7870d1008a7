"""The language model: whether it answers with a value, and what is left of its budget."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.app import Settings
from hearth.app.llm import try_out
from hearth.app.settings import now_ms
from hearth.cli.health.checks.finding import FAIL, OK, WARN, Finding
from hearth.errors import HearthError

_OFF = "; without it: hearth config set llm.provider none"


def answers(chosen: Settings) -> Iterator[Finding]:
    """Asks it for one word; nothing where none is configured."""
    given = chosen.loaded.config.llm
    if given.provider == "none":
        return
    try:
        name, used = try_out(chosen, now_ms)
    except HearthError as error:
        level = WARN if error.code == "over_budget" else FAIL
        yield Finding("llm", level, f"the rules read sessions meanwhile: {error}", f"see: hearth llm test{_OFF}")
        return
    budget = "" if given.tokens_per_day is None else f" of {given.tokens_per_day:,}"
    yield Finding("llm", OK, f"{name} answers; {used:,}{budget} tokens used today")
