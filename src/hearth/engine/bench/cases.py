"""Cases: a folder of notes with questions whose answers are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hearth.errors import NotFound, UsageError
from hearth.lazy import dataclass

_CORPORA = ("corpus", "notes")


@dataclass(frozen=True, slots=True)
class Gold:
    """Lines ``start`` to ``end`` (1-based, inclusive) of a file hold an answer."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question; without gold it can't be answered from the corpus. ``at`` is ms UTC."""

    id: str
    text: str
    type: str
    gold: tuple[Gold, ...]
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    corpus: Path
    questions: tuple[BenchQuestion, ...]


def load(folder: Path) -> list[Case]:
    """``folder`` is a case, or holds cases: each has ``queries.jsonl`` beside a folder ``corpus`` (or ``notes``).

    Raises ``NotFound`` where there is none and ``UsageError`` naming a malformed line or an empty file.
    """
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}; hearth bench wants one with queries.jsonl beside corpus or notes")
    files = (
        [folder / "queries.jsonl"] if (folder / "queries.jsonl").is_file() else sorted(folder.glob("*/queries.jsonl"))
    )
    if not files:
        raise NotFound(f"no queries.jsonl in {folder} or its subfolders; docs/cli.md (bench) shows the format")
    return [_case(file) for file in files]


def _case(file: Path) -> Case:
    corpus = next((file.parent / name for name in _CORPORA if (file.parent / name).is_dir()), None)
    if corpus is None:
        raise NotFound(f"{file.parent} has no folder corpus (or notes) beside queries.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines()
    questions = tuple(_question(line, f"{file}:{n}") for n, line in enumerate(lines, 1) if line.strip())
    if not questions:
        raise UsageError(f"{file} holds no question; docs/cli.md (bench) shows the format")
    return Case(file.parent.resolve().name, corpus, questions)


def _question(line: str, place: str) -> BenchQuestion:
    try:
        row: dict[str, Any] = json.loads(line)
        gold = tuple(Gold(str(g["path"]), int(g["start"]), int(g["end"])) for g in row.get("gold", []))
        at = None if row.get("at") is None else int(row["at"])
        return BenchQuestion(str(row["id"]), str(row["query"]), str(row.get("type", "all")), gold, at)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{place}: not a question ({error}); see docs/cli.md (bench)") from error
