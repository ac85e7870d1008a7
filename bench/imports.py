"""Taking in conversations: formats known rightly, foreign files let be, recall of what was taken in, time and memory.

    python bench/imports.py formats                      every format's files, each under a foreign name
    python bench/imports.py foreign FOLDER...            of so many other files, how many are taken for conversations
    python bench/imports.py recall DATA [--most N]       LoCoMo written down in each format, against its notes
    python bench/imports.py scale [--conversations N]    a large export, and the same once more

LoCoMo's licence forbids passing it on; ``hearth bench`` says how a folder of it looks. Files of formats are made by
``tests/importers/exports.py``, as the formats' documents describe them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from hearth.importers.formats import recognize
from hearth.importers.mining import FORMATS
from hearth.importers.sources import find_files, read_head
from machine import ROOT, table

sys.path.insert(0, str(ROOT))
from tests.importers.exports import WRITERS, Said, chatgpt_conversation

SAMPLES = 50
TURNS = 20
FOREIGN_BYTES = 8 * 1024 * 1024
_SPOKEN = re.compile(r"^\*\*([^*]+)\*\*: (.*?)(?=^\*\*[^*]+\*\*: |\Z)", re.MULTILINE | re.DOTALL)
_OF_PEOPLE = frozenset({"slack", "text", "markdown"})
"""Writers of formats in which people have names."""
_DATE = re.compile(r"^Date: (.+)$", re.MULTILINE)
_TEXT = """
the jar stands behind rye flour and figs while river water rises over cold stone so we moved every crate up to the attic
before rain came because its cellar floor was wet again and nobody had closed that door after tea
"""
WORDS = _TEXT.split()


def formats() -> None:
    """Each writer's files, with random talk, recognised by the format that wrote them."""
    rows, wrong = [], 0
    for name, write in WRITERS.items():
        right = 0
        for number in range(SAMPLES):
            with tempfile.TemporaryDirectory() as folder:
                write(Path(folder), f"n{number}", list(_talk(random.Random(number), 4 + number % 30)))
                found = [recognize(read_head(file), FORMATS) for file in find_files(Path(folder), _pass)]
                known = [form.name for form in found if form is not None]
                right += set(known) == {name.partition(" (")[0]}
        wrong += SAMPLES - right
        rows.append([name, f"{right} of {SAMPLES}"])
    print(table(["format", "known rightly"], rows))
    raise SystemExit(1 if wrong else 0)


def foreign(folders: list[Path], most: int) -> None:
    """Whatever lies there is no conversation, unless it is named."""
    taken: list[str] = []
    count = 0
    for file in _foreign_files(folders, most):
        count += 1
        form = recognize(read_head(file), FORMATS)
        if form is not None:
            taken.append(f"{form.name}: {file.name}")
    print(f"{len(taken)} of {count:,} files taken for conversations")
    for one in taken:
        print(f"  {one}")


def _foreign_files(folders: list[Path], most: int) -> Iterator:  # type: ignore[type-arg]
    files = [file for folder in folders for file in find_files(folder, _pass)]
    random.Random(0).shuffle(files)
    yield from files[:most]


def recall(data: Path, most: int, chosen: list[str]) -> None:
    """``coverage@2000`` of each conversation of LoCoMo, written down in each format and taken in, against its notes."""
    cases = sorted(folder for folder in (data / "locomo").iterdir() if (folder / "queries.jsonl").is_file())[:most]
    with tempfile.TemporaryDirectory() as work:
        rows = [["notes", f"{_measure(data / 'locomo', cases, Path(work)):.3f}"]]
        for name, write in WRITERS.items():
            if chosen and name not in chosen:
                continue
            place = Path(work, name.replace(" ", "-"))
            for case in cases:
                _render(case, place / "locomo" / case.name, write)
            rows.append([name, f"{_measure(place / 'locomo', cases, Path(work)):.3f}"])
            print(rows[-1], file=sys.stderr)
    print(table(["written down as", "coverage@2000"], rows))


def _render(case: Path, place: Path, write) -> None:  # type: ignore[no-untyped-def]
    """A case of the same shape, whose corpus is what ``mine`` made of it."""
    place.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        source.mkdir()
        for file in sorted((case / "corpus").glob("*.md")):
            write(source, file.stem, list(_said(file.read_text("utf-8"), named=write.__name__ in _OF_PEOPLE)))
        environ = _environ(Path(folder))
        _hearth(environ, "init")
        _hearth(environ, "mine", str(source))
        memory = Path(folder, "data/default/memory")
        (place / "corpus").mkdir()
        for made in [*memory.glob("imported/**/*.md"), *memory.glob("agent/conversations/*.md")]:
            (place / "corpus" / made.name).write_bytes(made.read_bytes())
    _place_gold(case, place)


def _place_gold(case: Path, place: Path) -> None:
    """The questions of a case, with the lines on which what answers them stands now."""
    made = {file.name: file.read_text("utf-8").split("\n") for file in (place / "corpus").glob("*.md")}
    sources = {file.name: file.read_text("utf-8").split("\n") for file in (case / "corpus").glob("*.md")}
    same = {}
    for name, rows in sources.items():
        longest = _words(max(rows, key=len))
        same[name] = next((other for other, lines in made.items() if any(longest in line for line in lines)), "")
    lost = 0
    with (place / "queries.jsonl").open("w", encoding="utf-8") as file:
        for line in (case / "queries.jsonl").read_text("utf-8").splitlines():
            asked = json.loads(line)
            gold = []
            for one in asked["gold"]:
                rows = sources[one["path"]][one["start"] - 1 : one["end"]]
                other = same[one["path"]]
                for words in filter(None, map(_words, rows)):
                    at = next((at for at, text in enumerate(made.get(other, ()), 1) if words in text), None)
                    lost += at is None
                    gold += [] if at is None else [{"path": other, "start": at, "end": at}]
            file.write(json.dumps({**asked, "gold": gold}) + "\n")
    if lost:
        print(f"{place.parent.parent.name}: {lost} lines of answers are not there", file=sys.stderr)


def _words(row: str) -> str:
    """What is said on a line, without its speaker."""
    return row.partition("**: ")[2].strip() if row.startswith("**") else ""


def _said(text: str, *, named: bool) -> Iterator[Said]:
    """The turns of a session, by their names or else by role: the first speaker writes as the person."""
    date = _DATE.search(text)
    assert date is not None
    begun = int(datetime.strptime(date[1], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp())
    roles: dict[str, str] = {}
    for at, (name, words) in enumerate(_SPOKEN.findall(text)):
        roles.setdefault(name, ("user", "assistant")[len(roles) % 2])
        who, said = (name, words.strip()) if named else (roles[name], f"{name}: {words.strip()}")
        yield Said(who, said, begun + 10 * at)


def _measure(folder: Path, cases: list[Path], work: Path) -> float:
    chosen = work / f"cases-{len(list(work.iterdir()))}" / "locomo"
    chosen.mkdir(parents=True)
    for case in cases:
        (chosen / case.name).symlink_to((folder / case.name).resolve())
    done = _hearth(_environ(work / "bench"), "bench", str(chosen), "--no-baselines", "--json")
    rows = json.loads(done)["rows"]
    return float(max(rows, key=lambda row: row["queries"])["coverage@2000"])


def scale(conversations: int) -> None:
    """An export of ChatGPT's form; then the same again."""
    with tempfile.TemporaryDirectory() as folder:
        rng = random.Random(1)
        items = (
            chatgpt_conversation(f"c{number:06}", list(_talk(rng, TURNS, 1_600_000_000 + 3_600 * number, 60)))
            for number in range(conversations)
        )
        source = Path(folder, "conversations.json")
        with source.open("w", encoding="utf-8") as file:
            for number, item in enumerate(items):
                file.write(("[" if not number else ",\n") + json.dumps(item))
            file.write("]")
        environ = _environ(Path(folder))
        _hearth(environ, "init")
        rows = []
        for name in ("first", "again"):
            before = _size(Path(folder, "data"))
            started, spent = time.perf_counter(), _spent()
            _hearth(environ, "mine", str(source))
            wall, cpu = time.perf_counter() - started, _spent() - spent
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
            grown = _size(Path(folder, "data")) - before
            rows.append([name, f"{wall:.1f} s", f"{cpu:.1f} s", f"{peak} MB", f"{grown:,} bytes"])
        megabytes = source.stat().st_size / 2**20
        print(f"{conversations:,} conversations, {conversations * TURNS:,} turns, {megabytes:.0f} MB")
        print(table(["run", "time", "CPU", "peak memory so far", "written"], rows))


def _talk(rng: random.Random, turns: int, begun: int = 1_700_000_000, words: int = 20) -> Iterator[Said]:
    for at in range(turns):
        text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(3, words)))
        yield Said(("user", "assistant")[at % 2], f"{text.capitalize()}{rng.choice('.?')}", begun + 20 * at)


def _environ(folder: Path) -> dict[str, str]:
    names = ("config", "data", "cache", "state")
    return (
        os.environ
        | {f"HEARTH_{name.upper()}_DIR": str(folder / name) for name in names}
        | {"HEARTH_DAEMON_MODE": "external"}
    )


def _hearth(environ: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "hearth", *arguments]
    return subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True).stdout


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _pass(reason: str, place: str | None = None, why: str = "") -> None:
    """What can't be read is no conversation."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=["formats", "foreign", "recall", "scale"])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--most", type=int, default=1_000)
    parser.add_argument("--formats", default="", help="for recall: these alone, parted by commas")
    parser.add_argument("--conversations", type=int, default=10_000)
    options = parser.parse_args()
    if options.measure == "formats":
        formats()
    elif options.measure == "foreign":
        foreign(options.paths, options.most)
    elif options.measure == "recall":
        recall(options.paths[0], options.most, options.formats.split(",") if options.formats else [])
    else:
        scale(options.conversations)


if __name__ == "__main__":
    main()
