"""A language model as a writer of cited sentences: each is kept where it rests on the statements that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hearth.extract import prompts
from hearth.extract.model.dialogue import fence_of
from hearth.extract.model.judge import shingles
from hearth.extract.model.schema import CitedReply
from hearth.extract.pages.page import PageStatement
from hearth.language.prose import Sources
from hearth.lazy import dataclass, regex
from hearth.ports import Llm

MOST = 4
_WORDS, _CHARS, _SOURCES = 60, 400, 6
_SHARE = 0.6
"""The share of its words that the statements which it names must hold."""
_MARKUP = regex(r"<!--|[\n\r]|\^h-|^\s*(?:#{1,6}\s|[-*+]\s|>|```|\|)")


@dataclass(frozen=True, slots=True)
class CitedWriter:
    """``clean`` takes secrets and whatever acts as a delimiter out of a text; ``suspicious`` tells texts that give
    orders."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]

    def tell(self, name: str, statements: Sequence[PageStatement], least_sources: int = 1) -> list[PageStatement]:
        """At most four sentences about the statements, asked for with the prompt of that name; those that don't rest on
        what they name are dropped. Raises ``Unavailable`` where the model is not to be had, ``BadReply`` where its
        answer can't be read."""
        rows = (f"[{number}] {one.date}: {' '.join(one.text.split())}" for number, one in enumerate(statements, 1))
        shown = self.clean("\n".join(rows))
        prompt = prompts.load(name)
        asked = prompt.filled({"session": shown, "fence": fence_of(shown)})
        reply = self.llm.complete(asked, CitedReply)
        prompted = shingles(prompt.text)
        return list(self._kept(reply, statements, prompted, least_sources))[:MOST]

    def _kept(
        self,
        reply: CitedReply,
        statements: Sequence[PageStatement],
        prompted: frozenset[tuple[str, ...]],
        least_sources: int,
    ) -> Iterator[PageStatement]:
        for one in reply.sentences:
            numbers = dict.fromkeys(one.sources)
            text = " ".join(self.clean(one.text).split())
            if not all(0 < number <= len(statements) for number in numbers) or _MARKUP.search(one.text.strip()):
                continue
            named = [statements[number - 1] for number in numbers]
            sources = tuple(dict.fromkeys(docid for statement in named for docid in statement.sources))[:_SOURCES]
            if len(named) < max(1, least_sources) or not 0 < len(text) <= _CHARS or len(text.split()) > _WORDS:
                continue
            if (
                Sources([f"{one.date} {one.text}" for one in named]).find_fault(text, _SHARE) is None
                and not shingles(text) & prompted
                and not self.suspicious(text)
            ):
                yield PageStatement(text, sources, max(statement.date for statement in named))
