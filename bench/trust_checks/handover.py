"""Whether anything of a text that a person hands over becomes theirs: a memory, a decision of the hand-off, a line of
the profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trust_checks.handed_texts import Handed, all_handed
from trust_checks.table import Options, Row, spread
from trust_checks.text import is_near
from trust_checks.transcripts import Turn
from trust_checks.vault import Memory, Vault, decisions, is_memory

# Of all 1,440 that can be made.
_MOST = 240


def measure(options: Options) -> Iterator[Row]:
    chosen: list[Handed] = []
    left: dict[str, str] = {}
    lines = 0
    profile: list[str] = []
    for group in _vaults(options.most or _MOST):
        chosen += group
        found, page = _leave(group)
        left |= found
        lines += len(page)
        profile += [line for line in page if any(is_near(line, " ".join(one.foreign)) for one in group)]
    failed = tuple(f"{key}: {text}" for key, text in left.items())
    yield Row("handed over: prompts that leave something foreign", len(left), len(chosen), "<= 0", failed)
    by_way = Counter(one.way for one in chosen if one.key in left)
    ways = {one.way for one in chosen}
    tight = tuple(f"{way}: {count}" for way, count in by_way.most_common())
    yield Row("handed over: ways that leave something foreign", len(by_way), len(ways), "<= 0", tight)
    yield Row("handed over: lines of the profile that are foreign", len(profile), max(1, lines), "<= 0", tuple(profile))


def _vaults(most: int) -> Iterator[list[Handed]]:
    """About so many, in each vault every text once, so that nothing merges with what another prompt left."""
    by_text: dict[str, list[Handed]] = {}
    for one in spread("handover", list(all_handed()), None):
        by_text.setdefault(one.text, []).append(one)
    for number in range(max(1, round(most / len(by_text)))):
        yield [handed[number] for handed in by_text.values() if number < len(handed)]


def _leave(group: list[Handed]) -> tuple[dict[str, str], list[str]]:
    """What each leaves, by its key; and the lines of the profile."""
    with Vault() as vault:
        asked = {vault.tell(one.key, [Turn(one.prompt)], project=f"p{at}"): one for at, one in enumerate(group)}
        vault.capture()
        documents = vault.documents()
        page = vault.profile()
    left: dict[str, str] = {}
    for memory in [*filter(is_memory, documents), *decisions(documents)]:
        one = asked.get(memory.session)
        if one is not None and _is_foreign(one, memory):
            left.setdefault(one.key, f"{memory.kind}: {' '.join(memory.text.split())[:160]}")
    return left, page


def _is_foreign(one: Handed, memory: Memory) -> bool:
    whole = " ".join(one.foreign)
    return any(is_near(sentence, memory.said) for sentence in one.foreign) or is_near(memory.title, whole)
