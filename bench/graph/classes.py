"""Classes of questions of our own, in nine languages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hearth.recall.routing import classify
from machine import table

GOAL = 0.93
HERE = Path(__file__).parent


def measure_classes() -> str:
    """The share of questions that get their class; ``classes_unseen.tsv`` was written after the rules."""
    asked, right = Counter[str](), Counter[str]()
    for file in ("classes.tsv", "classes_unseen.tsv"):
        for line in (HERE / file).read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                wanted, _, question = line.split("\t")
                for kind in (wanted, "all"):
                    asked[kind] += 1
                    right[kind] += classify(question).asked == wanted
    rows = [
        [kind, str(asked[kind]), f"{right[kind] / asked[kind]:.3f}", _tell_goal(kind, right, asked)] for kind in asked
    ]
    return table(["questions of our own", "questions", "right", "goal"], rows)


def _tell_goal(kind: str, right: Counter[str], asked: Counter[str]) -> str:
    return f">= {GOAL} {'✓' if right[kind] / asked[kind] >= GOAL else '✗'}" if kind == "all" else ""
