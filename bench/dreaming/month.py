"""A simulated month: questions of a set on random days, the real search, hooks and feedback, a night after each day."""

from __future__ import annotations

import pickle
import random
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hearth import app
from hearth.benchmark.measures import BenchQuestion, Case, Gold, load
from hearth.context.hook_context import Hooks
from hearth.core.hook import PromptSubmitted, TurnEnded
from hearth.core.instants import DAY_MS
from hearth.pages.dream.fragments import DreamFragment, Key, StatementBlock, blocks
from hearth.pages.dream.index_view import Grounds, Realm, document_frequencies, read_fragments, read_signals
from hearth.pages.dream.plan import unite
from hearth.pages.dream.scores import document_blocks
from hearth.pages.dream.themes import TermFrequencies
from hearth.ports import Filter
from hearth.testing import FixedClock
from hearth.text.terms import terms
from hearth.vault.vault import Vault

START = 1_767_225_600_000
"""1 January 2026, 00:00 UTC."""
DAYS = 30
NIGHT_MS = 3 * 3_600_000
HELD_OUT, AGAIN, QUOTED = 0.3, 0.2, 0.6
PER_SESSION = 4
_QUOTES = 3
_MINUTE_MS = 60_000
NAME, _HOST = "said", "bench"
_NOTHING = "I have nothing on that; tell me more and I will look again."
# What was asked of a passage by so many questions is what a person keeps asking for.
OFTEN = 3


@dataclass
class Machine:
    """A vault whose clock is moved by hand, over a folder of notes that take part in dreaming."""

    home: Path
    corpus: Path | None = None
    settings: str = ""
    clock: FixedClock = field(default_factory=lambda: FixedClock(START))

    def open(self) -> tuple[Vault, Hooks]:
        environ = {f"HEARTH_{part}_DIR": str(self.home / part.lower()) for part in ("CONFIG", "DATA", "CACHE", "STATE")}
        config = self.home / "config" / "config.yaml"
        config.parent.mkdir(parents=True, exist_ok=True)
        notes = f"collections:\n  {NAME}:\n    path: {self.corpus}\n    dream: true\n" if self.corpus else ""
        config.write_text(notes + self.settings, "utf-8")
        chosen = app.settings(environ={**environ, "HOME": str(self.home), "TZ": "UTC"})
        vault = app.compose(chosen, self.clock)
        vault.index.sync()
        return vault, app.hooks(vault, chosen.loaded.config)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question put on a day, and the answer that it gets; ``session`` is what the name of its session begins with."""

    day: int
    prompt: str
    reply: str
    session: str = ""


@dataclass(frozen=True)
class Month:
    """What came of one. ``gold`` says of which questions asked a passage holds the answer, ``held_out`` of which that
    nobody asked; ``places`` are the passages of each place that answers several. ``average`` is the share of all
    passages that answer one held out."""

    set: str
    case: str
    seed: int
    held: float
    promoted: tuple[Key, ...]
    gold: Mapping[Key, int]
    held_out: Mapping[Key, int]
    places: tuple[frozenset[Key], ...]
    average: float
    fragments: tuple[DreamFragment, ...]
    vocabulary: TermFrequencies
    diary: str
    page: str


def simulate(folder: Path, name: str, seed: int, work: Path, held: float) -> Month:
    """The case ``name`` of a set; the share ``held`` of its questions is asked by nobody."""
    case = next(case for case in load(folder) if case.name == name)
    rng = random.Random(f"{name} {seed}")
    answerable = [question for question in case.questions if question.gold]
    held_out = set(rng.sample(range(len(answerable)), int(held * len(answerable))))
    asked = [question for number, question in enumerate(answerable) if number not in held_out]
    unanswerable = [question for question in case.questions if not question.gold]
    others = _sentences(other.corpus for other in load(folder) if other.name != name) or [_NOTHING]
    machine = Machine(work / f"{name}-{seed}-{held}", case.corpus)
    try:
        vault, hooks = machine.open()
        with vault:
            promoted = live(vault, hooks, machine.clock, _plan(case, [*asked, *unanswerable], others, rng))
            rest = [question for number, question in enumerate(answerable) if number in held_out]
            return _found(vault, folder.name, case, (seed, held), (asked, rest), promoted)
    finally:
        shutil.rmtree(machine.home, ignore_errors=True)


def kept(folder: Path, name: str, seed: int, work: Path, held: float, keep: Path | None) -> Month:
    """The same, as it was kept by an earlier run, if it was."""
    file = None if keep is None else keep / f"{name}-{seed}-{held}.pickle"
    if file is not None and file.exists():
        known: Month = pickle.loads(file.read_bytes())
        return known
    month = simulate(folder, name, seed, work, held)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(month))
    return month


def live(vault: Vault, hooks: Hooks, clock: FixedClock, asked: Iterable[Asking]) -> list[Key]:
    """Asks day by day and dreams after each; gives what was promoted."""
    by_day: dict[int, list[Asking]] = {}
    for one in asked:
        by_day.setdefault(one.day, []).append(one)
    promoted: list[Key] = []
    for day in range(DAYS):
        for number, one in enumerate(by_day.get(day, [])):
            clock.ms = START + day * DAY_MS + 9 * 3_600_000 + number * _MINUTE_MS
            ask(vault, hooks, one, f"{one.session}{day}-{number // PER_SESSION}", f"turn {number}")
        clock.ms = START + (day + 1) * DAY_MS + NIGHT_MS
        done = vault.dream.dream()
        promoted += [one.fragment.key for one in done.put]
        if done.run is not None:
            vault.index.sync()
    return promoted


def ask(vault: Vault, hooks: Hooks, one: Asking, session: str, turn: str) -> None:
    """A turn as a host reports it: the hook shows what it finds, the agent searches, the answer is read."""
    asked = PromptSubmitted(host=_HOST, session=session, turn=turn, prompt=one.prompt)
    hooks.answer("context-surfacing", asked, 60_000, "deep").after()
    vault.usage.recalled(vault.recall(one.prompt), session, turn)
    ended = TurnEnded(host=_HOST, session=session, turn=turn, prompt=one.prompt, reply=one.reply)
    hooks.answer("feedback-loop", ended, 60_000).after()


def _plan(
    case: Case, questions: Sequence[BenchQuestion], others: Sequence[str], rng: random.Random
) -> Iterator[Asking]:
    """Each on a random day, a fifth on two; six answers in ten quote what answers, the others something else."""
    texts = {gold.path: (case.corpus / gold.path).read_text("utf-8") for one in questions for gold in one.gold}
    for question in questions:
        for day in rng.sample(range(DAYS), 2 if rng.random() < AGAIN else 1):
            reply = rng.choice((_NOTHING, rng.choice(others)))
            if question.gold and rng.random() < QUOTED:
                reply = f"As noted: {_quotes(texts, question)}"
            yield Asking(day, question.text, reply)


def questions_and_quotes(case: Case) -> Iterator[tuple[str, str]]:
    """Questions of a case, each with words that answer it."""
    for question in case.questions:
        for gold in question.gold[:1]:
            text = (case.corpus / gold.path).read_text("utf-8")
            yield question.text, f"As noted: {_quote({gold.path: text}, gold, question.text)}"


def _quotes(texts: Mapping[str, str], question: BenchQuestion) -> str:
    return " ".join(_quote(texts, gold, question.text) for gold in question.gold[:_QUOTES])


def _quote(texts: Mapping[str, str], gold: Gold, asked: str) -> str:
    """The statement of a place that shares most words with what was asked."""
    inside = [block.text for block in blocks(texts[gold.path]) if _overlaps(block, gold)]
    lines = texts[gold.path].split("\n")[gold.start - 1 : gold.end]
    words = set(terms(asked, "en"))
    return max(inside, key=lambda text: len(words & set(terms(text, "en")))) if inside else " ".join(lines)


def _sentences(folders: Iterable[Path]) -> list[str]:
    """Statements of other cases, of which no answer is found here."""
    files = (file for folder in folders for file in sorted(folder.rglob("*.md"))[:3])
    return [block.text for file in files for block in blocks(file.read_text("utf-8"))][:5_000]


def _overlaps(block: StatementBlock, gold: Gold) -> bool:
    return block.start <= gold.end and gold.start <= block.end


def _found(
    vault: Vault,
    set_name: str,
    case: Case,
    drawn: tuple[int, float],
    questions: tuple[Sequence[BenchQuestion], Sequence[BenchQuestion]],
    promoted: Sequence[Key],
) -> Month:
    by_path: dict[str, list[tuple[Key, StatementBlock]]] = {}
    with vault.store.read() as reader:
        for stored in vault.documents(Filter(collections=(NAME,))):
            own = {block.hash: block for block in document_blocks(reader, stored)}
            document = stored.document
            by_path[document.path] = [((document.docid, name), block) for name, block in own.items()]
        grounds = Grounds(Realm((NAME,)), vault.clock(), vault.zone)
        signals = read_signals(reader, grounds.today).signals
        fragments = unite(read_fragments(reader, signals, grounds))
        words = TermFrequencies(document_frequencies(reader, fragments), reader.statistics().fragments)
    gold, held_out = (_answered(by_path, some) for some in questions)
    total = sum(map(len, by_path.values()))
    page = Path(vault.dream.pages.path)
    return Month(
        set_name, case.name, *drawn, tuple(promoted), gold, held_out, tuple(_places(by_path, questions[0])),
        len(held_out) / total, tuple(fragments), words, _read(page.with_name("DREAMS.md")), _read(page),
    )  # fmt: skip


def _answered(
    by_path: Mapping[str, Sequence[tuple[Key, StatementBlock]]], questions: Sequence[BenchQuestion]
) -> dict[Key, int]:
    """Passage -> number of questions of which it holds an answer."""
    found: dict[Key, int] = {}
    for question in questions:
        rows = ((gold, key, block) for gold in question.gold for key, block in by_path.get(gold.path, ()))
        for key in {key for gold, key, block in rows if _overlaps(block, gold)}:
            found[key] = found.get(key, 0) + 1
    return found


def _places(
    by_path: Mapping[str, Sequence[tuple[Key, StatementBlock]]], questions: Sequence[BenchQuestion]
) -> Iterator[frozenset[Key]]:
    """Of each place that is gold of three questions, its passages; those without any are left out."""
    counts: dict[Gold, int] = {}
    for question in questions:
        for gold in set(question.gold):
            counts[gold] = counts.get(gold, 0) + 1
    for gold, count in sorted(counts.items(), key=lambda item: (item[0].path, item[0].start)):
        inside = frozenset(key for key, block in by_path.get(gold.path, ()) if _overlaps(block, gold))
        if count >= OFTEN and inside:
            yield inside


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""
