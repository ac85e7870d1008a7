"""kill -9 at any point, by the clock and at any system call: the next command goes on as if nothing had been."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import click
import pytest
from tests.faults.tracer import Tracer, available
from tests.models.llm.chat import ChatServer, Sent
from tests.torture import Part, torture

from hearth.cli.commands import cli
from hearth.core.document import docid
from hearth.core.journal import Draft
from hearth.journal import JournalPosition, read

COMMANDS = (("update",), ("reindex", "--force"), ("bootstrap",))


def note_state(site: Any, rng: random.Random) -> set[str]:
    """A pin, acknowledged; the ids of the events that must never be lost."""
    path = rng.choice(sorted(site.markers))
    with site.vault() as vault:
        log = vault.index.syncer.history.log
        return {event.id for event in log.append([Draft("pin", docid("notes", path), path, None, {})])}


def journalled(site: Any) -> set[str]:
    return {event.id for event in read(site.data / "journal", JournalPosition(), 1_000_000).events}


def edit(site: Any, rng: random.Random, version: int, numbers: int) -> None:
    """Some notes change, one comes."""
    for number in rng.sample(range(numbers), 12):
        site.write(f"n{number:04}.md", version, more="\n## More\n\n" + "basalt amber river " * rng.randint(5, 400))
    fresh = next(n for n in count(numbers) if f"n{n:04}.md" not in site.markers)
    site.plant(1, start=fresh)


def kill_at_random(site: Any, kills: int, seed: int, numbers: int = 60) -> None:
    """Until so many were killed before they ended by themselves. How long to wait is found out as it goes: it grows
    while all are killed, and shrinks where one was late."""
    rng = random.Random(seed)
    site.plant(numbers)
    site.run("bootstrap", str(site.notes)).ok()
    site.run("reindex", "--force").ok()
    clean = set(site.cache_files())
    acknowledged: set[str] = set()
    killed, longest = 0, 0.7
    for round_ in count():
        if killed == kills:
            break
        assert round_ < 10 * kills, "hardly any was killed in time"
        command = COMMANDS[round_ % len(COMMANDS)]
        if command == ("bootstrap",):
            command = ("bootstrap", str(site.notes))
        edit(site, rng, round_, numbers)
        acknowledged |= note_state(site, rng)
        if round_ % 5 == 4:  # a first build of the index is killed as well
            for file in site.cache.glob("index.sqlite*"):
                file.unlink()
        before = site.contents()
        process = site.start(*command)
        time.sleep(rng.uniform(0.3, 1.05) * longest)
        late = process.poll() is not None
        longest *= 0.8 if late else 1.1
        killed += not late
        site.kill(process)
        site.check()
        assert site.contents() == before
        assert acknowledged <= journalled(site)
        leftovers = [name for name in site.cache_files() if "corrupt" in name or name.endswith(".tmp")]
        assert leftovers == []
    site.run("reindex", "--force").ok()
    left = {name for name in site.cache_files() if not name.endswith(("-wal", "-shm"))}
    assert left <= clean, "killed processes leave nothing that piles up"
    with site.vault() as vault:
        pinned = vault.status().states["pinned"]
    assert pinned > 0
    site.doctor()


def test_a_process_killed_at_any_point_loses_nothing(site: Any) -> None:
    kill_at_random(site, 4, seed=1)


# -- at system calls -------------------------------------------------------------------------------------------------

on_traced_systems = pytest.mark.skipif(not available(), reason="ptrace as used here is of Linux")
DRIVER = Path(__file__).with_name("killing.py")
# By the name of the command; {note} is one of people's notes, {fresh} a text unlike any before, {session} one that was
# captured and {model} one that was pulled, in a home in use.
CALLED: dict[str, list[str]] = {
    "bootstrap": ["bootstrap", "{home}/notes"],
    "init": ["init"],
    "collection add": ["collection", "add", "{home}/more", "--name", "more"],
    "collection list": ["collection", "list"],
    "collection move": ["collection", "move", "more", "{home}/more"],
    "collection show": ["collection", "show", "notes"],
    "collection trust": ["collection", "trust", "notes"],
    "collection set": ["collection", "set", "notes", "trust=team"],
    "collection surface": ["collection", "surface", "notes", "always"],
    "collection remove": ["collection", "remove", "more"],
    "update": ["update"],
    "embed": ["embed"],
    "reindex": ["reindex", "--force"],
    "search": ["search", "river"],
    "vsearch": ["vsearch", "something to drink"],
    "query": ["query", "which river"],
    "facts": ["facts", "river"],
    "graph causal": ["graph", "causal", "{note}"],
    "graph evolution": ["graph", "evolution", "{note}"],
    "dream": ["dream"],
    "dream allow": ["dream", "allow", "none"],
    "dream explain": ["dream", "explain", "{note}"],
    "dream status": ["dream", "status"],
    "profile": ["profile", "--rebuild"],
    "overview reflect": ["overview", "reflect"],
    "overview summaries": ["overview", "summaries", "--rebuild"],
    "identity": ["identity", "--rebuild"],
    "curate": ["curate"],
    "get": ["get", "{note}"],
    "multi-get": ["multi-get", "*.md"],
    "remember": ["remember", "We decided to keep {fresh}"],
    "note": ["note", "Seen today: {fresh}"],
    "context plan": ["context", "plan", "s1", "--budget", "9000"],
    "context assemble": ["context", "assemble", "s1", "--budget", "9000", "--prompt", "which river"],
    "context commit": [
        "context",
        "commit",
        "s1",
        "turn {fresh}",
        '[{{"role": "user", "content": "A river"}}]',
        "--folder",
        "{home}",
    ],
    "context compact": ["context", "compact", "s1"],
    "context flush": ["context", "flush", "s1", "--tokens", "190000"],
    "context reset": ["context", "reset", "s1"],
    "context fit": ["context", "fit", "[]", "--budget", "1000"],
    "context summarize": ["context", "summarize", '[{{"role": "user", "content": "Hi"}}]'],
    "context messages": ["context", "messages", "s1"],
    "setup workspace": ["setup", "workspace", "{home}/clawd", "--agent", "work"],
    "diary write": ["diary", "write", "A day of {fresh}"],
    "diary read": ["diary", "read"],
    "pin": ["pin", "{note}"],
    "unpin": ["unpin", "{note}"],
    "snooze": ["snooze", "{note}", "--days", "3"],
    "unsnooze": ["unsnooze", "{note}"],
    "forget": ["forget", "{note}"],
    "forget --list": ["forget", "--list"],
    "restore": ["restore", "{note}"],
    "supersede": ["supersede", "{note}", "coffee.md"],
    "graph build": ["graph", "build"],
    "relate": ["relate", "{note}", "causal", "coffee.md"],
    "unrelate": ["unrelate", "{note}", "causal", "coffee.md"],
    "invalidate": ["invalidate", "{note}"],
    "purge": ["purge", "--yes", "cellar"],
    "undo": ["undo"],
    "history": ["history", "{note}"],
    "review": ["review"],
    "review list": ["review", "list"],
    "review show": ["review", "show", "1"],
    "review both": ["review", "both", "1"],
    "review keep-new": ["review", "keep-new", "1"],
    "review keep-old": ["review", "keep-old", "1"],
    "review merge": ["review", "merge", "1"],
    "review accept": ["review", "accept", "--all"],
    "review reject": ["review", "reject", "--all"],
    "incognito on": ["incognito", "on", "--folder", "{home}/secret"],
    "incognito off": ["incognito", "off", "--folder", "{home}/secret"],
    "incognito status": ["incognito", "status"],
    "commitments": ["commitments"],
    "consolidate": ["consolidate"],
    "lifecycle sweep": ["lifecycle", "sweep"],
    "lifecycle sweep --apply": ["lifecycle", "sweep", "--apply"],
    "lifecycle restore": ["lifecycle", "restore", "--all"],
    "lifecycle search": ["lifecycle", "search", "river"],
    "lifecycle status": ["lifecycle", "status"],
    "similar": ["similar", "{note}"],
    "inspect": ["inspect", "{note}"],
    "timeline": ["timeline", "{note}"],
    "log": ["log"],
    "budget": ["budget"],
    "usage top": ["usage", "top"],
    "focus set": ["focus", "set", "the {fresh}"],
    "focus show": ["focus", "show"],
    "focus clear": ["focus", "clear"],
    "vault add": ["vault", "add", "other"],
    "vault move": ["vault", "move", "default", "{home}/moved {fresh}"],
    "vault list": ["vault", "list"],
    "uninstall": ["uninstall", "--yes"],
    "capture run": ["capture", "run", "--all"],
    "handoff": ["handoff"],
    "capture undo": ["capture", "undo", "{session}"],
    "capture show": ["capture", "show"],
    "list": ["list"],
    "setup claude-code": ["setup", "claude-code"],
    "setup codex": ["setup", "codex"],
    "setup cursor": ["setup", "cursor"],
    "setup gemini": ["setup", "gemini"],
    "setup hooks": ["setup", "hooks"],
    "setup mcp": ["setup", "mcp"],
    "setup hermes": ["setup", "hermes"],
    "setup opencode": ["setup", "opencode"],
    "setup qwen": ["setup", "qwen"],
    "setup instructions": ["setup", "instructions", "--project"],
    "setup curator": ["setup", "curator"],
    "update-context": ["update-context"],
    "config env": ["config", "env"],
    "models service": ["models", "service", "llm", "--remove"],
    "beads add": ["beads", "add", "{home}/notes"],
    "beads sync": ["beads", "sync"],
    "beads list": ["beads", "list"],
    "beads remove": ["beads", "remove", "{home}/notes"],
    "setup openclaw": ["setup", "openclaw"],
    "status": ["status"],
    "doctor": ["doctor", "--fix"],
    "daemon status": ["daemon", "status"],
    "daemon address": ["daemon", "address"],
    "daemon stop": ["daemon", "stop"],
    "install-service": ["install-service"],
    "hook": ["hook", "context-surfacing"],
    "surface": ["surface", "which river"],
    "capture status": ["capture", "status"],
    "models pull": ["models", "pull", "none"],
    "models remove": ["models", "remove", "{model}"],
    "models use": ["models", "use", "static"],
    "models verify": ["models", "verify"],
    "models list": ["models", "list"],
    "llm test": ["llm", "test"],
    "entities list": ["entities", "list"],
    "entities show": ["entities", "show", "Ada Lovelace"],
    "entities alias": ["entities", "alias", "Ada Lovelace", "The {fresh}"],
    "entities merge": ["entities", "merge", "Ada Lovelace", "Charles Babbage"],
    "entities split": ["entities", "split", "Ada Lovelace"],
    "questions": ["questions"],
    "questions answer": ["questions", "answer", "1", "On the {fresh}"],
    "questions dismiss": ["questions", "dismiss", "1"],
    "questions list": ["questions", "list"],
    "overview threads": ["overview", "threads"],
    "overview topics": ["overview", "topics"],
    "overview": ["overview"],
    "help": ["help", "--all"],
    "config set": ["config", "set", "search.mmr", "true"],
    "config get": ["config", "get", "search"],
    "config unset": ["config", "unset", "search.mmr"],
    "config path": ["config", "path"],
    "config show": ["config", "show"],
    "journal show": ["journal", "show"],
    "journal verify": ["journal", "verify"],
    "export": ["export", "-o", "{home}/export.jsonl"],
    "mine": ["mine", "{home}/talk.txt"],
    "import": ["import", "{home}/export.jsonl"],
    "mcp": ["mcp"],
    "bench": ["bench", "{home}/notes"],
    "completion": ["completion", "bash"],
    "version": ["version"],
}
# These run until they are stopped, or start what does; what they do between is what the others do.
ENDLESS = {"watch", "serve", "daemon run", "daemon start"}


def all_commands(command: click.Command, name: str = "") -> Iterator[str]:
    """The whole names of those that do something."""
    if not isinstance(command, click.Group):
        yield name
        return
    if command.invoke_without_command:
        yield name
    context = click.Context(command)
    for part in command.list_commands(context):
        found = command.get_command(context, part)
        assert found is not None
        yield from all_commands(found, f"{name} {part}".strip())


def test_every_command_is_killed_or_never_ends() -> None:
    assert {name.partition(" --")[0] for name in CALLED} | ENDLESS == set(all_commands(cli)) - {""}


@on_traced_systems
@pytest.mark.timeout(600)  # a loaded machine
def test_each_turn_is_captured_once_however_often_its_capture_is_killed(tmp_path: Path) -> None:
    assert killed_captures(tmp_path, 1, 4) == (4, [])


@on_traced_systems
@pytest.mark.timeout(600)  # a loaded machine
def test_what_a_language_model_finds_is_written_once_though_it_words_it_anew_each_time(tmp_path: Path) -> None:
    """Of each turn it is sure to find one thing; every third answer is none."""
    wordings = count()

    def answer(sent: Sent) -> str:
        number = next(wordings)
        turns = re.findall(r"^\[turn (\d+)\] USER: Turn word(\d+) of the larder", sent.prompt, re.MULTILINE)
        wording = ("wants to turn", "decided to turn", "asks to turn", "will turn", "needs to turn", "prefers to turn")
        text = f"The user {wording[number % len(wording)]} word{{}} of the larder."
        told = [
            {
                "category": "fact",
                "text": text.format(word),
                "turn": int(turn),
                "quote": f"Turn word{word} of the larder",
                "certainty": "explicit",
            }
            for turn, word in turns
        ]
        return "no" if number % 3 == 2 else json.dumps({"memories": told})

    server = ChatServer(always=answer)
    try:
        assert killed_captures(tmp_path, 2, 3, server.url) == (3, [])
    finally:
        server.stop()


@on_traced_systems
@pytest.mark.timeout(600)  # a loaded machine
def test_an_import_that_is_killed_and_repeated_leaves_the_files_of_an_unbroken_one(tmp_path: Path) -> None:
    assert killed_imports(tmp_path, 1, 2) == (2, [])


@on_traced_systems
@pytest.mark.torture
@pytest.mark.timeout(3_600)
def test_imports_killed_a_hundred_times_leave_the_files_of_an_unbroken_one(tmp_path: Path) -> None:
    assert killed_imports(tmp_path, 2, 100) == (100, [])


def killed_imports(work: Path, seed: object, kills: int) -> tuple[int, list[Any]]:
    given = json.dumps({"work": str(work), "seed": seed, "kills": kills})
    driver = str(DRIVER.with_name("killing_import.py"))
    done = subprocess.run([sys.executable, driver], input=given, capture_output=True, text=True, timeout=3_500)
    assert done.returncode == 0, done.stderr[-3_000:]
    *faults, last = [json.loads(line) for line in done.stdout.splitlines()]
    return last["killed"], faults


@on_traced_systems
@torture("captures killed", parts=4)
def test_each_turn_is_captured_once_after_many_kills(part: Part, tmp_path: Path) -> None:
    killed, faults = killed_captures(tmp_path, repr(part), part.cases)
    part.count(killed)
    assert faults == []


def killed_captures(work: Path, seed: object, kills: int, model: str | None = None) -> tuple[int, list[Any]]:
    given = {"work": str(work), "seed": seed, "kills": kills, "model": model}
    done = subprocess.run(
        [sys.executable, str(DRIVER.with_name("killing_capture.py"))],
        input=json.dumps(given), capture_output=True, text=True, timeout=3_500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    *faults, last = [json.loads(line) for line in done.stdout.splitlines()]
    return last["killed"], faults


def kill_at_calls(work: Path, seed: object, kills: int, names: Sequence[str] = tuple(CALLED)) -> tuple[int, list[Any]]:
    """How many were killed, and what was wrong then."""
    given = {"work": str(work), "seed": seed, "kills": kills, "commands": {name: CALLED[name] for name in names}}
    done = subprocess.run(
        [sys.executable, str(DRIVER)], input=json.dumps(given), capture_output=True, text=True, timeout=3_500
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    *faults, last = [json.loads(line) for line in done.stdout.splitlines()]
    return sum(last["killed"].values()), faults


@on_traced_systems
def test_the_tracer_kills_at_each_of_the_calls_by_which_files_change(tmp_path: Path) -> None:
    """Otherwise the tests below would prove nothing."""
    place, tracer = tmp_path / "x", Tracer()

    def work() -> int:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT)
        os.write(handle, b"one")
        os.write(handle, b"two")
        os.close(handle)
        return 3

    whole = tracer.run(work)
    assert (whole.code, whole.changing) == (3, 6)
    found = []
    for at in range(1, 7):
        place.unlink(missing_ok=True)
        assert tracer.run(work, at, changing=True).code is None
        found.append(place.read_bytes() if place.exists() else None)
    assert found == [None, b"", b"", b"one", b"one", b"onetwo"]


@on_traced_systems
def test_a_command_killed_at_any_system_call_loses_nothing(tmp_path: Path) -> None:
    killed, faults = kill_at_calls(tmp_path, 1, 15, ("bootstrap", "remember", "note", "pin", "update", "purge", "undo"))
    assert (killed, faults) == (15, [])


@on_traced_systems
@torture("kills", parts=20)
def test_commands_killed_at_many_system_calls_lose_nothing(part: Part, tmp_path: Path) -> None:
    killed, faults = kill_at_calls(tmp_path, repr(part), part.cases)
    part.count(killed)
    assert faults == []
