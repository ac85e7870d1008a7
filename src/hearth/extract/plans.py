"""An approved plan in outline: its own headings and the first line of each step.

A person approves the steps of a plan, not the pages, logs and code that the agent pasted into it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hearth.lazy import regex

_MOST_STEPS, _STEP_CHARS = 12, 160
_FENCE = regex(r"\s{0,3}(?:```|~~~)")
_HEADING = regex(r"\s{0,3}#{1,6}\s+\S")
_ITEM = regex(r"(?P<indent>\s*)(?:[-*+]|\d{1,3}[.)])\s+\S")
_FOREIGN = regex(r"\s*(?:>|\||<)|\s*(?:[-*+]|\d{1,3}[.)])\s+>|.*(?:https?://|\bwww\.)")
# Longer than a name or a label: somebody else's words.
_QUOTED = regex(r"[“”„\"«»「」](?:[^“”„\"«»「」\s]+\s+){4,}[^“”„\"«»「」]*[“”\"«»「」]")
_DEEP = 2


def outline_plan(plan: str) -> str:
    """Headings and top-level steps, one a line; of a plan without any, its first line. What is quoted, fenced, in a
    table or has an address in it is left out."""
    lines = [line for line in _own_lines(plan) if line.strip()]
    marked = [line for line in lines if _HEADING.match(line) or _is_step(line)]
    return "\n".join(
        _QUOTED.sub("“…”", line.strip())[:_STEP_CHARS].rstrip() for line in (marked or lines[:1])[:_MOST_STEPS]
    )


def _own_lines(plan: str) -> Iterator[str]:
    is_fenced = is_quoted = False
    for line in plan.splitlines():
        if _FENCE.match(line):
            is_fenced = not is_fenced
        elif not line.strip():
            is_quoted = False
        elif not is_fenced:
            # The next lines of a quoted paragraph need no mark of their own.
            is_quoted = is_quoted or line.lstrip().startswith(">")
            if not is_quoted and not _FOREIGN.match(line):
                yield line


def _is_step(line: str) -> bool:
    found = _ITEM.match(line)
    return found is not None and len(found["indent"]) < _DEEP
