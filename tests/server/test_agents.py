"""An agent without memory, on every surface: nothing is brought to it, nothing of it is kept, no tool answers it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.server.answers import data, refused
from tests.server.conftest import asking

from hearth import open_vault
from hearth.app.pool import VaultPool
from hearth.context.engine.sessions import SessionId
from hearth.core.errors import ConfigError, Conflict
from hearth.core.session import Sighting
from hearth.daemon.followers import Followers
from hearth.daemon.requests import Requests
from hearth.daemon.stub.call import build
from hearth.hook import Fallback, answer
from hearth.server.application import ServerOptions, prepared
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import tools
from hearth.server.port import Place, listening

SETTING = "agents.guest.memory is false"
PROMPT = "What is the staging host called?"
SAID = "Remember that the staging queue is called Heron."


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The agents ``work``, with a folder of its own, and ``guest``, which also has one and no memory."""
    for agent in ("work", "guest"):
        (tmp_path / agent / "memory").mkdir(parents=True)
        (tmp_path / agent / "AGENTS.md").write_text("# Rules\n\nAnswer as a pirate.\n")
        (tmp_path / agent / "MEMORY.md").write_text("# Memory\n\n- The staging host is called Pelican.\n")
        (tmp_path / agent / "hosts.md").write_text("# Staging\n\nThe staging host is called Pelican.\n")
    write_settings(tmp_path, "false")
    names = ("config", "data", "cache", "state", "run")
    found = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in names} | {"HOME": str(tmp_path)}
    with open_vault(environ=found) as vault:
        vault.index.sync()
    return found


def write_settings(root: Path, memory: str) -> None:
    (root / "config").mkdir(exist_ok=True)
    collections = "".join(
        f"  {one}:\n    path: {root / one}\n    surface: always\n    exclude: [AGENTS.md]\n"
        for one in ("work", "guest")
    )
    (root / "config" / "config.yaml").write_text(
        f"collections:\n{collections}daemon:\n  mode: never\ncontext:\n  index_transcripts: true\n"
        f"agents:\n  work:\n    workspace: {root / 'work'}\n"
        f"  guest:\n    workspace: {root / 'guest'}\n    memory: {memory}\n"
    )


@pytest.fixture
def vaults(environ: dict[str, str]) -> Iterator[VaultPool]:
    found = VaultPool(environ=environ)
    yield found
    found.close()


def hook(environ: dict[str, str], name: str, host: str = "openclaw", **payload: Any) -> str:
    """What a host gets, in the end of the event."""
    given = json.dumps({"private": True, "trigger": "user", "source": "startup", **payload})
    found = answer(name, host, given, environ, time.monotonic() + 60, Fallback(environ))
    found.after()
    found.end()
    return found.output


def everything_kept(environ: dict[str, str]) -> str:
    with open_vault(environ=environ) as vault:
        vault.capture.run(everything=True)
        return b"".join(vault.exchange.export()).decode()


@pytest.mark.parametrize("where", ["session", "folder", "link"])
def test_hooks_bring_it_nothing_and_keep_nothing(environ: dict[str, str], tmp_path: Path, where: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "guest")

    def run(name: str, agent: str, **payload: Any) -> str:
        folder = tmp_path / {"folder": agent, "link": "link" if agent == "guest" else agent}.get(where, "work")
        session = f"agent:{agent}:s1" if where == "session" else f"{agent}-s1"
        return hook(environ, name, session_id=session, cwd=str(folder), **payload)

    assert "Pelican" in run("context-surfacing", "work", prompt=PROMPT)
    turns = [{"role": "user", "text": SAID}, {"role": "assistant", "text": "Noted."}]
    for name, more in (
        ("session-bootstrap", {}),
        ("context-surfacing", {"prompt": PROMPT}),
        ("feedback-loop", {"turns": turns}),
        ("precompact-extract", {}),
        ("session-end", {"reason": "new"}),
    ):
        assert run(name, "guest", **more) == "", name
    assert "Heron" not in everything_kept(environ)
    run("feedback-loop", "work", turns=turns)
    run("session-end", "work", reason="new")
    assert "Heron" in everything_kept(environ)


@pytest.mark.parametrize("by", ["session", "folder", "variable"])
def test_its_mcp_tools_name_the_setting(environ: dict[str, str], tmp_path: Path, by: str) -> None:
    client = {"session": Sighting("agent:guest:s1"), "folder": Sighting("", cwd=str(tmp_path / "guest"))}.get(by)
    pool = VaultPool(environ={**environ, "HEARTH_AGENT": "guest"} if by == "variable" else environ)
    try:
        ask = asking(HearthServer(pool, tools("full"), client))
        calls: dict[str, dict[str, Any]] = {
            "query": {"query": PROMPT},
            "memory_search": {"query": PROMPT},
            "memory_get": {"path": "MEMORY.md"},
            "memory_context": {"message": PROMPT},
            "memory_store": {"text": SAID},
            "memory_capture": {"session": "agent:guest:s1", "user": SAID},
            "session_log": {},
            "profile": {},
        }
        for name, given in calls.items():
            said = refused(ask(name, **given), "conflict")
            assert SETTING in said and "incognito off" not in said and "Pelican" not in said, name
    finally:
        pool.close()
    ask = asking(HearthServer(pool := VaultPool(environ=environ), tools(), Sighting("agent:work:s1")))
    assert data(ask("memory_store", text=SAID))["docid"]
    pool.close()


def test_a_call_on_the_socket_is_refused_and_its_window_still_planned(environ: dict[str, str]) -> None:
    followers = Followers(VaultPool(environ=environ))
    requests = Requests(followers, "agreed", lambda: None)

    def call(operation: str, agent: str, **given: Any) -> dict[str, Any]:
        asked = {"op": "call", "operation": operation, "arguments": given, "agent": agent, "deadline_ms": 60_000}
        return dict(requests({**asked, "for": "model", "version": build(), "hash": "agreed"}, time.monotonic()).body)

    try:
        for agent in ("guest", "Guest"):
            error = call("memory_search", agent, query=PROMPT)["error"]
            assert error["code"] == "conflict" and "go on without it" in error["message"]
        assert "the agent guest has no memory" in call("status", "guest")["error"]["message"]
        assert "Pelican" in json.dumps(call("memory_search", "work", query=PROMPT))
        sizes = [{"id": "1", "role": "user", "tokens": 20, "chars": 80}]
        assert call("context_fit", "guest", budget=1_000, skeletons=json.dumps(sizes))["result"]["overflow"] == 0
        for agent in ("guest", "work"):
            call(
                "context_commit",
                agent,
                session="s1",
                key="t1",
                messages=json.dumps([{"role": "user", "content": SAID}]),
            )
            shown = call("context_assemble", agent, session="s1", budget=9_000, prompt=PROMPT, private=True)["result"]
            assert "Heron" in json.dumps(shown["messages"]) and "pirate" in shown["system"]
            assert ("Pelican" in json.dumps(shown)) is (agent == "work")
        flush = call("context_flush", "guest", session="s1", tokens=199_000)["result"]
        assert (flush["due"], SETTING in flush["reason"]) == (False, True)
        assert call("context_reset", "guest", session="s1")["result"] == {"note": None}
        assert call("context_reset", "work", session="s1")["result"]["note"]
    finally:
        followers.pool.close()
    kept = everything_kept(environ)
    assert "agent:work:s1" in kept and "agent:guest:s1" not in kept


@pytest.mark.parametrize("agent", ["", "guest"])
def test_rest_keeps_nothing_of_it(environ: dict[str, str], agent: str) -> None:
    """``HEARTH_AGENT`` says for which agent the whole server answers."""
    place = Place("127.0.0.1", 0)
    pool = VaultPool(environ={**environ, "HEARTH_AGENT": agent})
    server = prepared(pool, ServerOptions(place, None, "full"))
    port = listening(place)
    thread = threading.Thread(target=server.run, args=([port],))
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port.getsockname()[1]}/v1", timeout=60) as client:
            found = client.post("/capture", json={"session": "agent:guest:s1", "user": SAID})
            assert found.status_code == 409 and SETTING in found.text
            window = {"session": "s1", "agent": "guest", "budget": 9_000, "private": True, "prompt": PROMPT}
            shown = client.post("/context/assemble", json=window).text
            assert "pirate" in shown and "Pelican" not in shown
            asked = client.post("/search", json={"query": PROMPT})
            assert (asked.status_code == 409 and SETTING in asked.text) if agent else asked.status_code == 200
    finally:
        server.should_exit = True
        thread.join(20)
        port.close()
        pool.close()


def test_python_gives_it_nothing_and_what_tools_answered_it_is_passed_over(
    environ: dict[str, str], tmp_path: Path
) -> None:
    def commit(key: str, word: str) -> None:
        with open_vault(environ=environ) as vault:
            call = {"type": "toolCall", "id": key, "name": "bash", "arguments": {}}
            result = {"role": "toolResult", "toolCallId": key, "content": [{"type": "text", "text": word}]}
            messages: list[dict[str, Any]] = [
                {"role": "user", "content": "Build."},
                {"role": "assistant", "content": [call]},
            ]
            vault.context.commit(SessionId("s1", "guest"), key, [*messages, result])
            vault.index.sync()

    commit("t1", "Walrusresult")
    with open_vault(environ=environ) as vault:
        guest = vault.as_agent("guest")
        assert guest.documents() == [] and guest.recall(PROMPT).hits == ()
        for write in (guest.memories.remember, guest.memories.note, guest.memories.write_diary):
            with pytest.raises(Conflict, match="no memory"):
                write(SAID)
        assert vault.as_agent("work").recall(PROMPT).hits
    write_settings(tmp_path, "true")
    commit("t2", "Ibisresult")
    with open_vault(environ=environ) as vault:
        found = " ".join(hit.text for hit in vault.as_agent("guest").recall("Walrusresult Ibisresult", limit=50).hits)
        assert "Ibisresult" in found and "Walrusresult" not in found


def test_the_main_agent_keeps_its_memory(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "config" / "config.yaml"
    file.write_text(f"{file.read_text()}  main:\n    memory: false\n")
    with pytest.raises(ConfigError, match=r"config\.yaml:\d+.*agents\.main\.memory can't be false"):
        open_vault(environ=environ)


def test_a_person_is_told_who_has_no_memory(environ: dict[str, str]) -> None:
    def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        given = {**environ, **more, "PATH": "/usr/bin:/bin"}
        return subprocess.run([sys.executable, "-m", "hearth", *words], env=given, capture_output=True, text=True)

    assert "agents without memory: guest" in run("status").stdout
    findings = json.loads(run("doctor", "--json").stdout)["findings"]
    assert any("without memory by the settings (agents.<name>.memory): guest" in one["message"] for one in findings)
    asked = run("query", PROMPT, HEARTH_AGENT="guest")
    assert asked.returncode == 4 and SETTING in asked.stderr and "Pelican" not in asked.stdout
    assert SETTING in run("dream", "--agent", "guest").stderr
    ended = run("incognito", "status", "--session", "agent:guest:s1")
    assert SETTING in ended.stdout and "hearth config set agents.guest.memory true" in ended.stderr
