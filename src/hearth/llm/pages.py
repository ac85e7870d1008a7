"""A language model as a writer of cited sentences and of a night's diary, and as its editor. It sums up a session
part by part; lines without support in what was said are dropped."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from hearth.core.errors import BadReply, Unavailable
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Turn
from hearth.language.evidence import Sources
from hearth.llm import prompts
from hearth.llm.dialogue import dialogue, fence_of
from hearth.llm.judge import shingles
from hearth.llm.prompts import CitedReply, CompactionReply, EditReply, NightReply, TitleReply
from hearth.markdown.owned_lines import PageStatement
from hearth.ports import Llm
from hearth.text.language import is_stop_word
from hearth.text.lines import cut_line, estimate_tokens
from hearth.text.similarity import protected
from hearth.text.terms import terms

MOST = 4
_WORDS, _CHARS, _SOURCES = 60, 400, 6
_SHARE = 0.6
"""The share of its words that the statements which it names must hold."""
_MARKUP = regex(r"<!--|[\n\r]|\^h-|^\s*(?:#{1,6}\s|[-*+]\s|>|```|\|)")


@dataclass(frozen=True, slots=True)
class CitedWriter(prompts.LlmTask):
    """Writes sentences that name the statements they rest on."""

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
        return list(self._keep_supported(reply, statements, prompted, least_sources))[:MOST]

    def _keep_supported(
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


LEAST_WORDS, MOST_WORDS = 80, 180
_NIGHT_SHARE = 0.4
"""The share of its words that the account must hold: prose joins what a list only names."""
_CHARS_PER_WORD = 2
"""Of scripts without spaces."""
_WORD = regex(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NIGHT_MARKUP = regex(r"<!--|^\s*(?:#{1,6}\s|[-*+]\s|>|```|\|)", re.MULTILINE)


def _count(text: str) -> int:
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + unspaced // _CHARS_PER_WORD


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
_EDITOR_MARKUP = regex(r"[\n\r`|<>#]|\A\s*[-*+>]\s|\]\(")


@dataclass(frozen=True, slots=True)
class EditedNight:
    """By place in what was given: shorter statements, and names of groups."""

    statements: Mapping[int, str]
    themes: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class NightEditor(prompts.LlmTask):
    """Shortens statements, names themes and tells of a night."""

    def tell(self, account: str) -> str:
        """80 to 180 words about a night, one paragraph. Raises ``Unavailable`` where the model is not to be had, and
        ``BadReply`` for words that don't rest on the ``account``."""
        shown = self.clean(account)
        prompt = prompts.load("night")
        asked = prompt.filled({"session": shown, "fence": fence_of(shown)})
        diary = self.llm.complete(asked, NightReply).diary
        fault = self._fault(diary, shown, prompt.text)
        if fault is not None:
            raise BadReply(f"{self.llm.name} wrote no usable diary: {fault}")
        return " ".join(self.clean(diary).split())

    def _fault(self, diary: str, shown: str, prompt: str) -> str | None:
        count = _count(diary)
        if not LEAST_WORDS <= count <= MOST_WORDS:
            return f"it has {count} words instead of {LEAST_WORDS} to {MOST_WORDS}"
        if _NIGHT_MARKUP.search(diary):
            return "it is not plain prose"
        if (fault := Sources([shown]).find_fault(diary, _NIGHT_SHARE)) is not None:
            return fault
        if shingles(diary) & shingles(prompt):
            return "it repeats the prompt"
        return "it gives orders to its reader" if self.suspicious(diary) else None

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
        statements_by_number = _numbered(((one.n, one.text) for one in reply.statements), len(statements))
        named = _numbered(((one.n, one.name) for one in reply.themes), len(groups))
        return EditedNight(
            {n: text for n, text in statements_by_number.items() if self._holds(statements[n], text)},
            {n: name for n, name in named.items() if self._names(groups[n], name)},
        )

    def _holds(self, source: str, text: str) -> bool:
        """Whether the shorter text says nothing but what the source says, and all that matters of it."""
        if not _KEPT_CHARS <= len(text) < len(source) or text.endswith("?") or _EDITOR_MARKUP.search(text):
            return False
        if Sources([source]).find_fault(text, 1.0) is not None:
            return False
        if protected(text) != protected(source) or _limits(text) != _limits(source):
            return False
        content, there = _content(text), _content(source)
        return len(content) >= _KEPT * len(there) and self.clean(text) == text and not self.suspicious(text)

    def _names(self, group: Sequence[str], name: str) -> bool:
        words = _WORD.findall(name)
        if not 1 <= len(words) <= _NAME_WORDS or len(name) > _NAME_CHARS or _EDITOR_MARKUP.search(name):
            return False
        content, there = _content(name), _content(" ".join(group))
        return bool(content) and content <= there and self.clean(name) == name and not self.suspicious(name)


def _numbered(rows: Iterator[tuple[int, str]], count: int) -> dict[int, str]:
    """From 0; numbers of nothing are left out."""
    return {n - 1: " ".join(text.split()) for n, text in rows if 1 <= n <= count and text.strip()}


def _limits(text: str) -> Counter[str]:
    return Counter(word for word in map(str.lower, _WORD.findall(text)) if word in _LIMITS)


def _content(text: str) -> set[str]:
    return {term for term in terms(text, "en") if not is_stop_word(term, ("en",)) and term[0] != "="}


_TITLE_CHARS, _TITLE_READ = 60, 6_000


def title_session(llm: Llm, clean: Callable[[str], str], suspicious: Callable[[str], bool], said: Sequence[str]) -> str:
    """A few words of what was said, in one line; ``clean`` and ``suspicious`` as of a task. Raises ``Unavailable`` if
    the model is not to be had, and ``BadReply`` for words that nobody said."""
    shown = clean("\n".join(text for text in said if not suspicious(text)))[-_TITLE_READ:]
    asked = prompts.load("title").filled({"session": shown, "fence": fence_of(shown)})
    title = " ".join(llm.complete(asked, TitleReply).title.split())
    content = _content(title)
    if len(title) > _TITLE_CHARS or not content or not content <= _content(shown) or suspicious(title):
        raise BadReply(f"{llm.name} wrote no usable title")
    return title


PART_TOKENS = 12_000
SECONDS = 180
"""For all parts together; the rules alone cover those that are left."""
CALL_SECONDS, CALL_ATTEMPTS = 60, 2
"""For one part."""
_COMPACTED_SHARE = 0.6
"""How many of a line's words its source must hold."""
_COMPACTED_CHARS, _PER_SECTION = 240, 12
SECTIONS = {
    "Goal": "goal", "Constraints": "constraints", "Decisions": "decisions", "Done": "done",
    "In progress": "in_progress", "Open": "open", "Next": "next",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SessionSummarizer(prompts.LlmTask):
    """Fills ``capture.compaction.Summarizer``."""

    @property
    def label(self) -> str:
        return f"{self.llm.name}, each line checked against what was said"

    def tell(self, turns: Sequence[Turn], focus: str = "") -> dict[str, list[str]]:
        """Raises ``Unavailable`` and ``BadReply`` where no part could be read."""
        until = time.monotonic() + SECONDS - CALL_SECONDS
        found: dict[str, list[str]] = {title: [] for title in SECTIONS}
        failure: Unavailable | BadReply | None = None
        done = 0
        for part in _parts(turns):
            if time.monotonic() > until:
                break
            try:
                for title, lines in self._read(part, focus).items():
                    found[title] += lines
                done += 1
            except (Unavailable, BadReply) as error:
                failure = error
        if failure is not None and not done:
            raise failure
        return {title: list(dict.fromkeys(lines))[-_PER_SECTION:] for title, lines in found.items()}

    def _read(self, turns: Sequence[Turn], focus: str) -> dict[str, list[str]]:
        said = self.clean(dialogue(turns, most=PART_TOKENS))
        wanted = self.clean(" ".join(focus.split())[:_COMPACTED_CHARS])
        shown = f"Most wanted: {wanted}\n\n{said}" if wanted else said
        prompt = prompts.load("compaction")
        asked = prompt.filled({"session": shown, "fence": fence_of(shown)})
        reply = self.llm.complete(asked, CompactionReply)
        sources, prompted = Sources([said]), shingles(prompt.text)
        return {
            title: list(self._filter_lines(getattr(reply, name), sources, prompted)) for title, name in SECTIONS.items()
        }

    def _filter_lines(
        self, lines: Sequence[str], sources: Sources, prompted: frozenset[tuple[str, ...]]
    ) -> Iterator[str]:
        for line in lines[:_PER_SECTION]:
            text = cut_line(" ".join(self.clean(line).split()).lstrip("-*#> "), _COMPACTED_CHARS)
            borne = bool(text) and sources.find_fault(text, _COMPACTED_SHARE) is None
            if borne and not shingles(text) & prompted and not self.suspicious(text):
                yield text


def _parts(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """The turns of each question to the model."""
    part: list[Turn] = []
    size = 0
    for turn in turns:
        cost = sum(estimate_tokens(text) for text in (*(one.text for one in turn.prompts), *turn.replies))
        if part and size + cost > PART_TOKENS:
            yield part
            part, size = [], 0
        part.append(turn)
        size += cost
    if part:
        yield part
