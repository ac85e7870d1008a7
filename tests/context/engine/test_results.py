"""What tools answered in a session held here, found by a search where that is switched on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hearth.app import compose, settings
from hearth.context.engine.assembly import AssembleRequest
from hearth.context.engine.messages import plain_text
from hearth.context.engine.results import PAGE_BYTES, ToolResult, read_results, render_results
from hearth.context.engine.sessions import SessionId
from hearth.context.engine.transcript import Transcript, encode_turn
from hearth.vault.vault import Vault

NOON = 1_790_000_000_000
Open = Callable[..., Vault]


@pytest.fixture
def clock() -> list[int]:
    return [NOON]


@pytest.fixture
def opened(tmp_path: Path, clock: list[int]) -> Iterator[Open]:
    made: list[Vault] = []

    def open_vault(switch: str = "true", agents: str = "") -> Vault:
        (tmp_path / "config").mkdir(exist_ok=True)
        text = f"context:\n  index_transcripts: {switch}\ndaemon:\n  mode: never\n{agents}"
        (tmp_path / "config" / "config.yaml").write_text(text)
        names = ("config", "data", "cache", "state", "run")
        environ = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in names} | {"HOME": str(tmp_path)}
        made.append(compose(settings(environ=environ), lambda: clock[0]))
        return made[-1]

    yield open_vault
    for vault in made:
        vault.close()


def turn(answer: str, tool: str = "bash") -> list[dict[str, Any]]:
    call = {"type": "toolCall", "id": "c1", "name": tool, "arguments": {"command": "make"}}
    return [
        {"role": "user", "content": "Build it."},
        {"role": "assistant", "content": [call]},
        {"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": answer}]},
        {"role": "assistant", "content": "Built."},
    ]


def found(vault: Vault, query: str) -> list[dict[str, Any]]:
    vault.index.freshen()
    hits = vault.compat.search(query).to_dict()["results"]
    return [hit for hit in hits if hit["path"].startswith("_sessions") and query.split()[-1] in hit["snippet"]]


@pytest.mark.parametrize("name", ["agent:main:main", "agent:main:" + "long" * 50])
def test_a_result_is_found_and_read_whole_by_the_place_that_it_names(opened: Open, name: str) -> None:
    vault, session = opened(), SessionId(name)
    long = "linker: undefined symbol zlib_inflate\n" + "noise\n" * 5_000 + "exit status 17 of quokkabuild\n"
    vault.context.commit(session, "t1", turn(long))
    [hit, *_] = found(vault, "undefined symbol zlib_inflate")
    assert hit["source"] == "sessions" and "zlib_inflate" in hit["snippet"]
    assert found(vault, "exit status quokkabuild")
    page = vault.compat.get(hit["path"]).text
    place = next(line for line in page.splitlines() if line.startswith("session:"))
    assert vault.get(place).text.strip() == long.strip()


def test_it_is_off_by_default_and_gone_when_it_is_switched_off(opened: Open) -> None:
    opened().context.commit(SessionId("s"), "t1", turn("the answer is wombatish"))
    assert found(opened(), "wombatish")
    assert found(opened("false"), "wombatish") == []


def test_new_results_are_taken_in_after_five_seconds_and_a_large_part_at_once(opened: Open, clock: list[int]) -> None:
    vault, session = opened(), SessionId("s")
    vault.context.commit(session, "t1", turn("first numbat"))
    assert found(vault, "numbat")
    vault.context.commit(session, "t2", turn("second bilby"))
    assert not found(vault, "bilby")
    vault.context.commit(session, "t3", turn("third potoroo " + "x " * 60_000))
    assert found(vault, "bilby") and found(vault, "potoroo")
    vault.context.commit(session, "t4", turn("fourth dunnart"))
    clock[0] += 5_000
    assert found(vault, "dunnart")


def test_fifty_messages_are_taken_in_at_once(opened: Open) -> None:
    vault, session = opened(), SessionId("s")
    vault.context.commit(session, "t0", turn("first numbat"))
    assert found(vault, "numbat")
    for number in range(12):
        vault.context.commit(session, f"t{number + 1}", turn(f"answer {number} bilby"))
    assert found(vault, "bilby")


def test_what_groups_and_memory_tools_answer_is_left_out(opened: Open) -> None:
    vault = opened()
    vault.context.commit(SessionId("club"), "t1", turn("a secret kowari"), shared=True)
    vault.context.commit(SessionId("club"), "t2", turn("what they said of the kowari"))
    for number, tool in enumerate(("memory_search", "mcp__hearth__query", "hearth_timeline")):
        vault.context.commit(SessionId("s"), f"t{number}", turn("an echoed kowari", tool))
    assert found(vault, "kowari") == []


def test_an_agent_finds_its_own_alone(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    vault = opened(agents=f"agents:\n  work:\n    workspace: {tmp_path / 'work'}\n")
    vault.context.commit(SessionId("a"), "t1", turn("the main quoll"))
    vault.context.commit(SessionId("agent:work:a", "work"), "t1", turn("the working quoll"))
    for agent, word in (("main", "main"), ("work", "working"), ("main+group", "")):
        texts = [hit["snippet"] for hit in found(vault.as_agent(agent), "quoll")]
        assert [word in text for text in texts] == [True] * bool(word), agent


def test_results_are_never_brought_unasked(opened: Open) -> None:
    vault = opened()
    vault.context.commit(SessionId("s"), "t1", turn("The staging host is called Pademelon."))
    vault.index.freshen()
    asked = "What is the staging host called?"
    assert any("Pademelon" in hit.text for hit in vault.recall(asked).hits)
    sent = vault.context.assemble(SessionId("other"), AssembleRequest(20_000, asked, private=True))
    assert "Pademelon" not in sent.system + "".join(map(plain_text, sent.messages))


def test_only_committed_turns_are_read_and_pages_hold_each_result_once() -> None:
    transcript = Transcript()
    lines, _ = encode_turn(transcript, turn("one"), {"key": "t1"}, NOON)
    torn, _ = encode_turn(transcript, turn("two"), {"key": "t2"}, NOON)
    results, end = read_results(lines + torn.rsplit(b"\n", 2)[0] + b"\n")
    assert [one.text for one in results] == ["one"] and end == len(lines)
    [page] = render_results("s", results)
    assert render_results("s", results, page) == [page]
    many = [ToolResult(f"e{number}", "bash", f"````\n{'y' * 15_000}") for number in range(30)]
    pages = render_results("s", many)
    assert len(pages) == 3 and all(len(one) < PAGE_BYTES + 20_000 for one in pages)
    assert sum(one.count("\n`````\n") for one in pages) == 60
