"""The summary that stands for the compacted part of a session: sections by rules, each word from the session itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Literal, Protocol

from hearth.capture.rules import extract
from hearth.core.errors import BadReply, Unavailable
from hearth.core.extraction import REMEMBERED, Category, Tier
from hearth.core.hook import Act, Step
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Turn
from hearth.language.asking import telling_words
from hearth.text.lines import cut_line, estimate_tokens, split_sentences
from hearth.transcripts.transcripts import TranscriptParser
from hearth.transcripts.turns import turns
from hearth.transcripts.typed import own_words_of

MAX_TOKENS = 2_000
MAX_IDENTIFIERS = 12
MAX_FAILURES = 8
_FAILURE_CHARS, _ITEM_CHARS, _REQUEST_CHARS = 240, 240, 500
_FOCUS_SHARE = 0.4
_RECENT_MESSAGES = 10
_SEARCHED_CHARS = 200_000
_READ_TURNS = 150
SECTIONS = (
    "Goal", "Constraints", "Decisions", "Done", "In progress", "Open", "Next", "Focus", "Turn so far",
    "Exact identifiers", "Files", "Failed tools",
)  # fmt: skip
_TOLD = ("Goal", "Constraints", "Decisions", "Done", "In progress", "Open", "Next")
"""What a language model may say; the other sections are exact or not at all."""
MADE_BY = "Made by"
_LAST = "Last request: "
_MOST = {"Constraints": 12, "Decisions": 12, "Done": 15, "In progress": 6, "Open": 8, "Next": 8, "Files": 20}
_MOST |= {"Exact identifiers": MAX_IDENTIFIERS, "Failed tools": MAX_FAILURES, "Focus": 20, "Turn so far": 12}
# Which section gives an item away first where room is short.
_SPARED = ("Done", "Files", "Failed tools", "Focus", "Next", "In progress", "Turn so far", "Open", "Decisions")
_BINDING = frozenset({Category.PRINCIPLE, Category.PREFERENCE, Category.CORRECTION, Category.ANTIPATTERN})
_HEADING = regex(r"^## (.+)$", re.MULTILINE)
# Written exactly or not at all: addresses, paths, hashes, ids, versions with a name, ports, tickets.
_IDENTIFIER = regex(
    r"https?://[^\s<>\"'`)\]]++"
    r"|(?<![\w/.~-])(?:~|\.{1,2})?+/[\w.@+-]++(?:/[\w.@+-]++)++"
    r"|(?<![\w./-])[\w-]++(?:/[\w-]++)++\.\w{1,8}\b"
    r"|(?<![\w-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}\b"
    r"|(?<![\w-])[A-Z][A-Z0-9]{1,15}-\d{1,9}\b"
    r"|(?<![\w.-])[\w-]++(?:\.[\w-]++)*+:\d{2,5}\b"
    r"|(?<!\w)v\d{1,4}(?:\.\d{1,6})+\b"
)


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """``turns`` are compacted, ``cut`` is the beginning of a turn whose end is kept. ``former`` is the summary of what
    was compacted before; ``focus`` is what the person wants to be kept in detail."""

    turns: tuple[Turn, ...]
    cut: tuple[Turn, ...] = field(default=())
    former: str = ""
    focus: str = ""


Summary = tuple[str, Literal["unused", "used", "failed"]]
"""The text, and whether a language model's lines are in it; ``failed`` where it was asked in vain."""


class Summarizer(Protocol):
    """A language model that says what turns came to."""

    def tell(self, turns: Sequence[Turn], focus: str) -> Mapping[str, Sequence[str]]:
        """Lines by section, each resting on what was said. Raises ``Unavailable`` and ``BadReply``."""
        ...

    @property
    def label(self) -> str:
        """Who wrote them."""
        ...


def summarize(
    request: SummaryRequest, most: int = MAX_TOKENS, model: Callable[[], Summarizer] | None = None
) -> Summary:  # fmt: skip
    """At most ``most`` tokens of markdown, headings in the order of ``SECTIONS``, empty ones left out. What the rules
    found stands in the place of what a ``model`` doesn't say; what must be exact, and the last request, is theirs."""
    new, label = _sections(request), ""
    if model is not None:
        with suppress(Unavailable, BadReply):
            writer = model()
            told = writer.tell((*request.turns, *request.cut), request.focus)
            kept = {title: list(items) for title, items in told.items() if title in _TOLD and items}
            new |= {title: _unique([*items, *_exact(title, new)]) for title, items in kept.items()}
            label = f"\n\n## {MADE_BY}\n\n- {writer.label}" if kept else ""
    sections = _merge(parse_sections(request.former), new)
    text = _fit(sections, most - estimate_tokens(label)) + label
    return text, "unused" if model is None else "used" if label else "failed"


def _exact(title: str, found: Mapping[str, list[str]]) -> list[str]:
    return [one for one in found.get(title, ()) if one.startswith(_LAST)]


def summarize_lines(
    lines: Sequence[bytes], cut: Sequence[bytes], former: str = "", focus: str = "", most: int = MAX_TOKENS,
    model: Callable[[], Summarizer] | None = None,
) -> Summary:  # fmt: skip
    """The same for lines of a transcript; ``cut`` are those of the turn whose end is kept."""
    parser = TranscriptParser()
    whole = parser.feed(b"".join(line + b"\n" for line in lines))
    last = whole[-1].turn if whole else 0
    found = turns([*whole, *parser.feed(b"".join(line + b"\n" for line in cut))])
    before = tuple(turn for turn in found if turn.ordinal <= last)
    return summarize(SummaryRequest(before, tuple(found[len(before) :]), former, focus), most, model)


def parse_sections(text: str) -> dict[str, list[str]]:
    """The items of a summary, by heading; a paragraph counts as one item."""
    found: dict[str, list[str]] = {}
    parts = _HEADING.split(text)
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        lines = [line.removeprefix("- ").strip() for line in body.strip().splitlines()]
        found[title.strip()] = [line for line in lines if line]
    return found


def find_identifiers(texts: Iterable[str]) -> list[str]:
    """Addresses, paths, hashes, ids and ports as they are written, the last first."""
    found: dict[str, None] = {}
    for text in reversed(list(texts)):
        for identifier in reversed(_IDENTIFIER.findall(text[:_SEARCHED_CHARS])):
            found.setdefault(identifier.rstrip(".,;:"), None)
    return list(found)


def _sections(request: SummaryRequest) -> dict[str, list[str]]:
    turns = (*request.turns, *request.cut)
    # To read a turn takes 5 ms; the first says what the session is for.
    found = extract([*turns[:1], *turns[1:][-_READ_TURNS:]])
    hand = found.handoff
    settled = [one for one in found.memories if one.tier in (Tier.EXPLICIT, Tier.IMPLIED)]
    binding = [one.text for one in settled if one.category in _BINDING or one.reason.startswith(REMEMBERED)]
    decided = [*hand.decisions, *(one.text for one in settled if one.category is Category.DECISION)]
    sections = {
        "Goal": [hand.request] if hand.request else [],
        "Constraints": binding,
        "Decisions": [text for text in decided if text not in binding],
        "Done": [*hand.done, *hand.learned],
        "In progress": [hand.state] if hand.state else [],
        "Open": [*hand.questions, *_last_request(turns)],
        "Next": list(hand.next),
        "Exact identifiers": find_identifiers(_recent_texts(turns))[:MAX_IDENTIFIERS],
        "Files": list(dict.fromkeys(name for turn in turns for name in turn.files)),
        "Failed tools": [_failure(step) for turn in turns for step in turn.steps if step.failed],
    }
    if request.focus:
        sections["Focus"] = list(_about(request.focus, turns))
    if request.cut:
        sections["Turn so far"] = list(_course(request.cut))
    return {title: _unique(items) for title, items in sections.items()}


def _last_request(turns: Sequence[Turn]) -> list[str]:
    asked = next((prompt.text for turn in reversed(turns) for prompt in reversed(turn.prompts)), "")
    text = " ".join(asked.split())
    return [f"{_LAST}{cut_line(text, _REQUEST_CHARS)}"] if text else []


def _recent_texts(turns: Sequence[Turn]) -> list[str]:
    texts = [text for turn in turns for text in (*(prompt.text for prompt in turn.prompts), *turn.replies)]
    return texts[-_RECENT_MESSAGES:]


def _failure(step: Step) -> str:
    what = step.action.text if step.action is not None and step.action.act is Act.COMMAND else ""
    lines = [line.strip() for line in step.output.splitlines() if line.strip()]
    message = lines[-1] if lines else "no output"
    return cut_line(f"{step.tool}{f' `{cut_line(what, 80)}`' if what else ''}: {message}", _FAILURE_CHARS)


def _about(focus: str, turns: Sequence[Turn]) -> Iterator[str]:
    """Sentences that share the most words with the focus, in their order."""
    wanted = {word.casefold() for word in telling_words(focus)}
    ranked: list[tuple[int, int, str]] = []
    for turn in turns:
        for text in (*(own_words_of(prompt.text) for prompt in turn.prompts), *turn.replies):
            for sentence in split_sentences(text):
                shared = len(wanted & {word.casefold() for word in telling_words(sentence)})
                if shared:
                    ranked.append((-shared, len(ranked), sentence))
    best = sorted(ranked)[: _MOST["Focus"]]
    yield from (sentence for _, _, sentence in sorted(best, key=lambda one: one[1]))


def _course(turns: Sequence[Turn]) -> Iterator[str]:
    """What was asked in a turn, and what was done so far."""
    for turn in turns:
        yield from (f"Asked: {prompt.text}" for prompt in turn.prompts)
        yield from (f"Answered: {reply}" for reply in turn.replies[-3:])
        for step in turn.steps[-6:]:
            what = step.action.text if step.action is not None else ", ".join(step.files)
            yield f"{step.tool}{f': {what}' if what else ''}{' (failed)' if step.failed else ''}"


def _unique(items: Iterable[str]) -> list[str]:
    lines = (cut_line(" ".join(item.split()), _REQUEST_CHARS + 20) for item in items)
    return list(dict.fromkeys(line for line in lines if line))


def _merge(former: dict[str, list[str]], new: dict[str, list[str]]) -> dict[str, list[str]]:
    """Each section's items, the newer last; what is the state of things is the newer alone."""
    current = ("In progress", "Open", "Focus", "Turn so far")
    merged: dict[str, list[str]] = {}
    for title in SECTIONS:
        if title in current:
            items = new.get(title) or []
        elif title == "Goal":
            items = former.get(title, [])[:1] + [one for one in new.get(title, []) if one not in former.get(title, [])]
            items = items[:1] + items[1:][-2:]
        elif title == "Exact identifiers":
            items = [*new.get(title, []), *former.get(title, [])][:MAX_IDENTIFIERS]
        else:
            items = [*former.get(title, []), *new.get(title, [])][-_MOST[title] :]
        finished = {one.casefold() for one in new.get("Done", [])}
        merged[title] = [one for one in dict.fromkeys(items) if title == "Done" or one.casefold() not in finished]
    return merged


def _fit(sections: dict[str, list[str]], most: int) -> str:
    kept = {title: [cut_line(item, _limit(title)) for item in items] for title, items in sections.items()}
    room = round(most * _FOCUS_SHARE)
    while kept["Focus"] and sum(map(estimate_tokens, kept["Focus"])) > room:
        kept["Focus"].pop()
    while estimate_tokens(text := _render(kept)) > most:
        title = next((name for name in _SPARED if len(kept[name]) > 1), None)
        title = title or next((name for name in _SPARED if kept[name]), None)
        if title is None:
            return text[: most * 2]
        kept[title].pop(0)
    return text


def _limit(title: str) -> int:
    return _REQUEST_CHARS + 20 if title in ("Open", "Goal") else _ITEM_CHARS


def _render(sections: dict[str, list[str]]) -> str:
    parts = [
        f"## {title}\n\n" + "\n".join(f"- {item}" for item in sections[title])
        for title in SECTIONS
        if sections.get(title)
    ]
    return "\n\n".join(parts)
