"""The MCP server: time to the first answer on stdio beside the bare import of the SDK, and warm tool calls.

    python bench/mcp_server.py --fragments 10000

Import and first answer are measured by turns, each in a process of its own, so that both meet the same load.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from indexing import KILOBYTE, write_notes
from machine import describe, hearth, percentile, table
from samples.synthetic import Vocabulary

BARE = "import mcp.server.lowlevel; print(flush=True)"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
# Notes of a kilobyte make about three.
FRAGMENTS_PER_NOTE = 3
WARM = 20


class Server:
    """``hearth mcp`` over pipes, one request at a time."""

    def __init__(self, environ: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            hearth("mcp", "--profile", "full"), env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._id = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._id += 1
        request = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": {**params, "_meta": META}}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        if "result" not in answer:
            raise SystemExit(f"{method} failed: {answer}")
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        if result.get("isError"):
            raise SystemExit(f"{tool} failed: {result['content']}")
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    def close(self) -> int:
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(30)


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="hearth-mcp-") as work:
        environ = _indexed(Path(work), options.fragments)
        first = _first(environ, options.starts)
        calls = _calls(environ, options.calls)
    rows = [["bare import", f"{first['import_ms']:.0f}", ""], ["first answer", f"{first['answer_ms']:.0f}", ""]]
    rows.append(["ratio", f"{first['ratio']:.2f}", ""])
    rows += [[tool, f"{p50:.1f}", f"{p95:.1f}"] for tool, (p50, p95) in calls.items()]
    print(table(["measure", "p50 ms", "p95 ms"], rows))
    if options.json:
        figures = {"machine": describe(), "fragments": options.fragments, "start": first, "calls": calls}
        options.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fragments", type=int, default=10_000, help="about so many (default: %(default)s)")
    parser.add_argument("--starts", type=int, default=9, help="cold starts of each kind (default: %(default)s)")
    parser.add_argument("--calls", type=int, default=200, help="warm calls of each tool (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args()


def _indexed(work: Path, fragments: int) -> dict[str, str]:
    write_notes(work / "notes", fragments // FRAGMENTS_PER_NOTE, KILOBYTE)
    folders = {f"HEARTH_{name}_DIR": str(work / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
    environ = {**os.environ, "HOME": str(work), **folders}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(hearth("bootstrap", str(work / "notes")), env=environ, capture_output=True, check=True)
    return environ


def _first(environ: dict[str, str], starts: int) -> dict[str, float]:
    """Medians in ms, and their ratio."""
    imports, answers = [], []
    for turn in range(starts + 1):
        started = time.perf_counter()
        imported = _line([sys.executable, "-c", BARE], environ)
        begun = time.perf_counter()
        server = Server(environ)
        server.ask("server/discover")
        answered = time.perf_counter()
        server.close()
        if turn:  # the first of each writes and reads what the next find in the cache
            imports.append((imported - started) * 1000)
            answers.append((answered - begun) * 1000)
    bare, answer = percentile(imports, 0.5), percentile(answers, 0.5)
    return {"import_ms": bare, "answer_ms": answer, "ratio": answer / bare}


def _line(command: list[str], environ: dict[str, str]) -> float:
    """When a process has written its first line; its end is not waited for before."""
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return time.perf_counter()


def _calls(environ: dict[str, str], count: int) -> dict[str, tuple[float, float]]:
    questions = Vocabulary(20_000).questions(count + WARM)
    server = Server(environ)
    found: dict[str, tuple[float, float]] = {}
    docids = [row["docid"] for row in server.call("query", query=questions[0], limit=50)["results"]]
    asked: dict[str, Any] = {
        "memory_retrieve": lambda at: {"query": questions[at]},
        "search": lambda at: {"query": questions[at]},
        "vsearch": lambda at: {"query": questions[at]},
        "query": lambda at: {"query": questions[at]},
        "get": lambda at: {"reference": docids[at % len(docids)]},
        "timeline": lambda at: {"reference": docids[at % len(docids)]},
        "find_similar": lambda at: {"reference": docids[at % len(docids)]},
        "status": lambda at: {},
    }
    for tool, arguments in asked.items():
        taken = []
        for at in range(count + WARM):
            started = time.perf_counter()
            server.call(tool, **arguments(at))
            taken.append((time.perf_counter() - started) * 1000)
        found[tool] = (percentile(taken[WARM:], 0.5), percentile(taken[WARM:], 0.95))
    server.close()
    return found


if __name__ == "__main__":
    main()
