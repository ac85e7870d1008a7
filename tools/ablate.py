"""Takes one family of words out at a time and measures, on rows that nobody reads, what it gains.

    python tools/ablate.py --pasted pasted.jsonl --lasting lasting.jsonl [--reversals reversals.jsonl] [--part aside]

A family is the rows of one kind in one table of ``src/hearth/language/data``. The package is copied, the rows are taken
out of the copy, and a process of its own measures it. Of each set a third is put aside by a hash of its name and a
row's id. Measures: prompts of ``pasted`` that leave something foreign, and own statements kept; statements of
``lasting`` kept rightly and wrongly; pairs of ``reversals`` noticed, and traps superseded. A family that changes
nothing is named, not judged: no row may exercise it.
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
DATA = Path("hearth/language/data")
TABLES = ("marks", "guards", "remember", "texts", "forms", "people", "change")
MEASURES = ("foreign", "own", "kept", "kept wrongly", "noticed", "traps")
_AT = 1_772_600_000_000


def is_aside(name: str, row: object) -> bool:
    """Whether a row belongs to the third that is not read."""
    return int(hashlib.sha256(f"{name}/{row}".encode()).hexdigest(), 16) % 3 == 0


def families() -> list[tuple[str, str]]:
    """Tables with the kinds of their rows, in order."""
    found: dict[tuple[str, str], None] = {}
    for table in TABLES:
        for kind in re.findall(r'^kind = "([^"]+)"', (ROOT / "src" / DATA / f"{table}.toml").read_text("utf-8"), re.M):
            found[table, kind] = None
    return list(found)


def remove(file: Path, kind: str) -> int:
    """Takes the rows of a kind out of a table; gives how many there were."""
    head, *rows = file.read_text("utf-8").split("[[row]]\n")
    kept = [row for row in rows if f'kind = "{kind}"' not in row]
    file.write_text("[[row]]\n".join([head, *kept]), "utf-8")
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
            if part == "all" or is_aside(name, row["id"]) == (part == "aside"):
                yield row


def _without(options: argparse.Namespace, family: tuple[str, str] | None) -> tuple[dict[str, int], int]:
    """The counts without a family, and how many rows that has."""
    with tempfile.TemporaryDirectory(prefix="hearth-ablate-") as folder:
        shutil.copytree(ROOT / "src", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        size = 0 if family is None else remove(Path(folder) / DATA / f"{family[0]}.toml", family[1])
        command = [sys.executable, __file__, "--here", "--part", options.part]
        for name in ("pasted", "lasting", "reversals"):
            if (file := getattr(options, name)) is not None:
                command += [f"--{name}", str(file.resolve())]
        told = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True, check=True
        )
    return json.loads(told.stdout), size


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("pasted", "lasting", "reversals"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE")
    parser.add_argument("--part", choices=("all", "read", "aside"), default="aside")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    sets = {name: getattr(options, name) for name in ("pasted", "lasting", "reversals") if getattr(options, name)}
    if options.here:
        print(json.dumps(measure(sets, options.part)))
        return 0
    whole, _ = _without(options, None)
    print("| family | rows |", " | ".join(MEASURES), "|")
    print("|---|---|" + "---|" * len(MEASURES))
    print("| all | |", " | ".join(str(whole[name]) for name in MEASURES), "|")
    for family in families():
        counts, size = _without(options, family)
        changed = [f"{counts[name] - whole[name]:+d}" if counts[name] != whole[name] else "" for name in MEASURES]
        print(f"| {family[0]}: {family[1]} | {size} |", " | ".join(changed), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
