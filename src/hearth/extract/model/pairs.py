"""A language model as a judge of statements: it is believed as far as it quotes them, and replaces only what differs in
nothing but the words that it quotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hearth.extract import prompts
from hearth.extract.model.dialogue import fence_of
from hearth.extract.model.schema import PairsReply, ToldPair
from hearth.language.slots import MOST, find_language, read_statement
from hearth.lazy import dataclass
from hearth.model.instants import moment
from hearth.model.truth.judgement import LIKELY, Cited, Judgement, Relation, Said
from hearth.ports import Llm
from hearth.text.similarity import protected

MOST_CLASHES = 2
"""A statement takes the place of so many others at most: a model that says more of it is believed in none of that."""
_ASKED = 0.85
"""What a clash is worth at most of which a person shall be asked."""
_CLASHES = (Relation.UPDATE, Relation.CONTRADICTION)
_REASON_CHARS = 120


@dataclass(frozen=True, slots=True)
class PairJudge:
    """``clean`` takes secrets and whatever acts as a delimiter out of a text; ``suspicious`` tells texts that give
    orders: none of these is shown to the model."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]

    def judge(self, newer: Said, older: Sequence[Said]) -> list[Judgement | None]:
        """How ``newer`` stands to each of the others, ``None`` where the model was not asked or is not believed. Raises
        ``Unavailable`` or ``BadReply``."""
        texts = [self._show(said) for said in (newer, *older)]
        asked = {number: text for number, text in enumerate(texts) if number and text is not None}
        if texts[0] is None or not asked:
            return [None] * len(older)
        said = [newer, *older]
        lines = [f"[new] {_day(newer)}: {texts[0]}", *(f"[{n}] {_day(said[n])}: {text}" for n, text in asked.items())]
        shown = "\n".join(lines)
        prompt = prompts.load("pair")
        reply = self.llm.complete(prompt.filled({"session": shown, "fence": fence_of(shown)}), PairsReply)
        told = {one.number: one for one in reversed(reply.verdicts) if one.number in asked}
        path = f"{self.llm.name} {prompt.label}"
        found = {number: _believe(one, asked[number], texts[0], path) for number, one in told.items()}
        clashes = [number for number, one in found.items() if one is not None and one.relation in _CLASHES]
        for number in clashes if len(clashes) > MOST_CLASHES else ():
            found[number] = None
        return [found.get(number) for number in range(1, len(said))]

    def _show(self, said: Said) -> str | None:
        text = " ".join(self.clean(said.text).split())
        return None if not text or len(text) > MOST or self.suspicious(text) else text


def _day(said: Said) -> str:
    return "undated" if said.at is None else moment(said.at).date().isoformat()


def _believe(told: ToldPair, older: str, newer: str, path: str) -> Judgement | None:
    confidence = min(1.0, max(0.0, told.confidence))
    reason = " ".join(told.reason.split())[:_REASON_CHARS] or "the model gives no reason"
    verdict = Judgement(told.relation, confidence, reason=f"{path.split()[0]} says: {reason}", path=path)
    if told.relation is Relation.UNRELATED or confidence < LIKELY:
        return replace(verdict, relation=Relation.UNRELATED)
    if told.relation is Relation.SAME:
        return verdict if list(protected(older)) == list(protected(newer)) else None
    if told.relation is Relation.REFINES:
        return verdict
    quotes = told.older_quote, told.newer_quote
    if told.current == "both" or not _stands(quotes[0], older) or not _stands(quotes[1], newer):
        return None
    spans = Cited("older", quotes[0]), Cited("newer", quotes[1])
    if told.current == "older" or not _differ_in_quotes(older, newer, quotes):
        confidence = min(confidence, _ASKED)
    return replace(verdict, confidence=confidence, current=told.current, spans=spans)


def _stands(quote: str, text: str) -> bool:
    return bool(quote.strip()) and _plain(quote) in _plain(text)


def _differ_in_quotes(older: str, newer: str, quotes: tuple[str, str]) -> bool:
    """Whether both say the same but for the words quoted, and say something beside them."""
    language = find_language(older, newer)
    one, other = (
        read_statement(_plain(text).replace(_plain(quote), " ", 1), language)
        for text, quote in zip((older, newer), quotes, strict=True)
    )
    return bool(one.content) and one.content == other.content and one.is_negative == other.is_negative


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
