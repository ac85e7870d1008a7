"""What the pages say of vaults that nobody of the project wrote, as each row was judged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from trust_checks.table import Options, Row, read_table

GOAL = ">= 0.8"


def measure(options: Options) -> Iterator[Row]:
    """Of the rows as they were judged."""
    kept: dict[str, list[bool]] = defaultdict(list)
    for row in read_table("pages.tsv"):
        kept[row["kind"]].append(row["verdict"] == "keep")
    for kind, verdicts in kept.items():
        yield Row(f"pages: {kind} that a reader would keep", sum(verdicts), len(verdicts), GOAL)
