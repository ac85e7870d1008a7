"""What the engine promises in figures: pruning before dropping, finding what was said, no invented identifiers."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.context.engine.test_engine import MAIN, Desk

from hearth.app import compose, settings
from hearth.capture.compaction import parse_sections
from hearth.context.engine.assembly import AssembleRequest
from hearth.vault.vault import Vault

NOON = 1_790_000_000_000
LEAST_PRUNED = 0.6


def _work(rng: random.Random, number: int, most: int, talk: int) -> list[dict[str, Any]]:
    """A turn in which an agent reads three files."""
    turn: list[dict[str, Any]] = [{"role": "user", "content": f"Step {number}: look at the pumps again."}]
    for step in range(3):
        call, text = f"c{number}.{step}", "gate pump seed\n" * (rng.randrange(most // 2, most) // 15)
        turn.append({"role": "assistant", "content": [{"type": "toolCall", "id": call, "name": "read"}]})
        result = [{"type": "text", "text": text}]
        turn.append({"role": "toolResult", "toolCallId": call, "toolName": "read", "content": result})
    return [*turn, {"role": "assistant", "content": "All of them run. " * talk}]


@pytest.mark.parametrize(("window", "most"), [(32_768, 6_000), (32_768, 20_000), (200_000, 60_000)])
def test_three_fifths_of_what_results_take_are_gone_before_a_turn_is_dropped(
    tmp_path: Path, window: int, most: int
) -> None:
    rng = random.Random(most)
    desk = Desk(tmp_path)
    size, gone = 0, 0.0
    for number in range(100):
        turn = _work(rng, number, most, window // 270)
        size += sum(len(str(one["content"])) for one in turn if one["role"] == "toolResult")
        desk.engine.commit(MAIN, f"t{number}", turn)
        desk.now.at += 400_000
        found = desk.engine.assemble(MAIN, AssembleRequest(window, "Go on", window=window))
        if found.cut.get("drop"):
            break
        left = sum(len(str(one["content"])) for one in found.messages if one["role"] == "toolResult")
        gone = 1 - left / size
    else:
        pytest.fail("no turn was dropped, so this test tells nothing")
    assert gone >= LEAST_PRUNED


_NAMES = re.compile(r"[A-Z]{2,6}-\d+|[0-9a-f]{8}-[0-9a-f-]{27}|https?://\S+|/[\w./-]+|\bv\d[\w.]*|[\w.-]+:\d{2,5}")


def _talk(rng: random.Random, number: int) -> list[dict[str, Any]]:
    """A turn full of identifiers, some of them cut or only alike."""
    hexes = "".join(rng.choice("0123456789abcdef") for _ in range(40))
    path = f"/srv/{rng.choice(('pump', 'gate'))}/{hexes[:6]}/conf.d/{number}.yaml"
    names = [
        f"OPS-{rng.randrange(10_000)}", str(uuid.UUID(int=rng.getrandbits(128))), hexes, hexes[:9], path,
        f"https://ci.example.org/job/{number}/log?x={hexes[3:9]}", f"v{number}.{rng.randrange(30)}.1",
        f"db-{number}.internal:{rng.randrange(1_000, 65_535)}",
    ]  # fmt: skip
    rng.shuffle(names)
    call = f"c{number}"
    return [
        {"role": "user", "content": f"Please fix {names[0]} and then use {names[1]}. We decided to keep {names[2]}."},
        {"role": "assistant", "content": [{"type": "toolCall", "id": call, "name": "bash"}]},
        {
            "role": "toolResult", "toolCallId": call, "toolName": "bash", "isError": rng.random() < 0.3,
            "content": [{"type": "text", "text": "\n".join(f"error: {one} failed" for one in names) + path[:-3]}],
        },
        {"role": "assistant", "content": f"Done: {names[3]} now points to {names[4]}; next is {names[5]}."},
    ]  # fmt: skip


def test_a_summary_by_rules_holds_no_identifier_that_nobody_said(tmp_path: Path) -> None:
    rng = random.Random(7)
    desk = Desk(tmp_path)
    said, seen = "", 0
    for number in range(200):
        turn = _talk(rng, number)
        said += "\n".join(str(one["content"]) for one in turn).replace("\\n", "\n")
        desk.engine.commit(MAIN, f"t{number}", turn)
        if number % 40 == 39:
            summary = desk.engine.compact(MAIN, window=12_000, focus="the pump").summary
            exact = [line.removeprefix("- ").strip("`") for line in parse_sections(summary)["Exact identifiers"]]
            found = {*exact, *(name.rstrip(".,;:…") for name in _NAMES.findall(summary))}
            assert exact and [name for name in found if name not in said] == []
            seen += len(found)
    assert seen > 100


@pytest.fixture
def clock() -> list[int]:
    return [NOON]


@pytest.fixture
def vault(tmp_path: Path, clock: list[int]) -> Iterator[Vault]:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(
        "daemon:\n  mode: never\ncontext:\n  reset:\n    mode: daily+idle\n    idle_minutes: 60\n"
    )
    names = ("config", "data", "cache", "state", "run")
    environ = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in names} | {"HOME": str(tmp_path)}
    with compose(settings(environ=environ), lambda: clock[0]) as found:
        found.index.freshen()
        yield found


@pytest.mark.parametrize(("reason", "hours"), [("new", 0), ("idle", 2), ("daily", 24)])
def test_what_was_said_before_a_session_began_anew_is_found_at_once(
    vault: Vault, clock: list[int], reason: str, hours: int
) -> None:
    turn = [
        {"role": "user", "content": "Why does the zebrafish pipeline fail?"},
        {"role": "assistant", "content": "Its cache is full: run make purge-cache."},
    ]
    vault.context.commit(MAIN, "t1", turn)
    clock[0] += hours * 3_600_000
    if reason == "new":
        vault.context.reset(MAIN)
    else:
        assert vault.context.assemble(MAIN, AssembleRequest(9_000, "Good morning", private=True)).reset is not None
    # As each surface does before it searches; nothing is waited for.
    vault.index.freshen()
    assert any("purge-cache" in hit.text for hit in vault.recall("zebrafish pipeline fails").hits)
