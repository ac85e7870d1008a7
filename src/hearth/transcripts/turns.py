"""From the entries of a session to its turns, and which of them were taken back."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from hearth.core.hook import Step
from hearth.core.transcript import Kind, Link, TakenBack, TranscriptEntry, Turn
from hearth.transcripts.actions import match_outcome


def turns(entries: Iterable[TranscriptEntry]) -> list[Turn]:
    """Each prompt with what the main session made of it; subagents' entries and meta text are left out.

    The first turn has no prompt where reading began in the middle of one.
    """
    grouped = groupby(entries, key=lambda entry: entry.turn)
    return [turn for ordinal, part in grouped if (turn := _turn(ordinal, list(part))) is not None]


def _turn(ordinal: int, entries: list[TranscriptEntry]) -> Turn | None:
    prompts = tuple(entry for entry in entries if entry.kind is Kind.USER)
    calls = [entry for entry in entries if entry.kind is Kind.TOOL_CALL]
    failed = {entry.call for entry in entries if entry.kind is Kind.TOOL_RESULT and entry.failed}
    files = dict.fromkeys(name for call in calls if call.call is None or call.call not in failed for name in call.files)
    replies = _messages(entry for entry in entries if entry.kind is Kind.ASSISTANT)
    if not (prompts or calls or replies):
        return None
    steps = tuple(_steps(calls, entries))
    outcomes = [entry.outcome for entry in entries if entry.kind is not Kind.TOOL_RESULT]
    return Turn(
        ordinal,
        entries[-1].prompt,
        prompts,
        replies,
        tuple(call.tool for call in calls),
        tuple(files),
        steps,
        any(outcome is not None and outcome.interrupted for outcome in (*outcomes, *(step.outcome for step in steps))),
        next((entry.cwd for entry in (*prompts, *entries) if entry.cwd is not None), None),
    )


def _steps(calls: Iterable[TranscriptEntry], entries: Iterable[TranscriptEntry]) -> Iterator[Step]:
    results = {entry.call: entry for entry in entries if entry.kind is Kind.TOOL_RESULT and entry.call is not None}
    for call in calls:
        result = results.get(call.call) if call.call is not None else None
        if result is None:
            yield Step(call.tool, call.action, done=False, files=call.files, at=call.at)
        else:
            outcome = match_outcome(call.tool, call.action, result.outcome)
            yield Step(call.tool, call.action, result.text, result.failed, True, outcome, call.files, call.at)


def _messages(entries: Iterable[TranscriptEntry]) -> tuple[str, ...]:
    """Parts of one message joined by an empty line."""
    found: dict[object, list[str]] = {}
    for place, entry in enumerate(entries):
        found.setdefault(entry.message or place, []).append(entry.text)
    return tuple("\n\n".join(parts) for parts in found.values())


def find_taken_back(links: Sequence[Link], leaf: str | None = None) -> list[TakenBack]:
    """The turns that no chain reaches, in order of the file.

    Lines that follow none, or one that is not among these, begin a tree of their own, and the last line spoken in each
    tree ends its chain. ``leaf`` is the line before the first of these, which is a parent without being among them."""
    parents = _find_parents(links, leaf)
    roots = _find_roots(parents)
    last: dict[str, str] = {}
    for spoken in (False, True):
        last |= {roots[link.uid]: link.uid for link in links if link.spoken is spoken}
    reached = {name for end in last.values() for name in _walk(end, parents)}
    return [TakenBack(link.turn, link.offset) for link in links if link.opens and link.uid not in reached]


def find_missing(links: Iterable[Link]) -> list[str]:
    """The lines that are followed without being among these, in order."""
    links = list(links)
    own = {link.uid for link in links}
    return list(dict.fromkeys(link.parent for link in links if link.parent is not None and link.parent not in own))


def may_restart(links: Iterable[Link]) -> bool:
    """Whether a prompt among these may follow a rewind to before the session's first prompt."""
    return any(link.opens and link.is_start for link in links)


def are_joined(links: Sequence[Link], leaf: str | None) -> bool:
    """Whether the first of these lines and ``leaf`` are in one tree."""
    roots = _find_roots(_find_parents(links, None))
    return bool(links) and leaf is not None and roots.get(leaf) == roots[links[0].uid]


def _find_parents(links: Sequence[Link], leaf: str | None) -> dict[str, str | None]:
    known = {link.uid for link in links}
    parents: dict[str, str | None] = {}
    if leaf is not None and leaf not in known:
        known.add(leaf)
        parents[leaf] = None
    start: Link | None = None
    answered = False
    for link in links:
        if link.uid in parents:  # written twice
            continue
        parents[link.uid] = link.parent if link.parent in known and link.parent != link.uid else None
        if link.opens and link.is_start:
            place = f"before {link.uid}"
            if start is not None and _replaces(start, link, answered=answered):
                place = parents[start.uid] or place
            parents[link.uid], parents[place] = place, None
            start, answered = link, False
        elif link.spoken:
            answered = True
    return parents


def _replaces(start: Link, link: Link, *, answered: bool) -> bool:
    """Whether a prompt without a parent stands in the place of the one that began the session: it bears its number, or
    that one was stopped before it was answered. Other prompts without a parent take nothing back."""
    if start.index is not None and link.index is not None:
        return link.index == start.index
    return not answered


def _find_roots(parents: Mapping[str, str | None]) -> dict[str, str]:
    roots: dict[str, str] = {}
    for name in parents:
        path = list(_walk(name, parents, roots))
        root = roots.get(path[-1], path[-1])
        for one in path:
            roots[one] = root
    return roots


def _walk(start: str, parents: Mapping[str, str | None], known: Container[str] = ()) -> Iterator[str]:
    """From a line up to its root, or to one that is known; a circle ends it."""
    seen: set[str] = set()
    at: str | None = start
    while at is not None and at not in seen:
        seen.add(at)
        yield at
        at = None if at in known else parents.get(at)
