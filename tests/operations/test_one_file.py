"""A new operation is one file: with it there, every surface has it; without it, none."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from click.testing import CliRunner
from mcp import Client

import hearth.operations
from hearth.app import open_vault
from hearth.app.pool import VaultPool
from hearth.cli.commands import cli
from hearth.core.errors import UsageError
from hearth.daemon.followers import Followers
from hearth.daemon.requests import Requests
from hearth.daemon.stub.call import build
from hearth.operations import catalog
from hearth.operations.arguments import View
from hearth.server import routes
from hearth.server.application import application
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import find, tools

FILE = """
from __future__ import annotations

from typing import Annotated

from hearth.core.errors import NotFound
from hearth.operations.arguments import Arguments, OneOf, about, text, whole
from hearth.operations.operation import Operation, Request, Route, Row
from hearth.operations.shapes import TEXT, WHOLE, maybe, obj
from hearth.vault.changes import LISTED


class Counted(Arguments):
    word: Annotated[str, text("Which word.", 20)]
    times: Annotated[int, whole("How often.", 1, 9)] = 2
    tone: Annotated[str | None, OneOf("loud", "low"), about("How it sounds.")] = None


def _echo(call: Request, given: Counted) -> Row:
    if given.word == "lost":
        raise NotFound("no word 'lost'", LISTED)
    said = " ".join([given.word] * given.times)
    return Row({"said": said, "by": call.actor, "length": len(given.word), "tone": None})


ECHO = Operation(
    "echo_word",
    "Say it again",
    "Say a word some times.",
    Counted,
    obj({"said": TEXT, "by": TEXT, "length": WHOLE, "tone": maybe(TEXT)}),
    _echo,
    words=lambda result, given: result.data["said"],
    routes=(Route("POST", "/echo"),),
    reads=False,
)
"""


def forget_what_was_found() -> None:
    for found in (catalog.operations, catalog.tools, catalog.former_names, routes.routes):
        found.cache_clear()


@pytest.fixture
def one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The file stands in the package while the test runs."""
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "echo_word.py").write_text(FILE, encoding="utf-8")
    monkeypatch.setattr(hearth.operations, "__path__", [*hearth.operations.__path__, str(folder)])
    forget_what_was_found()
    yield
    monkeypatch.undo()
    sys.modules.pop("hearth.operations.echo_word", None)
    forget_what_was_found()


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    found = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in ("config", "data", "cache", "state")}
    found["HOME"] = str(tmp_path)
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    with open_vault(environ=found) as vault:
        vault.index.sync()
    return found


@pytest.fixture
def vaults(environ: dict[str, str]) -> Iterator[VaultPool]:
    found = VaultPool(environ=environ)
    yield found
    found.close()


def over_mcp(vaults: VaultPool, name: str, arguments: dict[str, Any]) -> Any:
    async def call() -> Any:
        async with Client(HearthServer(vaults, tools("core"))) as client:
            return await client.call_tool(name, arguments)

    return anyio.run(call)


def over_rest(vaults: VaultPool, **arguments: Any) -> httpx.Response:
    async def call() -> httpx.Response:
        transport = httpx.ASGITransport(application(vaults))  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post("/v1/echo", json=arguments)

    return anyio.run(call)


def over_socket(vaults: VaultPool, **arguments: Any) -> dict[str, Any]:
    followers = Followers(vaults)
    asked = {"op": "call", "operation": "echo_word", "arguments": arguments, "deadline_ms": 9_000}
    request = {**asked, "version": build(), "hash": "agreed"}
    try:
        return dict(Requests(followers, "agreed", lambda: None)(request, time.monotonic()).body)
    finally:
        followers.close()


def by_command(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, list(words))
    return done.exit_code, done.output


@pytest.mark.usefixtures("one_file")
def test_one_file_is_a_tool_a_route_a_call_and_a_command(vaults: VaultPool) -> None:
    assert "echo_word(word, times?, tone?)" in over_mcp(vaults, "hearth", {}).structured_content["text"]
    reached = over_mcp(vaults, "hearth", {"operation": "echo_word", "arguments": {"word": "owl"}}).structured_content
    assert reached == {"text": "owl owl", "said": "owl owl", "by": "agent", "length": 3}
    assert over_mcp(vaults, "echo_word", {"word": "owl", "times": "3"}).structured_content["said"] == "owl owl owl"
    assert over_rest(vaults, word="owl").json() == {"said": "owl owl", "by": "rest", "length": 3, "tone": None}
    said = {"said": "owl owl", "by": "program", "length": 3, "tone": None}
    assert over_socket(vaults, word="owl") == {"result": said, "remarks": []}
    assert by_command("echo-word", "owl", "--times", "3") == (0, "owl owl owl\n")
    assert json.loads(by_command("echo-word", "owl", "--json")[1]) == said
    assert "--tone [loud|low]" in by_command("echo-word", "--help")[1]
    assert "echo-word" in by_command("help", "--all")[1]


def test_without_its_file_an_operation_is_nowhere(vaults: VaultPool) -> None:
    assert "echo_word" not in over_mcp(vaults, "hearth", {}).structured_content["text"]
    assert over_mcp(vaults, "echo_word", {"word": "owl"}).is_error
    assert over_rest(vaults, word="owl").status_code == 404
    assert over_socket(vaults, word="owl")["error"]["code"] == "not_found"
    assert by_command("echo-word", "owl")[0] == 2
    assert "echo-word" not in by_command("help", "--all")[1]


@pytest.mark.usefixtures("one_file")
def test_both_servers_describe_it_from_the_one_description() -> None:
    document = routes.document(routes.routes(), token=False)
    body = document["paths"]["/echo"]["post"]["requestBody"]["content"]["application/json"]
    tool = find("echo_word")
    properties = {name: one for name, one in tool.takes["properties"].items() if name != "vault"}
    assert body["schema"]["properties"] == properties
    assert body["schema"]["required"] == tool.takes["required"] == ["word"]
    assert properties["times"] == {
        "type": "integer",
        "description": "How often.",
        "minimum": 1,
        "maximum": 9,
        "default": 2,
    }
    assert properties["tone"] == {"type": "string", "description": "How it sounds.", "enum": ["loud", "low"]}
    assert tool.gives["required"] == ["text", "said", "by", "length"]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "word is missing"),
    ({"word": "owl", "times": 10}, "times is 10; it takes 1 to 9"),
    ({"word": "owl", "times": 10**400}, "times is a number that large; it takes 1 to 9"),
    ({"word": "owl", "tone": "shrill"}, "choose one of loud, low"),
    ({"word": "owl", "size": 1}, "unknown argument 'size'"),
    ({"word": "o" * 21}, "word has 21 characters; it takes 1 to 20"),
    ({"word": "\ud800"}, "half a character"),
]


@pytest.mark.usefixtures("one_file")
@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[said for _, said in WRONG])
def test_surfaces_refuse_the_same_in_the_same_words(vaults: VaultPool, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        find("echo_word").read(arguments)
    if "\ud800" not in arguments.values():
        answer = over_rest(vaults, **arguments)
        assert (answer.status_code, answer.json()["code"]) == (400, "usage")
        assert said in answer.json()["detail"]
        assert said in over_socket(vaults, **arguments)["error"]["message"]


@pytest.mark.usefixtures("one_file")
def test_each_surface_words_the_remedy_of_an_error(vaults: VaultPool) -> None:
    assert "no word 'lost'; a search finds it" in over_mcp(vaults, "echo_word", {"word": "lost"}).content[0].text
    answer = over_rest(vaults, word="lost")
    assert (answer.status_code, answer.json()["detail"]) == (404, "no word 'lost'; GET /documents lists all")


@pytest.mark.usefixtures("one_file")
def test_a_view_takes_arguments_by_its_own_names() -> None:
    takes = catalog.operations()["echo_word"].takes
    view = View(takes, "times word=term")
    assert list(view.schema["properties"]) == ["times", "term"]
    assert view.read({"term": "owl", "times": 3.0}) == takes(word="owl", times=3)
    with pytest.raises(UsageError, match="term is to be text, not 7"):
        view.read({"term": 7})
    with pytest.raises(UsageError, match="unknown argument 'word'"):
        view.read({"word": "owl"})
