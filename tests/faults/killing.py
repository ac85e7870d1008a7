"""Kills commands of Hearth at random system calls, and looks after each kill whether the vault goes on as if nothing
had been.

Reads ``{"work": folder, "seed": seed, "kills": number, "commands": {name: arguments}}`` as JSON from standard input.
Vaults live for some commands each, from an empty home or from one in use; each command is a child of this process.
Prints a line of JSON for each fault, and at last ``{"killed": {name: number}, "ended": number}``.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import random
import shutil
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hearth
from hearth.app import open_vault
from hearth.app.settings import settings
from hearth.cli import main as hearth_main
from hearth.cli.health import index
from hearth.cli.health.machine import OK
from hearth.core.document import INTERNAL
from hearth.journal import JournalPosition, read
from hearth.memory.reviews import draft_review
from hearth.models.onnx import models_folder
from hearth.pages.dream import report

sys.path.insert(0, str(Path(__file__).parent))
from sessions import mark, turn
from tracer import Tracer

OWN_FOLDERS = ("config", "data", "cache", "state")
WORDS = ("river", "coffee", "tea", "bread", "larder", "cellar")
# Commands that a vault lives through; every third begins in an empty home.
LIFE = 30
# These may take lines of what was remembered away.
ERASING = ("purge", "undo", "import")
# What a home in use captured and pulled: numbers of turns, and a model's name.
SESSION, TURNS, MODEL = "kept-session", range(90_000, 90_004), "ms-marco-minilm"
# What these print acknowledges the text that they were given.
TELLING = ("remember", "note", "diary write")
RUNS = {"TZ": "UTC", "HEARTH_DAEMON_MODE": "never"}


def environ_of(home: Path) -> dict[str, str]:
    return {f"HEARTH_{name.upper()}_DIR": str(home / name) for name in OWN_FOLDERS} | {"HOME": str(home / "home")}


def enter(home: Path, said: str) -> None:
    """Makes this process one that was started in the home, with its streams in files."""
    os.environ.update(environ_of(home) | RUNS | {"XDG_RUNTIME_DIR": str(home / "run")})
    os.chdir(home)
    err = os.open(home / said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    out = os.open(home / "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for number, stream in ((2, err), (1, out), (0, os.open(os.devnull, os.O_RDONLY))):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, mode, closefd=False) for n, mode in enumerate("rww"))


def command(home: Path, arguments: list[str]) -> Callable[[], int]:
    def run() -> int:
        enter(home, "stderr")
        code = hearth_main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return code

    return run


# -- what is looked at ---------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What a vault holds: people's notes, memory files, and the ids of the journal's events."""

    notes: dict[str, str]
    memories: dict[str, str]
    events: set[str]
    problems: list[str] = field(default_factory=list)


def look(home: Path) -> Seen:
    """Opens the vault as the next command would."""
    problems: list[str] = []
    for name in left_over(home):  # a minute later
        os.utime(name, (1_700_000_000, 1_700_000_000))
    data = settings(environ=environ_of(home)).vault.data
    with open_vault(environ=environ_of(home)) as vault:
        vault.index.sync()
        problems += [finding.message for finding in index.integrity(vault, deep=True) if finding.level != OK]
        pages = (file for file in (data / "memory").rglob("*.md") if file.name != report.NAME)
        there = {str(file) for file in pages if "/." not in str(file)}
        root = f"{data}/memory/"
        with vault.core.store.read() as reader:
            held = {
                found.document.path
                for found in map(reader.document, reader.docids())
                if found is not None and not found.vanished and found.document.collection == INTERNAL
            }
        lost = {path.removeprefix(root) for path in there} - held
        problems += [f"not in the index: {sorted(lost)}"] if lost else []
    problems += [f"left over: {name}" for name in left_over(home)]
    batch = read(data / "journal", JournalPosition(), 1_000_000)
    return Seen(texts(home / "notes"), texts(data / "memory"), {e.id for e in batch.events}, problems)


def texts(folder: Path) -> dict[str, str]:
    found = (file for file in folder.rglob("*.md") if "/." not in str(file.relative_to(folder.parent)))
    return {str(file.relative_to(folder)): file.read_text("utf-8") for file in found}


def left_over(home: Path) -> Iterator[str]:
    for top in (*(home / name for name in OWN_FOLDERS), settings(environ=environ_of(home)).vault.data):
        for folder, _, names in os.walk(top):
            yield from (f"{folder}/{name}" for name in names if name.endswith(".tmp") or "corrupt" in name)


def compare(before: Seen, after: Seen, erasing: bool) -> Iterator[str]:
    yield from after.problems
    if after.notes != before.notes:
        yield "people's notes are others"
    if lost := before.events - after.events:
        yield f"{len(lost)} events are lost"
    for path, text in before.memories.items():
        lines = set(after.memories.get(path, "").splitlines())
        if not erasing and (gone := [line for line in text.splitlines() if line not in lines and _is_said(line)]):
            yield f"{path} lost {gone[0]!r}"
    for path, text in after.memories.items():
        if not text.endswith("\n"):
            yield f"{path} ends in the middle of a line"


def _is_said(line: str) -> bool:
    """Not a field of the front matter, which may be written anew."""
    return bool(line.strip()) and not line.split(" ")[0].endswith(":")


# -- lives ---------------------------------------------------------------------------------------------------------


class Lives:
    def __init__(self, work: Path, rng: random.Random, commands: dict[str, list[str]]) -> None:
        self.work, self.rng, self.commands = work, rng, commands
        self.tracer = Tracer()
        self.calls: dict[str, tuple[int, int]] = {}
        self.killed: Counter[str] = Counter()
        self.ended = 0
        self.template = self._prepared()

    def _prepared(self) -> Path:
        """A home in use. Before it is made this process loads and computes once what all its children would."""
        home = self.empty("template")
        for module in pkgutil.walk_packages(hearth.__path__, "hearth."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
        _warm(home, [self._of(home, name) for name in self.commands])
        gc.freeze()
        gc.disable()  # no child lives long enough to need it, and each would copy what it looks at
        shutil.rmtree(home)
        home = self.empty("template")
        starts = (["bootstrap", str(home / "notes")], self._of(home, "remember"), self._of(home, "note"))
        kept = (["remember", f"Shall the {word} be painted?", "--type", "question"] for word in WORDS)
        ends = (["pin", "river.md"], ["export", "-o", str(home / "export.jsonl")])
        for arguments in (*starts, *kept, ["config", "set", "collections.notes.update", "true"], *ends):
            self._do(home, arguments)
        _doubt(home)
        transcript = home / "kept.jsonl"
        transcript.write_text("".join(map(turn, TURNS)), "utf-8")
        mark(environ_of(home) | RUNS, SESSION, transcript)
        self._do(home, ["capture", "run", "--all"])
        pulled = models_folder(home / "cache") / MODEL
        pulled.mkdir(parents=True)
        for name in ("model.onnx", "tokenizer.json"):
            (pulled / name).write_text(name, "utf-8")
        return home

    def _do(self, home: Path, arguments: list[str]) -> None:
        ending = self.tracer.run(command(home, arguments))
        assert ending.code == 0, (arguments, (home / "stderr").read_text("utf-8"))

    def empty(self, name: str) -> Path:
        home = self.work / name
        for folder in ("notes", "home", "run", "more"):
            (home / folder).mkdir(parents=True)
        for word in WORDS:
            text = f"# About {word}\n\nThe {word} stands here. Ada Lovelace met Charles Babbage.\n"
            (home / "notes" / f"{word}.md").write_text(text, "utf-8")
        (home / "talk.txt").write_text(
            "User: Fish?\n\nAssistant: Trout.\n\nUser: And tea?\n\nAssistant: Green.\n", "utf-8"
        )
        (home / "more" / "fish.md").write_text("# About fish\n\nFish swim.\n", "utf-8")
        return home

    def _of(self, home: Path, name: str) -> list[str]:
        """The arguments, with a place, a note and a text that is unlike any before."""
        fresh = f"{self.rng.choice(WORDS)} {self.rng.randrange(10**9)}"
        given = {
            "home": str(home),
            "note": f"{self.rng.choice(WORDS)}.md",
            "fresh": fresh,
            "session": SESSION,
            "model": MODEL,
        }
        return [part.format(**given) for part in self.commands[name]]

    def live(self, number: int, kills: int) -> None:
        """One home, until it went through its commands or enough were killed."""
        home = self.work / f"home-{number}"
        if number % 3 == 0:
            self.empty(home.name)
        else:
            # Paths are in the settings; a vault is at home where it was made.
            home = self.work / "template"
            shutil.copytree(home, self.work / "kept", symlinks=True)
        try:
            self._commands(home, kills)
        finally:
            shutil.rmtree(home)
            if number % 3:
                (self.work / "kept").rename(home)

    def _commands(self, home: Path, kills: int) -> None:
        before, problem = self.look(home)
        assert before is not None, problem
        told: set[str] = set()
        for _ in range(LIFE):
            if self.killed.total() >= kills:
                return
            name = self.rng.choice(list(self.commands))
            arguments = self._of(home, name)
            at = self._run(home, name, arguments)
            acknowledged = name in TELLING and (home / "stdout").stat().st_size > 0
            after, problem = self.look(home)
            erasing = name.split(" ")[0] in ERASING
            said = [problem] if after is None else list(compare(before, after, erasing))
            if after and acknowledged and not any(arguments[-1] in text for text in after.memories.values()):
                said.append("what was acknowledged is lost")
            for fault in [fault for fault in said if fault not in told]:
                told.add(fault)
                self._tell(command=arguments, at=at, home=home.name, fault=fault)
            if after is None:
                return
            before = after

    def _run(self, home: Path, name: str, arguments: list[str]) -> str:
        changing = self.rng.random() < 0.6
        calls = self.calls.get(name)
        most = (1 if changing else 200) if calls is None else calls[changing]
        at = self.rng.randint(1, max(1, most + most // 20))
        ending = self.tracer.run(command(home, arguments), at, changing=changing)
        if ending.code is None:
            self.killed[name] += 1
            if calls is None:  # how many there are is known once it has ended by itself
                ending = self.tracer.run(command(home, arguments))
        if ending.code is not None:
            self.ended += 1
            self.calls[name] = (ending.calls, ending.changing)
            err = (home / "stderr").read_text("utf-8", "replace")
            if ending.code not in range(6) or "Traceback" in err or "unexpected" in err:
                self._tell(command=arguments, at="", home=home.name, fault=f"ended with {ending.code}: {err[-500:]}")
        return f"{at} of {most}{' changing' if changing else ''}"

    def look(self, home: Path) -> tuple[Seen | None, str]:
        """In a child: nothing of a vault stays in this process."""
        report = home.with_name("seen")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                enter(home, "looking")
                seen = look(home)
                report.write_text(json.dumps(seen.__dict__ | {"events": sorted(seen.events)}), "utf-8")
                code = 0
            except BaseException as error:  # noqa: BLE001 (told by the parent)
                report.write_text(f"{type(error).__name__}: {error}", "utf-8")
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        said = report.read_text("utf-8")
        if status:
            return None, f"the vault can't be opened: {said}"
        found: dict[str, Any] = json.loads(said)
        return Seen(**found | {"events": set(found["events"])}), ""

    def _tell(self, **fault: Any) -> None:
        sys.stdout.write(json.dumps(fault) + "\n")
        sys.stdout.flush()


def _warm(home: Path, commands: list[list[str]]) -> None:
    """Classes, patterns and tables that are made when they are first needed: each command runs once in this process,
    and where it stopped does not matter."""
    environ, folder, streams = dict(os.environ), Path.cwd(), [os.dup(number) for number in range(3)]
    files = sys.stdin, sys.stdout, sys.stderr
    for arguments in (["bootstrap", str(home / "notes")], *commands):
        enter(home, "stderr")
        hearth_main(arguments)
        for file in (sys.stdin, sys.stdout, sys.stderr):
            file.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = files
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    with open_vault(environ=environ_of(home) | RUNS) as vault:
        vault.memories.remember("We decided to keep the larder as it is")
        vault.memories.note("Seen today: a river")
        vault.recall("which river")
    look(home)
    assert threading.active_count() == 1, "a process with threads can't be forked"


def _doubt(home: Path) -> None:
    """Memories of which the newer may replace the older, for ``review``."""
    with open_vault(environ=environ_of(home) | RUNS) as vault:
        for word in WORDS:
            old = vault.memories.remember(f"The {word} stands on the left shelf.", "problem")
            new = vault.memories.remember(f"The {word} hangs from the right wall.", "problem")
            with vault.store.read() as reader:
                newer = reader.document(new.docid)
            assert newer is not None
            doubt = draft_review(newer.document, old.docid, "update", why="another place", confidence=0.7)
            vault.truth.history.record([doubt])


def main() -> None:
    given = json.load(sys.stdin)
    lives = Lives(Path(given["work"]), random.Random(given["seed"]), given["commands"])
    number = 0
    while lives.killed.total() < given["kills"]:
        lives.live(number, given["kills"])
        number += 1
    sys.stdout.write(json.dumps({"killed": lives.killed, "ended": lives.ended}) + "\n")


if __name__ == "__main__":
    main()
