"""What a night costs where there is much."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from dreaming.month import DAYS, NAME, START, Machine
from hearth.core.instants import DAY_MS, show_date, zone_of
from hearth.core.journal import Draft
from hearth.pages.dream.fragments import blocks
from hearth.pages.dream.scores import SignalRecorder
from hearth.ports import CollectionState
from hearth.testing import record
from hearth.vault.vault import Vault
from samples.synthetic import Vocabulary, vocabulary_of

_BATCH = 1_000
_RUNS = 200


@dataclass(frozen=True, slots=True)
class NightCost:
    """Seconds and additional megabytes of a dry run and of a night; milliseconds that a search takes longer; all of the
    processor."""

    planned: float
    night: float
    megabytes: float
    per_search: float


def measure(documents: int, signals: int, work: Path) -> NightCost:
    machine = Machine(work / "size", work / "notes")
    (work / "notes").mkdir()
    vault, _ = machine.open()
    with vault:
        known = list(_fill(vault, documents))
        _use(machine, vault, known, signals)
        # The files are not there: a look at the folders would take the documents for gone.
        dreamer = replace(vault.dream, prepare=lambda: None)
        before, started = _peak_mb(), time.process_time()
        dreamer.dream(apply=False)
        planned = time.process_time()
        done = dreamer.dream()
        ended, after = time.process_time(), _peak_mb()
        assert done.applied, done.problem
        search = _per_search(vault, known[0][0])
    shutil.rmtree(machine.home)
    return NightCost(planned - started, ended - planned, after - before, search)


def _fill(vault: Vault, documents: int) -> Iterator[tuple[str, str]]:
    """docid and hash of the one block of each."""
    rng = random.Random("size")
    vocabulary = Vocabulary(vocabulary_of(documents))
    for start in range(0, documents, _BATCH):
        with vault.store.write() as writer:
            for number in range(start, min(documents, start + _BATCH)):
                words = [vocabulary.words[int(rng.paretovariate(0.5)) % len(vocabulary.words)] for _ in range(14)]
                made = record(NAME, f"{number % 97:02d}/{number}.md", f"The {' '.join(words)}.")
                writer.put(made)
                [one, *_] = blocks(made.fragments[0].fragment.text)
                yield made.document.docid, one.hash
    with vault.store.write() as writer:
        writer.set_collection(CollectionState(NAME, "/notes", START))


def _use(machine: Machine, vault: Vault, known: list[tuple[str, str]], signals: int) -> None:
    """Uses over a month: half of the passages once, some again and again."""
    rng = random.Random("use")
    often = known[:: max(1, len(known) // 2_000)]
    for day in range(DAYS):
        machine.clock.ms = START + day * DAY_MS + DAY_MS // 2
        on = show_date(machine.clock(), zone_of("UTC"))
        drafts = []
        for number in range(signals // DAYS):
            docid, block = rng.choice(often if number % 4 == 0 else known)
            where = {"session": f"s{day}-{number}", "turn": "t", "who": f"s{day}-{number}"}
            about = {"blocks": [[docid, block]], "on": on, "asked": f"q{rng.randrange(5_000)}"}
            drafts.append(Draft("referenced", docid, data={**where, **about}))
        vault.dream.history.record(drafts, durable=False)
    machine.clock.ms = START + DAYS * DAY_MS + DAY_MS // 8


def _per_search(vault: Vault, docid: str) -> float:
    """Milliseconds to tell the passages that a search found."""
    with vault.store.read() as reader:
        stored = reader.document(docid)
        assert stored is not None
        [part, *_] = reader.fragments_of(stored.id)
    recall = vault.recall(part.text, limit=10)
    # As if all of the best were answers: each is then looked through.
    recall = replace(recall, hits=tuple(replace(hit, score=1.0) for hit in recall.hits))
    assert SignalRecorder(True, vault.clock, vault.zone).choose_fragments(recall, "s", "q")
    recorder = SignalRecorder(True, vault.clock, vault.zone)
    started = time.process_time()
    for number in range(_RUNS):
        recorder.choose_fragments(recall, f"s{number}", f"q{number}")
    return (time.process_time() - started) / _RUNS * 1_000


def _peak_mb() -> float:
    """The most that this process ever held."""
    return getrusage(RUSAGE_SELF).ru_maxrss / 1_024
