"""A day: remember, surface, use, pin, snooze, forget, undo; then the index is deleted, and all is as before."""

from __future__ import annotations

import json
from typing import Any

DECISION = "We pay the zeppelin mooring fee quarterly, because the harbour gives a rebate of three percent."
PITFALL = "Never vent helium while the zeppelin mooring cable is under tension."
CHORE = "The zeppelin cabin windows are washed on the first Monday of a month."
WHY = "why do we pay the zeppelin mooring fee quarterly?"


class Day:
    def __init__(self, home: Any) -> None:
        self.home = home

    def run(self, *arguments: str) -> Any:
        done = self.home.hearth(*arguments, "--json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    def remember(self, text: str, kind: str) -> str:
        return str(self.run("remember", "--type", kind, text)["docid"])

    def prompt(self, text: str, session: str) -> str:
        return str(self.home.stub(stdin=self.home.prompt(text, session, prompt_id=f"{session}-1")).context)

    def end(self, session: str, reply: str) -> None:
        event = {"session_id": session, "hook_event_name": "Stop", "cwd": "/", "prompt_id": f"{session}-1"}
        data = json.dumps({**event, "last_assistant_message": reply}).encode()
        self.home.stub("feedback-loop", stdin=data)

    def memory(self) -> dict[str, Any]:
        """All that people and agents can see of it, but for what depends on the moment."""
        sessions = [
            {name: row[name] for name in ("id", "turns", "surfaced", "referenced", "tokens")}
            for row in self.run("log")["sessions"]
        ]
        found = self.run("query", "zeppelin mooring cabin helium", "-n", "10")["results"]
        return {
            "sessions": sorted(sessions, key=lambda row: row["id"]),
            "budget": self.run("budget"),
            "found": [(row["docid"], round(row["score"], 3)) for row in found],
            "lifecycle": self.run("lifecycle", "status"),
        }


def test_a_day_is_the_same_after_the_index_is_gone(indexed_home: Any, until: Any) -> None:
    day = Day(indexed_home)
    decision = day.remember(DECISION, "decision")
    pitfall, chore = day.remember(PITFALL, "antipattern"), day.remember(CHORE, "fact")
    indexed_home.daemon()
    assert "rebate of three percent" in day.prompt(WHY, "morning")
    day.end("morning", "Quarterly, because the harbour gives a rebate of three percent.")
    until(lambda: [row for row in day.run("log")["sessions"] if row["referenced"]])
    day.run("pin", decision)
    day.run("snooze", chore, "--days", "3")
    assert "windows are washed" not in day.prompt("when are the zeppelin cabin windows washed?", "noon")
    day.run("forget", pitfall)
    assert pitfall not in json.dumps(day.run("query", "vent helium mooring cable"))
    day.run("undo")
    assert pitfall in json.dumps(day.run("query", "vent helium mooring cable"))

    before = day.memory()
    assert before["sessions"][0]["referenced"] == 1
    indexed_home.hearth("daemon", "stop")
    for file in (indexed_home.folder / "cache").rglob("index.sqlite*"):
        file.unlink()
    assert day.memory() == before
