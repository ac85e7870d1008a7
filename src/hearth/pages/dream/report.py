"""What a night did, and ``DREAMS.md``, which tells people. Never read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from hearth.core.lazy import dataclass
from hearth.pages.dream.fragments import DreamFragment, Key
from hearth.pages.dream.plan import Night
from hearth.pages.dream.scores import DreamScore
from hearth.text.lines import plural

RULES = "rules"
"""Who tells a night without a language model."""


def show_key(key: Key) -> str:
    return f"{key[0]}:{key[1]}"


@dataclass(frozen=True, slots=True)
class Dreamt:
    """``put`` are what was promoted, or would be where not ``applied``, and ``successors`` what took the place of what
    was replaced; ``left`` holds statement and reason. ``problem`` says why nothing was written. ``run`` is what
    ``undo`` takes back, ``None`` where the page is as it was; ``told_by`` who wrote the night's account, the rules or a
    model by its name, and why not the model; ``edited_by`` who worded it, likewise. ``waiting`` would leave if a person
    agreed."""

    applied: bool
    night: Night
    put: tuple[DreamScore, ...]
    successors: tuple[DreamFragment, ...]
    left: Mapping[Key, tuple[str, str]]
    problem: str | None = None
    run: str | None = None
    told_by: str = RULES
    edited_by: str = RULES
    waiting: Mapping[Key, tuple[str, str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        night = self.night
        return {
            "dry_run": not self.applied,
            "day": night.day,
            "light": len(night.light),
            "themes": [
                {"tag": one.tag, "name": one.name or one.tag, "passages": len(one.fragments), "days": one.days}
                for one in night.themes
            ],
            "patterns": [{"key": show_key(one.key), "text": one.text} for one in night.patterns],
            "promoted": [row(one) for one in self.put],
            "successors": [{"key": show_key(one.key), "text": one.text} for one in self.successors],
            "left": _reasons(self.left),
            "waiting": _reasons(self.waiting),
            "refused": [row(one) for one in night.refused],
            "problem": self.problem,
            "run": self.run,
            "told_by": self.told_by,
            "edited_by": self.edited_by,
        }


@dataclass(frozen=True, slots=True)
class DreamStatus:
    """``writer`` is the machine that writes ``file``; ``nights`` those of the last thirty days, newest first, ``run``
    the last that can be undone; ``waiting`` would leave if a person agreed."""

    file: str
    writer: str | None
    mine: bool
    fragments: int
    signals: int
    items: int
    promoted: int
    nights: tuple[str, ...]
    run: str | None
    problem: str | None
    waiting: Mapping[Key, tuple[str, str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "file": self.file,
            "writer": self.writer,
            "this_machine_writes": self.mine,
            "passages": self.fragments,
            "signals": self.signals,
            "items": self.items,
            "promoted": self.promoted,
            "nights": list(self.nights),
            "run": self.run,
            "problem": self.problem,
            "waiting": _reasons(self.waiting),
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """A fragment, how it stands now, and what became of it before (``None``: nothing)."""

    score: DreamScore
    state: str | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        signals = [
            {"kind": one.kind, "day": one.day, "value": one.value, "question": one.question}
            for one in self.score.fragment.signals
        ]
        parts = {name: round(value, 4) for name, value in self.score.parts.items()}
        return {**row(self.score), "parts": parts, "signals": signals, "state": self.state}


def _reasons(found: Mapping[Key, tuple[str, str]]) -> list[dict[str, str]]:
    return [{"key": show_key(key), "text": text, "why": why} for key, (text, why) in found.items()]


def row(one: DreamScore) -> dict[str, Any]:
    fragment = one.fragment
    return {
        "key": show_key(fragment.key),
        "text": fragment.text,
        "shortened": fragment.short or None,
        "source": f"{fragment.place}#L{fragment.line}",
        "score": round(one.total, 4),
        "lacks": list(one.lacks),
        "tags": list(fragment.tags),
    }


NAME = "DREAMS.md"
MAX_BYTES = 1_000_000
HEAD = """\
# Dreams

What each night changed in MEMORY.md, and why. Written by Hearth, read by nobody but you. To see where a line is from,
give what stands behind its # to `hearth get`.
"""


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
    """The section of a night: what came onto the page and what ``left`` it, each with its reason, and what is
    ``waiting`` for a person to let it leave; ``problem`` says why nothing was written, ``run`` is what takes the night
    back. ``again`` adds to a day that has one."""
    rows = [_heading(night.day) + (", again" if again else ""), ""]
    if problem is not None:
        rows += [f"Nothing was written: {_plain(problem)}.", ""]
    rows += [_sum_up(len(night.promoted), len(left), len(waiting)), ""]
    rows += [f"- Added {_quote(one.fragment.quote, one.fragment.key)}: {_why(one, night)}" for one in night.promoted]
    rows += [f"- Took out {_quote(text, key)}: {_plain(why)}." for key, (text, why) in left.items()]
    rows += [f"- Left in {_quote(text, key)} until you agree: {_plain(why)}." for key, (text, why) in waiting.items()]
    named = [f"*{_plain(one.name)}* (named by {_plain(one.named_by)})" for one in night.themes if one.named_by]
    rows += ["", f"What came up on several days: {', '.join(named)}."] if named else []
    rows += ["", _offer(run)] if run is not None else []
    return "\n".join(_once(rows)).rstrip("\n") + "\n"


def _sum_up(added: int, left: int, waiting: int) -> str:
    parts = [
        f"gained {plural(added, 'line')}" if added else "",
        f"lost {plural(left, 'line')}" if left else "",
        f"keeps {plural(waiting, 'line')} that you are to decide about" if waiting else "",
    ]
    texts = [part for part in parts if part]
    if not texts:
        return "Nothing changed: nothing was used for enough different questions, and nothing became false."
    return f"MEMORY.md {', '.join(texts[:-1])}{' and ' if len(texts) > 1 else ''}{texts[-1]}."


def _why(one: DreamScore, night: Night) -> str:
    questions, days = len(one.fragment.questions), len(one.fragment.days)
    text = f"it was used for {plural(questions, 'question')} on {plural(days, 'day')}."
    return f"{text} Shortened by {_plain(night.editor)}: {_plain(one.fragment.short)}" if one.fragment.short else text


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


def render_repair(key: Key, text: str, *, left: bool) -> str:
    return f"- {'Took out' if left else 'Added'} {_quote(text, key)}."


def _heading(day: str) -> str:
    return f"## {day}"


def choose(names: Iterable[str]) -> list[str]:
    """Those that hold nights: the page, and what became of it by year."""
    stem = NAME.removesuffix(".md")
    return [name for name in names if name.startswith(stem) and name.endswith(".md")]


def drop_sources(text: str, docids: Iterable[str]) -> str:
    """The page without the lines that tell what one of the documents says."""
    marks = [_of((docid, "")) for docid in docids]
    return "\n".join(
        row for row in text.split("\n") if not (row.startswith("- ") and any(mark in row for mark in marks))
    )


def mark_undone(text: str, run: str, day: str, kept: int) -> str:
    """The page where the section of a night says that it was taken back on ``day``, but for ``kept`` lines; the same
    where nothing in it offers that any more."""
    but = f", but for {plural(kept, 'line')} edited, moved or deleted by then" if kept else ""
    return text.replace(f"\n{_offer(run)}", f"\nTaken back on {day}{but}.")


def with_words(entry: str, words: str, who: str) -> str:
    """The section with what a language model says of the night below its heading."""
    heading, rest = entry.split("\n", 1)
    return f"{heading}\n\n{_plain(words)}\n\n*Written by {_plain(who)}, a language model.*\n{rest}"


def _offer(run: str) -> str:
    return f"To take this night back: `hearth undo --run {run}`"


def _quote(text: str, key: Key) -> str:
    return f"“{_plain(text)}” ({_of(key)})"


def _of(key: Key) -> str:
    return f"#{key[0]}"


def _plain(text: str) -> str:
    return " ".join(text.replace("<!--", "").replace("-->", "").split())


def _once(rows: Sequence[str]) -> list[str]:
    """Without empty lines that follow an empty line."""
    return [row for number, row in enumerate(rows) if row or (number and rows[number - 1])]
