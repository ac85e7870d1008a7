"""How often a recorded solution comes after a failure, and how often anything comes before an ordinary command.

    python bench/point_of_action.py [--notes FOLDER] [--part read|aside|all] [--rows]

``bench/failures.tsv`` holds 60 failures, each with what was recorded when it happened before; ``bench/commands.tsv`` 24
decisions and pitfalls and 200 ordinary commands and edits, before which nothing of it is wanted. All is recorded in one
vault beside the notes of a folder, ``examples/notes`` if none is given. A solution counts where the end of its text is
there. A third of the rows, by a hash of the id, is put aside: it is counted and never printed.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hearth.app import hooks, open_folder
from hearth.config import Config
from hearth.core.hook import Handled, HookEvent, ToolAboutToRun, ToolFailed
from hearth.vault.vault import Vault

HERE = Path(__file__).parent
NOTES = HERE.parent / "examples" / "notes"


# Of a memory: where its solution stands.
_END = 30


def rows(name: str) -> Iterator[list[str]]:
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [cell.replace("\\n", "\n") for cell in line.split("\t")]


def is_aside(row: str) -> bool:
    return int(hashlib.sha256(f"point-of-action/{row}".encode()).hexdigest(), 16) % 3 == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("read", "aside", "all"), default="all")
    parser.add_argument("--rows", action="store_true", help="Print what went wrong in the part that may be read.")
    parser.add_argument("--notes", type=Path, default=NOTES, help="The folder of notes beside which all is recorded.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "shop")
        (place / ".git").mkdir(parents=True)
        vault = open_folder(given.notes, Path(folder, "work"))
        vault.index.sync()
        try:
            measure(vault, str(place), given.part, show=given.rows)
        finally:
            vault.close()


def measure(vault: Vault, cwd: str, part: str, *, show: bool) -> None:
    failures, commands = list(rows("failures.tsv")), list(rows("commands.tsv"))
    recorded: dict[str, str] = {}
    for row, kind, text, *_ in failures:
        recorded[row] = f"#{vault.memories.remember(text, kind, project=cwd).docid}"
    for _, kind, text in commands:
        if kind not in ("Bash", "Edit"):
            vault.memories.remember(text, kind, project=cwd)
    answer = hooks(vault, Config())

    def run(hook: str, event: HookEvent) -> Handled:
        return answer.answer(hook, event, 60_000, "balanced")

    wanted = [row for row in failures if part == "all" or is_aside(row[0]) == (part == "aside")]
    right = wrong = others = 0
    for row, _, text, command, error in wanted:
        failed = ToolFailed(host="bench", session=row, turn="1", cwd=cwd, tool="Bash", error=error, command=command)
        block = str(run("failure-inject", failed).reply.context or "")
        items = sum(line.startswith("- ") for line in block.splitlines())
        whole = " ".join(text.split())[-_END:] in " ".join(block.replace("\n> ", " ").split())
        hit = recorded[row] in block and whole
        right += hit
        wrong += sum(other in block for name, other in recorded.items() if name != row)
        others += items - sum(other in block for other in recorded.values())
        if show and not hit and not is_aside(row):
            print(f"missed {row}: {text[:90]} <- {error.splitlines()[1][:90]}")
    print(f"failures ({part}): {right} of {len(wanted)} bring their solution; {wrong} others and {others} notes came")
    ordinary = [row for row in commands if row[1] in ("Bash", "Edit")]
    ordinary = [row for row in ordinary if part == "all" or is_aside(row[0]) == (part == "aside")]
    brought = 0
    for row, tool, what in ordinary:
        files = (f"{cwd}/{what}",) if tool == "Edit" else ()
        command = "" if files else what
        about = ToolAboutToRun(host="bench", session=row, turn="1", cwd=cwd, tool=tool, files=files, command=command)
        advice = run("pretool-inject", about).reply.context
        brought += advice is not None
        if show and advice is not None and not is_aside(row):
            print(f"came before {what!r}: {[line for line in advice.splitlines() if line.startswith('- ')]}")
    print(f"commands ({part}): {brought} of {len(ordinary)} bring something")


if __name__ == "__main__":
    main()
