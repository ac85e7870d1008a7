"""Whether what a person asks to have remembered is kept, whole and without the words that asked; and whether the same
words keep nothing where they ask for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from trust_checks.table import Options, Row, groups, read_table, spread
from trust_checks.text import holds
from trust_checks.transcripts import Turn
from trust_checks.vault import Memory, Vault

_EACH = 30


def measure(options: Options) -> Iterator[Row]:
    rows = spread("remember", read_table("remember.tsv"), options.most)
    found: dict[int, list[Memory]] = {}
    # A reminder of months ago has lapsed.
    today = f"{datetime.now(UTC):%Y-%m-%d}T10:00:00"
    for group in groups(list(enumerate(rows)), _EACH):
        with Vault() as vault:
            asked = {vault.tell(str(at), [Turn(row["prompt"])], project=f"p{at}", date=today): at for at, row in group}
            vault.capture()
            for memory in vault.memories():
                if memory.session in asked:
                    found.setdefault(asked[memory.session], []).append(memory)
    yield from _rows(rows, found)


def _rows(rows: list[dict[str, str]], found: dict[int, list[Memory]]) -> Iterator[Row]:
    asked = [at for at, row in enumerate(rows) if row["kind"] == "keep"]
    reminders = [at for at, row in enumerate(rows) if row["kind"] == "reminder"]
    traps = [at for at, row in enumerate(rows) if row["kind"] == "trap"]

    def names(places: list[int]) -> tuple[str, ...]:
        return tuple(rows[at]["prompt"] for at in places)

    lost = [at for at in asked if not _kept(rows[at], found.get(at, []))]
    with_cue = [at for at in asked if at not in lost and not _is_clean(rows[at], found[at])]
    yield Row("remember: asked, and kept whole", len(asked) - len(lost), len(asked), ">= 1", names(lost))
    yield Row("remember: kept with the words that asked", len(with_cue), len(asked), "<= 0", names(with_cue))
    late = [at for at in reminders if not _kept(rows[at], found.get(at, []))]
    yield Row("remember: reminders kept", len(reminders) - len(late), len(reminders), ">= 1", names(late))
    caught = [at for at in traps if found.get(at)]
    yield Row("remember: kept although nothing was asked", len(caught), len(traps), "<= 0", names(caught))


def _kept(row: dict[str, str], memories: list[Memory]) -> list[Memory]:
    return [one for one in memories if holds(one.said, row["kept"].split(";"))]


def _is_clean(row: dict[str, str], memories: list[Memory]) -> bool:
    return any(not any(holds(one.said, [cue]) for cue in row["cue"].split(";")) for one in _kept(row, memories))
