"""Taking in conversations: formats known rightly, foreign files let be, recall of what was taken in, time and memory.

    python bench/imports.py formats                      every format's files, each under a foreign name
    python bench/imports.py foreign FOLDER...            of so many other files, how many are taken for conversations
    python bench/imports.py recall DATA [--most N]       LoCoMo written down in each format, against its notes;
                                                         --questions N samples so many of a conversation by their ids
    python bench/imports.py scale [--conversations N]    a large export, and the same once more
    python bench/imports.py size [--megabytes N]         one session, and one export, of that size
    python bench/imports.py kills [--most N]             mine killed at so many moments, then run to its end
    python bench/imports.py stop                         mine stopped by Ctrl-C, then run to its end
    python bench/imports.py documents [--most N]         Engram, mem0 and a chat of so many records; their undo

LoCoMo's licence forbids passing it on; ``hearth bench`` says how a folder of it looks. Files of formats are made by
``tests/importers/exports.py``, as the formats' documents describe them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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


def recall(data: Path, most: int, chosen: list[str], questions: int) -> None:
    """``coverage@2000`` of each conversation of LoCoMo, written down in each format and taken in, against its notes."""
    cases = sorted(folder for folder in (data / "locomo").iterdir() if (folder / "queries.jsonl").is_file())[:most]
    with tempfile.TemporaryDirectory() as work:
        sampled = [_sample(case, Path(work, "notes", "locomo", case.name), questions) for case in cases]
        rows = [["notes", f"{_measure(sampled[0].parent, sampled, Path(work)):.3f}"]]
        print(rows[0], file=sys.stderr)
        for name, write in WRITERS.items():
            if chosen and name not in chosen:
                continue
            place = Path(work, name.replace(" ", "-"))
            for case in sampled:
                _render(case, place / "locomo" / case.name, write)
            rows.append([name, f"{_measure(place / 'locomo', sampled, Path(work)):.3f}"])
            print(rows[-1], file=sys.stderr)
    print(table(["written down as", "coverage@2000"], rows))


def _sample(case: Path, place: Path, most: int) -> Path:
    """The same case with so many of its questions, chosen by the hash of their text."""
    place.mkdir(parents=True)
    (place / "corpus").symlink_to((case / "corpus").resolve())
    rows = (case / "queries.jsonl").read_text("utf-8").splitlines()
    kept = set(sorted(rows, key=lambda row: hashlib.sha256(row.encode()).digest())[:most])
    (place / "queries.jsonl").write_text("".join(f"{row}\n" for row in rows if row in kept), encoding="utf-8")
    return place


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


def size(megabytes: int) -> None:
    """One session of Claude Code, and one export of ChatGPT, of so many megabytes each."""
    rows = []
    for name in ("claude-code session", "chatgpt export"):
        with tempfile.TemporaryDirectory() as folder:
            source, environ = Path(folder, "source"), _environ(Path(folder))
            (_write_session if name.startswith("claude") else _write_export)(source, megabytes * 2**20)
            _hearth(environ, "init")
            cpu, peak, said = _time(environ, "mine", str(source))
            rows.append([name, f"{source.stat().st_size / 2**20:.0f} MB", cpu, peak, said.partition("\n")[0]])
    print(table(["one file", "size", "CPU", "peak memory", "said"], rows))


def _write_session(place: Path, size: int) -> None:
    rng, number = random.Random(2), 0
    with place.open("w", encoding="utf-8") as file:
        while file.tell() < size:
            for said in _talk(rng, 2, 1_700_000_000 + 60 * number, 400):
                at = datetime.fromtimestamp(said.at, UTC).isoformat()
                row: dict[str, Any] = {
                    "type": said.who,
                    "uuid": f"u{number}",
                    "parentUuid": f"u{number - 1}" if number else None,
                }
                row |= {"sessionId": "large", "cwd": "/work/larder", "timestamp": at, "isSidechain": False}
                file.write(json.dumps(row | {"message": {"role": said.who, "content": said.text}}) + "\n")
                number += 1


def _write_export(place: Path, size: int) -> None:
    rng, number = random.Random(3), 0
    with place.open("w", encoding="utf-8") as file:
        while file.tell() < size:
            said = list(_talk(rng, TURNS, 1_600_000_000 + 3_600 * number, 900))
            file.write(("[" if not number else ",\n") + json.dumps(chatgpt_conversation(f"c{number:06}", said)))
            number += 1
        file.write("]")


def _time(environ: dict[str, str], *arguments: str) -> list[str]:
    """CPU and peak memory of a command, and what it says."""
    command = ["/usr/bin/env", "python3", "-c", _TIMED, sys.executable, "-m", "hearth", *arguments]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    cpu, peak, *said = done.stdout.split("\n")
    return [f"{float(cpu):.1f} s", f"{int(peak) // 1024} MB", "\n".join(said).strip()]


_TIMED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, done.stdout or done.stderr, sep="\\n")
"""


def kills(most: int) -> None:
    """Conversations in three forms; each run is killed once a random number of files is written, and run again to its
    end. Files have to be those of the unbroken run, and no conversation may be there twice."""
    rng = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        source.mkdir()
        for number in range(30):
            for name in ("chatgpt", "claude-code", "text"):
                WRITERS[name](source, f"n{number}", list(_talk(rng, 6)))
        whole = _environ(Path(folder, "whole"))
        _hearth(whole, "init")
        _hearth(whole, "mine", str(source))
        wanted = _files(Path(folder, "whole"))
        differing = found = late = 0
        for number in range(most):
            place = Path(folder, f"n{number}")
            environ = _environ(place)
            _hearth(environ, "init")
            process = subprocess.Popen(
                [sys.executable, "-m", "hearth", "mine", str(source)],
                env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            until = rng.randrange(len(wanted))
            while process.poll() is None and len(_files(place)) < until:
                time.sleep(0.002)
            process.kill()
            late += process.wait() == 0
            before = len(_files(place))
            report = json.loads(_hearth(environ, "mine", str(source), "--json"))
            differing += _files(place) != wanted
            found += report["taken"] + report["known"] == len(wanted) and report["known"] >= before
            subprocess.run(["rm", "-rf", str(place)], check=True)
    print(f"{most} runs, {most - late} of them killed: {differing} with other files, {found} with a right report")
    raise SystemExit(1 if differing or found != most else 0)


def _files(folder: Path) -> dict[str, bytes]:
    """What was taken in; names of sessions begin alike on every machine, and their files name the machine."""
    memory = folder / "data/default/memory"
    found = [*memory.glob("imported/**/*.md"), *memory.glob("agent/conversations/*.md")]
    return {
        str(file.relative_to(memory)): re.sub(rb"\nmachine: .*", b"", file.read_bytes()) for file in found
    }  # fmt: skip


def stop() -> None:
    """2,000 conversations, stopped by Ctrl-C once files are there."""
    with tempfile.TemporaryDirectory() as folder:
        source, rng = Path(folder, "conversations.json"), random.Random(5)
        talks = [chatgpt_conversation(f"c{number:06}", list(_talk(rng, TURNS))) for number in range(2_000)]
        source.write_text(json.dumps(talks), encoding="utf-8")
        environ = _environ(Path(folder))
        _hearth(environ, "init")
        command = [sys.executable, "-m", "hearth", "mine", str(source)]
        process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        while process.poll() is None and not _files(Path(folder)):
            time.sleep(0.02)
        pressed = time.perf_counter()
        process.send_signal(signal.SIGINT)
        said = process.communicate()[0]
        waited = time.perf_counter() - pressed
        print(f"exit {process.returncode} after {waited:.1f} s, {len(_files(Path(folder)))} files; it said:\n{said}")
        print(_hearth(environ, "mine", str(source)))


def documents(most: int) -> None:
    """Sources of so many records each: CPU and memory of taking them in, of the same once more, and of the undo."""
    rows = []
    for name, write in (("engram", _write_engram), ("mem0", _write_mem0), ("chat", _write_chat)):
        with tempfile.TemporaryDirectory() as folder:
            source = write(Path(folder), most)
            environ = _environ(Path(folder))
            _hearth(environ, "init")
            cpu, peak, said = _time(environ, "import", str(source), "--json")
            done = json.loads(said)
            rows.append([f"{name}, first", cpu, peak, _account(done)])
            cpu, peak, said = _time(environ, "import", str(source), "--json")
            rows.append([f"{name}, again", cpu, peak, _account(json.loads(said))])
            rows.append([f"{name}, undo", *_time(environ, "undo", "--run", done["run"])])
    print(table(["source", "CPU", "peak memory", "report"], rows))


def _account(done: dict[str, Any]) -> str:
    every = done["taken"] + done["merged"] + done["known"] + sum(done["skipped"].values())
    return f"{every:,} accounted for: {done['taken']:,} taken, {done['known']:,} known"


def _write_engram(folder: Path, most: int) -> Path:
    rng, place = random.Random(6), folder / "engram"
    for number in range(most):
        file = place / "facts" / f"2026-{1 + number % 12:02}-{1 + number % 28:02}" / f"fact-{number:06}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = " ".join(said.text for said in _talk(rng, 2))
        name = f"fact-{1_770_000_000_000 + number}-larder"
        head = f"id: {name}\ncategory: fact\ncreated: 2026-03-01T10:00:00Z\nconfidence: 0.8\ntags: [larder]"
        file.write_text(f"---\n{head}\n---\n\n{text}\n", encoding="utf-8")
    (place / "state").mkdir()
    (place / "state/meta.json").write_text("{}", encoding="utf-8")
    return place


def _write_mem0(folder: Path, most: int) -> Path:
    rng, place = random.Random(7), folder / "mem0.json"
    rows = [{"id": f"m{at}", "memory": next(_talk(rng, 1)).text, "user_id": "ana"} for at in range(most)]
    place.write_text(json.dumps({"results": rows}), encoding="utf-8")
    return place


def _write_chat(folder: Path, most: int) -> Path:
    rng, place, rows = random.Random(8), folder / "chat.txt", []
    for number in range(most):
        for said in _talk(rng, 6, 1_500_000_000 + 36_000 * number):
            who = {"user": "Ana", "assistant": "Ben"}[said.who]
            rows.append(f"{datetime.fromtimestamp(said.at, UTC):%d/%m/%Y, %H:%M} - {who}: {said.text}")
    place.write_text("\n".join(rows), encoding="utf-8")
    return place


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


_ALONE = {
    "scale": lambda options: scale(options.conversations),
    "size": lambda options: size(options.megabytes),
    "kills": lambda options: kills(options.most),
    "stop": lambda options: stop(),
    "documents": lambda options: documents(options.most),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=["formats", "foreign", "recall", *_ALONE])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--most", type=int, default=1_000)
    parser.add_argument("--formats", default="", help="for recall: these alone, parted by commas")
    parser.add_argument("--conversations", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=1_024)
    options = parser.parse_args()
    if options.measure == "formats":
        formats()
    elif options.measure == "foreign":
        foreign(options.paths, options.most)
    elif options.measure == "recall":
        recall(options.paths[0], options.most, list(filter(None, options.formats.split(","))), options.questions)
    else:
        _ALONE[options.measure](options)


if __name__ == "__main__":
    main()
