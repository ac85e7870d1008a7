"""The evidence check of prose: whether sentences that join several sources say nothing but what stands in these."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hearth.language.clauses import Clause, Token, find_disguised, languages_of, read_clauses
from hearth.text.common_words import background_share

_SAMPLE_CHARS = 4_000
_DENIALS = ("negation", "aversion")
_MOSTLY = 0.75
_RARE = 0.0008


class Sources:
    """What prose may rest on, read once for each pair of languages."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = "\n".join(texts)
        self._read: dict[tuple[str, ...], tuple[list[Clause], dict[str, Token]]] = {}

    def find_fault(self, text: str, share: float) -> str | None:
        """What of the text the sources don't bear, ``None`` where they bear it all.

        Names, numbers and persons must stand in them, those of one clause in the order of a clause of theirs; what is
        denied or granted must be so there; and that share of all words must occur.
        """
        if strange := [word for word in find_disguised(text) if word not in self._text]:
            return f"it writes {strange[0][:40]} with letters that look like others"
        languages = languages_of(text, self._text[:_SAMPLE_CHARS])
        said, known = self._clauses(languages)
        clauses = read_clauses(text, languages)
        told = [token for clause in clauses for token in clause.content]
        missing = [token for token in told if not _has(token, known)]
        invented = next((token for token in missing if _must_stand(token)), None)
        if invented is not None:
            kind = invented.kind if invented.kind in ("number", "name") else "word"
            return f"the {kind} {invented.text[:40]} does not stand in what it rests on"
        if not told or len(missing) > (1 - share) * len(told):
            return "it says what its source does not say"
        return next((fault for clause in clauses if (fault := _find_turned(clause, said)) is not None), None)

    def _clauses(self, languages: tuple[str, ...]) -> tuple[list[Clause], dict[str, Token]]:
        if languages not in self._read:
            said = read_clauses(self._text, languages)
            self._read[languages] = said, {token.key: token for clause in said for token in clause.content}
        return self._read[languages]


def _must_stand(token: Token) -> bool:
    if token.kind == "word" and token.text[:1].isupper():
        return background_share(token.key) < _RARE  # a name that opens a sentence
    return token.kind in ("name", "number", "person") or token.is_time


def _has(token: Token, known: dict[str, Token]) -> bool:
    if token.key in known:
        return True
    return token.kind == "word" and any(token.is_inflection_of(other) for other in known.values())


def _find_turned(clause: Clause, said: Sequence[Clause]) -> str | None:
    """What the clause turns round of those that hold most of its words."""
    content = clause.content
    keys = {token.key for token in content}
    if not keys:
        return None
    shared = [len(keys & {token.key for token in one.content}) for one in said]
    most = max(shared, default=0)
    if most >= max(1, _MOSTLY * len(keys)):
        best = [one for one, count in zip(said, shared, strict=True) if count == most]
        if all(bool(clause.count(*_DENIALS)) != bool(one.count(*_DENIALS)) for one in best):
            return "it denies what it rests on, or the other way round"
    names = [token for token in content if token.kind == "name"]
    for first, second in pairwise(names):
        orders = [_is_in_order(first, second, one) for one in said]
        if False in orders and True not in orders:
            return f"it turns round {first.text[:30]} and {second.text[:30]}"
    return None


def _is_in_order(first: Token, second: Token, clause: Clause) -> bool | None:
    """``None`` where the clause lacks one of them."""
    places = [[at for at, one in enumerate(clause.content) if one.key == token.key] for token in (first, second)]
    if first.key == second.key or not all(places):
        return None
    return min(places[0]) < max(places[1])
