"""Incognito: nothing is read, nothing is kept, and that is said once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.context.hooks.conftest import DAY_MS, Home

from hearth.core.errors import Conflict, Unavailable
from hearth.core.hook import PromptSubmitted, SessionEnded, SessionStarted, TurnEnded
from hearth.core.session import Sighting
from hearth.disk.incognito import FILE

QUESTION = "Why did we choose PostgreSQL over MongoDB for billing?"


class Session:
    """One session of Claude Code: its hooks and its transcript, turn by turn."""

    def __init__(self, home: Home, name: str = "s1") -> None:
        self.home, self.name, self.turns = home, name, 0
        self.path = home.folder / f"{name}.jsonl"
        self.path.touch()

    def fire(self, hook: str, kind: Any, **given: Any) -> Any:
        place = {"host": "claude-code", "session": self.name, "transcript": str(self.path), **self.home.place()}
        return self.home.run(hook, kind(**{**place, **given}))

    def start(self, **given: Any) -> str | None:
        context: str | None = self.fire("session-bootstrap", SessionStarted, **given).reply.context
        return context

    def say(self, text: str, answer: str = "Noted.", **given: Any) -> str | None:
        """A whole turn; gives what the prompt's hook brought."""
        self.turns += 1
        self.home.now += 60_000
        turn = f"p{self.turns}"
        brought: str | None = self.fire(
            "context-surfacing", PromptSubmitted, prompt=text, turn=turn, **given
        ).reply.context
        person = {"type": "user", "promptId": turn, "message": {"role": "user", "content": text}}
        agent = {
            "type": "assistant",
            "message": {"id": f"m{turn}", "role": "assistant", "content": [{"type": "text", "text": answer}]},
        }
        with self.path.open("a") as file:
            for number, record in enumerate((person, agent)):
                file.write(
                    json.dumps({"uuid": f"{turn}-{number}", "timestamp": "2026-11-20T10:00:00Z", **record}) + "\n"
                )
        self.fire("feedback-loop", TurnEnded, turn=turn, reply=answer, **given)
        return brought

    def end(self) -> None:
        self.fire("session-end", SessionEnded)

    def kept(self) -> str:
        """All that capture wrote of it."""
        self.home.vault.capture.run(everything=True)
        root = Path(self.home.vault.memories.writer.memories.root)
        return "\n".join(file.read_text() for file in sorted(root.rglob("*.md")))


@pytest.fixture
def session(notes: Home) -> Iterator[Session]:
    yield Session(notes)


def is_seen(home: Home) -> bool:
    return bool(home.vault.sessions.recent(10, empty=True))


@pytest.mark.parametrize("where", ["session", "folder", "folder above", "file"])
def test_nothing_is_brought_and_nothing_is_kept_and_that_is_said_once(session: Session, where: str) -> None:
    home, privacy = session.home, session.home.vault.privacy
    if where == "session":
        privacy.switch(True, session="s1")
    elif where == "file":
        (home.project / ".hearth.toml").write_text("capture = false\nsurface = false\n")
    else:
        privacy.switch(True, folder=str(home.project if where == "folder" else home.folder))
    told = session.start()
    assert told is not None
    assert "incognito" in told and "PostgreSQL" not in told
    assert session.say(QUESTION) is None
    assert session.say("We will paint the boat green.") is None
    session.end()
    assert not is_seen(home)
    assert "boat" not in session.kept()


def test_another_session_is_as_it_was(session: Session) -> None:
    session.home.vault.privacy.switch(True, session="another")
    assert "PostgreSQL" in (session.say(QUESTION) or "")
    session.end()
    assert QUESTION in session.kept()


def test_what_was_said_meanwhile_stays_out_when_it_ends(session: Session) -> None:
    privacy = session.home.vault.privacy
    session.say("We will paint the boat green from now on.")
    privacy.switch(True, session="s1")
    assert "incognito" in (session.say("From now on the surprise is called Albatross.") or "")
    assert session.say(QUESTION) is None
    privacy.switch(False, session="s1")
    session.say("We will sail on Sunday from now on.")
    session.end()
    kept = session.kept()
    assert "boat green" in kept and "sail on Sunday" in kept
    assert "Albatross" not in kept and QUESTION not in kept


def test_a_session_that_is_made_incognito_by_its_own_agent_loses_that_turn(session: Session) -> None:
    session.say("We will paint the boat green from now on.")
    privacy = session.home.vault.privacy
    session.fire("context-surfacing", PromptSubmitted, prompt="Go incognito.", turn="x")
    privacy.switch(True, session="s1")
    session.say("From now on the surprise is called Albatross.")
    session.end()
    assert "Albatross" not in session.kept()


@pytest.mark.parametrize("opening", ["<private> ", "/private ", "  /PRIVATE\n"])
def test_a_private_prompt_and_its_answer_stay_out_and_bring_nothing(session: Session, opening: str) -> None:
    session.say("We will paint the boat green from now on.")
    assert session.say(opening + QUESTION, "Albatross it is.") is None
    session.say("We will sail on Sunday from now on.")
    session.end()
    kept = session.kept()
    assert "boat green" in kept and "sail on Sunday" in kept
    assert "Albatross" not in kept and "MongoDB over" not in kept and QUESTION not in kept


@pytest.mark.parametrize(
    ("text", "brings", "keeps"),
    [
        ("", True, True),
        ("capture = true\nsurface = true\n", True, True),
        ("capture = false\n", True, False),
        ("surface = false\n", False, True),
        ('capture = "no"\n', True, False),
        ("profile = 'deep'\n[llm]\nprovider = 'openai'\n", True, True),
        ("capture = = false\n", False, False),
    ],
)
def test_a_projects_file_can_only_switch_off(session: Session, text: str, brings: bool, keeps: bool) -> None:
    (session.home.project / ".hearth.toml").write_text(text)
    below = session.home.project / "src"
    below.mkdir()
    brought = session.say(QUESTION, cwd=str(below)) or ""
    assert ("PostgreSQL" in brought) is brings
    session.end()
    assert (QUESTION in session.kept()) is keeps


def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(session: Session) -> None:
    os.mkfifo(session.home.project / ".hearth.toml")
    assert "PostgreSQL" not in (session.say(QUESTION) or "")
    [problem] = session.home.vault.privacy.report(None, str(session.home.project)).problems
    assert "not a regular file" in problem


def test_a_projects_file_cannot_switch_on(session: Session) -> None:
    (session.home.project / ".hearth.toml").write_text("capture = true\nsurface = true\n")
    session.home.vault.privacy.switch(True, folder=str(session.home.folder))
    assert "incognito" in (session.say(QUESTION) or "")


def test_a_project_that_closes_is_not_captured_even_where_turns_wait(session: Session) -> None:
    session.say("We will paint the boat green from now on.")
    (session.home.project / ".hearth.toml").write_text("capture = false\n")
    assert "boat green" not in session.kept()


def test_what_cannot_be_read_hides_everything(session: Session) -> None:
    session.home.vault.privacy.switch(True, session="another")
    [file] = session.home.folder.rglob(FILE)
    file.write_text('{"sessions": ')
    with pytest.raises(Unavailable):  # logged, and the host gets nothing
        session.say(QUESTION)
    report = session.home.vault.privacy.report("s1", None)
    assert report.here.everything
    assert [FILE in problem for problem in report.problems] == [True]
    file.unlink()
    assert "PostgreSQL" in (session.say(QUESTION + " Tell me more.") or "")


def test_turns_that_are_handed_over_are_refused(session: Session) -> None:
    vault = session.home.vault
    vault.privacy.switch(True, session="chat-7")
    with pytest.raises(Conflict, match="incognito"):
        vault.capture("chat-7", [("user", "We will paint the boat green.")])
    vault.privacy.switch(True, folder="/w/boat")
    with pytest.raises(Conflict):
        vault.capture(Sighting("chat-8", cwd="/w/boat/hull"), [("user", "We will paint the boat green.")])
    vault.privacy.switch(False, session="chat-7")
    assert vault.capture("chat-7", [("user", "We will paint the boat green.")]).turns == 1


def test_switching_twice_changes_nothing(notes: Home) -> None:
    privacy = notes.vault.privacy
    assert [privacy.switch(on, session="s1") for on in (False, True, True, False, False)] == [
        False, True, False, True, False,
    ]  # fmt: skip
    assert notes.now > DAY_MS
