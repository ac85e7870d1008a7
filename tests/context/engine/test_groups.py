"""Sessions in which others take part: they see what is shared, and what is said in them never becomes the user's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from tests.context.engine.test_agents import arguments

from hearth.app import compose, settings
from hearth.app.pool import VaultPool
from hearth.context.engine.assembly import AssembleRequest
from hearth.context.engine.sessions import SessionId
from hearth.core.errors import HearthError, UsageError
from hearth.core.hook import PromptSubmitted, SessionStarted, TurnEnded
from hearth.core.session import GROUP, MAIN_AGENT
from hearth.operations import catalog
from hearth.operations.operation import Request
from hearth.operations.runner import carry_out
from hearth.vault.vault import Vault

NOON = 1_790_000_000_000
# Notes hold the words Ibis (shared) and Pelican (private).
QUESTIONS = [f"What is the staging {what} called?" for what in ("host", "queue", "database")] + [
    "staging",
    "host queue",
]
CHAT = SessionId("agent:main:telegram:group:-100")


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("groups")
    for name, word in (("handbook", "Ibis"), ("diary", "Pelican")):
        (root / name).mkdir()
        (root / name / f"{name}.md").write_text(f"# Staging in the {name}\n\nThe staging host is called {word}.\n")
    (root / "diary" / "MEMORY.md").write_text("# Memory\n\n- The staging host is called Pelican.\n")
    (root / "config").mkdir()
    collections = "".join(
        f"  {name}:\n    path: {root / name}\n    surface: always\n    shared: {shared}\n"
        for name, shared in (("handbook", "true"), ("diary", "false"))
    )
    text = f"collections:\n{collections}agents:\n  main:\n    workspace: {root / 'diary'}\ndaemon:\n  mode: never\n"
    (root / "config" / "config.yaml").write_text(text)
    names = ("config", "data", "cache", "state", "run")
    return {f"HEARTH_{name.upper()}_DIR": str(root / name) for name in names} | {"HOME": str(root)}


@pytest.fixture(scope="module")
def vault(environ: dict[str, str]) -> Iterator[Vault]:
    now = [NOON]
    with compose(settings(environ=environ), lambda: now[0]) as vault:
        vault.index.freshen()
        vault.memories.remember("The staging queue is called Pelicanqueue.", "fact")
        said = "Remember that the staging database is called Pelicandatabase."
        turn = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
        vault.context.commit(SessionId("main"), "t1", turn)
        now[0] += 3_600_000
        vault.capture.run(everything=True)
        vault.knowledge.refresh()
        yield vault


def answers(environ: dict[str, str], vault: Vault) -> Iterator[tuple[str, str]]:
    """What every operation that changes nothing answers in a group, asked for what is private."""
    places = [f"#{one.document.docid}" for one in vault.documents()]
    paths = [f"{one.document.collection}/{one.document.path}" for one in vault.documents()]
    places += [path for path in paths if "pelican" not in path.lower()]
    with VaultPool(environ=environ).use("default") as opened:
        call = Request(cast(Any, None), opened, "agent", describes=True, agent=f"{MAIN_AGENT}{GROUP}")
        for operation in catalog.operations().values():
            if operation.writes or operation.long or operation.name in ("vaults", "metrics"):
                continue
            for given in arguments(operation.takes, QUESTIONS, places, ["main"]):
                try:
                    result, _ = carry_out(operation, call, operation.takes(**given))
                except HearthError as error:
                    yield f"{operation.name} {given}", str(error)
                    continue
                whole = b"".join(result).decode() if isinstance(result, Iterator) else result
                yield f"{operation.name} {given}", whole if isinstance(whole, str) else str(whole.to_dict())


def test_no_operation_shows_a_group_what_is_private(vault: Vault, environ: dict[str, str]) -> None:
    found = list(answers(environ, vault))
    assert len(found) > 60
    assert [what for what, text in found if "pelican" in text.lower()] == []
    assert any("Ibis" in text for _, text in found)


def test_a_group_can_write_nothing(vault: Vault, environ: dict[str, str]) -> None:
    with VaultPool(environ=environ).use("default") as opened:
        call = Request(cast(Any, None), opened, "agent", agent=f"{MAIN_AGENT}{GROUP}")
        operation, _ = catalog.find("memory_store")
        with pytest.raises(UsageError, match="can only read"):
            carry_out(operation, call, operation.takes(text="The staging host is called Stork."))


def test_hooks_bring_a_group_only_what_is_shared(vault: Vault, environ: dict[str, str]) -> None:
    with VaultPool(environ=environ).use("default") as opened:
        prompt = "What is the staging host called?"
        for shared in (False, True):
            event = PromptSubmitted(host="hermes", session=f"s{shared}", prompt=prompt, shared=shared)
            brought = opened.hooks.answer("context-surfacing", event, 60_000).reply.context or ""
            start = SessionStarted(host="hermes", session=f"n{shared}", source="startup", shared=shared)
            brought += opened.hooks.answer("session-bootstrap", start, 60_000).reply.context or ""
            assert "Ibis" in brought
            assert ("Pelican" in brought) is not shared


def test_a_session_in_which_others_took_part_once_stays_shared(vault: Vault, environ: dict[str, str]) -> None:
    turn = [{"role": "user", "content": "Remember that the gateway is called Heron."}]
    vault.context.commit(SessionId("attic"), "g1", turn, shared=True)
    log = str(next(Path(environ["HEARTH_DATA_DIR"]).rglob("attic.jsonl")))
    prompt = "What is the staging host called?"
    with VaultPool(environ=environ).use("default") as opened:
        first = PromptSubmitted(host="hermes", session="mixed", prompt=prompt, shared=True)
        opened.hooks.answer("context-surfacing", first, 60_000)
    with VaultPool(environ=environ).use("default") as opened:
        later = PromptSubmitted(host="hermes", session="mixed", prompt=prompt)
        brought = opened.hooks.answer("context-surfacing", later, 60_000).reply.context or ""
        assert "Ibis" in brought and "Pelican" not in brought
        ended = TurnEnded(host="hermes", session="mixed", transcript=log, prompt="Remember Heron")
        opened.hooks.answer("feedback-loop", ended, 60_000).after()
    vault.capture.run(everything=True)
    assert [one.document.path for one in vault.documents() if "Heron" in vault.read(one).text] == []


def test_what_is_said_in_a_group_stays_in_its_transcript(vault: Vault, environ: dict[str, str]) -> None:
    said = "Remember that the staging gateway is called Crane. I prefer tabs over spaces."
    turn = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted: Crane."}]
    vault.context.commit(CHAT, "g1", turn)
    vault.context.commit(SessionId("lounge"), "g2", turn, shared=True)
    for session in (CHAT, SessionId("lounge")):
        shown = vault.context.assemble(
            session, AssembleRequest(20_000, "What is the staging queue called?", private=True)
        )
        assert "Crane" in str(shown.messages) and "Pelican" not in shown.system + str(shown.messages)
        assert vault.context.flush(session, 900_000).reason == "others take part in the session"
        assert vault.context.reset(session) is None
    vault.capture.run(everything=True)
    vault.index.freshen()
    assert [one.document.path for one in vault.documents() if "Crane" in vault.read(one).text] == []
    assert [file for file in Path(environ["HEARTH_DATA_DIR"]).rglob("*.md") if "Crane" in file.read_text()] == []


def test_a_hosts_group_with_a_transcript_is_not_captured(vault: Vault, environ: dict[str, str]) -> None:
    turn = [{"role": "user", "content": "Remember that the gateway is called Crane."}]
    vault.context.commit(SessionId("den"), "g1", turn, shared=True)
    log = next(Path(environ["HEARTH_DATA_DIR"]).rglob("den.jsonl"))
    with VaultPool(environ=environ).use("default") as opened:
        event = TurnEnded(
            host="hearth", session="host-group", transcript=str(log), prompt="Remember Crane", shared=True
        )
        opened.hooks.answer("feedback-loop", event, 60_000).after()
    vault.capture.run(everything=True)
    assert [one.document.path for one in vault.documents() if "Crane" in vault.read(one).text] == []
