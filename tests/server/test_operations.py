"""An operation is said once: one description, and a line in the table of each surface."""

from __future__ import annotations

import json
from typing import Annotated, Any

import anyio
import httpx
import pytest
from mcp import Client

from hearth.core.errors import NotFound, UsageError
from hearth.operations.arguments import Arguments, OneOf, View, about, text, whole
from hearth.operations.operation import Operation, Request, Row
from hearth.operations.shapes import TEXT, WHOLE, maybe, obj
from hearth.pool.pool import VaultPool
from hearth.server.mcp.catalog import tools
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import Tool
from hearth.server.rest import application as rest
from hearth.server.rest import routes
from hearth.server.rest.openapi import document
from hearth.server.rest.routes import Route
from hearth.vault.reference import LISTED


class Counted(Arguments):
    word: Annotated[str, text("Which word.", 20)]
    times: Annotated[int, whole("How often.", 1, 9)] = 2
    tone: Annotated[str | None, OneOf("loud", "low"), about("How it sounds.")] = None


def _echo(call: Request, given: Counted) -> Row:
    if given.word == "lost":
        raise NotFound("no word 'lost'", LISTED)
    return Row(
        {"said": " ".join([given.word] * given.times), "by": call.actor, "length": len(given.word), "tone": None}
    )


# One description …
ECHO = Operation(
    "echo",
    "Say it again",
    "Say a word some times.",
    Counted,
    obj({"said": TEXT, "by": TEXT, "length": WHOLE, "tone": maybe(TEXT)}),
    _echo,
    reads=False,
)
# … and a line for each surface.
TOOL = Tool("echo", ECHO)
ROUTE = Route("POST", "/echo", ECHO)


def over_mcp(vaults: VaultPool, **arguments: Any) -> Any:
    async def call() -> Any:
        async with Client(HearthServer(vaults, {**tools(), "echo": TOOL})) as client:
            return await client.call_tool("echo", arguments)

    return anyio.run(call)


@pytest.fixture
def over_rest(vaults: VaultPool, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(rest, "ROUTES", (ROUTE, *routes.ROUTES))
    app = rest.application(vaults)

    def asked(**arguments: Any) -> httpx.Response:
        async def call() -> httpx.Response:
            transport = httpx.ASGITransport(app)  # type: ignore[arg-type]
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.post("/v1/echo", json=arguments)

        return anyio.run(call)

    yield asked


def test_an_operation_and_a_line_for_each_surface_answer_alike(vaults: VaultPool, over_rest: Any) -> None:
    found = over_mcp(vaults, word="owl").structured_content
    assert found == {"text": found["text"], "said": "owl owl", "by": "agent", "length": 3}
    assert over_rest(word="owl").json() == {"said": "owl owl", "by": "rest", "length": 3, "tone": None}


def test_both_surfaces_describe_it_from_the_one_model() -> None:
    body = document([ROUTE], token=False)["paths"]["/echo"]["post"]["requestBody"]["content"]["application/json"]
    properties = {name: one for name, one in TOOL.takes["properties"].items() if name != "vault"}
    assert body["schema"]["properties"] == properties
    assert body["schema"]["required"] == TOOL.takes["required"] == ["word"]
    assert properties["times"] == {
        "type": "integer",
        "description": "How often.",
        "minimum": 1,
        "maximum": 9,
        "default": 2,
    }
    assert properties["tone"] == {"type": "string", "description": "How it sounds.", "enum": ["loud", "low"]}
    assert TOOL.gives["required"] == ["text", "said", "by", "length"]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "word is missing"),
    ({"word": "owl", "times": 10}, "times is 10; it takes 1 to 9"),
    ({"word": "owl", "times": 10**400}, "times is a number that large; it takes 1 to 9"),
    ({"word": "owl", "tone": "shrill"}, "choose one of loud, low"),
    ({"word": "owl", "size": 1}, "unknown argument 'size'"),
    ({"word": "o" * 21}, "word has 21 characters; it takes 1 to 20"),
    ({"word": "\ud800"}, "half a character"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[said for _, said in WRONG])
def test_both_surfaces_refuse_the_same_in_the_same_words(over_rest: Any, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        TOOL.read(arguments)
    if json.dumps(arguments).isascii() and "\ud800" not in arguments.values():
        answer = over_rest(**arguments)
        assert (answer.status_code, answer.json()["code"]) == (400, "usage")
        assert said in answer.json()["detail"]


def test_each_surface_words_the_remedy_of_an_error(vaults: VaultPool, over_rest: Any) -> None:
    assert "no word 'lost'; a search finds it" in over_mcp(vaults, word="lost").content[0].text
    answer = over_rest(word="lost")
    assert (answer.status_code, answer.json()["detail"]) == (404, "no word 'lost'; GET /documents lists all")


def test_a_view_takes_arguments_by_its_own_names() -> None:
    view = View(Counted, "times word=term")
    assert list(view.schema["properties"]) == ["times", "term"]
    assert view.read({"term": "owl", "times": 3.0}) == Counted(word="owl", times=3)
    with pytest.raises(UsageError, match="term is to be text, not 7"):
        view.read({"term": 7})
    with pytest.raises(UsageError, match="unknown argument 'word'"):
        view.read({"word": "owl"})
