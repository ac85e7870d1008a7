"""Several agents in one vault: each is shown its own, on every surface."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from hearth.app import compose, settings
from hearth.app.pool import VaultPool
from hearth.context.engine.assembly import AssembleRequest
from hearth.context.engine.sessions import SessionId
from hearth.core.errors import HearthError
from hearth.core.hook import PromptSubmitted, SessionStarted
from hearth.operations import catalog
from hearth.operations.arguments import Arguments
from hearth.operations.operation import Request
from hearth.operations.runner import carry_out
from hearth.vault.vault import Vault

NOON = 1_790_000_000_000
# Words that only one agent's notes, memories and sessions hold.
SECRETS = {"main": "Pelican", "work": "Walrus", "home": "Heron"}
KINDS = ("note", "memory", "session")


def secret(agent: str, kind: str) -> str:
    return f"{SECRETS[agent]}{kind}"


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return furnish(tmp_path_factory.mktemp("agents"))


def furnish(root: Path) -> dict[str, str]:
    """A workspace for each agent; returns the environment."""
    for agent in SECRETS:
        folder = root / agent / "memory"
        folder.mkdir(parents=True)
        (root / agent / "MEMORY.md").write_text(f"# Memory\n\n- The staging host is called {secret(agent, 'note')}.\n")
        (folder / "hosts.md").write_text(
            f"# Staging\n\nThe staging host is called {secret(agent, 'note')}. [[{agent}-plan]]\n"
        )
    config = root / "config"
    config.mkdir()
    collections = "".join(f"  {agent}:\n    path: {root / agent}\n    surface: always\n" for agent in SECRETS)
    agents = "".join(f"  {agent}:\n    workspace: {root / agent}\n" for agent in SECRETS)
    (config / "config.yaml").write_text(f"collections:\n{collections}agents:\n{agents}daemon:\n  mode: never\n")
    names = ("config", "data", "cache", "state", "run")
    return {f"HEARTH_{name.upper()}_DIR": str(root / name) for name in names} | {"HOME": str(root)}


@pytest.fixture(scope="module")
def whole(environ: dict[str, str]) -> Iterator[Vault]:
    now = [NOON]
    with compose(settings(environ=environ), lambda: now[0]) as vault:
        vault.index.freshen()
        for agent in SECRETS:
            said = f"Remember that the staging database is called {secret(agent, 'session')}."
            messages = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
            vault.context.commit(SessionId(f"agent:{agent}:main", agent), "t1", messages)
            vault.as_agent(agent).memories.remember(f"The staging queue is called {secret(agent, 'memory')}.", "fact")
        now[0] += 3_600_000
        vault.capture.run(everything=True)
        for agent in SECRETS:
            vault.context.reset(SessionId(f"agent:{agent}:main", agent))
        vault.index.freshen()
        vault.knowledge.refresh()
        yield vault


def foreign(agent: str, text: str) -> set[str]:
    return {word for other, word in SECRETS.items() if other != agent and word.lower() in text.lower()}


@pytest.mark.parametrize("agent", SECRETS)
def test_an_agent_finds_what_is_its_own(whole: Vault, agent: str) -> None:
    vault = whole.as_agent(agent)
    for kind, what in zip(KINDS, ("host", "queue", "database"), strict=True):
        hits = vault.recall(f"What is the staging {what} called?").hits
        assert any(secret(agent, kind) in hit.text for hit in hits), (kind, [hit.text for hit in hits])


def arguments(
    takes: type[Arguments], questions: list[str], places: list[str], names: list[str]
) -> Iterator[dict[str, Any]]:
    """Calls of an operation with each question, place or session; one where it asks for none of them."""
    fields = takes.fields()
    needed = {name for name, field in fields.items() if field.required}
    for key, values in (("query", questions), ("message", questions), ("reference", places), ("path", places)):
        if key in needed:
            yield from ({key: value} for value in values)
            return
    if "session" in needed:
        more = {"budget": 9_000} if "budget" in needed else {}
        yield from ({"session": value, **more} for value in names)
    elif needed == {"name"}:
        yield from ({"name": value} for value in ("staging", "database", "Staging host"))
    elif "pattern" in needed:
        yield from ({"pattern": value} for value in ("*", "**/*.md", "memory/*", "#*"))
    elif not needed:
        yield {}


def ask(whole: Vault, environ: dict[str, str], agent: str) -> Iterator[tuple[str, str]]:
    """Every operation that changes nothing, asked for what the other agents have; what it answers."""
    thing = [
        f"What is the staging {what} called{when}?" for what in ("host", "queue", "database") for when in ("", " now")
    ]
    questions = [*thing, "staging", "called staging host queue database", "agent", "¿cómo se llama la base de datos?"]
    others = [whole.as_agent(other) for other in SECRETS if other != agent]
    documents = [one.document for other in others for one in other.documents()]
    own = {one.document.docid for one in whole.as_agent(agent).documents()}
    foreign_ones = [one for one in documents if one.docid not in own]
    assert len(foreign_ones) >= 8
    places = [f"#{one.docid}" for one in foreign_ones]
    places += [path for one in foreign_ones if not foreign("", path := f"{one.collection}/{one.path}")]
    places += [path for one in foreign_ones if not foreign("", path := one.path)]
    names = [f"agent:{other}:main" for other in SECRETS if other != agent]
    with VaultPool(environ=environ).use("default") as opened:
        call = Request(cast(Any, None), opened, "agent", describes=True, agent=agent)
        for operation in catalog.operations().values():
            if operation.writes or operation.long or operation.name in ("vaults", "metrics"):
                continue
            for given in arguments(operation.takes, questions, places, names):
                what = f"{operation.name} {given}"
                try:
                    result, _ = carry_out(operation, call, operation.takes(**given))
                except HearthError as error:
                    yield what, str(error)
                    continue
                whole_text = b"".join(result).decode() if isinstance(result, Iterator) else result
                yield what, whole_text if isinstance(whole_text, str) else json.dumps(whole_text.to_dict(), default=str)
        hooks = opened.hooks
        session = f"agent:{agent}:new" if agent != "main" else "new"
        for question in questions:
            event = PromptSubmitted(host="openclaw", session=session, prompt=question)
            yield f"hook {question}", hooks.answer("context-surfacing", event, 60_000).reply.context or ""
        started = SessionStarted(host="openclaw", session=session, source="startup")
        yield "hook start", hooks.answer("session-bootstrap", started, 60_000).reply.context or ""


@pytest.mark.parametrize("agent", SECRETS)
def test_no_surface_shows_an_agent_what_is_anothers(whole: Vault, environ: dict[str, str], agent: str) -> None:
    answers = list(ask(whole, environ, agent))
    assert len(answers) > 170, len(answers)
    assert [what for what, text in answers if foreign(agent, text)] == []


def test_a_program_of_an_agent_is_answered_as_that_agent(environ: dict[str, str], whole: Vault) -> None:
    with compose(settings(environ={**environ, "HEARTH_AGENT": "work"}), lambda: NOON) as vault:
        found = " ".join(hit.text for hit in vault.recall("What is the staging host called?").hits)
        assert secret("work", "note") in found
        assert foreign("work", found) == set()
        assert "Staging" not in vault.context.assemble(SessionId("x", "home"), AssembleRequest(9_000)).system


def test_what_was_said_is_its_agents_whatever_the_host_calls_the_session(tmp_path: Path) -> None:
    names = ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "direct:+49 170 1234567", "ses_5f2kQ9xT7mWb2LrYd8NcHs4JfG")
    now = [NOON]
    with compose(settings(environ=furnish(tmp_path)), lambda: now[0]) as vault:
        for name, what in zip(names, ("database", "queue", "host"), strict=True):
            said = f"Remember that the staging {what} is called {secret('work', 'session')}."
            messages = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
            vault.context.commit(SessionId(f"agent:work:{name}", "work"), "t1", messages)
        now[0] += 3_600_000
        vault.capture.run(everything=True)
        found = [
            one.document.content_type for one in vault.as_agent("work").documents() if one.document.trust != "mine"
        ]
        assert found.count("conversation") == len(names) and len(found) > len(names)
        for one in vault.as_agent("main").documents():
            assert foreign("main", one.document.title) == set()


def test_the_person_exports_everything(whole: Vault) -> None:
    text = b"".join(whole.exchange.export()).decode()
    assert all(secret(agent, "memory") in text for agent in SECRETS)
