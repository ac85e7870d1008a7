"""What must never happen: a year of nights, and a month in which nobody asks anything worth keeping."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dreaming.month import DAYS, START, Asking, Machine, ask, live, questions_and_quotes
from hearth.benchmark.measures import Case
from hearth.core.errors import HearthError
from hearth.core.instants import DAY_MS
from hearth.pages.dream import memory_md
from hearth.text.lines import estimate_tokens
from hearth.text.similarity import near_identical
from hearth.vault.vault import Vault

NIGHTS = 365
MEMORIES = 60
ASKED = 4
MAX_TOKENS = 400
EVERYDAY = Path(__file__).parents[1] / "everyday.txt"
_PLACES = ["Graz", "Lund", "Oslo", "Pisa", "Turku", "Gdansk", "Porto", "Bergen", "Leiden", "Ghent", "Malmo", "Trento"]
_THINGS = ("kiln", "ferry", "bakery", "archive", "orchard", "printer", "weir", "chapel", "tannery", "observatory")
_UNATTENDED = ("agent:main:cron:", "agent:main:heartbeat:", "agent:main:subagent:")


def year(work: Path) -> Counter[str]:
    """Memories that are asked for, replaced and forgotten: how often a night left what it must not leave."""
    machine = Machine(work / "year", settings=f"dream:\n  max_tokens: {MAX_TOKENS}\n")
    vault, hooks = machine.open()
    rng, found = random.Random("year"), Counter[str]()
    with vault:
        known = [(thing, place, _write(vault, rng, thing, place)) for thing, place in _subjects(rng)]
        for day in range(NIGHTS):
            machine.clock.ms = START + day * DAY_MS + DAY_MS // 2
            liked = known[day // 20 % 5 :: 5]
            for number, (thing, place, (_, text)) in enumerate(rng.sample(liked, ASKED)):
                question = rng.choice(
                    (f"what about the {thing} of {place}?", f"when does the {thing} in {place} open?")
                )
                ask(vault, hooks, Asking(day, question, f"As noted: {text}"), f"s{day}-{number}", "t")
            _change(vault, rng, known)
            machine.clock.ms = START + (day + 1) * DAY_MS + DAY_MS // 8
            done = vault.dream.dream()
            found["promoted"] += len(done.put) + len(done.successors)
            found["left"] += len(done.left)
            found.update(_faults(vault))
            vault.index.sync()
    shutil.rmtree(machine.home)
    return found


def chatter(case: Case, work: Path) -> int:
    """How much a month of everyday prompts and of sessions without a person promotes."""
    lines = [line for line in EVERYDAY.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    lines = [line.replace("\\n", "\n") for line in lines]
    rng = random.Random("chatter")
    asked = [Asking(day, rng.choice(lines), rng.choice(lines)) for day in range(DAYS) for _ in range(12)]
    for session in _UNATTENDED:
        some = list(questions_and_quotes(case))[:5]
        asked += [Asking(day, question, reply, session) for day in range(DAYS) for question, reply in some]
    machine = Machine(work / "chatter", case.corpus)
    vault, hooks = machine.open()
    with vault:
        count = len(live(vault, hooks, machine.clock, asked))
    shutil.rmtree(machine.home)
    return count


def _subjects(rng: random.Random) -> list[tuple[str, str]]:
    return rng.sample([(thing, place) for thing in _THINGS for place in _PLACES], MEMORIES)


def _write(vault: Vault, rng: random.Random, thing: str, place: str) -> tuple[str, str]:
    hours = f"from {rng.randrange(6, 12)} to {rng.randrange(13, 20)}"
    text = (
        f"The {thing} of {place} opens {hours} and is run by the {rng.choice(_THINGS)} guild of {rng.choice(_PLACES)}."
    )
    return vault.memories.remember(text, "fact").docid, text


def _change(vault: Vault, rng: random.Random, known: list[tuple[str, str, tuple[str, str]]]) -> None:
    """Now and then something is replaced, or forgotten and told anew."""
    number = rng.randrange(len(known))
    thing, place, (docid, _) = known[number]
    chance = rng.random()
    try:
        if chance < 0.10:
            newer = _write(vault, rng, thing, place)
            if newer[0] != docid:
                vault.state.supersede(docid, newer[0])
            known[number] = thing, place, newer
        elif chance < 0.15:
            vault.state.forget(docid)
            known[number] = thing, place, _write(vault, rng, thing, place)
    except HearthError:  # what was replaced already when it was written
        pass


def _faults(vault: Vault) -> Iterator[str]:
    """Of the page as the night left it."""
    known = vault.dream.pages.read().page
    items = known.ours if known is not None else []
    if sum(estimate_tokens(item.text) for item in items) > MAX_TOKENS:
        yield "over the cap"
    for number, item in enumerate(items):
        if any(near_identical(item.statement, other.statement) for other in items[:number]):
            yield "duplicates"
    with vault.store.read() as reader:
        for item in items:
            stored = reader.document(item.key[0])
            if stored is None or stored.state.veils_at(vault.clock()):
                yield "superseded left"
    if known is not None and known.start is None:
        yield f"{memory_md.NAME} without a block"
