"""Causes read from sentences of our own, in nine languages, against what they say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hearth.language.causes import CauseMention, find_causes, settle
from hearth.text.names import bare, name_key
from machine import table

# Precision, and the share of the causes that are found.
GOALS = (0.95, 0.70)
HERE = Path(__file__).parent
Cause = tuple[str, str]


def measure_causes() -> str:
    """What was written before the rules was looked at while they were; what is ``unseen``, after them."""
    rows = []
    for file in ("causes.tsv", "causes_unseen.tsv", "causes_chat.tsv", "causes_chat_unseen.tsv"):
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for language, wanted, found in read_sentences(HERE / file):
            for kind in (language, "all"):
                one = counts[kind]
                for at, value in enumerate((1, len(wanted & found), len(found), len(wanted))):
                    one[at] += value
        rows += [_row(f"{file.removesuffix('.tsv')} {kind}", *counts[kind]) for kind in sorted(counts)]
    return table(["sentences of our own", "sentences", "precise", "found", "goal"], rows)


def read_sentences(path: Path) -> Iterable[tuple[str, set[Cause], set[Cause]]]:
    """Language, the causes that a sentence states, and those that are read in it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    known = {name_key(name): name for name in _list_names(lines)}
    for line in lines:
        if line and not line.startswith("#"):
            language, gold, sentence = line.split("\t")
            wanted = set() if gold == "-" else {tuple(gold.split(">"))}
            yield language, wanted, set(read(sentence, known))  # type: ignore[misc]


def _list_names(lines: list[str]) -> Iterable[str]:
    head = " ".join(line.strip("# ") for line in lines if line.startswith("#"))
    return (name.strip() for name in head.partition(":")[2].partition(":")[2].split(";"))


def read(sentence: str, known: Mapping[str, str]) -> Iterable[Cause]:
    def find(mentions: Sequence[CauseMention]) -> list[str | None]:
        return [known.get(name_key(bare(one.text).rsplit("/", 1)[-1]) if one.link else one.text) for one in mentions]

    for claim in find_causes(sentence):
        said = settle(claim, find)
        if said is not None:
            pairs = ((cause, effect) for cause in said.causes or ["*"] for effect in said.effects or ["*"])
            yield from (pair for pair in pairs if pair[0] != pair[1])


def _row(name: str, sentences: int, right: int, found: int, wanted: int) -> list[str]:
    precise, share = right / (found or 1), right / (wanted or 1)
    good = precise >= GOALS[0] and share >= GOALS[1]
    return [
        name,
        str(sentences),
        f"{precise:.3f}",
        f"{share:.3f}",
        f">= {GOALS[0]} / {GOALS[1]:.2f} {'✓' if good else '✗'}",
    ]
