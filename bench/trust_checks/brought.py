"""What is brought unasked: notes that a prompt wants and lures that look like them, in one vault, each prompt by the
hook of a session of its own; and coding prompts beside a garden of other notes, for which nothing should come.

A row of ``inject`` has ``id``, ``prompt``, ``wanted``, ``kind``, ``vault`` and, where there is one, a ``note`` or a
``lure`` and a note ``beside``, each with ``path``, ``title`` and ``text``. A garden is a folder of notes.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trust_checks import confidence
from trust_checks.table import Options, Row, is_in, read_lines
from trust_checks.vault import Vault

PATTERNS = Path(__file__).resolve().parents[1] / "coding_prompts.txt"
_GARDEN_PROMPTS, _SEED = 40, 5
_DATED = re.compile(r"\d{4}-")
_ITEM = re.compile(r"\.md(?::|\s|$|\b)")


def measure(options: Options) -> Iterator[Row]:
    """The prompts of ``inject``; the notes of all rows stand in the vault, whichever part is asked."""
    file = None if options.data is None else options.data / "inject" / "inject.jsonl"
    if file is None or not file.exists():
        return
    rows = list(read_lines(file))
    asked = [row for row in rows if is_in(options.part, "inject", row["id"])][: options.most]
    with Vault() as vault:
        notes = _write_notes(vault, rows)
        brought = [(row, _bring(vault, row["prompt"], _place(vault, notes, row))) for row in asked]
        answers = [_confidence(vault, row) for row in asked]
    yield from _count(brought)
    yield from confidence.describe("inject", answers)


def measure_gardens(options: Options) -> Iterator[Row]:
    for garden in options.gardens:
        prompts = make_coding_prompts(_GARDEN_PROMPTS)[: options.most]
        with Vault() as vault:
            vault.run("bootstrap", str(garden.resolve()))
            elsewhere = vault.folder("application")
            items = sum(len(_bring(vault, prompt, elsewhere)) for prompt in prompts)
        # Three items of noise in forty prompts.
        yield Row(f"garden {garden.name}: items brought for coding prompts", items, len(prompts), "<= 0.075")


def make_coding_prompts(most: int) -> list[str]:
    """Of the patterns of ``coding_prompts.txt``, in which ``{name}`` stands for one of the words of that name."""
    words: dict[str, list[str]] = {}
    patterns: list[str] = []
    for line in PATTERNS.read_text("utf-8").splitlines():
        if line.startswith("<"):
            name, _, listed = line[1:].partition(">")
            words[name] = [word.strip() for word in listed.split("|")]
        elif line and not line.startswith("#"):
            patterns.append(line.replace("\\n", "\n"))
    rng = random.Random(_SEED)
    rng.shuffle(patterns)
    filled = re.compile("{(" + "|".join(words) + ")}")
    chosen = itertools.islice(itertools.cycle(patterns), most)
    return [filled.sub(lambda found: rng.choice(words[found[1]]), pattern) for pattern in chosen]


def _write_notes(vault: Vault, rows: list[dict[str, Any]]) -> Path:
    folder = vault.home / "evalset"
    for row in rows:
        for one in (row[name] for name in ("note", "lure", "beside") if name in row):
            file = folder / one["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            head = "" if _DATED.match(one["title"]) else f"# {one['title']}\n\n"
            file.write_text(f"{head}{one['text']}\n", encoding="utf-8")
    vault.run("bootstrap", str(folder), "--name", "evalset")
    return folder


def _place(vault: Vault, notes: Path, row: dict[str, Any]) -> Path:
    """A team's prompts are typed in the folder that holds the notes, those beside a garden elsewhere."""
    return vault.folder("application") if row["vault"] == "garden" else notes


def _bring(vault: Vault, prompt: str, folder: Path) -> list[str]:
    """The first lines of the items of the block."""
    session = str(uuid.uuid4())
    event = {
        "session_id": session,
        "transcript_path": str(vault.home / f"{session}.jsonl"),
        "cwd": str(folder),
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    }
    printed = vault.hook("context-surfacing", event, None)
    try:
        text = json.loads(printed)["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        return []
    return [line for line in text.splitlines() if _ITEM.search(line) and not line.startswith(">")]


def _confidence(vault: Vault, row: dict[str, Any]) -> confidence.Asked:
    found = vault.ask("query", row["prompt"], "-n", "3")
    first = next((hit["path"] for hit in found.get("results", [])), "")
    right = first == row["note"]["path"] if row["wanted"] else None
    return confidence.Asked(row["kind"], float(found.get("confidence") or 0.0), right)


def _count(brought: list[tuple[dict[str, Any], list[str]]]) -> Iterator[Row]:
    def has(row: dict[str, Any], items: list[str]) -> bool:
        one = row.get("note") or row.get("lure")
        return any(f"evalset/{one['path']}" in item for item in items) if one else bool(items)

    wanted = [has(row, items) for row, items in brought if row["wanted"]]
    lures = [has(row, items) for row, items in brought if not row["wanted"] and "lure" in row]
    unrelated = [bool(items) for row, items in brought if row["kind"] == "unrelated"]
    shown = sum(len(items) for _, items in brought)
    yield Row("inject: wanted notes brought", sum(wanted), len(wanted), ">= 0.75")
    yield Row("inject: lures brought", sum(lures), len(lures), "<= 0.15")
    yield Row("inject: unrelated coding prompts that get anything", sum(unrelated), len(unrelated), "<= 0.05")
    yield Row("inject: items shown that are wanted", sum(wanted), shown, ">= 0.6")
