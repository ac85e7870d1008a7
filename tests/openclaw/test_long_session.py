"""A session of twenty turns with a flush, a compaction and ``/new``, and what the next one is given."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from .conftest import Host, content_of, open_gateway, since_answer, texts, until

pytestmark = pytest.mark.timeout(1_800)
# A folder for what the model was given, turn by turn.
SHOW = os.environ.get("HEARTH_TEST_SHOW")

EARLIER = "The frost sensor of the greenhouse reads two degrees too high, so the heater is set to start at six."
NOTE = "- The valves of the irrigation are numbered from the barn outwards."
TURNS = (
    ("I want to build an irrigation controller for the greenhouse this month.", "Gladly. What is there already?"),
    ("There are four solenoid valves for 24 volts, and a rain barrel of 600 litres.", "Good. Is there mains power?"),
    ("Yes, in the barn. I prefer short answers, please, three sentences at most.", "Understood."),
    (
        "We decided to run the controller on a Raspberry Pi Pico, because the ESP32 loses its network at night.",
        "Noted.",
    ),
    ("Remember that the pump may not run between ten at night and six in the morning.", "I will remember it."),
    ("What did we find out about the frost sensor?", "It reads two degrees too high; the heater starts at six."),
    ("Right. The program is in the repository garden-pico, in the file valves.py.", "I will look there."),
    ("The first test failed: OSError 110 when the Pico asks the time server.", "Is the time server reachable?"),
    ("Solved: the router blocked port 123, it is open now.", "Then the clock is right again."),
    ("My sister Lena looks after the greenhouse when I travel in July.", "Good to know."),
    ("Let us water the beds at seven in the evening.", "At seven, then."),
    ("How many valves are there, again?", "Four, for 24 volts."),
    ("The barrel needs a float switch, or the pump runs dry.", "Which one?"),
    ("I ordered the float switch today, it comes on Thursday.", "Then we wire it on Thursday."),
    ("No, water the beds at six in the morning instead, the evenings are too humid.", "At six in the morning."),
    ("Never use the city water for the tomatoes, it is too cold.", "Understood, only the barrel."),
    ("Write the schedule into valves.py when we go on.", "I will."),
    ("What may the pump not do at night?", "It may not run between ten and six."),
    ("The next step is the wiring of valve 3.", "Valve 3 next."),
    ("That is enough for today, we go on tomorrow.", "Until tomorrow."),
)
FLUSH_AT, COMPACT_AT = 10, 13
# Of a window of 200,000 less a reserve of 20,000: what asks for a flush, and for a compaction.
FLUSH_TOKENS, COMPACT_TOKENS = 177_000, 182_000


# There it is another day than in UTC.
ZONE = "Etc/GMT+12" if datetime.now(UTC).hour < 11 else "Etc/GMT-14"


def local_day() -> str:
    return f"{datetime.now(ZoneInfo(ZONE)):%Y-%m-%d}"


class Model:
    """Answers the turns in their order, and a flush with a note and then ``NO_REPLY``."""

    def __init__(self) -> None:
        self.turn = 0
        self.tokens = 5_000
        self.flushes = 0

    def answer(self, body: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        asked = "\n".join(texts(body, "user")[-1:])
        if "Append lasting notes" in asked:
            if body["messages"][-1]["role"] == "tool":
                self.flushes += 1
                return {"role": "assistant", "content": "NO_REPLY"}, 5_000
            [file] = set(re.findall(r"memory/\d{4}-\d\d-\d\d\.md", asked))
            call = {"name": "write", "arguments": json.dumps({"path": file, "content": f"{NOTE}\n"})}
            calls = [{"id": "w1", "type": "function", "function": call}]
            return {"role": "assistant", "content": None, "tool_calls": calls}, 5_000
        answer = TURNS[self.turn][1] if self.turn < len(TURNS) else "Good morning!"
        return {"role": "assistant", "content": answer}, self.tokens


def write_down(folder: Path, given: list[list[dict[str, Any]]]) -> None:
    """What the model was given that no request before held, but for the host's own prompt, for a person to read."""
    seen: set[str] = set()
    for number, requests in enumerate(given, 1):
        parts = []
        for sent in requests:
            parts.append(f"# {len(sent['messages'])} messages, {len(sent.get('tools') or ())} tools")
            new = [(one["role"], text) for one in sent["messages"] if (text := content_of(one)) not in seen]
            parts += [f"## {role}\n\n{text}" for role, text in new if role != "system"]
            seen |= {text for _, text in new}
        (folder / f"turn-{number:02}.md").write_text("\n\n".join(parts), "utf-8")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    def change(settings: dict[str, Any]) -> None:
        settings["agents"]["defaults"]["userTimezone"] = ZONE
        settings["agents"]["defaults"]["compaction"] = {"keepRecentTokens": 200, "provider": "hearth"}

    with open_gateway(tmp_path, "memory", change=change) as found:
        found.hearth("remember", "--type", "fact", EARLIER)
        yield found


def blocks_in(requests: list[dict[str, Any]]) -> dict[str, str]:
    """What Hearth put before the turn, by the name of the block."""
    asked = "\n".join(texts(since_answer(requests[0]), "user")) if requests else ""
    return dict(re.findall(r"<(vault-\w+)>(.*?)</\1>", asked, re.DOTALL))


def assert_says(text: str, *parts: str) -> None:
    assert [part for part in parts if part not in text] == [], text


def test_what_the_next_session_is_given_after_flush_compaction_and_new(host: Host, tmp_path: Path) -> None:
    model = Model()
    host.answer = model.answer
    given: list[list[dict[str, Any]]] = []
    began = local_day()
    for number, (said, _) in enumerate(TURNS):
        before, model.turn = len(host.requests), number
        model.tokens = {FLUSH_AT: FLUSH_TOKENS, COMPACT_AT: COMPACT_TOKENS}.get(number, 5_000)
        host.post(said)
        if number == FLUSH_AT:
            until(lambda: host.entry().get("memoryFlush", {}).get("kind") == "succeeded")
        if number == COMPACT_AT:
            until(lambda: host.entry().get("compactionCount") == 1)
        given.append(host.requests[before:])
    host.say("/new")
    until(lambda: host.is_captured())
    model.turn = len(TURNS)
    before = len(host.requests)
    host.post("Good morning! Where were we with the irrigation?")
    given.append(host.requests[before:])
    if SHOW:
        write_down(Path(SHOW), given)
    blocks = [blocks_in(requests) for requests in given]
    assert [number for number, found in enumerate(blocks) if "vault-session" in found] == [len(TURNS)]
    assert "two degrees too high" in blocks[5]["vault-context"]
    after = [number for number, found in enumerate(blocks) if "vault-postcompact" in found]
    assert after == [COMPACT_AT + 1]
    assert_says(
        blocks[after[0]]["vault-postcompact"], "irrigation controller", "Raspberry Pi Pico", "float switch today"
    )
    summary = content_of(given[COMPACT_AT + 1][0]["messages"][1])
    assert_says(
        summary, "irrigation controller", "Raspberry Pi Pico", "three sentences", "between ten at night and six"
    )
    assert_says(
        blocks[-1]["vault-session"], "irrigation controller", "Raspberry Pi Pico", "six in the morning", "city water"
    )
    days = list((tmp_path / "workspace" / "memory").glob("*.md"))
    assert {file.stem for file in days} <= {began, local_day()}
    assert "".join(file.read_text("utf-8") for file in days).count(NOTE) == 1
    assert not any("NO_REPLY" in text or "Append lasting" in text for text in (host.conversations(), host.answers))
    kept = host.conversations()
    assert {said: count for said, _ in TURNS if (count := kept.count(said)) != 1} == {}
