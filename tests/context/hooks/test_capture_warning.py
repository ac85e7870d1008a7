"""The briefing warns when sessions are not captured."""

from __future__ import annotations

from typing import Any

from hearth.core.hook import SessionStarted, TurnEnded

HOUR_MS = 3_600_000


def started(home: Any, **place: str) -> str:
    event = SessionStarted(host="claude-code", session="s9", **(place or home.place()))
    return home.run("session-bootstrap", event).reply.context or ""


def test_overdue_capture_comes_with_its_command(home: Any) -> None:
    said = {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "We moor at pier nine."}}
    path = home.transcript(said)
    home.run("feedback-loop", TurnEnded(host="claude-code", session="s1", turn="t1", transcript=path, **home.place()))
    assert "overdue" not in started(home)
    home.now += 3 * HOUR_MS
    assert "Capture is overdue: a session waits since 2 h. Run: hearth capture run" in started(home)
    home.vault.capture.run()
    assert "overdue" not in started(home)


def test_a_project_that_is_not_captured_gets_a_warning(home: Any) -> None:
    (home.project / ".hearth.toml").write_text("capture = false\n")
    assert "Capture is off for this project" in started(home)
    assert "Capture is off" not in started(home, cwd=str(home.folder))
