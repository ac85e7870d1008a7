"""Load on ``hearth serve``: many clients at once, reading and writing, every answer checked.

    python bench/serve.py [--seconds 10] [--clients 100] [--notes 500]

A vault of made-up notes is served by a process of its own; the clients ask from another. Nine requests of ten read.
Prints requests by kind with their times, and what went wrong; ends with 1 if anything did. An answer is right if it is
the one that was asked for, or says 429 or 503 with ``Retry-After``. What was written is looked for in the end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[1]
THINGS = ("lantern", "harbour", "violin", "glacier", "orchard", "compass", "meadow", "anvil", "canyon", "beacon")


@dataclass
class Seen:
    """Seconds by kind of request, replies that asked to wait, and what was wrong."""

    times: dict[str, list[float]] = field(default_factory=dict)
    waits: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    def take(self, kind: str, seconds: float) -> None:
        self.times.setdefault(kind, []).append(seconds)


def make(folder: Path, notes: int) -> dict[str, str]:
    """A folder of notes and the variables of a vault over it."""
    (folder / "notes").mkdir()
    for number in range(notes):
        thing = THINGS[number % len(THINGS)]
        text = f"# {thing.title()} {number}\n\nThe {thing} number {number} stands in room {number * 7}.\n\nIt is old.\n"
        (folder / "notes" / f"{number}.md").write_text(text, encoding="utf-8")
    (folder / "config").mkdir()
    (folder / "config" / "config.yaml").write_text(f"collections:\n  notes:\n    path: {folder}/notes\n")
    named = {f"HEARTH_{name.upper()}_DIR": str(folder / name) for name in ("config", "data", "cache", "state")}
    return {**os.environ, **named, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}


@contextmanager
def served(environ: dict[str, str]) -> Iterator[str]:
    subprocess.run([sys.executable, "-m", "hearth", "update"], env=environ, check=True, stdout=subprocess.DEVNULL)
    command = [sys.executable, "-m", "hearth", "serve", "--port", "0", "--no-auth"]
    process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        found = re.search(r"http://\S+", said)
        if found is None:
            raise SystemExit(said + process.stderr.read())
        yield found[0]
    finally:
        process.terminate()
        rest = process.stderr.read()
        if process.wait(30) not in (0, -15) or rest:
            sys.stderr.write(rest)


async def one(client: httpx.AsyncClient, seen: Seen, dice: random.Random, notes: int) -> None:
    """One request of a random kind, and whether its answer is right."""
    number = dice.randrange(notes)
    thing = THINGS[number % len(THINGS)]
    kind = dice.choices(("search", "document", "list", "health", "write", "pin"), (50, 20, 10, 10, 7, 3))[0]
    began = time.perf_counter()
    answer = await ask(client, kind, number, thing, dice)
    seen.take(kind if answer.status_code == 200 else str(answer.status_code), time.perf_counter() - began)
    if answer.status_code in (429, 503):
        seen.waits[answer.status_code] += 1
        if "retry-after" not in answer.headers:
            seen.wrong.append(f"{kind}: {answer.status_code} without Retry-After")
        await asyncio.sleep(0.05)
    elif answer.status_code != 200 or not right(kind, number, thing, answer.json(), seen):
        seen.wrong.append(f"{kind} {number}: {answer.status_code} {answer.text[:200]}")


async def ask(client: httpx.AsyncClient, kind: str, number: int, thing: str, dice: random.Random) -> httpx.Response:
    if kind == "search":
        return await client.post("/search", json={"query": f"{thing} number {number} room {number * 7}", "limit": 3})
    if kind == "document":
        return await client.get(f"/documents/notes/{number}.md")
    if kind == "list":
        return await client.get(f"/documents?limit=5&pattern=notes/{number % 10}*.md")
    if kind == "write":
        text = f"Client found the {thing} with the mark {dice.randrange(10**9)}-{number}."
        return await client.post("/memories", json={"text": text, "type": "fact"})
    if kind == "pin":
        return await client.post(f"/documents/notes/{number}.md/pin", json={"unpin": dice.random() < 0.5})
    return await client.get("/health")


def right(kind: str, number: int, thing: str, said: dict[str, Any], seen: Seen) -> bool:
    if kind == "search":
        return f"{number}.md" in {hit["path"] for hit in said["results"]}
    if kind == "document":
        return f"The {thing} number {number} " in str(said["text"])
    if kind == "list":
        return 1 <= len(said["documents"]) <= 5
    if kind == "write":
        seen.written.append(said["docid"])
        return str(said["action"]) in ("written", "duplicate")
    if kind == "pin":
        return str(said["path"]) == f"{number}.md"
    return bool(said["status"] == "ok")


async def load(url: str, given: argparse.Namespace, seen: Seen) -> None:
    limits = httpx.Limits(max_connections=given.clients, max_keepalive_connections=given.clients)
    async with httpx.AsyncClient(base_url=f"{url}/v1", timeout=60, limits=limits, trust_env=False) as client:
        until = time.monotonic() + given.seconds

        async def work(number: int) -> None:
            dice = random.Random(number)
            while time.monotonic() < until:
                try:
                    await one(client, seen, dice, given.notes)
                except httpx.HTTPError as error:
                    seen.wrong.append(f"no answer: {error!r}")

        await asyncio.gather(*(work(number) for number in range(given.clients)))
        for docid in dict.fromkeys(seen.written):
            while (answer := await client.get(f"/documents/{docid}")).status_code in (429, 503):
                await asyncio.sleep(0.1)
            if answer.status_code != 200:
                seen.wrong.append(f"written and not there: {docid}")


def report(seen: Seen, given: argparse.Namespace) -> None:
    print(f"{given.clients} clients, {given.seconds} s, {given.notes} notes")
    print(f"{'':10} {'count':>8} {'p50 ms':>8} {'p95 ms':>8} {'max ms':>8}")
    answered = [t for kind, times in seen.times.items() if not kind.isdigit() for t in times]
    for kind, times in [*sorted(seen.times.items()), ("answered", answered)]:
        ordered = sorted(times)
        p50, p95 = (ordered[int(share * (len(ordered) - 1))] * 1000 for share in (0.5, 0.95))
        print(f"{kind:10} {len(ordered):8,} {p50:8.1f} {p95:8.1f} {ordered[-1] * 1000:8.1f}")
    print(f"{len(answered) / given.seconds:,.0f} answers a second; told to wait: {dict(seen.waits)}")
    print(f"{len(seen.written):,} written and found again; wrong: {len(seen.wrong)}")
    for line in seen.wrong[:20]:
        print("  " + line)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--notes", type=int, default=500)
    given = parser.parse_args()
    seen = Seen()
    with tempfile.TemporaryDirectory() as folder, served(make(Path(folder), given.notes)) as url:
        asyncio.run(load(url, given, seen))
    report(seen, given)
    return 1 if seen.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
