"""Records what Hearth answers and writes, and shows what a change made different.

    python tools/snapshot.py record FOLDER [--src SRC] [--set DIR ...] [--most N]
    python tools/snapshot.py compare FOLDER OTHER

``record`` goes through the command line, the hooks and the servers alone, with a clock that stands still, so that it
works before and after modules moved. It leaves a text file a surface:

    help/       the help of every command                     schemas/  OpenAPI, and the tools of MCP
    recall/     the first ten of every question, two recipes  hooks/    recorded events of four hosts, and the answers
    story/      a scripted life of a vault: each command's output, every file that it left, and its export

``--src`` is the source folder to run (this checkout's), ``--set`` a folder of an evaluation set (the examples always
are), of which ``--most`` questions are asked. ``compare`` prints "same", or the differences, and then ends with 1.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests" / "hosts" / "fixtures"
TRANSCRIPT = ROOT / "tests" / "transcripts" / "data" / "claude_code_work.jsonl"
EXAMPLES = ROOT / "examples"
RECIPES = {"keyword": "search", "hybrid": "query"}
HITS = 10
LINES = 60
"""Of a difference, so many lines of a file are shown."""
# Hosts' events in the order in which a session sends them.
EVENTS = ("startup", "resumed", "prompt", "tool", "compaction", "compacted", "summariser", "turn-end", "session-end")
ASKED = ("Which photo format did we choose, and why?", "What are the running costs per month?", "Write a haiku.")
NOW = 1_780_000_000.0
WORKER = f"""
import json, os, random, sys, time
moment = {NOW}
time.time, time.time_ns = lambda: moment, lambda: int(moment * 1e9)
source = random.Random(0)
os.urandom = random._urandom = lambda count: source.randbytes(count)
from hearth.cli import main
out, err = os.memfd_create("out"), os.memfd_create("err")
asked, answer = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
for line in asked:
    step = json.loads(line)
    moment += 1
    source.seed(step["number"])
    kept = dict(os.environ)
    os.environ.update(step["environ"])
    given = os.memfd_create("in")
    os.write(given, step["input"].encode())
    os.lseek(given, 0, 0)
    for file in (out, err):
        os.ftruncate(file, 0)
        os.lseek(file, 0, 0)
    for new, old in ((given, 0), (out, 1), (err, 2)):
        os.dup2(new, old)
    os.close(given)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    code = main(step["arguments"])
    sys.stdout.flush(), sys.stderr.flush()
    said = [os.pread(file, 1 << 28, 0).decode("utf-8", "replace") for file in (out, err)]
    os.environ.clear()
    os.environ.update(kept)
    print(json.dumps([code, *said]), file=answer, flush=True)
"""
STORY = """
bootstrap {notes}
remember 'We decided to keep the ledger in PostgreSQL, because billing needs transactions.'
remember --type preference 'I prefer tabs over spaces in Go code.'
remember 'The staging host is called heron.'
remember --type decision 'From now on the ledger is kept in SQLite.'
note 'Seen today: a heron in the reeds.'
diary write gardener 'The hedge was cut back to one metre.'
diary read
list --json
pin decisions/0009-price-per-household.md
snooze --days 3 research/photo-formats.md
forget research/recipe-import-parsers.md
search 'recipe sites'
restore research/recipe-import-parsers.md
invalidate research/photo-formats.md
hook feedback-loop < {turn}
hook session-end < {end}
log --json
capture run --all
capture status
commitments
review list --json
profile --rebuild
consolidate
dream
reflect
threads
topics
summaries
questions
entities
facts PostgreSQL
graph build
graph causal decisions/0009-price-per-household.md
lifecycle status
lifecycle sweep
curate
handoff
undo
history decisions/0009-price-per-household.md
timeline decisions/0009-price-per-household.md
similar decisions/0009-price-per-household.md
get decisions/0009-price-per-household.md
get no-such-note
query --json 'Where do we keep the ledger?'
query --recipe plan 'What changed about the ledger since spring?'
surface 'Where do we keep the ledger?'
budget
status
export
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record")
    record.add_argument("folder", type=Path)
    record.add_argument("--src", type=Path, default=ROOT / "src")
    record.add_argument("--set", type=Path, action="append", default=[])
    record.add_argument("--most", type=int, default=200)
    compare = commands.add_parser("compare")
    compare.add_argument("folder", type=Path)
    compare.add_argument("other", type=Path)
    given = parser.parse_args()
    if given.command == "compare":
        sys.exit(show(given.folder, given.other))
    for name, text in surfaces(given.src.resolve(), given.set, given.most):
        file = given.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    print(f"{sum(1 for file in given.folder.rglob('*') if file.is_file())} files in {given.folder}")


def show(folder: Path, other: Path) -> int:
    """Prints what is different; the exit code."""
    ours, theirs = ({str(f.relative_to(top)): f for f in top.rglob("*") if f.is_file()} for top in (folder, other))
    different = 0
    for name in sorted(ours.keys() | theirs.keys()):
        old, new = (found[name].read_text("utf-8").splitlines() if name in found else [] for found in (ours, theirs))
        lines = list(difflib.unified_diff(old, new, f"{folder}/{name}", f"{other}/{name}", lineterm="", n=1))
        if lines or (name in ours) != (name in theirs):
            different += 1
            print("\n".join(lines[:LINES] or [f"{name}: only in one of them"]))
            if len(lines) > LINES:
                print(f"... and {len(lines) - LINES} lines")
    print(f"{different} of {len(ours.keys() | theirs.keys())} files differ" if different else "same")
    return int(bool(different))


def surfaces(source: Path, sets: Sequence[Path], most: int) -> Iterator[tuple[str, str]]:
    """The name and text of each file."""
    for part in (helps, schemas, hooks, story):
        with Home(source) as home:
            yield from part(home)
    for folder in (EXAMPLES, *sets):
        for case in sorted({file.parent for file in folder.rglob("queries.jsonl")}):
            with Home(source) as home:
                yield from recall(home, case, f"{folder.name}/{case.relative_to(folder)}".removesuffix("/."), most)


class Home:
    """A home of its own, and one process that runs commands in it."""

    def __init__(self, source: Path) -> None:
        # Always the same name: it is part of what is printed, and of ids that are made of paths.
        self.folder = Path(tempfile.gettempdir()) / "hearth-snapshot"
        shutil.rmtree(self.folder, ignore_errors=True)
        folders = {f"HEARTH_{name.upper()}_DIR": self.folder / name for name in ("config", "data", "cache", "state")}
        for folder in (*folders.values(), self.folder / "run", self.folder / "project"):
            folder.mkdir(parents=True, mode=0o700)
        self.environ = {
            "PATH": os.defpath,
            "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "PYTHONPATH": str(source),
            "PYTHONHASHSEED": "0",
            "LANG": "C.UTF-8",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            **{name: str(folder) for name, folder in folders.items()},
        }
        self._number = 0
        self._process = self.start(sys.executable, "-c", WORKER)
        self.run("config", "set", "daemon.mode", "never")

    def __enter__(self) -> Home:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *command: str, err: int | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            env=self.environ,
            cwd=self.folder / "project",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
            encoding="utf-8",
        )

    def run(self, *arguments: str, given: str = "", environ: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        """A command's exit code, output and error output."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._number += 1
        step = {"number": self._number, "arguments": arguments, "input": given, "environ": environ or {}}
        print(json.dumps(step), file=self._process.stdin, flush=True)
        code, out, err = json.loads(self._process.stdout.readline())
        return code, out, err

    def show(self, *arguments: str, **given: Any) -> str:
        code, out, err = self.run(*arguments, **given)
        return self.plain(f"{out}{err}exit code {code}\n")

    def plain(self, text: str) -> str:
        """Without what no two runs have in common: durations, sizes, and the days on which files were written."""
        text = text.replace(str(self.folder), "<home>")
        for day in (0, 1):
            text = text.replace(f"{datetime.now(UTC) - timedelta(days=day):%Y-%m-%d}", "<today>")
        text = re.sub(r"(<today>[T ])\d\d:\d\d(?::\d\d)?(?:\.\d+)?", r"\1<time>", text)
        text = re.sub(r"\b\d+(?:\.\d+)? (ms|s|seconds|KB|MB|GB)\b", r"<number> \1", text)
        text = re.sub(r"\b17[5-9]\d{10}\b|\b1[89]\d{11}\b", "<ms>", text)
        return re.sub(r'("(?:took|elapsed|pid|ctime_ns|size|[a-z_]*_ms|[a-z_]*bytes)": )[\d.]+', r"\1<number>", text)

    def notes(self, corpus: Path) -> Path:
        """A copy whose files are all as old."""
        folder = self.folder / "notes"
        shutil.copytree(corpus, folder)
        for file in folder.rglob("*"):
            os.utime(file, (NOW - 86_400, NOW - 86_400))
        return folder


def helps(home: Home) -> Iterator[tuple[str, str]]:
    left: list[tuple[str, ...]] = [()]
    while left:
        command = left.pop()
        # The overview shows the everyday commands alone.
        text = home.show(*command, "--help") if command else home.show("help", "--all")
        yield f"help/{'-'.join(command) or 'hearth'}.txt", text
        listed = text.partition("Options:")[2]
        listed = re.sub(r"(?m)^  -.*(?:\n {6,}.*)*", "", listed)
        if "Commands" in listed or not command:
            left += [(*command, name) for name in re.findall(r"(?m)^  ([a-z][a-z-]*)(?:  |$)", listed)]


def schemas(home: Home) -> Iterator[tuple[str, str]]:
    for profile in ("core", "full"):
        process = home.start(sys.executable, "-m", "hearth", "mcp", "--profile", profile)
        assert process.stdin is not None and process.stdout is not None
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        requests: list[dict[str, Any]] = [
            {"id": 1, "method": "initialize", "params": client},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list"},
        ]
        answer: dict[str, Any] = {}
        for request in requests:
            print(json.dumps({"jsonrpc": "2.0", **request}), file=process.stdin, flush=True)
            if "id" in request:
                answer = json.loads(process.stdout.readline())
        process.communicate()
        yield f"schemas/mcp-{profile}.json", _json(answer["result"])
    process = home.start(sys.executable, "-m", "hearth", "serve", "--port", "0", "--no-auth", err=subprocess.STDOUT)
    assert process.stdout is not None
    try:
        url = next(found[0] for line in process.stdout if (found := re.search(r"http://[\d.:]+", line)))
        with urllib.request.urlopen(f"{url}/openapi.json", timeout=30) as reply:
            yield "schemas/openapi.json", _json(json.load(reply))
    finally:
        process.terminate()
        process.communicate()


def recall(home: Home, case: Path, name: str, most: int) -> Iterator[tuple[str, str]]:
    corpus = case / "corpus"
    home.run("bootstrap", str(home.notes(corpus if corpus.is_dir() else case / "notes")))
    rows = [json.loads(line) for line in (case / "queries.jsonl").read_text("utf-8").splitlines()]
    for recipe, command in RECIPES.items():
        lines = []
        for row in rows[:most]:
            lines.append(f"{row['id']}: {row['query']}")
            code, out, err = home.run(command, "--json", "-n", str(HITS), "--", row["query"])
            lines += [_hit(hit) for hit in json.loads(out)["results"]] if code == 0 else [err.strip()]
        yield f"recall/{name}.{recipe}.txt", "\n".join(lines) + "\n"


def _hit(hit: Mapping[str, Any]) -> str:
    return f"  {hit['score']:.3f} {hit['path']}:{hit.get('start_line', hit.get('line', ''))}"


def hooks(home: Home) -> Iterator[tuple[str, str]]:
    home.run("bootstrap", str(home.notes(EXAMPLES / "notes")))
    for host in sorted({file.name.partition(".")[0] for file in FIXTURES.glob("*.json")}):
        for event in EVENTS:
            file = FIXTURES / f"{host}.{event}.json"
            if not file.exists():
                continue
            recorded = json.loads(file.read_text("utf-8"))
            payload = recorded["payload"]
            prompts = (payload["prompt"], *ASKED) if event == "prompt" else (None,)
            for number, prompt in enumerate(prompts):
                told = json.dumps(payload | ({} if prompt is None else {"prompt": prompt}))
                command = ("hook", recorded["hook"], "--host", host, "--explain")
                text = home.show(*command, given=told, environ=recorded["environ"])
                yield f"hooks/{host}.{event}{number or ''}.txt", text


def story(home: Home) -> Iterator[tuple[str, str]]:
    transcript = home.folder / "session.jsonl"
    shutil.copy(TRANSCRIPT, transcript)
    place = {"session_id": "s1", "transcript_path": str(transcript), "cwd": str(home.folder / "project")}
    given = {
        "{turn}": json.dumps(place | {"hook_event_name": "Stop"}),
        "{end}": json.dumps(place | {"hook_event_name": "SessionEnd", "reason": "exit"}),
    }
    folder = home.notes(EXAMPLES / "notes")
    for number, line in enumerate(STORY.strip().splitlines(), 1):
        words, _, told = line.partition(" < ")
        arguments = shlex.split(words.replace("{notes}", str(folder)))
        name = f"story/{number:02}-{re.sub(r'[^a-z0-9]+', '-', words[:40].lower()).strip('-')}.txt"
        yield name, f"hearth {words}\n{home.show(*arguments, given=given.get(told, ''))}"
    for file in sorted((home.folder / "data").rglob("*")):
        if file.suffix in (".md", ".jsonl"):
            yield f"story/files/{file.relative_to(home.folder)}", home.plain(file.read_text("utf-8"))


def _json(value: object) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
