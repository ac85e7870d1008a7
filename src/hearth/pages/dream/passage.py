"""A passage and what was done with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal

from hearth.core.lazy import dataclass

Key = tuple[str, str]
"""docid and hash of a block."""
Kind = Literal["found", "opened", "used", "said"]
KINDS: tuple[Kind, ...] = ("found", "opened", "used", "said")
CONFIRMING = frozenset(("opened", "used", "said"))
CONFIRMED_VALUE = 0.8
PER_SESSION = 3
"""So many signals of one passage count in one session."""
DAYS = 30
MAX_PASSAGES = 5_000


@dataclass(frozen=True, slots=True)
class PassageSignal:
    """``question`` is a hash, empty for none, ``day`` the local date, ``value`` lies in [0, 1], ``at`` is ms UTC."""

    kind: Kind
    key: Key
    day: str
    question: str
    value: float
    at: int
    session: str = ""


@dataclass(frozen=True, slots=True)
class DreamPassage:
    """A block that is there, and its signals, oldest first. ``written`` is the date of its document, if it has one;
    ``spacing`` in [0, 1] says how its signals are spread over time; ``short`` is what a language
    model made of the text, empty for nothing, ``speaker`` who says it; ``place`` is a path below the memory folder, or
    collection and path. An ``echo`` is what an assistant said in a session. ``joined`` are passages that say the same,
    whose signals count here."""

    key: Key
    text: str
    line: int
    place: str
    content_type: str
    signals: tuple[PassageSignal, ...]
    tags: tuple[str, ...] = ()
    written: str | None = None
    project: str = ""
    spacing: float = 0.0
    short: str = ""
    speaker: str = ""
    echo: bool = False
    joined: tuple[Key, ...] = ()

    @property
    def said(self) -> str:
        """The text under the name of its speaker, where that stands elsewhere."""
        return f"**{self.speaker}**: {self.text}" if self.speaker else self.text

    @property
    def keys(self) -> tuple[Key, ...]:
        """Its own, and those of what says the same."""
        return (self.key, *self.joined)

    @property
    def confirmations(self) -> list[PassageSignal]:
        return [signal for signal in self.signals if signal.kind in CONFIRMING]

    @property
    def questions(self) -> set[str]:
        return {signal.question for signal in self.signals if signal.question}

    @property
    def days(self) -> set[str]:
        return {signal.day for signal in self.signals}


def counted(signals: Sequence[PassageSignal]) -> list[PassageSignal]:
    """Those of one passage that count, oldest first: each once for a kind, question and day, the strongest of them, and
    the first three of a session."""
    once: dict[tuple[str, str, str], PassageSignal] = {}
    for signal in sorted(signals, key=lambda one: (one.at, one.day, one.kind, one.question, one.session)):
        name = (signal.kind, signal.question, signal.day)
        known = once.get(name)
        if known is None or signal.value > known.value:
            once[name] = signal
    found: list[PassageSignal] = []
    by_session: dict[str, int] = {}
    for signal in once.values():
        by_session[signal.session] = by_session.get(signal.session, 0) + 1
        if not signal.session or by_session[signal.session] <= PER_SESSION:
            found.append(signal)
    return found


def days_back(today: str, days: int) -> list[str]:
    """``today`` and so many days before it, newest first."""
    return [(date.fromisoformat(today) - timedelta(days=back)).isoformat() for back in range(days + 1)]


def days_between(earlier: str, later: str) -> int:
    """Never negative: a clock may have been set back."""
    return max(0, date.fromisoformat(later).toordinal() - date.fromisoformat(earlier).toordinal())
