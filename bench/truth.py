"""How well rules tell what replaces what: the tables of docs/truth.md.

    python bench/truth.py                     pairs of statements: precision and recall of supersession, by half
    python bench/truth.py --misses            and each pair that came out otherwise than it should
    python bench/truth.py --pairs FILE        another file of pairs

A pair of ``bench/pairs.tsv`` is of the half that the parity of its checksum says: rules are made by looking at ``dev``
alone. Supersession is right where the older statement gives way by itself and the pair says that it does.
"""

from __future__ import annotations

import argparse
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hearth.extract.truth.judge import Embed, judge
from hearth.model.truth.judgement import Judgement, Relation, Said
from hearth.models.static import StaticEmbedder

PAIRS = Path(__file__).parent / "pairs.tsv"
CLASHES = (Relation.UPDATE, Relation.CONTRADICTION)


@dataclass(frozen=True, slots=True)
class Pair:
    language: str
    relation: Relation
    trap: str
    older: str
    newer: str

    @property
    def half(self) -> str:
        return "held" if zlib.crc32(f"{self.older}\t{self.newer}".encode()) % 2 else "dev"

    @property
    def replaces(self) -> bool:
        return self.relation in CLASHES


def read_pairs(path: Path) -> Iterator[Pair]:
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            language, relation, trap, older, newer = line.split("\t")
            yield Pair(language, Relation(relation), trap, older, newer)


def embedding() -> Embed:
    embedder = StaticEmbedder()
    return lambda texts: embedder.embed(texts, "document")


def count(judged: Sequence[tuple[Pair, Judgement]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for pair, verdict in judged:
        found["pairs"] += 1
        found["wanted"] += pair.replaces
        found["told"] += verdict.replaces
        found["right"] += pair.replaces and verdict.replaces
        found["asked"] += verdict.doubtful
        found["relation"] += pair.relation == verdict.relation
    return found


def row(name: str, found: Counter[str]) -> str:
    precision = found["right"] / found["told"] if found["told"] else 1.0
    recall = found["right"] / found["wanted"] if found["wanted"] else 1.0
    return (
        f"{name:24} {found['pairs']:5} pairs   precision {precision:.3f} ({found['right']} of {found['told']})   "
        f"recall {recall:.3f} ({found['right']} of {found['wanted']})   asked {found['asked']}   "
        f"relation right {found['relation'] / found['pairs']:.2f}"
    )


def print_pairs(path: Path, embed: Embed, *, misses: bool) -> None:
    judged = [(pair, judge(Said(pair.older), Said(pair.newer), embed)) for pair in read_pairs(path)]
    groups = {"all": judged}
    for half in ("dev", "held"):
        groups[half] = [item for item in judged if item[0].half == half]
    groups["traps"] = [item for item in judged if item[0].trap]
    for language in dict.fromkeys(pair.language for pair, _ in judged):
        groups[language] = [item for item in judged if item[0].language == language]
    for name, items in groups.items():
        if items:
            print(row(name, count(items)))
    for pair, verdict in judged if misses else ():
        wrong = verdict.replaces != pair.replaces
        if pair.half == "dev" and (wrong or verdict.relation != pair.relation):
            mark = "FALSE" if verdict.replaces and wrong else "missed" if wrong else "other"
            print(f"{mark:6} {pair.language} {pair.relation} {pair.trap or '-'}: {pair.older} | {pair.newer}")
            print(f"         {verdict.relation} {verdict.confidence}: {verdict.reason}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    print_pairs(options.pairs, embedding(), misses=options.misses)


if __name__ == "__main__":
    main()
