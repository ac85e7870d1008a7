"""A simulated month: what two projects decide, reverse and reverse again, told to two hosts. After each step the
current decision has to stand first, and an outdated one never alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trust_checks.table import SAMPLES, Options, Row, read_lines
from trust_checks.text import plain
from trust_checks.transcripts import Turn
from trust_checks.vault import Vault


def measure(options: Options) -> Iterator[Row]:
    steps = list(read_lines(SAMPLES / "month.jsonl"))[: options.most]
    checks: dict[str, list[tuple[str, bool]]] = {"first": [], "query alone": [], "block": [], "block alone": []}
    with Vault() as vault:
        for number, step in enumerate(steps):
            vault.tell(
                str(number), [_turn(step)], project=step["project"], date=f"{step['date']}:00", host=step["host"]
            )
            vault.capture()
            _ask(vault, steps[: number + 1], step, checks)
        ends = {(step["project"], step["slot"]): step for step in steps}
        for step in ends.values():
            _ask(vault, steps, step, checks)
    reversed_ = len(checks["query alone"])
    first, alone = checks["first"], checks["query alone"]
    yield Row("month: query answers with the current one first", *_count(first), ">= 0.85", _failed(first, True))
    yield Row("month: query brings an outdated one alone", *_count(alone), "<= 0", _failed(alone, False))
    block, outdated = checks["block"], checks["block alone"]
    yield Row("month: the block for a prompt holds the current one", *_count(block), "", _failed(block, True))
    count, _ = _count(outdated)
    yield Row("month: the block holds an outdated one alone", count, reversed_, "<= 0", _failed(outdated, False))


def _turn(step: dict[str, Any]) -> Turn:
    return Turn(step["say"], step["answer"], tuple(step.get("options", ())), step.get("chosen", ""))


def _ask(vault: Vault, told: list[dict[str, Any]], step: dict[str, Any], checks: dict[str, list[Any]]) -> None:
    """About one slot, in its project."""
    ours = [one for one in told if (one["project"], one["slot"]) == (step["project"], step["slot"])]
    current, earlier = ours[-1], ours[:-1]
    found = vault.ask("query", step["question"], "-n", "5", "--full", project=step["project"])
    hits = [f"{hit.get('title')}\n{hit.get('text') or hit.get('snippet') or ''}" for hit in found.get("results", [])]
    shown = str(vault.ask("surface", step["question"], project=step["project"]).get("context") or "")
    name = f"{current['date'][:10]} {step['project']}, {step['slot']}: {current['say']}"
    checks["first"].append((name, bool(hits) and _tells(hits[0], current)))
    checks["block"].append((name, _tells(shown, current)))
    if earlier:
        whole = "\n".join(hits)
        checks["query alone"].append((name, _tells_any(whole, earlier) and not _tells(whole, current)))
        checks["block alone"].append((name, _tells_any(shown, earlier) and not _tells(shown, current)))


def _tells(text: str, step: dict[str, Any]) -> bool:
    """By whole words, of which a plural is one."""
    return all(re.search(rf"\b{re.escape(plain(key))}s?\b", plain(text)) for key in step["shows"])


def _tells_any(text: str, steps: list[dict[str, Any]]) -> bool:
    return any(_tells(text, step) for step in steps)


def _count(checks: list[tuple[str, bool]]) -> tuple[int, int]:
    """How many hold, and of how many."""
    return sum(holds for _, holds in checks), len(checks)


def _failed(checks: list[tuple[str, bool]], wanted: bool) -> tuple[str, ...]:
    return tuple(name for name, holds in checks if holds != wanted)
