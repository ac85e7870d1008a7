"""What everyday commands cost a process: CPU time, and how many times that of a bare Python.

    python bench/speed.py NOTES                     this checkout
    python bench/speed.py NOTES --src OLD/src       another checkout beside it, in pairs, each run after the other's

Each source tree indexes NOTES into a home of its own. Wall time on a busy machine says little, so only a daemon's
answer is timed by the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "why did we choose PostgreSQL for the backup"
MAIN = "import sys; from hearth.cli import main; sys.exit(main())"
HOOK = """
import os, sys, time
from hearth import hook
said, after = hook.fall_back("context-surfacing", "claude-code", sys.stdin.read(), dict(os.environ),
                             time.monotonic() + 60, lambda mode: None)
after()
print(sum(name.split(".")[0] == "hearth" for name in sys.modules))
"""
INSIDE = """
import contextlib, json, time
from statistics import median
from hearth.app import open_vault
from hearth.core.errors import HearthError
def cost(work, runs=15):
    taken = []
    for _ in range(runs):
        began = time.process_time()
        with contextlib.suppress(HearthError):
            work()
        taken.append((time.process_time() - began) * 1000)
    return median(taken)
with open_vault() as vault:
    document = vault.documents()[0].document
    path = f"{{document.collection}}/{{document.path}}"
    print(json.dumps({{
        "question in process": cost(lambda: vault.recall({question!r})),
        "get by path, in process": cost(lambda: vault.get(path)),
        "get by a wrong name, in process": cost(lambda: vault.get("no such note anywhere")),
    }}))
"""


class Tree:
    """One source tree and its home. Its processes keep bytecode."""

    def __init__(self, source: Path, work: Path) -> None:
        folders = {f"HEARTH_{name}_DIR": str(work / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        (work / "run").mkdir(mode=0o700, parents=True)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HEARTH_")}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        own = {"PYTHONPATH": str(source), "HOME": str(work), "XDG_RUNTIME_DIR": str(work / "run")}
        self.environ = kept | folders | own | {"HEARTH_DAEMON_MODE": "never"}

    def run(self, *command: str, given: str = "", **variables: str) -> tuple[float, str]:
        """CPU milliseconds of it and its children, and what it printed."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, *command], env=self.environ | variables, input=given, capture_output=True, encoding="utf-8"
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise SystemExit(f"{command}: {done.stderr.strip()}")
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000, done.stdout

    def hearth(self, *arguments: str, **variables: str) -> tuple[float, str]:
        return self.run("-c", MAIN, *arguments, **variables)

    def prompt(self, number: int) -> str:
        event = {"session_id": f"s{number}", "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": QUESTION}
        return json.dumps(event)


def by_daemon(tree: Tree, runs: int) -> dict[str, float]:
    """What a question costs that a daemon answers, by the clock and in the asking process, and the daemon's memory."""
    tree.hearth("daemon", "start", HEARTH_DAEMON_MODE="external")
    try:
        walls, costs = [], []
        for _ in range(runs):
            began = time.perf_counter()
            costs.append(tree.hearth("query", QUESTION, HEARTH_DAEMON_MODE="external")[0])
            walls.append((time.perf_counter() - began) * 1000)
        status = json.loads(tree.hearth("daemon", "status", "--json", HEARTH_DAEMON_MODE="external")[1])
        memory = _resident(status["daemon"]["pid"])
    finally:
        tree.hearth("daemon", "stop", HEARTH_DAEMON_MODE="external")
    return {
        "query answered by the daemon, CPU": median(costs),
        "query answered by the daemon, wall": median(walls),
        "daemon, resident MB": memory,
    }


def _resident(pid: int) -> float:
    rows = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(row.split()[1]) / 1024 for row in rows if row.startswith("VmRSS"))


def measure(trees: Sequence[Tree], runs: int) -> list[dict[str, float]]:
    works: dict[str, Callable[[Tree, int], float]] = {
        "bare Python": lambda tree, _: tree.run("-c", "pass")[0],
        "hearth --help": lambda tree, _: tree.hearth("--help")[0],
        "query without a daemon": lambda tree, _: tree.hearth("query", QUESTION)[0],
        "hook without a daemon": lambda tree, number: tree.run("-c", HOOK, given=tree.prompt(number))[0],
        "status": lambda tree, _: tree.hearth("status")[0],
        "update, nothing changed": lambda tree, _: tree.hearth("update")[0],
    }
    found: list[dict[str, float]] = [{} for _ in trees]
    for name, work in works.items():
        taken: list[list[float]] = [[] for _ in trees]
        for number in range(runs + 1):
            for at, tree in enumerate(trees):
                taken[at].append(work(tree, number))
        for at, costs in enumerate(taken):
            found[at][name] = median(costs[1:])  # the first writes bytecode
    for at, tree in enumerate(trees):
        found[at]["hook without a daemon, modules of ours"] = float(tree.run("-c", HOOK, given=tree.prompt(0))[1])
        found[at] |= json.loads(tree.run("-c", INSIDE.format(question=QUESTION))[1])
        found[at] |= by_daemon(tree, runs)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--src", type=Path, help="the src folder of another checkout")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    sources = [*([options.src.resolve()] if options.src else []), ROOT / "src"]
    with tempfile.TemporaryDirectory(prefix="hearth-speed-") as work:
        trees = [Tree(source, Path(work) / str(at)) for at, source in enumerate(sources)]
        indexing = []
        for tree in trees:
            tree.hearth("collection", "add", str(options.notes.resolve()), "--name", "notes")
            indexing.append(tree.hearth("update")[0])
        found = measure(trees, options.runs)
    for row, cost in zip(found, indexing, strict=True):
        row["update, all new"] = cost
    print(f"{'ms of CPU, median of ' + str(options.runs):42}" + "".join(f"{s.parent.name!s:>16}" for s in sources))
    for name in found[-1]:
        print(f"{name:42}" + "".join(_cell(name, row[name], row["bare Python"]) for row in found))


def _cell(name: str, value: float, bare: float) -> str:
    is_time = not name.endswith(("MB", "ours", "wall"))
    return f"{value:9.1f} " + (f"{value / bare:5.1f}x" if is_time else " " * 6)


if __name__ == "__main__":
    main()
