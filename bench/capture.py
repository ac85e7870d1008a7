"""What rules alone take out of conversations, and how well: the table of docs/capture.md.

    python bench/capture.py DATA              the table, by layer and language
    python bench/capture.py DATA --sample 200 the memories that are judged by hand, with the words they rest on
    python bench/capture.py DATA --time       microseconds of the processor a turn
    python bench/capture.py --talks           what is kept of talks in plain prose (``samples/talks.py``), by kind;
                                              with ``--missed`` what was not, and what else was, of the first half
    python bench/capture.py --sessions 1000   what keeping sessions costs: time, memory, bytes on the disk, queries

``DATA`` holds ``memory-extraction``, ``locomo`` and ``beam-100k``; none of them is part of the project.

A typed statement counts as found where its text yields a memory of its type, each memory once: contents are in
English whatever the text's language, so the wording is compared by a person, in the sample. Opinions are bad where
their text yields a decision or a fact. The sample is drawn by seed from all memories of both conversation sets;
Sessions are generated, of 40 turns; ``--piece`` captures after so many of them, as the daemon does while one goes on.
``bench/capture_judged.tsv`` holds a verdict for each: ``worth`` (true and worth keeping), ``idle`` (true, not worth
keeping) or ``false``, by place and by a hash of the statement, so that another statement has no verdict.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hearth.app import open_folder
from hearth.capture.rules import extract
from hearth.core.extraction import ExtractedMemory
from hearth.core.session import Sighting
from hearth.core.transcript import Kind, TranscriptEntry, Turn
from hearth.vault.vault import Vault
from machine import percentile, rss_mb, table
from samples import talks
from samples.transcripts import Sessions

TYPES = ("decision", "preference", "commitment", "fact")
# Kinds of fact that the set does not tell apart.
SAME = {"relationship": "fact", "skill": "fact", "moment": "fact"}
GOLD = ("preference_following", "instruction_following", "knowledge_update")
JUDGED = Path(__file__).parent / "capture_judged.tsv"
SEED = 11
TURNS = 40
A_YEAR = 30 * 365
START = 1_760_000_000_000
MINUTE = 60_000
_SPEAKER = re.compile(r"\*\*([^*]+)\*\*: (.*)")
_SHARED = re.compile(r"\s*\[shares image:.*?\]\s*$")
_HEAD = re.compile(r"## (User|Assistant)\s*$")


@dataclass(frozen=True, slots=True)
class Place:
    """Lines count from 1, both included."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """``places`` of its turns by ordinal."""

    turns: tuple[Turn, ...]
    places: dict[int, Place]


def locomo(folder: Path) -> Iterator[Conversation]:
    """Two people talk: each remark is a prompt of its own."""
    for file in sorted(folder.glob("*/corpus/*.md")):
        lines = file.read_text("utf-8").splitlines()
        at = _instant(file)
        turns: list[Turn] = []
        places: dict[int, Place] = {}
        for number, line in enumerate(lines, 1):
            said = _SPEAKER.match(line)
            if said is not None:
                ordinal = len(turns) + 1
                text = _SHARED.sub("", said[2])
                turns.append(Turn(ordinal, prompts=(TranscriptEntry(Kind.USER, text, at=at),)))
                places[ordinal] = Place(_name(file, folder), number, number)
        yield Conversation(tuple(turns), places)


def beam(folder: Path) -> Iterator[Conversation]:
    """A person and an assistant."""
    for file in sorted(folder.glob("*/corpus/*.md")):
        blocks: list[tuple[str, int, list[str]]] = []
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            head = _HEAD.match(line)
            if head is not None:
                blocks.append((head[1], number, []))
            elif blocks:
                blocks[-1][2].append(line)
        yield _alternating(blocks, _name(file, folder), _instant(file))


def _alternating(blocks: Sequence[tuple[str, int, list[str]]], name: str, at: int | None) -> Conversation:
    turns: list[Turn] = []
    places: dict[int, Place] = {}
    for who, start, lines in blocks:
        text = "\n".join(lines).strip()
        if who == "User":
            ordinal = len(turns) + 1
            turns.append(Turn(ordinal, prompts=(TranscriptEntry(Kind.USER, text, at=at),)))
            places[ordinal] = Place(name, start, start + len(lines))
        elif turns:
            last = turns[-1]
            turns[-1] = Turn(last.ordinal, prompts=last.prompts, replies=(*last.replies, text))
    return Conversation(tuple(turns), places)


def _name(file: Path, folder: Path) -> str:
    return f"{file.relative_to(folder).parts[0]}/{file.name}"


def _instant(file: Path) -> int | None:
    try:
        return int(datetime.fromisoformat(file.name[:10]).replace(tzinfo=UTC, hour=12).timestamp() * 1000)
    except ValueError:
        return None


def statements(
    folder: Path, is_wanted: Callable[[dict[str, Any]], bool] = lambda row: True
) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """Counts by language of the rows that are wanted: found, told and wanted of each type; and opinions."""
    by_language: dict[str, Counter[str]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        count = by_language.setdefault(file.stem, Counter())
        rows = (json.loads(line) for line in file.read_text("utf-8").splitlines())
        for row in filter(is_wanted, rows):
            _count(row, count)
    total: Counter[str] = Counter()
    for count in by_language.values():
        total.update(count)
    return by_language, total


def _count(row: dict[str, object], count: Counter[str]) -> None:
    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, str(row["text"]), at=1_772_600_000_000),))
    found = extract([turn]).memories
    told = Counter(SAME.get(memory.category, str(memory.category)) for memory in found)
    types = [memory["type"] for memory in row["memories"]]  # type: ignore[attr-defined]
    wanted = Counter(types)
    for name in TYPES:
        count[f"{name} right"] += min(told[name], wanted[name])
        count[f"{name} told"] += told[name]
        count[f"{name} wanted"] += wanted[name]
    if wanted["opinion"]:
        count["opinions"] += 1
        count["opinions kept"] += bool(told["fact"] or told["decision"])


def f1(count: Counter[str], names: Sequence[str] = TYPES) -> float:
    right, told, wanted = (sum(count[f"{name} {kind}"] for name in names) for kind in ("right", "told", "wanted"))
    return 2 * right / (told + wanted) if told + wanted else 0.0


def memories(conversations: Sequence[Conversation]) -> list[tuple[Place, ExtractedMemory]]:
    """Turn by turn, as a session grows: the limits of a piece hold for each turn."""
    found = []
    for talk in conversations:
        for at, turn in enumerate(talk.turns):
            piece = talk.turns[max(0, at - 1) : at + 1]
            found += [(talk.places[turn.ordinal], m) for m in extract(piece, turn.ordinal - 1).memories]
    return found


def gold(folder: Path, found: Sequence[tuple[Place, ExtractedMemory]], talks: Sequence[Conversation]) -> Counter[str]:
    """Gold turns of the person, and those that yield a memory, by type of question."""
    asked = [place for talk in talks for place in talk.places.values()]
    yields = {place for place, _ in found}
    count: Counter[str] = Counter()
    for case in sorted(path for path in folder.iterdir() if path.is_dir()):
        for line in (case / "queries.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["type"] not in GOLD:
                continue
            for one in row["gold"]:
                name = f"{case.name}/{one['path']}"
                for place in asked:
                    if place.file == name and place.start <= one["end"] and one["start"] <= place.end:
                        count[f"{row['type']} turns"] += 1
                        count[f"{row['type']} kept"] += place in yields
    return count


def key(place: Place, memory: ExtractedMemory) -> str:
    """Where a memory comes from and, by a hash, what it says: no word of the sets is in it."""
    digest = hashlib.sha256(f"{memory.category}\n{memory.text}".encode()).hexdigest()[:12]
    return f"{place.file}:{place.start}\t{memory.category}\t{digest}"


def sample(found: Sequence[tuple[Place, ExtractedMemory]], size: int) -> list[tuple[Place, ExtractedMemory]]:
    ordered = sorted(found, key=lambda item: key(*item))
    return random.Random(SEED).sample(ordered, min(size, len(ordered)))


def verdicts() -> dict[str, str]:
    """By key."""
    if not JUDGED.exists():
        return {}
    rows = (line.split("\t") for line in JUDGED.read_text("utf-8").splitlines() if line and not line.startswith("#"))
    return {"\t".join(row[:3]): row[3] for row in rows}


def print_table(data: Path) -> None:
    by_language, total = statements(data / "memory-extraction")
    row = "  ".join(f"{name} {f1(count):.2f}" for name, count in by_language.items())
    right, told = (sum(total[f"{name} {kind}"] for name in TYPES) for kind in ("right", "told"))
    print(f"typed statements: precision {right / max(1, told):.3f}, F1 {f1(total):.3f}   {row}")
    print("   " + "  ".join(f"{name} {f1(total, [name]):.2f}" for name in TYPES), end="   ")
    print(f"opinions kept as fact or decision: {total['opinions kept']} of {total['opinions']}")
    talks = {"locomo": list(locomo(data / "locomo")), "beam-100k": list(beam(data / "beam-100k"))}
    drawn: list[tuple[Place, ExtractedMemory]] = []
    turns = 0
    for name, conversations in talks.items():
        found = memories(conversations)
        drawn += found
        size = sum(len(talk.turns) for talk in conversations)
        turns += size
        kinds = Counter(str(memory.category) for _, memory in found)
        print(f"{name}: {len(found)} memories of {size} turns ({100 * len(found) / size:.1f} of 100)  {dict(kinds)}")
        if name == "beam-100k":
            count = gold(data / name, found, conversations)
            for kind in GOLD:
                print(f"   {kind}: {count[f'{kind} kept']} of {count[f'{kind} turns']} gold turns yield a memory")
    print_judged(drawn, turns)


def print_judged(found: Sequence[tuple[Place, ExtractedMemory]], turns: int) -> None:
    known = verdicts()
    told = Counter(known.get(key(place, memory), "not judged") for place, memory in found)
    judged = sum(count for verdict, count in told.items() if verdict != "not judged")
    if not judged:
        return
    rate = 100 * len(found) / turns
    print(f"judged by hand: {judged} of {len(found)} memories: {dict(told)}")
    for verdict in ("idle", "false"):
        print(
            f"   {verdict}: {told[verdict] / judged:.1%} of those judged, "
            f"{rate * told[verdict] / judged:.2f} per 100 turns"
        )


def print_sample(data: Path, size: int) -> None:
    talks = [*locomo(data / "locomo"), *beam(data / "beam-100k")]
    for place, memory in sample(memories(talks), size):
        print(f"{key(place, memory)}\t{memory.confidence}\n    {memory.text}\n    < {memory.evidence.quote}")


def print_time(data: Path) -> None:
    """The mean, the median and the 95th percentile of single turns, once all patterns are compiled."""
    talks = [*locomo(data / "locomo"), *beam(data / "beam-100k")]
    every = max(2, len(talks) // 20)
    for talk in talks[1::every]:
        for turn in talk.turns:
            extract([turn])
    spent = []
    for talk in talks[::every]:
        for turn in talk.turns:
            begun = time.process_time()
            extract([turn], turn.ordinal - 1)
            spent.append(time.process_time() - begun)
    spent.sort()
    print(
        f"{len(spent)} turns: mean {sum(spent) / len(spent) * 1e6:.0f} us, "
        f"median {spent[len(spent) // 2] * 1e6:.0f} us, "
        f"p95 {spent[len(spent) * 95 // 100] * 1e6:.0f} us"
    )


def count_talks(name: str, *, missed: bool) -> Counter[str]:
    total: Counter[str] = Counter()
    for talk in talks.talks(name):
        kept = talks.memories(talk)
        total["memories"] += len(kept)
        total["turns"] += len(talks.turns(talk))
        for wanted in talk["expect"]:
            found = any(talks.holds(memory, wanted) for memory in kept)
            for kind in ("all", wanted["kind"]):
                total[f"{kind} wanted"] += 1
                total[f"{kind} kept"] += found
            if missed and not found:
                print(f"missed {talk['id']} {wanted['kind']}: {talk['turns'][wanted['turn']]['text']}")
        total["traps"] += len(talk["forbid"])
        total["fallen for"] += sum(any(talks.holds(memory, trap) for memory in kept) for trap in talk["forbid"])
        if missed:
            others = (memory for memory in kept if not any(talks.holds(memory, wanted) for wanted in talk["expect"]))
            print(*(f"beside {talk['id']} {memory.category}: {memory.text}" for memory in others), sep="\n")
    return total


def print_talks(*, missed: bool) -> None:
    found = {name: count_talks(name, missed=False) for name in talks.HALVES}
    kinds = [name.removesuffix(" wanted") for name in found[talks.HALVES[0]] if name.endswith(" wanted")]
    rows = [[kind, *(f"{one[f'{kind} kept']} of {one[f'{kind} wanted']}" for one in found.values())] for kind in kinds]
    rows.append(["traps fallen for", *(f"{one['fallen for']} of {one['traps']}" for one in found.values())])
    rows.append(["memories of turns", *(f"{one['memories']} of {one['turns']}" for one in found.values())])
    print(table(["kept", *talks.HALVES], rows))
    if missed:
        count_talks(talks.HALVES[0], missed=True)


def cost(folder: Path, count: int, piece: int) -> dict[str, Any]:
    now = [START]
    (folder / "notes").mkdir()
    made = Sessions()
    with open_folder(folder / "notes", folder / "work", clock=lambda: now[0]) as vault:
        vault.capture.run()
        vault.recall("warm up")
        before, spent, slowest = rss_mb(), [0.0, 0.0], 0.0
        for number in range(count):
            transcript = folder / f"{number}.jsonl"
            vault.sessions.seen(Sighting(f"session-{number:05d}", "claude-code", "shop"))
            for turn in range(TURNS):
                now[0] += 3 * MINUTE
                with transcript.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(row) + "\n" for row in made.turn(now[0], turn))
                size = transcript.stat().st_size
                vault.sessions.turn_ended(f"session-{number:05d}", str(transcript), size, f"t{turn}")
                if (turn + 1) % piece == 0 or turn + 1 == TURNS:
                    took = _capture(vault)
                    spent = [one + other for one, other in zip(spent, took, strict=True)]
                    slowest = max(slowest, took[0])
            vault.sessions.ended(f"session-{number:05d}")
            transcript.unlink()
        grown = rss_mb() - before
        asked = _ask(vault, made)
    return {"sessions": count, "turns": count * TURNS, "piece": piece, "seconds": spent[0], "work": spent[1],
            "slowest": slowest, "rss_mb": grown, **_sizes(folder / "work"), **asked}  # fmt: skip


def _capture(vault: Vault) -> tuple[float, float]:
    begun, work = time.perf_counter(), time.process_time()
    report = vault.capture.run(everything=True)
    if report.problems:
        raise SystemExit(f"not captured: {report.problems[:3]}")
    return time.perf_counter() - begun, time.process_time() - work


def _ask(vault: Vault, made: Sessions) -> dict[str, float]:
    took = []
    for question in made.vocabulary.questions(60):
        begun = time.perf_counter()
        vault.recall(question)
        took.append(1000 * (time.perf_counter() - begun))
    return {"query_p50_ms": percentile(took, 0.5), "query_p95_ms": percentile(took, 0.95)}


def _sizes(folder: Path) -> dict[str, float]:
    """MB by what they hold."""
    found = {"conversations_mb": 0.0, "memories_mb": 0.0, "index_mb": 0.0, "journal_mb": 0.0}
    for file in (path for path in folder.rglob("*") if path.is_file()):
        size, parts = file.stat().st_size / 1e6, file.parts
        kind = "conversations" if "conversations" in parts else "memories" if "memory" in parts else "index"
        found[f"{'journal' if 'journal' in parts else kind}_mb"] += size
    return found


def print_cost(count: int, piece: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = cost(Path(folder), count, piece)
    a_thousand, a_year = 1000 / found["turns"], A_YEAR / count
    disk = {name: value for name, value in found.items() if name.endswith("_mb") and name != "rss_mb"}
    rows = [
        ["1,000 turns captured", f"{found['seconds'] * a_thousand:.1f} s ({found['work'] * a_thousand:.1f} s of work)"],
        ["slowest piece", f"{found['slowest']:.2f} s"],
        ["memory, all the while", f"+{found['rss_mb']:.0f} MB"],
        *([f"{name.removesuffix('_mb')} of a year", f"{value * a_year:,.0f} MB"] for name, value in disk.items()),
        ["query, p50 and p95", f"{found['query_p50_ms']:.0f} ms, {found['query_p95_ms']:.0f} ms"],
    ]
    print(f"{found['turns']:,} turns of {count:,} sessions, captured after {piece} turns")
    print(table(["what", "figure"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=Path())
    parser.add_argument("--sessions", type=int, default=0)
    parser.add_argument("--piece", type=int, default=5)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--talks", action="store_true")
    parser.add_argument("--missed", action="store_true")
    options = parser.parse_args()
    if options.sessions:
        print_cost(options.sessions, options.piece)
        return
    if options.talks:
        print_talks(missed=options.missed)
    elif options.sample:
        print_sample(options.data, options.sample)
    elif options.time:
        print_time(options.data)
    else:
        print_table(options.data)


if __name__ == "__main__":
    main()
