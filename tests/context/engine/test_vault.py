"""The context engine over a real vault: what was said is remembered, and comes back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.models.llm.chat import ChatServer

from hearth.app import compose, settings
from hearth.context.engine.assembly import AssembleRequest
from hearth.context.engine.sessions import SessionId
from hearth.core.conflict import original_of
from hearth.core.errors import NotFound
from hearth.vault.vault import Vault

NOON = 1_790_000_000_000
MAIN, WORK = SessionId("agent:main:main"), SessionId("agent:work:main", "work")


class Now:
    at = NOON

    def __call__(self) -> int:
        return self.at


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def vault(tmp_path: Path, now: Now) -> Iterator[Vault]:
    work = tmp_path / "clawd"
    (work / "memory").mkdir(parents=True)
    (work / "SOUL.md").write_text("Be terse.\n")
    (work / "MEMORY.md").write_text("- The staging host is called Walrus.\n")
    config = tmp_path / "config"
    config.mkdir()
    (config / "config.yaml").write_text(
        f"collections:\n  clawd:\n    path: {work}\nagents:\n  work:\n    workspace: {work}\ndaemon:\n  mode: never\n"
    )
    names = ("config", "data", "cache", "state", "run")
    environ = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in names} | {"HOME": str(tmp_path)}
    with compose(settings(environ=environ), now) as found:
        found.index.freshen()
        yield found


@pytest.fixture
def model() -> Iterator[ChatServer]:
    server = ChatServer()
    yield server
    server.stop()


@pytest.fixture
def telling(tmp_path: Path, now: Now, model: ChatServer) -> Iterator[Vault]:
    """A vault with a language model."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(f"{model.settings}daemon:\n  mode: never\n")
    names = ("config", "data", "cache", "state", "run")
    environ = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in names} | {"HOME": str(tmp_path)}
    with compose(settings(environ=environ), now) as found:
        found.index.freshen()
        yield found


def _say(vault: Vault, session: SessionId, key: str, prompt: str, answer: str) -> None:
    messages = [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]
    assert vault.context.commit(session, key, messages) == "committed"


def test_what_was_said_is_captured(vault: Vault, now: Now) -> None:
    _say(vault, MAIN, "t1", "Remember that our staging database is called Pelican.", "Noted.")
    now.at += 3_600_000
    vault.capture.run()
    assert any("Pelican" in hit.text for hit in vault.recall("What is the staging database called?").hits)


def test_an_agent_reads_its_own_files_and_another_does_not(vault: Vault) -> None:
    own = vault.context.assemble(WORK, AssembleRequest(20_000, "Hello", private=True))
    assert "Be terse." in own.system
    assert "Walrus" in own.system
    group = vault.context.assemble(WORK, AssembleRequest(20_000, "Hello"))
    assert "Be terse." in group.system
    assert "Walrus" not in group.system
    assert "Walrus" not in vault.context.assemble(MAIN, AssembleRequest(20_000, "Hello", private=True)).system


def test_a_file_of_a_workspace_that_is_none_is_passed_over(vault: Vault, tmp_path: Path) -> None:
    work = tmp_path / "clawd"
    (tmp_path / "private.md").write_text("The safe is behind the clock.\n")
    (work / "TOOLS.md").symlink_to(tmp_path / "private.md")
    os.mkfifo(work / "IDENTITY.md")
    (work / "AGENTS.md").mkdir()
    (work / "USER.md").write_bytes(b"\xff\xfe Ada \x00")
    own = vault.context.assemble(WORK, AssembleRequest(20_000, "Hello", private=True)).system
    assert "Be terse." in own and "Ada" in own and "safe" not in own


@pytest.mark.parametrize("session", [MAIN, WORK])
def test_a_session_that_ends_leaves_a_note_that_is_found(vault: Vault, tmp_path: Path, session: SessionId) -> None:
    _say(vault, session, "t1", "Why does the zebrafish pipeline fail?", "Its cache is full: run make purge-cache.")
    path = vault.context.reset(session)
    assert path is not None
    assert path.endswith("-zebrafish-pipeline.md")
    root = tmp_path / "clawd" if session is WORK else tmp_path / "data" / "default" / "memory"
    note = (next(tmp_path.rglob(path)) if not (root / path).exists() else root / path).read_text()
    assert "make purge-cache" in note
    vault.index.freshen()
    assert original_of(path, ours=True) is None, "no sync program gives such a name"
    seen = vault.as_agent(session.agent)
    assert any("purge-cache" in hit.text for hit in seen.recall("zebrafish pipeline fails").hits)
    assert vault.context.assemble(session, AssembleRequest(9_000, private=True)).messages == ()


def test_the_next_session_reads_the_notes_of_the_day(vault: Vault) -> None:
    _say(vault, WORK, "t1", "Why does the zebrafish pipeline fail?", "Its cache is full: run make purge-cache.")
    vault.context.reset(WORK)
    assert "purge-cache" in vault.context.assemble(WORK, AssembleRequest(20_000, "Go on", private=True)).system


def test_a_message_of_a_session_is_read_whole_by_its_agent_alone(vault: Vault) -> None:
    _say(vault, WORK, "t1", "Which password?", "It is in the safe.\n" * 400)
    [_, answer] = vault.context.messages(WORK)
    reference = f"session:{WORK.session}#{answer['id']}"
    text = vault.as_agent("work").get(reference).text
    assert text.count("It is in the safe.") == 400
    for other, name in ((vault, reference), (vault.as_agent("work"), "session:nothing#1"), (vault, "session:#")):
        with pytest.raises(NotFound):
            other.get(name)


def test_a_session_that_nothing_can_be_written_down_for_is_not_flushed(vault: Vault, tmp_path: Path) -> None:
    def flush(session: SessionId) -> str:
        return vault.context.flush(session, 190_000).reason

    for session in (MAIN, WORK):
        _say(vault, session, "t1", "Hello", "Good day.")
    assert flush(MAIN) == "the agent has no workspace"
    (tmp_path / "clawd" / "memory").rmdir()
    (tmp_path / "clawd" / "memory").write_text("")
    assert flush(WORK) == "the workspace is read-only"
    (tmp_path / "clawd" / "memory").unlink()
    vault.privacy.switch(True, folder=str(tmp_path / "clawd"))
    assert flush(WORK).startswith("an incognito session (")
    vault.privacy.switch(False, folder=str(tmp_path / "clawd"))
    assert vault.context.flush(WORK, 190_000).due


def test_a_session_s_folder_is_the_workspace_of_an_agent_without_one(vault: Vault, tmp_path: Path) -> None:
    turn = [{"role": "user", "content": "Hello"}]
    vault.context.commit(MAIN, "t1", turn, cwd=str(tmp_path / "clawd"))
    assert vault.context.flush(MAIN, 190_000).due


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ('{"title": "Full cache of the pipeline"}', "2026-09-21-full-cache-of-the-pipeline.md"),
        ('{"title": "Quarterly taxes of Marta"}', "2026-09-21-zebrafish-pipeline.md"),
        ("no JSON", "2026-09-21-zebrafish-pipeline.md"),
    ],
)
def test_a_model_names_a_note_in_words_that_were_said(telling: Vault, model: ChatServer, reply: str, name: str) -> None:
    _say(telling, MAIN, "t1", "Why does the zebrafish pipeline fail?", "Its cache is full: run make purge-cache.")
    model.always = reply
    path = telling.context.reset(MAIN)
    assert path is not None and path.endswith(f"/{name}")


def test_a_note_names_the_host_and_quotes_as_many_messages_as_the_settings_say(tmp_path: Path, now: Now) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("context:\n  note_messages: 2\ndaemon:\n  mode: never\n")
    names = ("config", "data", "cache", "state", "run")
    environ = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in names} | {"HOME": str(tmp_path)}
    with compose(settings(environ=environ), now) as vault:
        _say(vault, SessionId(MAIN.session, host="kitchen-bot"), "t1", "Where is the cat?", "On the roof.")
        _say(vault, MAIN, "t2", "And the dog?", "Below it.")
    with compose(settings(environ=environ), now) as vault:
        path = vault.context.reset(MAIN)
    assert path is not None
    note = (tmp_path / "data" / "default" / "memory" / path).read_text()
    assert "- Host: kitchen-bot\n" in note
    assert "And the dog?" in note and "Where is the cat?" not in note.partition("## Said last")[2]


def test_after_three_failures_of_the_model_the_rules_summarize_alone(telling: Vault, model: ChatServer) -> None:
    model.always = "no JSON"
    number = 0

    def compact() -> tuple[str, int]:
        nonlocal number
        for _ in range(3):
            number += 1
            _say(telling, MAIN, f"t{number}", f"Why does pipeline {number} fail?", "Its cache is full. " * 2_000)
        before = len(model.sent)
        report = telling.context.compact(MAIN)
        assert report.compacted and report.summary
        return report.model, len(model.sent) - before

    found = [compact() for _ in range(5)]
    assert [use for use, _ in found] == ["failed"] * 3 + ["unused"] * 2
    assert [asked > 0 for _, asked in found] == [True] * 3 + [False] * 2
    telling.context.reset(MAIN)
    model.always = '{"goal": ["Find out why the pipeline fails."]}'
    assert compact()[0] == "used"


def test_an_incognito_session_leaves_no_note(vault: Vault, tmp_path: Path) -> None:
    _say(vault, WORK, "t1", "Why does the zebrafish pipeline fail?", "Its cache is full.")
    vault.privacy.switch(True, folder=str(tmp_path / "clawd"))
    assert vault.context.reset(WORK) is None
    assert not list((tmp_path / "clawd" / "memory").iterdir())
