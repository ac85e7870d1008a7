"""How well rules tell what replaces what: the tables of docs/truth.md.

    python bench/truth.py                     pairs of statements: precision and recall of supersession, by half
    python bench/truth.py --misses            and each pair that came out otherwise than it should
    python bench/truth.py --pairs FILE        another file of pairs
    python bench/truth.py --said              sentences of two sessions: which changes are noticed without a memory
    python bench/truth.py --captured DATA     conversations of DATA captured whole: every memory that gave way, and why
    python bench/truth.py --time 100000       milliseconds to notice what a new memory means for so many, and
                                              seconds of what is done over all of them

A pair of ``bench/pairs.tsv`` is of the half that the parity of its checksum says: rules are made by looking at ``dev``
alone. Supersession is right where the older statement gives way by itself and the pair says that it does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from capture import Conversation, Place, beam, locomo
from hearth import app
from hearth.capture.changes_of_mind import ChangesOfMind, is_change
from hearth.capture.rules import extract
from hearth.core.instants import DAY_MS
from hearth.core.judgement import Judgement, Relation, Said
from hearth.core.memory import Origin
from hearth.core.query import Hit
from hearth.core.transcript import Kind, TranscriptEntry, Turn
from hearth.guard.secrets.redaction import redact
from hearth.journal.append import Journal
from hearth.journal.line import Clock
from hearth.language.statements import states_plainly
from hearth.models.static import StaticEmbedder
from hearth.store.sqlite.store import SqliteStore
from hearth.testing import FixedClock
from hearth.truth.acts import Rivals
from hearth.truth.consolidation_plan import plan
from hearth.truth.duplicates import list_current
from hearth.truth.judge import Embed, judge
from hearth.truth.noticing import Aftermath, Noticer
from hearth.vault.history import History
from hearth.vault.ledger import Space
from hearth.vault.vault import Vault
from machine import percentile
from samples.statements import Statements, build
from samples.synthetic import START

PAIRS = Path(__file__).parent / "pairs.tsv"
SAID = tuple(Path(__file__).with_name(name) for name in ("said.tsv", "said_unseen.tsv"))
JUDGED = Path(__file__).parent / "truth_judged.tsv"
_NEVER = 1_000
TIMED, WARM = 320, 20
CLASHES = (Relation.UPDATE, Relation.CONTRADICTION)


@dataclass(frozen=True, slots=True)
class Pair:
    language: str
    relation: Relation
    trap: str
    older: str
    newer: str

    @property
    def half(self) -> str:
        return "held" if zlib.crc32(f"{self.older}\t{self.newer}".encode()) % 2 else "dev"

    @property
    def replaces(self) -> bool:
        return self.relation in CLASHES


def read_pairs(path: Path) -> Iterator[Pair]:
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            language, relation, trap, older, newer = line.split("\t")
            yield Pair(language, Relation(relation), trap, older, newer)


def embedding() -> Embed:
    embedder = StaticEmbedder()
    return lambda texts: embedder.embed(texts, "document")


def count(judged: Sequence[tuple[Pair, Judgement]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for pair, verdict in judged:
        found["pairs"] += 1
        found["wanted"] += pair.replaces
        found["told"] += verdict.replaces
        found["right"] += pair.replaces and verdict.replaces
        found["asked"] += verdict.doubtful
        found["relation"] += pair.relation == verdict.relation
    return found


def row(name: str, found: Counter[str]) -> str:
    precision = found["right"] / found["told"] if found["told"] else 1.0
    recall = found["right"] / found["wanted"] if found["wanted"] else 1.0
    return (
        f"{name:24} {found['pairs']:5} pairs   precision {precision:.3f} ({found['right']} of {found['told']})   "
        f"recall {recall:.3f} ({found['right']} of {found['wanted']})   asked {found['asked']}   "
        f"relation right {found['relation'] / found['pairs']:.2f}"
    )


def print_pairs(path: Path, embed: Embed, *, misses: bool) -> None:
    judged = [(pair, judge(Said(pair.older), Said(pair.newer), embed)) for pair in read_pairs(path)]
    groups = {"all": judged}
    for half in ("dev", "held"):
        groups[half] = [item for item in judged if item[0].half == half]
    groups["traps"] = [item for item in judged if item[0].trap]
    for language in dict.fromkeys(pair.language for pair, _ in judged):
        groups[language] = [item for item in judged if item[0].language == language]
    for name, items in groups.items():
        if items:
            print(row(name, count(items)))
    for pair, verdict in judged if misses else ():
        wrong = verdict.replaces != pair.replaces
        if pair.half == "dev" and (wrong or verdict.relation != pair.relation):
            mark = "FALSE" if verdict.replaces and wrong else "missed" if wrong else "other"
            print(f"{mark:6} {pair.language} {pair.relation} {pair.trap or '-'}: {pair.older} | {pair.newer}")
            print(f"         {verdict.relation} {verdict.confidence}: {verdict.reason}")


def print_said(path: Path, *, misses: bool) -> None:
    found: Counter[str] = Counter()
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        language, wanted, tried, older, newer = line.split("\t")
        noticed = states_plainly(older) and states_plainly(newer) and is_change(older, newer)
        found[f"{wanted} noticed" if noticed else f"{wanted} let pass"] += 1
        if misses and noticed != (wanted == "change"):
            verdict = judge(Said(older), Said(newer))
            print(f"{language} {wanted} {tried}: {older} | {newer}")
            print(f"         {verdict.relation} {verdict.confidence}: {verdict.reason}")
    print(f"{path.name}: {dict(sorted(found.items()))}")


@dataclass(frozen=True, slots=True)
class GaveWay:
    """Texts of the two memories, and how the older one was known."""

    case: str
    relation: str
    reason: str
    tier: str
    older: str
    newer: str

    @property
    def key(self) -> str:
        """A hash: no word of the sets is in it."""
        return hashlib.sha256(f"{self.older}\n{self.newer}".encode()).hexdigest()[:12]


@dataclass
class Captured:
    """A case in a vault of its own: where each memory comes from, what gave way, how many were kept and asked about."""

    name: str
    vault: Vault
    places: dict[str, list[Place]]
    gone: list[GaveWay]
    kept: int = 0
    asked: int = 0


def captured(folder: Path, talks: Iterable[Conversation]) -> Iterator[Captured]:
    """Each case of a set, its conversations beside what rules take out of them, turn by turn at their times."""
    cases: dict[str, list[Conversation]] = {}
    for talk in talks:
        for place in list(talk.places.values())[:1]:
            cases.setdefault(place.file.split("/")[0], []).append(talk)
    for name, sessions in cases.items():
        with tempfile.TemporaryDirectory(prefix="hearth-truth-") as home:
            parts = ("CONFIG", "DATA", "CACHE", "STATE")
            environ = {f"HEARTH_{part}_DIR": f"{home}/{part.lower()}" for part in parts} | {"HOME": home}
            settings = Path(home) / "config" / "config.yaml"
            settings.parent.mkdir()
            settings.write_text(f"collections:\n  said:\n    path: {folder / name / 'corpus'}\n", "utf-8")
            clock = FixedClock(0)
            with app.compose(app.settings(environ=environ), clock) as vault:
                vault.index.sync()
                case = Captured(name, vault, {}, [])
                for number, talk in enumerate(sessions):
                    _capture(case, clock, number, talk)
                yield case


def _capture(case: Captured, clock: FixedClock, number: int, talk: Conversation) -> None:
    for at, turn in enumerate(talk.turns):
        clock.ms = max(clock.ms + 60_000, turn.prompts[0].at or 0)
        found = extract(talk.turns[max(0, at - 1) : at + 1], turn.ordinal - 1)
        for one in found.memories:
            source = f"session {number}, turn {turn.ordinal}, rules {found.version}"
            done = case.vault.memories.remember(
                one.text,
                one.category.value,
                session=f"s{number}",
                origin=Origin(source, one.evidence.quote, one.tier.value, one.importance.score),
                confidence=one.confidence,
                key=f"{source} {one.text}",
                created_by="hearth-capture",
                subject=one.subject,
            )
            case.places.setdefault(done.docid, []).append(talk.places[turn.ordinal])
            case.kept += done.action == "written"
            case.asked += len(done.asks)
            case.gone += [_gave_way(case.name, case.vault, docid, done.docid) for docid in done.supersedes]


def _gave_way(name: str, vault: Vault, older: str, newer: str) -> GaveWay:
    with vault.store.read() as reader:
        why = reader.registers(older)["superseded_why"]
        tier = str(reader.document(older).document.facts.get("tier", ""))  # type: ignore[union-attr]
    texts = [vault.get(f"#{docid}").text.split("---", 2)[-1].strip() for docid in (older, newer)]
    return GaveWay(name, str(why.get("confidence")), str(why["reason"]), tier, texts[0], texts[1])


def print_captured(data: Path) -> None:
    answers: dict[str, Counter[str]] = {}
    verdicts = {line.split("\t")[0]: line.split("\t")[1] for line in _judged_lines()}
    for name, talks in (("locomo", locomo(data / "locomo")), ("beam-100k", beam(data / "beam-100k"))):
        gone: list[GaveWay] = []
        kept = asked = 0
        for case in captured(data / name, talks):
            gone += case.gone
            kept, asked = kept + case.kept, asked + case.asked
            _ask(case, name, data / name / case.name / "queries.jsonl", answers)
        told = Counter(verdicts.get(one.key, "not judged") for one in gone)
        explicit = Counter(verdicts.get(one.key, "not judged") for one in gone if one.tier == "explicit")
        print(f"{name}: {kept} memories, {len(gone)} gave way {dict(told)}, asked {asked}; explicit {dict(explicit)}")
        for one in gone:
            print(f"{one.key}\t{verdicts.get(one.key, '?')}\t{one.case}\t{one.tier}\t{one.reason}")
            print(f"    {one.older}\n    {one.newer}")
    for label, found in answers.items():
        print(f"{label}: {dict(found)}")


def _ask(case: Captured, name: str, queries: Path, answers: dict[str, Counter[str]]) -> None:
    """Where the gold turns of questions stand, among conversations alone and with the memories; of those about what
    changed more is told."""
    at = case.vault.clock()
    for line in queries.read_text("utf-8").splitlines():
        row = json.loads(line)
        if not row["gold"]:
            continue
        gold = sorted((f"{case.name}/{one['path']}", one["start"], one["end"]) for one in row["gold"])
        changed = row["type"] in ("knowledge_update", "contradiction_resolution") and len(gold) > 1
        for label, collections in (("conversations alone", ("said",)), ("with memories", ())):
            found = case.vault.recall(row["query"], limit=50, at=at, collections=collections)
            ranks = [_rank(found.hits, case, *one) for one in gold]
            every = answers.setdefault(f"{name}, {label}", Counter())
            every["questions"] += 1
            every["gold"] += len(gold)
            every["gold in ten"] += sum(rank < 10 for rank in ranks)
            every["first gold in five"] += min(ranks) < 5
            if not changed:
                continue
            count = answers.setdefault(f"{row['type']}, {label}", Counter())
            count["questions"] += 1
            count["latest first"] += ranks[-1] < min(ranks[:-1])
            count["latest found"] += ranks[-1] < _NEVER
            count["all in ten"] += max(ranks) < 10
            count["two in ten"] += sum(rank < 10 for rank in ranks) >= 2
        if changed:
            count["flagged"] += _flagged(case, gold)


def _rank(hits: Sequence[Hit], case: Captured, file: str, start: int, end: int) -> int:
    for rank, hit in enumerate(hits):
        said = case.places.get(hit.docid) or [Place(f"{case.name}/{hit.path}", hit.start_line, hit.end_line)]
        if any(place.file == file and place.start <= end and start <= place.end for place in said):
            return rank
    return _NEVER


def _flagged(case: Captured, gold: Sequence[tuple[str, int, int]]) -> bool:
    """Whether memories of two of the turns are linked, superseded or asked about."""
    mine = {
        docid: number
        for number, (file, start, end) in enumerate(gold)
        for docid, places in case.places.items()
        if any(place.file == file and place.start <= end and start <= place.end for place in places)
    }
    with case.vault.store.read() as reader:
        for docid in mine:
            registers = reader.registers(docid)
            others = {value for name, value in registers.items() if name == "superseded_by" and value}
            others |= {name.rsplit(":", 1)[-1] for name in registers if name.startswith("relation:contradicts:")}
            if any(mine.get(other, mine[docid]) != mine[docid] for other in others):
                return True
    return False


def print_time(size: int, cache: Path, embed: Embed) -> None:
    """Noticing alone: rivals found, read and judged, beside what writing costs anyway."""
    corpus = build(cache, size)
    told, store = Statements(size), corpus.open()
    embedder = StaticEmbedder()
    space = Space(lambda: embedder)
    rivals = Rivals(store, space, lambda: START + 2_000 * DAY_MS)
    with tempfile.TemporaryDirectory() as home:
        log = Journal(Path(home), "aaaaaaaaaa", Clock(lambda: START), str)
        noticer = Noticer(History(log, store), rivals, embed, redact, lambda: START)
        print_runs(Aftermath(noticer, store), store)
        taken: list[float] = []
        worked: list[float] = []
        related = 0
        for number in range(TIMED):
            noticer.judged(told.memory(number * 7).id)  # texts of memories are made when first read
            started, used = time.perf_counter(), time.process_time()
            related += len(noticer.judged(told.memory(number * 7).id))
            taken.append((time.perf_counter() - started) * 1000)
            worked.append((time.process_time() - used) * 1000)
    for label, figures in (("passed", taken[WARM:]), ("of the processor", worked[WARM:])):
        p50, p95 = percentile(figures, 0.5), percentile(figures, 0.95)
        print(f"{size:,} memories, ms {label}: p50 {p50:.1f}, p95 {p95:.1f}; {related} judgements of {TIMED} memories")
    print_turns(ChangesOfMind(rivals, "UTC"), told)


def print_turns(changes: ChangesOfMind, told: Statements) -> None:
    """What it takes to find what a turn of a session changes that says how something is."""
    worked: list[float] = []
    found = 0
    for number in range(TIMED):
        text = told.text(number * 7)
        turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, text, at=START + 1_999 * DAY_MS),))
        used = time.process_time()
        found += len(changes.find("s", [(turn, None)]))
        worked.append((time.process_time() - used) * 1000)
    p50, p95 = percentile(worked[WARM:], 0.5), percentile(worked[WARM:], 0.95)
    print(f"a turn, ms of the processor: p50 {p50:.1f}, p95 {p95:.1f}; {found} statements of {TIMED} turns")


def print_runs(aftermath: Aftermath, store: SqliteStore) -> None:
    """What the daemon's jobs do over all of them: whether something was not noticed, and a consolidation's plan."""
    with store.read() as reader:
        for label, work in (
            ("whether something is left to notice", aftermath.count_left),
            ("the plan of a consolidation", lambda: len(plan(list(list_current(reader)), START + 2_000 * DAY_MS))),
        ):
            used, started = time.process_time(), time.perf_counter()
            found = work()
            worked, passed = time.process_time() - used, time.perf_counter() - started
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{label}: {worked:.2f} s of the processor, {passed:.2f} s passed, {found} found, {peak:.0f} MB")


def _judged_lines() -> list[str]:
    lines = JUDGED.read_text("utf-8").splitlines() if JUDGED.exists() else []
    return [line for line in lines if line and not line.startswith("#")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument("--said", action="store_true")
    parser.add_argument("--captured", type=Path, metavar="DATA")
    parser.add_argument("--time", type=int, default=0, metavar="SIZE")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "hearth-bench")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    if options.time:
        print_time(options.time, options.cache, embedding())
    elif options.captured:
        print_captured(options.captured)
    elif options.said:
        for path in SAID:
            print_said(path, misses=options.misses)
    else:
        print_pairs(options.pairs, embedding(), misses=options.misses)


if __name__ == "__main__":
    main()
