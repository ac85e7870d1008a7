"""Takes one family of words out at a time and measures, on rows that nobody reads, what it gains.

    python tools/ablate.py --pasted pasted.jsonl --lasting lasting.jsonl [--reversals reversals.jsonl] [TABLE ...]

A family is the rows of one kind in one table of words ("marks", "capture/importance"; all tables where none is named),
or with ``--whole`` all rows of a table: of a list with many kinds too few rows aside exercise each.
The package is copied, the rows are taken out of the copy, and a process of its own measures it. Of each set a third is
put aside by a hash of its name and a row's id. Measures: prompts of ``pasted`` that leave something foreign, and own
statements kept; statements of ``lasting`` kept rightly and wrongly; pairs of ``reversals`` noticed, and traps
superseded. Each cell says what changes without the family on the rows aside, and in brackets on those that are read.
A family that changes nothing is counted, not judged: no row may exercise it. One without which nothing runs says so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("aside", "read")
ALL = "all kinds"
MEASURES = ("foreign", "own", "kept", "kept wrongly", "noticed", "traps")
_AT = 1_772_600_000_000


def is_aside(name: str, row: object) -> bool:
    """Whether a row belongs to the third that is not read."""
    return int(hashlib.sha256(f"{name}/{row}".encode()).hexdigest(), 16) % 3 == 0


def families(source: Path, tables: Sequence[str], *, whole: bool) -> list[tuple[Path, str]]:
    """Files of tables below ``source`` with the kinds of their rows, in order, or ``ALL``; of all tables where none is
    named."""
    found: dict[tuple[Path, str], None] = {}
    for file in sorted(source.glob("hearth/*/data/*.toml")):
        if not tables or file.stem in tables or f"{file.parts[-3]}/{file.stem}" in tables:
            for kind in re.findall(r"""^kind = ["'](.+)["']""", file.read_text("utf-8"), re.M):
                found[file, ALL if whole else kind] = None
    return list(found)


def remove(file: Path, kind: str) -> int:
    """Takes the rows of a kind out of a table; gives how many there were."""
    head, *rows = file.read_text("utf-8").split("[[row]]\n")
    kept = [row for row in rows if kind != ALL and not re.search(rf"""^kind = ["']{re.escape(kind)}["']$""", row, re.M)]
    file.write_text("[[row]]\n".join([head, *kept]) if kept else f"row = []\n{head}", "utf-8")
    return len(rows) - len(kept)


def measure(sets: Mapping[str, Path], part: str) -> dict[str, int]:
    """Counts in this process, with whatever package it imports."""
    found = dict.fromkeys(MEASURES, 0)
    for row in _rows(sets, "pasted", part):
        texts = _memories(row["prompt"])
        own = [text for text in texts if any(_is_near(text, one) for one in row["own"])]
        foreign = [*row["foreign"], row.get("pasted") or ""]
        found["own"] += bool(own)
        found["foreign"] += any(_is_near(text, one) for text in texts if text not in own for one in foreign if one)
    for row in _rows(sets, "lasting", part):
        found["kept" if row["keep"] else "kept wrongly"] += bool(_memories(row["prompt"]))
    if "reversals" in sets:
        _judge(_rows(sets, "reversals", part), found)
    return found


def _judge(rows: Iterator[dict[str, Any]], found: dict[str, int]) -> None:
    from hearth.core.judgement import Said
    from hearth.truth.judge import judge

    for row in rows:
        older, newer = (_told(one) for one in (row["earlier"][-1], row["later"]))
        if row["earlier"][-1].get("project") != row["later"].get("project"):
            continue
        verdict = judge(Said(older), Said(newer))
        if row["expect"] == "coexists":
            found["traps"] += verdict.replaces
        else:
            found["noticed"] += verdict.replaces or verdict.doubtful


def _told(one: dict[str, Any]) -> str:
    return one["text"] if "text" in one else f"Asked “{one['ask']}”, the user chose: {one['chosen']}."


def _memories(prompt: str) -> list[str]:
    from hearth.capture.rules import extract
    from hearth.core.transcript import Kind, TranscriptEntry, Turn

    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, prompt, at=_AT),))
    return [memory.evidence.quote for memory in extract([turn]).memories]


def _is_near(one: str, other: str) -> bool:
    """Whether one holds the other, or six of ten words of the shorter one stand in both."""
    texts = [" ".join(re.sub(r"[^\w\s]", " ", text).lower().split()) for text in (one, other)]
    words = [set(text.split()) for text in texts]
    if not all(words):
        return False
    shared = len(words[0] & words[1]) / min(map(len, words))
    return texts[0] in texts[1] or texts[1] in texts[0] or shared >= 0.6


def _rows(sets: Mapping[str, Path], name: str, part: str) -> Iterator[dict[str, Any]]:
    if name in sets:
        for line in sets[name].read_text("utf-8").splitlines():
            row = json.loads(line)
            if is_aside(name, row["id"]) == (part == "aside"):
                yield row


def _measure_apart(source: Path, options: argparse.Namespace) -> dict[str, dict[str, int]] | None:
    """The counts of a copy of the package by part; ``None`` where it does not run."""
    command = [sys.executable, __file__, "--here"]
    for name in ("pasted", "lasting", "reversals"):
        if (file := getattr(options, name)) is not None:
            command += [f"--{name}", str(file.resolve())]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def _show(counts: Mapping[str, Mapping[str, int]], whole: Mapping[str, Mapping[str, int]], name: str) -> str:
    aside, read = (counts[part][name] - whole[part][name] for part in PARTS)
    return f"{aside:+d} ({read:+d})" if aside or read else ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("pasted", "lasting", "reversals"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE")
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--whole", action="store_true", help="take out whole tables")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        sets = {name: getattr(options, name) for name in ("pasted", "lasting", "reversals") if getattr(options, name)}
        print(json.dumps({part: measure(sets, part) for part in PARTS}))
        return 0
    with tempfile.TemporaryDirectory(prefix="hearth-ablate-") as folder:
        source = Path(folder)
        shutil.copytree(ROOT / "src", source, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        whole = _measure_apart(source, options)
        if whole is None:
            parser.error("the sets can't be measured")
        print("| family | rows |", " | ".join(MEASURES), "|")
        print("|---|---|" + "---|" * len(MEASURES))
        print("| all | |", " | ".join(f"{whole['aside'][name]} ({whole['read'][name]})" for name in MEASURES), "|")
        idle = 0
        for file, kind in families(source, options.tables, whole=options.whole):
            kept = file.read_bytes()
            size = remove(file, kind)
            counts = _measure_apart(source, options)
            file.write_bytes(kept)
            family = f"{file.parts[-3]}/{file.stem}: {kind}"
            if counts is None:
                print(f"| {family} | {size} | does not run without it |", flush=True)
            elif counts == whole:
                idle += 1
            else:
                print(
                    f"| {family} | {size} |",
                    " | ".join(_show(counts, whole, name) for name in MEASURES),
                    "|",
                    flush=True,
                )
        print(f"{idle} families change nothing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
