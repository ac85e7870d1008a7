"""Names found in texts, against a set of texts whose names are known, language by language."""

from __future__ import annotations

import json
from pathlib import Path

from hearth.language.entities import find_entities
from machine import table

# F1 of names, and of names with their types, that must be reached.
GOALS = {"en": (0.87, 0.78), "es": (0.82, 0.70), "fr": (0.82, 0.70), "de": (0.70, 0.55)}
# Other types are found, too, and have no name in the set.
TYPES = frozenset({"person", "organization", "project", "place", "other"})


def measure_names(folder: Path) -> str:
    """F1 over all names of a language, by exact name without case; ``typed`` counts another type as wrong."""
    rows = []
    for language, goals in GOALS.items():
        if not (folder / f"{language}.jsonl").is_file():
            continue
        right = typed = found = wanted = 0
        for line in (folder / f"{language}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            names = find_entities(case["text"], language)
            got = {entity.name.casefold(): entity.type for entity in names if entity.type in TYPES}
            gold = {entity["name"].casefold(): entity["type"] for entity in case["entities"]}
            right += len(got.keys() & gold.keys())
            typed += sum(got.get(name) == kind for name, kind in gold.items())
            found, wanted = found + len(got), wanted + len(gold)
        values = (2 * right / (found + wanted), 2 * typed / (found + wanted))
        good = all(value >= goal for value, goal in zip(values, goals, strict=True))
        goal = f">= {goals[0]:.2f} / {goals[1]:.2f} {'✓' if good else '✗'}"
        rows.append([language, str(wanted), *(f"{value:.3f}" for value in values), goal])
    return table(["names", "in the set", "F1", "typed", "goal"], rows)
