"""What hangs together in the example notes, asked by the official MCP client of a program of its own; and two machines
that share what they remember."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.journeys.conftest import NOTES

Call = Callable[..., Awaitable[dict[str, Any]]]
SESSIONS = "decisions/0008-server-side-sessions.md"
BROKEN = "incidents/2026-03-04-econnreset.md"
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory_entities", {"name": "Ines Aldana"}),
    ("memory_entities", {"name": "PostgreSQL"}),
    ("kg_query", {"name": "Larder"}),
    ("find_causal_links", {"reference": SESSIONS}),
)


class Machine:
    """A home with the example notes and a data folder, which another may share."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder = folder
        if not (folder / "notes").exists():
            shutil.copytree(NOTES, folder / "notes")
        folders = {name: str(folder / name) for name in ("config", "cache", "state")} | {"data": str(data)}
        self.environ = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(folder)}
        self.environ |= {f"HEARTH_{name.upper()}_DIR": place for name, place in folders.items()}

    def talk(self, work: Callable[[Client, Call], Awaitable[Any]]) -> Any:
        arguments = ["-m", "hearth", "mcp", "--profile", "full"]
        started = StdioServerParameters(command=sys.executable, args=arguments, env=self.environ)

        async def talked() -> Any:
            async with Client(stdio_client(started)) as client:

                async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
                    found = await client.call_tool(tool, arguments)
                    assert not found.is_error, found.content
                    assert isinstance(found.structured_content, dict)
                    return found.structured_content

                return await work(client, call)

        return anyio.run(talked)

    def ask(self, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
        async def asked(_: Client, call: Call) -> list[dict[str, Any]]:
            return [await call(tool, arguments) for tool, arguments in calls]

        found: list[dict[str, Any]] = self.talk(asked)
        return found


@pytest.fixture
def machine(tmp_path: Path, forks: Any) -> Callable[..., Machine]:
    def make(name: str, data: str = "data") -> Machine:
        made = Machine(tmp_path / name, tmp_path / data)
        code, _, said = forks.run(("bootstrap", str(made.folder / "notes")), made.environ, folder=made.folder)
        assert code == 0, said
        return made

    return make


def test_an_agent_asks_who_why_since_when_and_in_what_order(machine: Callable[..., Machine]) -> None:
    home = machine("home")

    async def work(client: Client, call: Call) -> None:
        assert "causal 3 added" in (await call("build_graphs", {}))["text"]
        listed = await call("memory_entities", {"limit": 5})
        assert listed["entities"][0] | {"aliases": []} == {
            "id": "tool-postgresql", "name": "PostgreSQL", "type": "tool", "aliases": [], "documents": 6,
        }  # fmt: skip
        tools = await call("memory_entities", {"name": "PostgreSQL", "limit": 20})
        assert "decisions/0003-postgres-over-mongodb.md" in tools["text"]

        # Who, since when and until when.
        for text in (
            "Larder uses PostgreSQL since 2025-09-28.",
            "Larder runs on a Raspberry Pi since 2025-03-01 until 2025-11-15.",
        ):
            await call("memory_store", {"text": text, "type": "fact"})
        before, then, now = [
            await call("kg_query", {"name": "Larder", "as_of": day})
            for day in ("2025-01-01", "2025-10-01", "2026-10-01")
        ]
        assert before["facts"] == [] and before["known"] == 2
        assert {fact["predicate"] for fact in then["facts"]} == {"uses", "runs_on"}
        assert [(fact["predicate"], fact["object"]) for fact in now["facts"]] == [("uses", "PostgreSQL")]

        # Why, and what came of it.
        links = await call("find_causal_links", {"reference": SESSIONS})
        assert BROKEN in links["text"] and "led to" in links["text"] and "because of [[decisions/0008" in links["text"]
        found = await call("intent_search", {"query": "What led to the ECONNRESET errors?"})
        assert found["results"][0]["path"] == BROKEN
        assert found["results"][1]["path"] == SESSIONS
        assert found["class"] == {"asked": "why", "why": "What led"}
        reached = {row["path"]: row["chain"] for row in found["results"] if row.get("chain")}
        assert reached[SESSIONS][-1]["type"] == "causal"

        # In what order, and several things at once.
        outline = await call("query_plan", {"query": "In what order did we change how sessions work?", "budget": 300})
        dates = [line[2:12] for line in outline["text"].splitlines() if line[2:4] == "20"]
        assert outline["plan"]["kind"] == "outline" and dates == sorted(dates) and len(dates) > 2
        parts = await call("query_plan", {"query": "Compare restic with PostgreSQL"})
        assert parts["plan"]["clauses"] == ["restic", "PostgreSQL"]
        assert "runbooks/restore-from-backup.md" in {row["path"] for row in parts["results"]}

        # Who the person is.
        preference = "The user always prefers tabs over spaces in Makefiles."
        await call("memory_store", {"text": preference, "type": "preference"})
        assert "Makefiles" in (await call("memory_profile", {"rebuild": True}))["text"]
        page = await client.read_resource("hearth://profile")
        assert "Makefiles" in page.contents[0].text  # type: ignore[union-attr]

    home.talk(work)


def test_names_are_merged_split_and_taken_back(machine: Callable[..., Machine]) -> None:
    home = machine("home")

    async def work(_: Client, call: Call) -> None:
        async def ask(name: str) -> dict[str, Any]:
            return await call("memory_entities", {"name": name, "limit": 30})

        alone = await ask("pantry")
        done = await call("memory_names", {"action": "merge", "name": "pantry", "of": "Raspberry Pi"})
        both = await ask("pantry")
        assert both["name"] == "Raspberry Pi" and "pantry" in both["aliases"]
        assert {row["path"] for row in both["mentions"]} > {row["path"] for row in alone["mentions"]}
        await call("memory_undo", {"event": done["events"][-1]})
        assert (await ask("pantry"))["mentions"] == alone["mentions"]
        apart = {"action": "split", "name": "PostgreSQL", "of": "Elephant", "references": [SESSIONS]}
        await call("memory_names", apart)
        assert {row["path"] for row in (await ask("Elephant"))["mentions"]} == {SESSIONS}
        assert SESSIONS not in {row["path"] for row in (await ask("PostgreSQL"))["mentions"]}

    home.talk(work)


def test_two_machines_on_one_entity_read_one_and_a_rebuilt_index_tells_the_same(
    machine: Callable[..., Machine], tmp_path: Path, forks: Any
) -> None:
    def learn(home: Machine, text: str) -> None:
        about = ("--type", "entity", "--subject", "Ines Aldana", "--tag", "person")
        for told in ((text, *about), ("Larder uses PostgreSQL.", "--type", "fact")):
            code, _, why = forks.run(("remember", *told), home.environ, folder=home.folder)
            assert code == 0, why

    one, other = machine("one"), machine("other")
    learn(one, "Glazes tiles.")
    learn(other, "Lives in Crestmoor.")
    learn(one, "Sings on Sundays.")
    files = sorted(path.name for path in tmp_path.joinpath("data").rglob("person-ines-aldana*.md"))
    assert len(files) == 2
    said = [home.ask(("build_graphs", {}), *ASKED)[1:] for home in (one, other)]
    told = said[0][0]["text"]
    assert all(fact in told for fact in ("Glazes tiles.", "Lives in Crestmoor.", "Sings on Sundays."))
    assert _same(said[0]) == _same(said[1])
    shutil.rmtree(one.folder / "cache")
    code, _, why = forks.run(("reindex",), one.environ, folder=one.folder)
    assert code == 0, why
    assert _same(one.ask(("build_graphs", {}), *ASKED)[1:]) == _same(said[0])


def _same(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what says how long it took."""
    return [{name: value for name, value in one.items() if name != "tookMs"} for one in found]
