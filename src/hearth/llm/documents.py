"""A language model as a reader of what documents are about, and of questions that rules can't tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from hearth.core.errors import BadReply
from hearth.core.graph import CONTEXT_CHARS, LEAST_KEYWORDS, MOST_KEYWORDS, ClassChoice, NoteLink, NoteSource, ReadNote
from hearth.core.lazy import dataclass, regex
from hearth.core.query import QueryPlan, Rewording
from hearth.language.evidence import Sources, has_span
from hearth.llm import prompts
from hearth.llm.dialogue import fence_of
from hearth.llm.judge import shingles
from hearth.llm.prompts import ClassReply, LinkReply, NoteReply, PlanReply, RewordingReply
from hearth.text.language import is_stop_word
from hearth.text.lines import cut_line

NEIGHBOURS = 8
MOST_TAGS = 5
LEAST_SURE, MOST_SURE = 0.5, 0.9
_MOST_CLASHES = 2
"""A document contradicts so many others at most: a model that says more of it is believed in none of that."""
_CHARS, _NEAR_CHARS = 6_000, 800
_KEYWORD_WORDS, _KEYWORD_CHARS = 4, 60
_LEAST_QUOTE, _SHARE = 8, 0.6
_TAG = regex(r"[^\W_](?:[\w-]|/(?=\w)){1,39}")
_PART = regex(r"[^\W_]+")
_MARKUP = regex(r"<!--|[\n\r]|^\s*(?:#{1,6}\s|[-*+]\s|>|```|\|)")
# Scripts that put nothing between words.
_UNSPACED = regex("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\U000323af]")
_TYPES = {"supports": "supporting", "supported": "supporting"}


@dataclass(frozen=True, slots=True)
class NoteReader(prompts.LlmTask):
    """Says what documents are about."""

    def read(self, document: NoteSource, near: Sequence[NoteSource]) -> ReadNote | None:
        """What the document is about and how it stands to those near it; ``None`` where it gives orders and so is not
        shown. Raises ``Unavailable``, or ``BadReply`` where too little of the answer holds."""
        own = self._show(document, _CHARS)
        if own is None:
            return None
        numbered = {number: (one, self._show(one, _NEAR_CHARS)) for number, one in enumerate(near[:NEIGHBOURS], 1)}
        shown = {number: (one, text) for number, (one, text) in numbered.items() if text is not None}
        session = "\n".join([f"[0] {own}", *(f"[{number}] {text}" for number, (_, text) in shown.items())])
        prompt = prompts.load("note")
        reply = self.llm.complete(prompt.filled({"session": session, "fence": fence_of(session)}), NoteReply)
        prompted = shingles(prompt.text)
        keywords = tuple(_find_names(reply.keywords, f"{document.title}\n{document.text}"))[:MOST_KEYWORDS]
        if len(keywords) < LEAST_KEYWORDS:
            raise BadReply(
                f"{self.llm.name} named {len(keywords)} keywords from the text; at least {LEAST_KEYWORDS} are needed"
            )
        known = {tag for one, _ in shown.values() for tag in one.tags}
        return ReadNote(
            keywords,
            tuple(_tags(reply.tags, document, known))[:MOST_TAGS],
            self._context(reply.context, document, prompted),
            tuple(self._links(reply.links, document, {number: one for number, (one, _) in shown.items()}, prompted)),
            f"{self.llm.name} {prompt.label}",
        )

    def _show(self, one: NoteSource, most: int) -> str | None:
        text = " ".join(self.clean(one.text[:most]).split())
        if not text or self.suspicious(f"{one.title}\n{one.text[:most]}"):
            return None
        tags = f" [{', '.join(one.tags)}]" if one.tags else ""
        return " ".join(self.clean(f"{one.day} {one.title}{tags}: {text}").split())

    def _context(self, context: str, of: NoteSource, prompted: frozenset[tuple[str, ...]]) -> str:
        text = cut_line(" ".join(self.clean(context).split()), CONTEXT_CHARS)
        holds = (
            text
            and not _MARKUP.search(context.strip())
            and Sources([f"{of.day} {of.title}", of.text]).find_fault(text, _SHARE) is None
            and not shingles(text) & prompted
            and not self.suspicious(text)
        )
        return text if holds else ""

    def _links(
        self,
        links: Iterable[LinkReply],
        of: NoteSource,
        near: Mapping[int, NoteSource],
        prompted: frozenset[tuple[str, ...]],
    ) -> Iterator[NoteLink]:
        first = {one.number: one for one in reversed(list(links))}
        believed = [one for one in first.values() if one.number in near and _stands(one, of, near[one.number])]
        clashes = sum(one.relation == "contradicts" for one in believed)
        for one in sorted(believed, key=lambda one: one.number):
            if one.relation == "contradicts" and clashes > _MOST_CLASHES:
                continue
            other = near[one.number]
            ends = (other.docid, of.docid) if one.relation == "supported" else (of.docid, other.docid)
            yield NoteLink(
                other.docid,
                _TYPES.get(one.relation, one.relation),
                *ends,
                round(min(one.confidence, MOST_SURE), 3),
                (one.quote, one.other_quote),
                tuple(_tags(one.tags, other, set()))[:MOST_TAGS],
                self._context(one.context, other, prompted),
            )


def _stands(one: LinkReply, of: NoteSource, other: NoteSource) -> bool:
    """What says more than that both are about the same thing is to be quoted."""
    quoted = all(
        has_span(side.text, quote, _LEAST_QUOTE) for quote, side in ((one.quote, of), (one.other_quote, other))
    )
    return one.confidence >= LEAST_SURE and (one.relation == "semantic" or quoted)


def _find_names(names: Iterable[str], text: str) -> Iterator[str]:
    """Each once, as the text spells it; of none that is part of another."""
    seen: list[str] = []
    for phrase in names:
        words = phrase.split()
        if not 0 < len(words) <= _KEYWORD_WORDS or len(phrase) > _KEYWORD_CHARS or not any(map(str.isalpha, phrase)):
            continue
        if all(is_stop_word(word.casefold(), ("en", "es", "de", "fr")) for word in words):
            continue
        before, after = (
            r"" if _UNSPACED.match(end) else edge
            for end, edge in zip((phrase[0], phrase[-1]), (r"(?<!\w)", r"(?!\w)"), strict=True)
        )
        found = re.search(before + r"\s+".join(map(re.escape, words)) + after, text, re.IGNORECASE)
        spelled = " ".join(found[0].split()) if found else ""
        if spelled and not any(spelled.casefold() in one or one in spelled.casefold() for one in seen):
            seen.append(spelled.casefold())
            yield spelled


def _tags(tags: Iterable[str], of: NoteSource, known: Iterable[str]) -> Iterator[str]:
    """Each once: a tag that is in use, or words of the text."""
    used = {*of.tags, *known}
    there = {word.casefold() for word in _PART.findall(f"{of.title}\n{of.text}")}
    for tag in dict.fromkeys(one.strip().lstrip("#").lower().replace(" ", "-") for one in tags):
        if _TAG.fullmatch(tag) and (tag in used or set(_PART.findall(tag)) <= there):
            yield tag


T = TypeVar("T", bound=BaseModel)

MOST_CLAUSES = 4
_QUESTIONS_CHARS, _QUESTIONS_SHARE = 2_000, 0.6
_MOST_WORDS, _MOST_MEANINGS = 3, 2
_WORDING_CHARS, _PASSAGE_CHARS = 160, 400


@dataclass(frozen=True, slots=True)
class QuestionReader(prompts.LlmTask):
    """Says what questions ask for. What the model says of no question, it says nothing of."""

    def classify(self, question: str) -> ClassChoice | None:
        """What a question asks for. Raises ``Unavailable`` or ``BadReply``."""
        asked = self._ask("question", self._show(question), ClassReply)
        return None if asked is None else ClassChoice(asked[0].asks, asked[1])

    def plan(self, question: str) -> QueryPlan | None:
        """How to answer a question. Raises as ``classify``."""
        asked = self._ask("plan", self._show(question), PlanReply)
        if asked is None:
            return None
        reply, why = asked
        if reply.kind != "parts":
            return QueryPlan(reply.kind, why)
        clauses = tuple(dict.fromkeys(" ".join(self.clean(clause).split()) for clause in reply.clauses))
        return QueryPlan("parts", why, clauses) if self._stand(clauses, question) else None

    def reword(self, question: str, intent: str = "") -> Rewording | None:
        """Other ways to look a question up; ``intent`` is what its answer is wanted for. Raises as ``classify``."""
        shown, hint = self._show(question), self._show(intent)
        asked = self._ask("expand", shown and f"{shown}\nWanted for: {hint or 'not said'}", RewordingReply)
        if asked is None:
            return None
        reply = asked[0]
        words, meanings = self._keep(reply.words, question), self._keep(reply.meanings, question)
        passage = self._keep([reply.passage], question, _PASSAGE_CHARS)
        found = Rewording(words[:_MOST_WORDS], meanings[:_MOST_MEANINGS], passage[0] if passage else "")
        return found if words or meanings or passage else None

    def _keep(self, texts: Iterable[str], question: str, most: int = _WORDING_CHARS) -> tuple[str, ...]:
        """Each once; none that is too long, repeats the question or the prompt, or gives orders."""
        prompted = shingles(prompts.load("expand").text)
        plain = (" ".join(self.clean(text).split()) for text in texts if len(text) <= most)
        kept = (text for text in plain if text and text.casefold() != question.strip().casefold())
        return tuple(dict.fromkeys(one for one in kept if not shingles(one) & prompted and not self.suspicious(one)))

    def _show(self, text: str) -> str:
        """What the model is shown of a text: nothing of one that gives orders."""
        shown = " ".join(self.clean(text).split())[:_QUESTIONS_CHARS]
        return "" if self.suspicious(shown) else shown

    def _ask(self, name: str, shown: str, schema: type[T]) -> tuple[T, str] | None:
        """The reply, and who gave it to which prompt."""
        if not shown:
            return None
        prompt = prompts.load(name)
        asked = prompt.filled({"question": shown, "fence": fence_of(shown)})
        return self.llm.complete(asked, schema), f"{self.llm.name} {prompt.label}"

    def _stand(self, clauses: tuple[str, ...], question: str) -> bool:
        """Whether each says no more than the question, and all of them together as much."""
        asked = Sources([question])
        return (
            2 <= len(clauses) <= MOST_CLAUSES
            and all(len(clause) <= len(question) for clause in clauses)
            and all(asked.find_fault(clause, _QUESTIONS_SHARE) is None for clause in clauses)
            and Sources(clauses).find_fault(question, _QUESTIONS_SHARE) is None
            and not any(map(self.suspicious, clauses))
        )
