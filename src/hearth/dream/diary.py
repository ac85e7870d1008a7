"""``DREAMS.md``: what a night came to, for people. Never read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hearth.dream.passage import DreamPassage, Key
from hearth.dream.phases import Night
from hearth.dream.themes import Theme

NAME = "DREAMS.md"
MAX_BYTES = 1_000_000
HEAD = """\
# Dreams

What each night made of the days before it. Written by Hearth, read by nobody but you. To see where a line is from, give
what stands behind its # to `hearth get`.
"""
_SHOWN = 5
_SHOWN_CHARS = 120
"""Of what is not on the page."""


Reasons = Mapping[Key, tuple[str, str]]
"""Statement and reason."""


def entry(
    night: Night,
    left: Reasons,
    waiting: Reasons,
    problem: str | None = None,
    run: str | None = None,
    *,
    again: bool = False,
) -> str:
    """The section of a night: what ``left`` the page, what is ``waiting`` for a person to let it leave; ``problem``
    says why nothing was written, ``run`` is what takes the night back. ``again`` adds to a day that has one."""
    rows = [_heading(night.day) + ", again"] if again else _dreams(night)
    said = [f"{_count(len(night.promoted), 'promotion')}", f"{len(left)} left"]
    rows += ["", f"**Deep.** {', '.join(said)}.", ""]
    if problem is not None:
        rows += [f"Nothing was written: {_plain(problem)}.", ""]
    rows += [
        f"- promoted ({one.total:.2f}): {_plain(one.passage.said)} {_of(one.passage.key)}{_short(one.passage, night)}"
        for one in night.promoted
    ]
    rows += [f"- left: {_plain(text)} {_of(key)} ({_plain(why)})" for key, (text, why) in left.items()]
    rows += [f"- waits for you: {_plain(text)} {_of(key)} ({_plain(why)})" for key, (text, why) in waiting.items()]
    rows += [
        f"- not yet ({one.total:.2f}): {_cut(one.passage)} {_of(one.passage.key)} ({'; '.join(one.lacks)})"
        for one in night.refused
    ]
    rows += ["", _offer(run)] if run is not None else []
    return "\n".join(_once(rows)).rstrip("\n") + "\n"


def holds(text: str, day: str) -> bool:
    """Whether the page tells of the night of a day."""
    return f"\n{_heading(day)}\n" in text


def offers(text: str, run: str) -> bool:
    """Whether the page says how to take a night back."""
    return f"\n{_offer(run)}" in text


def with_mended(entry: str, mended: Mapping[str, Iterable[str]]) -> str:
    """The section with what nights that were cut short did to the page, by what takes each back: made with
    ``mended_row``."""
    for run, rows in mended.items():
        entry += "\n".join(["\nA night that was cut short is made whole:", "", *rows, ""])
        entry += "" if offers(entry, run) else f"\n{_offer(run)}\n"
    return entry


def mended_row(key: Key, text: str, *, left: bool) -> str:
    return f"- {'left' if left else 'promoted'}: {_plain(text)} {_of(key)}"


def _heading(day: str) -> str:
    return f"## {day}"


def _dreams(night: Night) -> list[str]:
    rows = [_heading(night.day), "", f"**Light.** {_count(len(night.light), 'passage')} with new signals."]
    rows += ["", f"**REM.** {_count(len(night.themes), 'theme')}, {_count(len(night.patterns), 'pattern')}.", ""]
    rows += [
        f"- theme {_name(one)}: {_count(len(one.passages), 'passage')} on {_count(one.days, 'day')}"
        for one in night.themes[:_SHOWN]
    ]
    return rows + [f"- on {_count(len(one.days), 'day')}: {_cut(one)} {_of(one.key)}" for one in night.patterns]


def choose(names: Iterable[str]) -> list[str]:
    """Those that hold nights: the page, and what became of it by year."""
    stem = NAME.removesuffix(".md")
    return [name for name in names if name.startswith(stem) and name.endswith(".md")]


def without_sources(text: str, docids: Iterable[str]) -> str:
    """The page without the lines that tell what one of the documents says."""
    marks = [_of((docid, "")) for docid in docids]
    return "\n".join(
        row for row in text.split("\n") if not (row.startswith("- ") and any(mark in row for mark in marks))
    )


def taken_back(text: str, run: str, day: str, kept: int) -> str:
    """The page where the section of a night says that it was taken back on ``day``, but for ``kept`` lines; the same
    where nothing in it offers that any more."""
    but = f", but for {_count(kept, 'line')} edited, moved or deleted by then" if kept else ""
    return text.replace(f"\n{_offer(run)}", f"\nTaken back on {day}{but}.")


def with_words(entry: str, words: str, who: str) -> str:
    """The section with what a language model says of the night below its heading."""
    heading, rest = entry.split("\n", 1)
    return f"{heading}\n\n{_plain(words)}\n\n*Written by {_plain(who)}, a language model.*\n{rest}"


def _offer(run: str) -> str:
    return f"To take this night back: `hearth undo --run {run}`"


def _of(key: Key) -> str:
    return f"#{key[0]}"


def _cut(passage: DreamPassage) -> str:
    text = _plain(passage.said)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS].rpartition(' ')[0] or text[:_SHOWN_CHARS]} …"


def _short(passage: DreamPassage, night: Night) -> str:
    return f" (on the page, shortened by {_plain(night.editor)}: {_plain(passage.short)})" if passage.short else ""


def _name(theme: Theme) -> str:
    by = f" (named by {_plain(theme.named_by)})" if theme.named_by else ""
    return f"*{_plain(theme.name or theme.tag)}*{by}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _plain(text: str) -> str:
    return " ".join(text.replace("<!--", "").replace("-->", "").split())


def _once(rows: Sequence[str]) -> list[str]:
    """Without empty lines that follow an empty line."""
    return [row for number, row in enumerate(rows) if row or (number and rows[number - 1])]
