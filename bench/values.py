"""Whether the line of a value is found and shown where a note holds many beside prose about the same thing.

    python bench/values.py        of 120 questions for a value: the right note first, its window first, its line shown

Notes are generated: 13 things, each with 15 ``key:: value`` lines between paragraphs that name the thing.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path

from hearth.app import open_folder

THINGS = (
    "pump",
    "kiln",
    "loom",
    "press",
    "lathe",
    "crane",
    "boiler",
    "drill",
    "mixer",
    "scale",
    "oven",
    "chiller",
    "saw",
)
KEYS = (
    *("warranty", "supplier", "location", "voltage", "serial", "inspector", "weight", "colour"),
    *("owner", "price", "manual", "noise", "capacity", "lease", "insurance"),
)
MAKERS = ("Osterhagen", "Tallberg", "Quimby", "Verdasco", "Lindqvist", "Moreau", "Ferrante", "Novak", "Ishii", "Abara")
QUESTIONS, SEED = 120, 7


def write_notes(folder: Path, rng: random.Random) -> list[tuple[str, str, str]]:
    """Gives questions, each with the note and the line that answer it."""
    asked = []
    for thing in THINGS:
        values = {key: f"{rng.choice(MAKERS)} {rng.randrange(100, 999)}" for key in KEYS}
        prose = "\n\n".join(f"The {thing} was moved on day {day} and nobody complained." for day in range(6))
        lines = {key: f"{key}:: {value}" for key, value in values.items()}
        rows = "\n".join(lines.values())
        (folder / f"{thing}.md").write_text(f"# {thing.title()}\n\n{prose}\n\n{rows}\n\n{prose}\n", encoding="utf-8")
        asked += [(f"what is the {key} of the {thing}?", f"{thing}.md", line) for key, line in lines.items()]
    rng.shuffle(asked)
    return asked[:QUESTIONS]


def main() -> None:
    count: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as work:
        notes = Path(work, "notes")
        notes.mkdir()
        asked = write_notes(notes, random.Random(SEED))
        vault = open_folder(notes, Path(work, "vault"), {})
        vault.index.sync()
        vault.index.embed()
        for question, path, line in asked:
            hits = vault.recall(vault.query(question, limit=1)).hits
            if hits and hits[0].path == path:
                count["note first"] += 1
                count["window first"] += line in hits[0].text
                count["line shown"] += line in hits[0].snippet
                count["line first in a compact row"] += hits[0].briefly()[1].startswith(line)
        vault.close()
    for name, found in count.items():
        print(f"{name}: {found} of {len(asked)}")


if __name__ == "__main__":
    main()
