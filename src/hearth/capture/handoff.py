"""What the next session has to know: from what hosts record, and from the last turns. Turns that a client hands
over, and which memory a person means when they ask to forget one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from typing import Any

from hearth.capture.records import Trial, commit_of, find_last_run, find_merge
from hearth.capture.requests import find_remaining, find_request, find_unanswered
from hearth.core.document import INTERNAL, Document
from hearth.core.errors import UsageError
from hearth.core.extraction import Category, ExtractedMemory, Handoff, Tier
from hearth.core.hook import Act, Todo
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import is_of_project
from hearth.core.session import Sighting, name_handover
from hearth.core.transcript import Turn
from hearth.language.asking import telling_words, weigh_fact
from hearth.language.signals import decisions, open_questions, says_something
from hearth.language.structure import strip_host_marks
from hearth.memory.session_record import SessionLog, TurnState
from hearth.ports import Clock, Inbox, Redactor, Store, StoredDocument
from hearth.text.lines import cut_line, estimate_tokens
from hearth.transcripts.transcripts import line
from hearth.transcripts.typed import is_errand, own_words_of
from hearth.truth.acts import Rivals

MAX_TOKENS = 400
LAST_REQUEST = "Last request"
TITLES = {
    "request": "Request", "state": "State", "done": "Done", "decisions": "Decisions", "learned": "Learned",
    "files": "Files changed", "questions": "Open questions", "next": "Next",
}  # fmt: skip
_REQUEST_CHARS, _ITEM_CHARS = 240, 160
_MOST = {"done": 6, "decisions": 5, "learned": 4, "files": 10, "questions": 3, "next": 6}
# What gives way first where room is short.
_SPARED = ("learned", "files", "questions", "done", "next", "decisions")
_SETTLED = frozenset({Category.DECISION, Category.CORRECTION, Category.PRINCIPLE, Category.ANTIPATTERN})
# Older questions were answered or dropped.
_RECENT_TEXTS = 20
_RECENT_REPLIES = 60
_TEXT_CHARS = 4_000
_HEADING = regex(r"^#{1,6} .*$", re.MULTILINE)
_WHOLE_TOKENS = 500
_LEAST_TELLING = 3
# What it speaks of was said before.
_LEANING = regex(r"\b(?:them|their|theirs|these|those)\b", re.IGNORECASE)


def hand_off(turns: Sequence[Turn], memories: Iterable[ExtractedMemory] = (), mended: Iterable[Trial] = ()) -> Handoff:
    """Of the whole session so far; ``memories`` are those that its turns yielded, ``mended`` its trials. At most 400
    tokens as text."""
    asked = [text for turn in turns for prompt in turn.prompts if (text := strip_host_marks(own_words_of(prompt.text)))]
    todos = _todos(turns)
    memories = list(memories)
    settled = [memory.text for memory in memories if memory.category in _SETTLED and memory.tier is Tier.EXPLICIT]
    request = _line(find_request(asked) or asked[0], _REQUEST_CHARS) if asked else ""
    found = Handoff(
        request=request,
        state=_state(turns, todos),
        done=_items("done", [*(todo.text for todo in todos if todo.state == "done"), *_list_shipped(turns)]),
        decisions=_items("decisions", [*_find_agreed(turns, settled), *settled]),
        learned=_items("learned", [trial.statement for trial in mended]),
        files=_items("files", dict.fromkeys(name for turn in turns for name in turn.files)),
        questions=_items("questions", _questions(turns)),
        next=_items("next", _list_next(turns, memories, todos, request)),
    )
    return fit_handoff(found)


def text_of(handoff: Handoff) -> str:
    """As markdown, without empty sections."""
    parts = []
    for field in fields(handoff):
        value = getattr(handoff, field.name)
        if value:
            body = value if isinstance(value, str) else "\n".join(f"- {item}" for item in value)
            parts.append(f"## {TITLES[field.name]}\n\n{body}")
    return "\n\n".join(parts)


def state_of(handoff: Handoff, turns: Sequence[Turn]) -> str:
    """What a session is about so far, for whoever goes on with it: its hand-off, and the last request in full, of a
    long one head and tail. Empty where nothing was said."""
    asked = next((prompt.text.strip() for turn in reversed(turns) for prompt in reversed(turn.prompts)), "")
    is_first = handoff.request == _line(strip_host_marks(asked), _REQUEST_CHARS)
    found = replace(handoff, request="") if is_first else handoff
    parts = [text_of(found), f"## {LAST_REQUEST}\n\n{_whole(asked)}" if asked else ""]
    return "\n\n".join(filter(None, parts))


def _whole(text: str) -> str:
    tokens = estimate_tokens(text)
    if tokens <= _WHOLE_TOKENS:
        return text
    kept = len(text) * _WHOLE_TOKENS // tokens
    head, tail = text[: kept * 3 // 4].rstrip(), text[-kept // 4 :].lstrip()
    return f"{head}\n\n[… {len(text) - kept:,} characters left out …]\n\n{tail}"


def _list_next(
    turns: Sequence[Turn], memories: Iterable[ExtractedMemory], todos: Iterable[Todo], request: str
) -> list[str]:
    """What the person bound themselves to, what they say is left, what the list of the session left open, and the last
    of several requests, where nothing came of it."""
    owed = [one for one in memories if one.category is Category.COMMITMENT and one.owner == "user"]
    known = " ".join(one.evidence.quote for one in owed)
    left = [text for text in find_remaining(turns) if text not in known]
    last = find_unanswered(turns)
    last = "" if _line(last, _REQUEST_CHARS) == request else last
    return [*(one.text for one in owed), *left, *(todo.text for todo in todos if todo.state != "done"), last]


def _find_agreed(turns: Sequence[Turn], settled: Iterable[str]) -> list[str]:
    """What the assistant's replies call decided, beside what the person settled; not of texts by others."""
    known = " ".join(settled).casefold()
    replies = [
        _HEADING.sub("", reply[-_TEXT_CHARS:])
        for turn in turns
        if not any(is_errand(prompt.text) for prompt in turn.prompts)
        for reply in turn.replies
    ]
    found = decisions(replies[-_RECENT_REPLIES:], _MOST["decisions"])
    return [text for text in found if text.rstrip(".").casefold() not in known and not _LEANING.search(text)]


def _questions(turns: Sequence[Turn]) -> list[str]:
    """What the person called undecided lately, and what nobody has answered: the one question that the assistant's last
    reply ends with, or the last request's own, unless the assistant told more than what it would do next."""
    own_texts = [
        text for turn in turns[-_RECENT_TEXTS:] for prompt in turn.prompts if (text := own_words_of(prompt.text))
    ]
    last = turns[-1] if turns else Turn(0)
    replies = [_HEADING.sub("", reply[-_TEXT_CHARS:]) for reply in last.replies]
    ends = [reply.rstrip().rpartition("\n\n")[2] for reply in replies[-1:]]
    # Several in a list are a menu, and one that names nothing takes its leave.
    ends = [end for end in ends if "\n" not in end and len(telling_words(end)) >= _LEAST_TELLING]
    asked = [text for prompt in last.prompts[-1:] if (text := own_words_of(prompt.text))]
    return open_questions(own_texts, ends if any(map(says_something, replies)) else [*asked, *ends])


def fit_handoff(handoff: Handoff) -> Handoff:
    """Without the earliest items of the lists that matter least, until the text fits."""
    while estimate_tokens(text_of(handoff)) > MAX_TOKENS:
        name = next((name for name in _SPARED if len(getattr(handoff, name)) > 1), None)
        name = name or next((name for name in _SPARED if getattr(handoff, name)), None)
        if name is None:
            return replace(handoff, state="")
        fewer: dict[str, Any] = {name: getattr(handoff, name)[1:]}
        handoff = replace(handoff, **fewer)
    return handoff


def _todos(turns: Iterable[Turn]) -> list[Todo]:
    """The list as it stands at the end: written anew as a whole, or changed item by item."""
    listed: dict[str, Todo] = {}
    for turn in turns:
        for step in turn.steps:
            if step.action is None or step.action.act is not Act.TODOS or step.failed or not step.done:
                continue
            if not step.action.partial:
                listed = {f"{at}": todo for at, todo in enumerate(step.action.todos)}
                continue
            made = step.outcome.key if step.outcome is not None else None
            for todo in step.action.todos:
                key = todo.key or made or todo.text
                known = listed.get(key, todo)
                listed[key] = replace(known, text=todo.text or known.text, state=todo.state or known.state)
    return [todo for todo in listed.values() if todo.text]


def _list_shipped(turns: Iterable[Turn]) -> Iterator[str]:
    for turn in turns:
        for step in turn.steps:
            commit, merged = commit_of(step), find_merge(step)
            if commit is not None:
                yield f"Committed: {commit.subject}"
            if merged is not None:
                yield merged[0]


def _state(turns: Sequence[Turn], todos: Sequence[Todo]) -> str:
    """How things stand, by what the host recorded: the last test run, the last commit, the list of what is to do.
    Empty where nothing tells it."""
    if turns and turns[-1].interrupted:
        return "The person stopped the agent in the last turn."
    run = find_last_run(turns)
    commits = [commit.subject for turn in turns for step in turn.steps if (commit := commit_of(step)) is not None]
    lines = [] if run is None else [run.statement]
    lines += [f"Last commit: {_line(commits[-1], _ITEM_CHARS)}."] if commits else []
    if todos:
        active = [f"; in progress: {_line(todo.text, _ITEM_CHARS)}" for todo in todos if todo.state == "active"]
        lines.append(f"{sum(todo.state == 'done' for todo in todos)} of {len(todos)} to-dos done{''.join(active[:1])}.")
    return " ".join(lines)


def _items(name: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The last ones, each once and on a line."""
    lines = dict.fromkeys(_line(text, _ITEM_CHARS) for text in texts)
    return tuple(line for line in lines if line)[-_MOST[name] :]


def _line(text: str, most: int) -> str:
    return cut_line(" ".join(text.replace("**", "").split()), most)


MOST = 3
"""So many of which any may be meant are named."""


@dataclass(frozen=True)
class MemoryFinder:
    """Finds memories by what somebody says of them."""

    store: Store
    clock: Clock

    def find(self, fact: str, project: str | None, until: int) -> list[StoredDocument]:
        """The memories that say what is named, of this project or of none, said up to the moment ``until`` (ms UTC):
        those that name it most clearly. One means that it is clear."""
        found = Rivals(self.store, None, self.clock)("", fact, pending=True)
        allowed = [one for one in found if _is_allowed(one.document, project, until)]
        with self.store.read() as reader:
            texts = {one.id: "\n".join(part.text for part in reader.fragments_of(one.id)) for one in allowed}
        clear = {one.id: weigh_fact(fact, texts[one.id]) for one in allowed}
        best = max(clear.values(), default=0)
        return [one for one in allowed if best and clear[one.id] == best]


def _is_allowed(document: Document, project: str | None, until: int) -> bool:
    mine = document.collection == INTERNAL and is_of_project(document.facts.get("project"), project)
    return mine and (document.authored_at or 0) <= until


MAX_TURNS = 200
MAX_TURN_BYTES = 256 * 1024
"""Of one call that hands turns over, and of each of them in UTF-8."""


@dataclass(frozen=True, slots=True)
class TurnText:
    """One side's turn as a client hands it over: ``role`` is ``user`` or ``assistant``, ``at`` ms UTC, the present
    moment where it is not given."""

    role: str
    text: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Handover:
    """``exclusive`` keeps writers of one vault apart."""

    inbox: Inbox
    sessions: SessionLog
    redact: Redactor
    exclusive: Callable[[], AbstractContextManager[None]]
    clock: Clock

    def take(
        self,
        sighting: Sighting,
        turns: Sequence[TurnText],
        *,
        end: bool,
        turn: str | None = None,
        urgent: bool = False,
    ) -> str:
        """Gives the session's name; the turns are on the disk then, without secrets. What the client hands over again
        because it did not hear the answer bears the same name ``turn`` and is there already. Raises ``UsageError`` for
        a session without a name, no turns, too many or too long ones."""
        _check(turns)
        session = self.sessions.seen(sighting)
        now = self.clock()
        data = b"".join(line(one.role, self.redact(one.text).text, one.at or now) for one in turns)
        with self.exclusive():
            if turn is None or not self.sessions.is_last_turn(session, turn):
                place, size = self.inbox.append(name_handover(session), str(now), data)
                state: TurnState = "urgent" if urgent else "ended"
                self.sessions.turn_ended(session, place, size, turn or f"inbox-{size}", state=state)
        if end:
            self.sessions.ended(session, "handed over")
        return session

    def drop(self, captured: Mapping[str, int]) -> None:
        """Removes files that were captured up to these bytes, unless more came. The others are left as they are."""
        for place in self.inbox.places():
            if place in captured:
                with self.exclusive():
                    self.inbox.remove(place, captured[place])


def _check(turns: Sequence[TurnText]) -> None:
    if not 0 < len(turns) <= MAX_TURNS:
        raise UsageError(f"{len(turns)} turns are out of range; send 1 to {MAX_TURNS} per call")
    for number, one in enumerate(turns, 1):
        if one.role not in ("user", "assistant"):
            raise UsageError(f"turn {number} has the role {one.role[:40]!r}; it is user or assistant")
        size = len(one.text.encode("utf-8", "replace"))
        if size > MAX_TURN_BYTES:
            raise UsageError(f"turn {number} takes {size:,} bytes, over the limit of {MAX_TURN_BYTES:,}; shorten it")
