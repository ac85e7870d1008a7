"""Latency of a prompt's hook, from process start to exit: with and without the daemon, alone and a hundred at once.

    python bench/hooks.py --fragments 10000 --runs 100

Beside each stands the same number of bare Pythons (``-I -S -c pass``) in the same run. ``--soak 10000`` instead puts so
many prompts to one daemon and shows its memory, descriptors and processes as it goes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from hearth import stub
from hearth.markdown import frontmatter
from indexing import KILOBYTE, write_notes
from latency import FRAGMENTS_PER_NOTE
from machine import describe, hearth, percentile, table

BARE = [sys.executable, "-I", "-S", "-c", "pass"]
STUB = [sys.executable, "-I", "-S", str(stub.__file__), "context-surfacing", "--host", "claude-code"]
_WORDS = 6
_WORD = re.compile(r"\w+")
_NAMES = ("CONFIG", "DATA", "CACHE", "STATE")


def main() -> None:
    options = _options()
    # A hook that answered alone may still write down what it showed.
    with tempfile.TemporaryDirectory(prefix="hearth-hooks-", dir="/tmp", ignore_cleanup_errors=True) as work:
        site = Site(Path(work), options.fragments)
        if options.soak:
            soak(site, options.soak, options.every)
            return
        results = [*measure(site, options.runs, options.at_once)]
    rows = [
        [row["what"], f"{row['p50']:.1f}", f"{row['p95']:.1f}", f"{row['bare_p50']:.1f}", f"{row['bare_p95']:.1f}",
         f"{row['p95'] / row['bare_p95']:.1f}", f"{row['injected']}/{row['runs']}", str(row["invalid"])]
        for row in results
    ]  # fmt: skip
    header = ["hook", "p50 ms", "p95 ms", "bare p50", "bare p95", "p95 ratio", "injected", "invalid"]
    print(table(header, rows))
    if options.json:
        found = {"machine": describe(), "fragments": options.fragments, "results": results}
        options.json.write_text(json.dumps(found, indent=2), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fragments", type=int, default=10_000, help="size of the vault (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=100, help="prompts one after another (default: %(default)s)")
    parser.add_argument("--at-once", type=int, default=100, help="prompts at the same time (default: %(default)s)")
    parser.add_argument("--soak", type=int, default=0, help="instead: so many prompts to one daemon")
    parser.add_argument("--every", type=int, default=1_000, help="prompts between looks at it (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args()


class Site:
    """A vault of synthetic notes in folders of its own, and prompts about it, each of another session."""

    def __init__(self, work: Path, fragments: int) -> None:
        self.work = work
        runtime = work / "run"
        runtime.mkdir(mode=0o700)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("HEARTH_", "PYTHON"))}
        folders = {f"HEARTH_{name}_DIR": str(work / name.lower()) for name in _NAMES}
        self.environ = {**kept, **folders, "HOME": str(work), "XDG_RUNTIME_DIR": str(runtime)}
        self.texts = write_notes(work / "notes", fragments // FRAGMENTS_PER_NOTE, KILOBYTE)
        self.hearth("bootstrap", str(work / "notes"))

        # What a session was shown it is not shown again.
        self._sessions = count()

    def hearth(self, *arguments: str) -> str:
        done = subprocess.run(hearth(*arguments), env=self.environ, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"hearth {' '.join(arguments)} failed: {done.stderr.strip()}")
        return done.stdout

    def prompt(self, number: int) -> bytes:
        """About a note, by the longest words near the beginning of its text, so that there is something to inject: of
        frontmatter and marks, prompts would be about dates, or fall into several questions."""
        text = self.texts[number * 7 % len(self.texts)]
        body = text[frontmatter.split(text).end_char :][:600]
        words = sorted(set(_WORD.findall(body)), key=lambda word: (len(word), word))[-_WORDS:]
        text = f"what do we know about {' '.join(words)}?"
        event = {
            "session_id": f"bench-{next(self._sessions)}",
            "hook_event_name": "UserPromptSubmit",
            "cwd": str(self.work),
        }
        return json.dumps({**event, "prompt": text}).encode()

    @contextmanager
    def daemon(self, *, runs: bool) -> Iterator[dict[str, str]]:
        """The variables for hooks with a warm daemon, or for hooks that start none."""
        if not runs:
            yield self.environ | {"HEARTH_DAEMON_MODE": "never"}
            return
        self.hearth("daemon", "start")
        try:
            one(STUB, self.prompt(0), self.environ)
            # What is derived of new notes takes the processor for a while, once.
            while not self._settled():
                time.sleep(0.2)
            for number in range(20):
                one(STUB, self.prompt(number), self.environ)
            yield self.environ
        finally:
            self.hearth("daemon", "stop")

    def _settled(self) -> bool:
        vault = self.status()["vaults"][0]
        jobs = {job["job"]: job for job in vault["jobs"]}
        related = bool(vault["scans"] and jobs["relate"]["last"])
        return related and not any(job["running"] for job in jobs.values())

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.hearth("daemon", "status", "--json"))["daemon"]
        return found


def measure(site: Site, runs: int, at_once: int) -> Iterator[dict[str, Any]]:
    for runs_daemon in (True, False):
        with site.daemon(runs=runs_daemon) as environ:
            name = "with daemon" if runs_daemon else "without daemon"
            bare = [one(BARE, b"", environ)[0] for _ in range(runs)]
            yield row(f"{name}, one", [one(STUB, site.prompt(n), environ) for n in range(runs)], bare)
            bare = [taken for taken, _ in together(BARE, [b""] * at_once, environ, site.work)]
            prompts = [site.prompt(1_000 + number) for number in range(at_once)]
            yield row(f"{name}, {at_once} at once", together(STUB, prompts, environ, site.work), bare)


def row(what: str, taken: Sequence[tuple[float, bytes | None]], bare: Sequence[float]) -> dict[str, Any]:
    times = [milliseconds for milliseconds, _ in taken]
    return {
        "what": what,
        "runs": len(taken),
        "p50": percentile(times, 0.5),
        "p95": percentile(times, 0.95),
        "bare_p50": percentile(bare, 0.5),
        "bare_p95": percentile(bare, 0.95),
        "injected": sum(bool(output) for _, output in taken),
        "invalid": sum(not valid(output) for _, output in taken),
    }


def valid(output: bytes | None) -> bool:
    """Whether the host takes it: nothing, or one JSON object; ``None`` stands for a failed process."""
    try:
        return output is not None and (not output or isinstance(json.loads(output), dict))
    except ValueError:
        return False


def one(command: Sequence[str], stdin: bytes, environ: dict[str, str]) -> tuple[float, bytes | None]:
    began = time.perf_counter()
    done = subprocess.run(command, input=stdin, env=environ, capture_output=True, check=False)
    taken = (time.perf_counter() - began) * 1000
    return taken, done.stdout if done.returncode == 0 and not done.stderr else None


def together(
    command: Sequence[str], inputs: Sequence[bytes], environ: dict[str, str], work: Path
) -> list[tuple[float, bytes | None]]:
    """Time and output of each, all started at once; files instead of pipes, so that reading them holds up nobody."""
    began: dict[int, tuple[int, float]] = {}
    found: list[tuple[float, bytes | None]] = [(0.0, None)] * len(inputs)
    for number, data in enumerate(inputs):
        (work / f"in{number}").write_bytes(data)
    for number in range(len(inputs)):
        with (work / f"in{number}").open("rb") as stdin, (work / f"out{number}").open("wb") as stdout:
            moment = time.perf_counter()
            process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.STDOUT, env=environ)
            began[process.pid] = (number, moment)
            process.returncode = 0  # it is waited for below, whichever ends first
    while began:
        pid, status = os.wait()
        if pid in began:
            number, moment = began.pop(pid)
            taken = (time.perf_counter() - moment) * 1000
            found[number] = (taken, (work / f"out{number}").read_bytes() if status == 0 else None)
    return found


def soak(site: Site, prompts: int, every: int) -> None:
    with site.daemon(runs=True) as environ:
        rows, invalid = [], 0
        for number in range(prompts + 1):
            if number % every == 0:
                status = site.status()
                rows.append([f"{number:,}", f"{status['memory_kib'] / 1024:.1f}", str(status["descriptors"]),
                             str(status["threads"]), str(processes(site)), str(invalid)])  # fmt: skip
                print(" ".join(rows[-1]), flush=True)
            invalid += not valid(one(STUB, site.prompt(number), environ)[1])
    print(table(["prompts", "memory MB", "descriptors", "threads", "processes", "invalid"], rows))


def processes(site: Site) -> int:
    """Processes with this bench's folders in their environment; the daemon is one. Linux only."""
    mark = f"HEARTH_CACHE_DIR={site.work}".encode()
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            count += mark in (folder / "environ").read_bytes() and int(folder.name) != os.getpid()
        except OSError:
            continue
    return count


if __name__ == "__main__":
    main()
