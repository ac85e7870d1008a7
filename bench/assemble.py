"""How long a request of the context engine takes in a long session.

    python bench/assemble.py [--turns N] [--megabytes N] [--requests N] [--window TOKENS]

A session of prompts, calls with long results, and replies, none of it compacted, and a vault with the example notes for
recall. ``assemble`` is a request after each turn that is committed, ``plan`` the same without texts, ``cold`` the first
request of another process. CPU time of this process in milliseconds; ``recall`` is the share of it that the search for
notes takes.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from hearth.app import compose, settings
from hearth.context.engine.assembly import AssembleRequest
from hearth.context.engine.sessions import SessionId
from hearth.vault.vault import Vault
from machine import table

SESSION = SessionId("agent:main:bench")
ROOT = Path(__file__).resolve().parents[1]
WORDS = ("pump", "valve", "gate", "seed", "soil", "frost", "vent", "lamp", "hose", "tray", "label", "crate", "boiler")
PROMPTS = ("Which valve leaks?", "How do we roll back a release?", "What did we decide about backups?")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--window", type=int, default=200_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        environ = prepare(folder)
        with compose(settings(environ=environ)) as vault:
            vault.index.freshen()
            fill(vault, options.turns, int(options.megabytes * 1_000_000))
            rows = [
                row("assemble, recall", measure(vault, options.requests, options.window, recall=True)),
                row("assemble", measure(vault, options.requests, options.window, recall=False)),
                row("plan", measure_plan(vault, options.requests, options.window)),
            ]
        rows.append(row("cold", measure_cold(environ, max(3, options.requests // 10), options.window)))
    print(table(["request", "p50 ms", "p95 ms", "most"], rows))


def prepare(folder: Path) -> dict[str, str]:
    notes = folder / "notes"
    shutil.copytree(ROOT / "examples" / "notes", notes)
    (folder / "config").mkdir()
    (folder / "config" / "config.yaml").write_text(
        f"collections:\n  notes:\n    path: {notes}\n    surface: always\ndaemon:\n  mode: never\n"
        "context:\n  reset:\n    mode: none\n"
    )
    names = ("config", "data", "cache", "state", "run")
    return {f"HEARTH_{name.upper()}_DIR": str(folder / name) for name in names} | {"HOME": str(folder)}


def fill(vault: Vault, turns: int, size: int) -> None:
    rng = random.Random(7)
    text = " ".join(rng.choice(WORDS) for _ in range(200_000))
    for number in range(turns):
        vault.context.commit(SESSION, f"t{number}", turn(rng, text, number, size // turns))


def turn(rng: random.Random, text: str, number: int, size: int) -> list[dict[str, Any]]:
    def cut(most: int) -> str:
        start = rng.randrange(max(1, len(text) - most))
        return text[start : start + most]

    call = f"c{number}"
    asked = {"type": "toolCall", "id": call, "name": "read", "arguments": {"path": f"/srv/{number}.txt"}}
    return [
        {"role": "user", "content": cut(120)},
        {"role": "assistant", "content": [{"type": "text", "text": cut(200)}, asked]},
        {"role": "toolResult", "toolCallId": call, "toolName": "read", "content": cut(max(1, size - 1_400))},
        {"role": "assistant", "content": [{"type": "text", "text": cut(300)}]},
    ]  # fmt: skip


def measure(vault: Vault, requests: int, window: int, *, recall: bool) -> list[float]:
    rng = random.Random(11)
    found = []
    for number in range(requests):
        prompt = PROMPTS[number % len(PROMPTS)]
        request = AssembleRequest(window, prompt, private=recall, window=window)
        found.append(spent(partial(vault.context.assemble, SESSION, request)))
        vault.context.commit(SESSION, f"{recall}{number}", turn(rng, " ".join(WORDS * 400), number, 25_000))
    return found


def measure_plan(vault: Vault, requests: int, window: int) -> list[float]:
    request = AssembleRequest(window, PROMPTS[0], window=window)
    return [spent(partial(vault.context.plan, SESSION, request)) for _ in range(requests)]


def measure_cold(environ: dict[str, str], times: int, window: int) -> list[float]:
    found = []
    for _ in range(times):
        with compose(settings(environ=environ)) as vault:
            request = AssembleRequest(window, PROMPTS[0], private=True, window=window)
            found.append(spent(partial(vault.context.assemble, SESSION, request)))
    return found


def spent(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1_000


def row(name: str, found: list[float]) -> list[str]:
    ordered = sorted(found)
    return [
        name,
        *(f"{value:.1f}" for value in (statistics.median(found), ordered[int(len(ordered) * 0.95)], ordered[-1])),
    ]


if __name__ == "__main__":
    main()
