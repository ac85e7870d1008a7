"""Generated sessions: whatever is said, what is sent fits, calls keep their results, and a cycle is flushed once."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.context.engine.test_engine import MAIN, Desk
from tests.torture import Part, torture

from hearth.context.engine.assembly import AssembleRequest
from hearth.context.engine.messages import Outline, measure
from hearth.core.instants import parse

WORDS = ["gate", "pump", "温室の水", "Gießkanne", "レモン", "seed", "/srv/greenhouse/a.yaml", "x" * 400]
BUDGETS = (4_000, 12_000, 32_768, 128_000, 200_000, 1_000_000)


def text_of(rng: random.Random, most: int) -> str:
    size = int(most * rng.random() ** 3)
    return " ".join(rng.choice(WORDS) for _ in range(max(1, size // 8)))[: max(1, size)]


def turn_of(rng: random.Random, number: int, most: int) -> list[dict[str, Any]]:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    content: list[dict[str, Any]] = [{"type": "text", "text": text_of(rng, 400)}]
    messages = [{"role": "user", "content": content + ([image] if rng.random() < 0.2 else [])}]
    for step in range(rng.randrange(4)):
        calls = [f"c{number}.{step}.{at}" for at in range(1 + rng.randrange(2))]
        asked = [{"type": "toolCall", "id": call, "name": "read", "arguments": {"path": "a" * 20}} for call in calls]
        messages.append({"role": "assistant", "content": asked})
        for call in calls:
            result = {"type": "text", "text": text_of(rng, most)}
            messages.append({"role": "toolResult", "toolCallId": call, "toolName": "read", "content": [result]})
    return [*messages, {"role": "assistant", "content": [{"type": "text", "text": text_of(rng, 600)}]}]


def check(sent: Sequence[Mapping[str, Any]], tokens: int, overflow: int, budget: int, prompt: str) -> None:
    assert tokens <= budget or overflow == tokens - budget
    assert sent[-1]["content"].endswith(prompt)
    measured = [measure(message, str(at)) for at, message in enumerate(sent)]
    assert sum(one.tokens for one in measured) <= tokens + len(sent)
    calls = Counter(call for one in measured for call in one.calls)
    answers = Counter(call for one in measured for call in one.answers)
    assert calls == answers, "a call without its result, or a result without its call"
    assert all(measured[at].calls for unit in Outline(measured).units for at in unit[:1] if len(unit) > 1)


def live(folder: Path, seed: int, turns: int, most: int) -> None:
    rng = random.Random(seed)
    window = rng.choice(BUDGETS)
    desk = Desk(folder / str(seed))
    flushes: Counter[int] = Counter()
    cycle = 0
    for number in range(turns):
        desk.now.at += rng.choice((1_000, 60_000, 400_000))
        prompt = f"prompt {number}"
        found = desk.engine.assemble(MAIN, AssembleRequest(window, prompt, window=window))
        check(found.messages, found.tokens, found.overflow, window, prompt)
        desk.engine.commit(MAIN, f"t{number}", turn_of(rng, number, most))
        if desk.engine.flush(MAIN, window=window).due:
            flushes[cycle] += 1
            desk.engine.flushed(MAIN)
        if desk.engine.is_compaction_due(MAIN, window=window):
            cycle += desk.engine.compact(MAIN, window=window).compacted
        elif rng.random() < 0.02:
            cycle += desk.engine.reset(MAIN) is not None
        if rng.random() < 0.1:
            desk.engine = desk.open()
    assert set(flushes.values()) <= {1}
    assert all(parse(entry["timestamp"]) for entry in desk.entries())


def test_forty_sessions_fit_their_windows(tmp_path: Path) -> None:
    for seed in range(40):
        live(tmp_path, seed, 14, 30_000)


@torture("sessions", parts=50)
def test_ten_thousand_sessions_fit_their_windows(part: Part, tmp_path: Path) -> None:
    for number in range(part.cases):
        seed = 100 + number * 50 + part.seed
        live(tmp_path, seed, 30 if number or part.seed % 3 else 5_000, 1_000_000 if number % 50 == 1 else 30_000)
        shutil.rmtree(tmp_path / str(seed))
        part.count()
