"""What differs between two statements: whose it is, which value lies in which, which exclude each other."""

from __future__ import annotations

from hearth.extract.truth.statement import Claimed, Parsed
from hearth.extract.truth.tables import UNSPACED, Key, nouns, regions, words
from hearth.extract.truth.tokens import Keys
from hearth.lazy import regex

# Values that say when something is so.
WHEN = frozenset({"day", "time", "month", "date"})
# And which of them may be a condition: "on Mondays".
OCCASION = frozenset({"day", "time"})
DATES = frozenset({"date", "month"})
# Attributes whose values are figures or dates; whose values may be any words; whose values are names.
_MEASURED = frozenset({"deadline", "date", "price", "budget", "version", "port", "contact"})
_OPEN = frozenset({"status", "favourite", "name"})
_NAMED = frozenset({"address", "employer", "person"})
_WORD = regex(r"\w+")


def denies(cue: str, language: str) -> bool:
    listed = words("not", language)
    return (
        any(one in cue for one in listed) if language in UNSPACED else bool(listed & set(_WORD.findall(cue.casefold())))
    )


def missing_words(keys: Keys, one: Parsed) -> Keys:
    """Words of the older one that the newer one lacks, but for what its value is of: Vim is an editor."""
    table, verbs = nouns(one.language), words("verb", one.language)
    if one.language in UNSPACED:
        verbs |= frozenset("".join(table))
    return frozenset(key for key in keys if key[0] or (key[1] not in table and key[1] not in verbs))


def leads(less: Keys, one: Parsed) -> bool:
    """Whether what the newer one lacks stands first in the older one: who or what it is about."""
    order = list(one.quotes)
    shared = min((at for at, key in enumerate(order) if key not in less), default=0)
    return any(order.index(key) < shared for key in less)


def claimed(one: Parsed, other: Parsed) -> list[tuple[Claimed, Claimed]]:
    return [(first, second) for first in one.claims for second in other.claims if first.attribute == second.attribute]


def timeless(keys: Keys) -> Keys:
    return frozenset(key for key in keys if key[0] not in WHEN)


def contains(first: Claimed, second: Claimed) -> bool:
    """Whether one value lies in the other: a city in its country, a day in its month."""
    wide = [claim.quote.casefold().strip(" .,") in regions() for claim in (first, second)]
    if wide[0] != wide[1]:
        return True
    before, after = first.value - second.value, second.value - first.value
    return len(before) == len(after) == 1 and narrows(*before, *after)


def narrows(before: Key, after: Key) -> bool:
    """Whether two values agree as far as both go."""
    if {before[0], after[0]} <= DATES:
        parts = zip(_parts(before), _parts(after), strict=True)
        return all(one == other or not one.strip("0") or not other.strip("0") for one, other in parts)
    if before[0] != after[0] or before[0] not in ("number", "version"):
        return False
    shorter, longer = sorted((before[1], after[1]), key=len)
    return longer.startswith(shorter + ".")


def _parts(key: Key) -> list[str]:
    return ["", key[1], ""] if key[0] == "month" else key[1].split("-")


def excludes(first: Claimed, second: Claimed, other: Parsed) -> bool:
    """Whether the two values are of a kind of which one thing has one."""
    kinds = [{kind for kind, _ in claim.value if kind} for claim in (first, second)]
    if first.attribute in _MEASURED or kinds[0] or kinds[1]:
        return bool(kinds[0] & kinds[1])
    if first.attribute in _OPEN or is_change(other) or "fix" in other.flags:
        return True
    return first.attribute in _NAMED and all(claim.quote[:1].isupper() for claim in (first, second))


def is_change(statement: Parsed) -> bool:
    return bool(statement.flags & {"now", "change"})
