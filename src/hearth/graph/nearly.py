"""Names that differ by a slip of the hand: which pairs, and how many edits allow it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from hearth.lazy import regex

_ONE_FROM, _TWO_FROM = 6, 10
# Of a longer key two deletions leave too many.
_LONGEST = 32
_DIGITS = regex(r"\d+")


def find_nearly(keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of keys (of ``resolve.key_of``) that one edit makes equal, of 6 letters and more, or two, of 10 and more;
    never by a digit. In the order given. By deleting from both, as in symmetric deletion (Garbe 2012)."""
    places = {key: at for at, key in enumerate(keys) if _ONE_FROM <= len(key) <= _LONGEST}
    shared: defaultdict[str, list[str]] = defaultdict(list)
    for key in places:
        for rest in _delete(key, _allow(key)):
            shared[rest].append(key)
    seen = {
        (one, other) if places[one] < places[other] else (other, one)
        for group in shared.values()
        for one, other in combinations(group, 2)
    }
    yield from (pair for pair in sorted(seen, key=lambda pair: (places[pair[0]], places[pair[1]])) if is_nearly(*pair))


def is_nearly(one: str, other: str) -> bool:
    """Whether so few edits make two keys equal."""
    most = min(_allow(one), _allow(other))
    long = min(len(one), len(other)) >= _ONE_FROM
    return long and _DIGITS.findall(one) == _DIGITS.findall(other) and count_edits(one, other, most) <= most


def count_edits(one: str, other: str, most: int) -> int:
    """Letters inserted, deleted, replaced or swapped with the next one (optimal string alignment), as far as ``most``;
    ``most`` + 1 for more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    above: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, above, row = above, row, [at]
        for to, its in enumerate(other, 1):
            cost = min(above[to] + 1, row[to - 1] + 1, above[to - 1] + (letter != its))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == its:
                cost = min(cost, before[to - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _allow(key: str) -> int:
    return 2 if len(key) >= _TWO_FROM else 1


def _delete(key: str, most: int) -> set[str]:
    found = {key}
    level = {key}
    for _ in range(most):
        level = {one[:at] + one[at + 1 :] for one in level for at in range(len(one))}
        found |= level
    return found
