"""A language model as the editor of a night: fewer words for a statement are kept where they are its own words and
leave nothing out that changes what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from hearth.extract import prompts
from hearth.extract.model.dialogue import fence_of
from hearth.extract.model.schema import EditReply
from hearth.language.prose import Sources
from hearth.lazy import dataclass, regex
from hearth.ports import Llm
from hearth.text.similarity import protected
from hearth.text.stopwords import is_stop_word
from hearth.text.terms import terms

LEAST_CHARS = 60
"""What is no longer is short already."""
_KEPT_CHARS, _KEPT = 8, 0.5
"""At least; the share of the words with a meaning of their own."""
_NAME_WORDS, _NAME_CHARS = 4, 40
# What a statement holds under, how surely, and for how much: none of it may be dropped or come in.
_LIMIT_WORDS = """
if unless except only until till when whenever while before after without instead but although though because
may might could should must can would cannot always usually often sometimes rarely about almost nearly roughly
all any every each some most least
wenn falls nur außer bis während bevor nachdem aber obwohl weil ohne statt kann könnte soll sollte muss darf immer
manchmal oft meist etwa fast alle jeder jede jedes einige
si salvo solo excepto hasta cuando mientras antes después pero aunque porque sin puede podría debe siempre nunca
algunos todos cada casi sauf seulement jusque quand pendant avant après mais parce peut pourrait doit toujours
parfois tous chaque presque se senão apenas até quando enquanto antes depois mas embora pode deve sempre às todos
"""
_LIMITS = frozenset(_LIMIT_WORDS.split())
_WORD = regex(r"[^\W_]+(?:['’-][^\W_]+)*")
_MARKUP = regex(r"[\n\r`|<>#]|\A\s*[-*+>]\s|\]\(")


@dataclass(frozen=True, slots=True)
class EditedNight:
    """By place in what was given: shorter statements, and names of groups."""

    statements: Mapping[int, str]
    themes: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class NightEditor:
    """``clean`` takes secrets and whatever acts as a delimiter out of a text; ``suspicious`` tells texts that give
    orders."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]

    def edit(self, statements: Sequence[str], themes: Sequence[Sequence[str]]) -> EditedNight:
        """Nothing is asked where there is nothing to shorten or to name. Raises ``Unavailable`` where the model is not
        to be had, and ``BadReply`` for an answer of another form; what does not hold is left out."""
        long = [number for number, text in enumerate(statements) if len(text) > LEAST_CHARS]
        groups = [[text for text in group if not self.suspicious(text)] for group in themes]
        if not long and not any(groups):
            return EditedNight({}, {})
        rows = [f"statement {number + 1}: {statements[number]}" for number in long]
        rows += [f"group {number + 1}: {' / '.join(group)}" for number, group in enumerate(groups) if group]
        shown = self.clean("\n".join(rows))
        asked = prompts.load("brevity").filled({"session": shown, "fence": fence_of(shown)})
        reply = self.llm.complete(asked, EditReply)
        told = _numbered(((one.n, one.text) for one in reply.statements), len(statements))
        named = _numbered(((one.n, one.name) for one in reply.themes), len(groups))
        return EditedNight(
            {n: text for n, text in told.items() if self._holds(statements[n], text)},
            {n: name for n, name in named.items() if self._names(groups[n], name)},
        )

    def _holds(self, source: str, text: str) -> bool:
        """Whether the shorter text says nothing but what the source says, and all that matters of it."""
        if not _KEPT_CHARS <= len(text) < len(source) or text.endswith("?") or _MARKUP.search(text):
            return False
        if Sources([source]).find_fault(text, 1.0) is not None:
            return False
        if protected(text) != protected(source) or _limits(text) != _limits(source):
            return False
        said, there = _content(text), _content(source)
        return len(said) >= _KEPT * len(there) and self.clean(text) == text and not self.suspicious(text)

    def _names(self, group: Sequence[str], name: str) -> bool:
        words = _WORD.findall(name)
        if not 1 <= len(words) <= _NAME_WORDS or len(name) > _NAME_CHARS or _MARKUP.search(name):
            return False
        said, there = _content(name), _content(" ".join(group))
        return bool(said) and said <= there and self.clean(name) == name and not self.suspicious(name)


def _numbered(rows: Iterator[tuple[int, str]], count: int) -> dict[int, str]:
    """From 0; numbers of nothing are left out."""
    return {n - 1: " ".join(text.split()) for n, text in rows if 1 <= n <= count and text.strip()}


def _limits(text: str) -> Counter[str]:
    return Counter(word for word in map(str.lower, _WORD.findall(text)) if word in _LIMITS)


def _content(text: str) -> set[str]:
    return {term for term in terms(text, "en") if not is_stop_word(term, ("en",)) and term[0] != "="}
