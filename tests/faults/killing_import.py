"""Kills imports at calls by which files change, finishes them, and compares the files with those of an unbroken run."""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.faults.killing import command, environ_of, look, texts
from tests.faults.tracer import Tracer
from tests.importers.foreign import ClawMem, fill

import hearth
from hearth.app import settings


def home_of(work: Path, name: str) -> Path:
    home = work / name
    for folder in ("home", "run", "notes"):
        (home / folder).mkdir(parents=True)
    return home


def files_of(home: Path) -> dict[str, str]:
    return texts(settings(environ=environ_of(home)).vault.data / "memory/imported")


def main(work: Path, seed: object, kills: int) -> None:
    source = ClawMem(work / "source")
    fill(source)
    for number in range(8):
        source.add(f"_clawmem/decisions/{number}.md", f"We chose word{number} for shelf {number}.\n", "decision")
    source.connection.close()
    for module in pkgutil.walk_packages(hearth.__path__, "hearth."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    tracer, rng, arguments = Tracer(), random.Random(repr(seed)), ["import", str(source.root)]
    whole = home_of(work, "whole")
    gc.freeze()
    ended = tracer.run(command(whole, arguments))
    assert ended.code == 0, (whole / "stderr").read_text("utf-8")
    wanted = files_of(whole)
    killed = 0
    for number in range(kills):
        home = home_of(work, f"killed-{number}")
        at = rng.randrange(1, ended.changing)
        killed += tracer.run(command(home, arguments), at, changing=True).code is None
        again = tracer.run(command(home, arguments))
        problems = look(home).problems if again.code == 0 else [(home / "stderr").read_text("utf-8")]
        if files_of(home) != wanted or problems:
            told = {"at": at, "of": ended.changing, "problems": problems, "files": sorted(files_of(home))}
            sys.stdout.write(f"{json.dumps(told)}\n")
        shutil.rmtree(home)
    sys.stdout.write(f"{json.dumps({'killed': killed})}\n")


if __name__ == "__main__":
    given = json.loads(sys.stdin.read())
    main(Path(given["work"]), given["seed"], given["kills"])
