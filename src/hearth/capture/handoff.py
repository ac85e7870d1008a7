"""What the next session has to know: from what hosts record, and from the last turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from hearth.capture.development import Trial, commit_of, find_last_run, find_merge
from hearth.capture.requests import find_remaining, find_request
from hearth.core.extraction import Category, ExtractedMemory, Handoff, Tier
from hearth.core.hook import Act, Todo
from hearth.core.lazy import regex
from hearth.core.transcript import Turn
from hearth.language.asking import telling_words
from hearth.language.signals import decisions, open_questions, says_something
from hearth.language.structure import strip_host_marks
from hearth.text.lines import cut_line, estimate_tokens
from hearth.transcripts.typed import is_errand, own_words_of

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
    found = Handoff(
        request=_line(find_request(asked) or asked[0], _REQUEST_CHARS) if asked else "",
        state=_state(turns, todos),
        done=_items("done", [*(todo.text for todo in todos if todo.state == "done"), *_list_shipped(turns)]),
        decisions=_items("decisions", [*_find_agreed(turns, settled), *settled]),
        learned=_items("learned", [trial.statement for trial in mended]),
        files=_items("files", dict.fromkeys(name for turn in turns for name in turn.files)),
        questions=_items("questions", _questions(turns)),
        next=_items("next", _list_next(turns, memories, todos)),
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


def _list_next(turns: Sequence[Turn], memories: Iterable[ExtractedMemory], todos: Iterable[Todo]) -> list[str]:
    """What the person bound themselves to, what they say is left, and what the list of the session left open."""
    owed = [one for one in memories if one.category is Category.COMMITMENT and one.owner == "user"]
    known = " ".join(one.evidence.quote for one in owed)
    left = [text for text in find_remaining(turns) if text not in known]
    return [*(one.text for one in owed), *left, *(todo.text for todo in todos if todo.state != "done")]


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
