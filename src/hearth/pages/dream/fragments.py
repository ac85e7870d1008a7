"""Fragments that a night may promote: their blocks, and what was done with each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Literal

from hearth.core.lazy import dataclass, regex
from hearth.text.language import detect, idle_words, is_stop_word
from hearth.text.lines import split_sentences
from hearth.text.similarity import normalised

LEAST_CHARS, MOST_CHARS = 8, 280
"""Of a block; a longer one counts by its sentences."""
HASH_CHARS = 12

_ITEM = regex(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?=\S)")
_TASK = regex(r"\[[ xX~/-]\]\s")
_SKIP = regex(r"\s*(?:#{1,6}\s|\||>|={3,}\s*$|(?:[-*_]\s*){3,}$)")
_FENCE = regex(r"\s*(?:`{3}|~{3})")
_COMMENT = regex(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MARKS = str.maketrans("", "", "*`")
_FACT = regex(r"\d{4}-\d\d-\d\d (.+) \([^()]*\) \^[0-9a-z]{16}")
"""A line of a file that gathers what is known of a subject: its day, its source and its mark are no part of it."""
# Who says it, as conversations are written down.
_SPEAKER = regex(r"\*\*([^\W\d_][\w .'’-]{0,30})(?::\*\*|\*\*:)\s")
_WORD = regex(r"[^\W_]+")
# Who is spoken to: a name set off by a comma, or after a greeting.
_ADDRESSED = regex(
    r"\A[A-Z][\w’'-]*(?=,\s)|(?<=,\s)[A-Z][\w’'-]*(?=\s*[.!…]*\Z)|"
    r"\b(?i:hey|hi|hello|hola|hallo|salut|bonjour|ciao|olá|oi)\s+[A-Z][\w’'-]*"
)
_COURTESY_CHARS = 60
_CIVIL = regex(r"bye|dank|luck|many|much[ao]?s?|nope|ok|times?|vielen|welcome|yay|ye[ap]h?|yup")
"""Beside idle words and stop words."""
_WORK = regex(r"(?:todo|fixme|xxx)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StatementBlock:
    """A bullet, a paragraph, or a sentence of one that is long. Lines are 1-based and inclusive. ``speaker`` is who
    says it where that stands before an earlier sentence."""

    text: str
    start: int
    end: int
    speaker: str = ""

    @property
    def hash(self) -> str:
        """The same wherever the block stands and however it is set."""
        plain = normalised(self.text.translate(_MARKS))
        return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_CHARS]


def blocks(text: str, first: int = 1) -> list[StatementBlock]:
    """Those of a text whose first line has the number ``first``, in order. Headings, tables, quotations, code and
    comments are none, nor are tasks, questions, courtesies and what is shorter than eight characters."""
    without = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    return [block for chunk in _split_blocks(without.split("\n"), first) for block in _split_by_size(chunk)]


def _split_blocks(rows: list[str], first: int) -> Iterator[StatementBlock]:
    lines_held: list[str] = []
    start = 0
    fence = False
    for number, row in enumerate([*rows, ""], first):
        edge = bool(_FENCE.match(row))
        item = _ITEM.match(row)
        if lines_held and (fence or edge or item or not row.strip() or _SKIP.match(row)):
            yield StatementBlock(" ".join(lines_held), start, number - 1)
            lines_held = []
        fence ^= edge
        if fence or edge or not row.strip() or (_SKIP.match(row) and not item):
            continue
        if not lines_held:
            start = number
        lines_held.append(" ".join((row[item.end() :] if item else row).split()))


def _split_by_size(chunk: StatementBlock) -> Iterator[StatementBlock]:
    if _TASK.match(chunk.text) or _WORK.match(chunk.text):
        return
    fact = _FACT.fullmatch(chunk.text)
    whole = chunk.text if fact is None else fact[1]
    speaker = _SPEAKER.match(whole)
    for sentence in [whole] if len(whole) <= MOST_CHARS else split_sentences(whole):
        text = sentence.strip()
        bare = _SPEAKER.sub("", text)
        if (
            len(bare) >= LEAST_CHARS
            and len(text) <= MOST_CHARS
            and not text.endswith(("?", "？", ":"))
            and any(map(str.isalpha, bare))
            and not _is_courtesy(bare)
        ):
            first = speaker is None or whole.startswith(text)
            yield StatementBlock(text, chunk.start, chunk.end, "" if first or speaker is None else speaker[1])


def _is_courtesy(text: str) -> bool:
    """Whether it is a few words that tell nothing to whoever was not there: "Wow, that's great, Ana!"."""
    if len(text) > _COURTESY_CHARS:
        return False
    words = _WORD.findall(_ADDRESSED.sub(" ", text).lower())
    languages = (detect(text), "en")
    return all(word in idle_words() or _CIVIL.fullmatch(word) or is_stop_word(word, languages) for word in words)


Key = tuple[str, str]
"""docid and hash of a block."""
Kind = Literal["found", "opened", "used", "said"]
KINDS: tuple[Kind, ...] = ("found", "opened", "used", "said")
CONFIRMING = frozenset(("opened", "used", "said"))
CONFIRMED_VALUE = 0.8
PER_SESSION = 3
"""So many signals of one fragment count in one session."""
DAYS = 30
MAX_FRAGMENTS = 5_000


@dataclass(frozen=True, slots=True)
class FragmentSignal:
    """``question`` is a hash, empty for none, ``day`` the local date, ``value`` lies in [0, 1], ``at`` is ms UTC."""

    kind: Kind
    key: Key
    day: str
    question: str
    value: float
    at: int
    session: str = ""


@dataclass(frozen=True, slots=True)
class DreamFragment:
    """A block that is there, and its signals, oldest first. ``written`` is the date of its document, if it has one;
    ``spacing`` in [0, 1] says how its signals are spread over time; ``short`` is what a language
    model made of the text, empty for nothing, ``speaker`` who says it; ``place`` is a path below the memory folder, or
    collection and path. An ``echo`` is what an assistant said in a session. ``joined`` are fragments that say the same,
    whose signals count here."""

    key: Key
    text: str
    line: int
    place: str
    content_type: str
    signals: tuple[FragmentSignal, ...]
    tags: tuple[str, ...] = ()
    written: str | None = None
    project: str = ""
    spacing: float = 0.0
    short: str = ""
    speaker: str = ""
    echo: bool = False
    joined: tuple[Key, ...] = ()

    @property
    def quote(self) -> str:
        """The text under the name of its speaker, where that stands elsewhere."""
        return f"**{self.speaker}**: {self.text}" if self.speaker else self.text

    @property
    def keys(self) -> tuple[Key, ...]:
        """Its own, and those of what says the same."""
        return (self.key, *self.joined)

    @property
    def confirmations(self) -> list[FragmentSignal]:
        return [signal for signal in self.signals if signal.kind in CONFIRMING]

    @property
    def questions(self) -> set[str]:
        return {signal.question for signal in self.signals if signal.question}

    @property
    def days(self) -> set[str]:
        return {signal.day for signal in self.signals}


def count_signals(signals: Sequence[FragmentSignal]) -> list[FragmentSignal]:
    """Those of one fragment that count, oldest first: each once for a kind, question and day, the strongest of them,
    and the first three of a session."""
    once: dict[tuple[str, str, str], FragmentSignal] = {}
    for signal in sorted(signals, key=lambda one: (one.at, one.day, one.kind, one.question, one.session)):
        name = (signal.kind, signal.question, signal.day)
        known = once.get(name)
        if known is None or signal.value > known.value:
            once[name] = signal
    found: list[FragmentSignal] = []
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
