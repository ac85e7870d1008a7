"""Kills ``hearth capture run`` at random system calls, and looks whether each turn is captured exactly once.

Reads ``{"work": folder, "seed": seed, "kills": number, "model": address or null}`` as JSON from standard input. A
session grows by turns with a word and a commit of their own; each is marked, a capture of it killed, and another let
end. With a language model at the address, which names each word, a memory with it is there once. Prints a line of JSON
for each fault, and at last ``{"killed": number, "turns": number}``.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from killing import RUNS, Lives, command, environ_of, texts
from sessions import mark, turn

SESSION = "killed-session"
RUN = ["capture", "run", "--all"]


def faults(home: Path, turns: int, by_model: bool) -> Iterator[str]:
    held = texts(home / "data/default/memory")
    facts = [text.split("---\n", 2)[-1] for path, text in held.items() if path.startswith("agent/facts/")]
    said = "".join(text for path, text in held.items() if path.startswith("agent/conversations/"))
    made = [text for path, text in held.items() if path.startswith("agent/milestones/")]
    bodies = said.split("---\n", 2)[-1]
    for number in range(turns):
        for word in (f"Turn word{number:05} ", f"answer{number:05}."):
            if (found := bodies.count(word)) != 1:
                yield f"{word.strip()} was captured {found} times"
        if (found := sum(f"word{number:05} " in text for text in facts)) != by_model:
            yield f"word{number:05} is in {found} facts"
        lids = sum(f"lid{number:05}" in text.split("---\n", 2)[-1] for text in made)
        if lids != number % 2:
            yield f"the commit of turn {number} is in {lids} memories"


def main() -> None:
    given = json.load(sys.stdin)
    rng = random.Random(given["seed"])
    lives = Lives(Path(given["work"]), rng, {"remember": ["remember", "{fresh}"], "note": ["note", "{fresh}"]})
    home = lives.template
    transcript = home / "session.jsonl"
    if given["model"] is not None:
        settings = home / "config" / "config.yaml"
        told = f"llm: {{provider: openai, url: '{given['model']}'}}\n"
        settings.write_text(settings.read_text("utf-8") + told, encoding="utf-8")
    calls, killed, turns = 400, 0, 0
    while killed < given["kills"]:
        for _ in range(rng.randint(1, 3)):
            with transcript.open("a", encoding="utf-8") as file:
                file.write(turn(turns))
            turns += 1
        mark(environ_of(home) | RUNS, SESSION, transcript)
        ending = lives.tracer.run(command(home, RUN), rng.randint(1, calls), changing=True)
        if ending.code is None:
            killed += 1
            ending = lives.tracer.run(command(home, RUN))
        calls = max(10, ending.changing)
        seen, problem = lives.look(home)
        told = [problem] if seen is None else [*seen.problems, *faults(home, turns, given["model"] is not None)]
        if ending.code:
            told.append(f"ended with {ending.code}: {(home / 'stderr').read_text('utf-8')[-500:]}")
        for fault in told[:5]:
            sys.stdout.write(json.dumps({"killed": killed, "turns": turns, "fault": fault}) + "\n")
        if told:
            break
    sys.stdout.write(json.dumps({"killed": killed, "turns": turns}) + "\n")


if __name__ == "__main__":
    main()
