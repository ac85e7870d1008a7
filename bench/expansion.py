"""What expansion by a language model can gain and cost, with stand-ins: one that knows the answer, one that rambles.

    python bench/expansion.py CASE... [--weight W]

``helpful`` gives words of the passage that answers, the most a model could do; ``rambling`` gives the words of another
question, the worst. ``sure`` is the share of questions that are not given to the model at all, and of those the share
whose first hit is right. The CPU is what the further searches take, without the model. A case is a folder as for
``hearth bench``. No model was to be had where this was written: what a real one gains lies in between.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from hearth.app import open_folder
from hearth.benchmark.measures import BenchQuestion, Case, load
from hearth.core.query import Rewording
from hearth.recall import candidates
from hearth.recall.candidates import Expander
from hearth.recall.routing import Interpreter
from hearth.vault.vault import Vault
from machine import table

MOST = 8
SHOWN = 5


class StandIn(Interpreter):
    """Says what ``rewordings`` holds of a question."""

    def __init__(self, rewordings: dict[str, Rewording]) -> None:
        super().__init__(lambda: None, lambda: 0)  # type: ignore[arg-type, return-value]
        self.said = rewordings

    def ask(self, work, seconds=None):  # type: ignore[no-untyped-def]
        reader = lambda: None  # noqa: E731
        reader.reword = lambda text, intent: self.said.get(text)  # type: ignore[attr-defined]
        return work(reader), ()


def helpful(case: Case, asked: BenchQuestion, rng: random.Random) -> Rewording:
    gold = asked.gold[0]
    lines = (case.corpus / gold.path).read_text("utf-8").split("\n")[gold.start - 1 : gold.end]
    words = [word for word in " ".join(lines).split() if len(word) > 4 and word.isalpha()]
    picked = " ".join(rng.sample(words, min(MOST, len(words))))
    return Rewording((picked,), (picked,), " ".join(" ".join(lines).split()[:40]))


def rambling(case: Case, asked: BenchQuestion, rng: random.Random) -> Rewording:
    others = [one.text for one in case.questions if one.id != asked.id]
    first, second, third = rng.sample(others, 3)
    return Rewording((first, second), (second, third), third)


def measure(case: Case, stand_in: Callable[..., Rewording] | None, vault: Vault) -> list[str]:
    rng, recaller = random.Random(0), vault.core.recaller
    questions = [asked for asked in case.questions if asked.gold]
    if stand_in is not None:
        said = {" ".join(asked.text.split()): stand_in(case, asked, rng) for asked in questions}
        recaller.expand = Expander(StandIn(said))
    first = found = sure = right = 0
    spent = time.process_time()
    for asked in questions:
        answer = recaller(replace(vault.query(asked.text), limit=SHOWN, explain=True))
        paths = list(dict.fromkeys(hit.path for hit in answer.hits))
        gold = {one.path for one in asked.gold}
        first += bool(gold & set(paths[:1]))
        found += bool(gold & set(paths[:SHOWN]))
        is_skipped = answer.trace.get("expansion", {}).get("asked") is False
        sure += is_skipped
        right += is_skipped and bool(gold & set(paths[:1]))
    cpu = (time.process_time() - spent) / len(questions)
    recaller.expand = None
    shares = f"{sure / len(questions):.2f}, {right / sure:.2f} right" if sure else "0"
    return [f"{first / len(questions):.3f}", f"{found / len(questions):.3f}", shares, f"{cpu * 1000:.0f} ms"]


def run(cases: Sequence[Path]) -> None:
    rows = []
    for folder in cases:
        [case] = [one for one in load(folder.parent) if one.name == folder.name]
        with tempfile.TemporaryDirectory() as work, open_folder(case.corpus, Path(work)) as vault:
            vault.index.sync()
            for name, stand_in in (("none", None), ("helpful", helpful), ("rambling", rambling)):
                rows.append([folder.parent.name, name, *measure(case, stand_in, vault)])
    print(table(["set", "stand-in", "first right", f"within {SHOWN}", "sure", "CPU a question"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--weight", type=float, default=candidates.WEIGHT)
    options = parser.parse_args()
    candidates.WEIGHT = options.weight
    run(options.cases)


if __name__ == "__main__":
    main()
