"""What every language model behind ``ports.Llm`` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.models.llm.chat import ChatServer, Reply
from tests.models.llm.conftest import GOOD, Jar, program

from hearth.config.tree import LlmSettings
from hearth.core.errors import BadReply, HearthError, Unavailable
from hearth.models.llm import open_llm
from hearth.models.structured import UsageLedger
from hearth.ports import Llm
from hearth.testing import ScriptedLlm

__all__ = ["program"]
Make = Callable[[str | Exception], Llm]
NONSENSE = "There are jars."


@pytest.fixture(params=["scripted", "openai", "anthropic", "claude", "codex"])
def make(request: pytest.FixtureRequest, tmp_path: Path, program: Callable[..., Path]) -> Iterator[Make]:
    """A model that always says the same, or is away where that is an error."""
    made: list[Llm] = []
    servers: list[ChatServer] = []

    def settings(said: str | Exception) -> LlmSettings:
        if request.param in ("claude", "codex"):
            text, more = (said, "") if isinstance(said, str) else ("", "sys.exit(1)")
            return LlmSettings(provider="agent", command=str(program(request.param, text, more)))
        servers.append(ChatServer(always=said if isinstance(said, str) else Reply("away", 404)))
        return LlmSettings(provider=request.param, url=servers[-1].url, model="small")

    def build(said: str | Exception) -> Llm:
        if request.param == "scripted":
            made.append(ScriptedLlm(*[said] * 10))
        else:
            usage = UsageLedger(tmp_path / "usage.json", None, lambda: "2026-11-22")
            made.append(open_llm(settings(said), None, usage, {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}))
        return made[-1]

    yield build
    for one in made:
        one.close()
    for server in servers:
        server.stop()


def test_an_answer_is_a_value_and_the_model_has_a_name(make: Make) -> None:
    llm = make(GOOD)
    assert llm.complete("Which jar?", Jar) == Jar(name="honey", shelf=3)
    assert llm.name and llm.name.isprintable() and len(llm.name) < 100


def test_what_does_not_fit_is_a_bad_reply(make: Make) -> None:
    with pytest.raises(BadReply):
        make(NONSENSE).complete("Which jar?", Jar)
    with pytest.raises(BadReply):
        make('{"name": "honey"}').complete("Which jar?", Jar)


def test_one_that_is_away_is_unavailable(make: Make) -> None:
    with pytest.raises(Unavailable):
        make(Unavailable("away")).complete("Which jar?", Jar)


def test_closing_twice_does_no_harm_and_an_error_says_nothing_of_the_prompt(make: Make) -> None:
    llm = make(NONSENSE)
    with pytest.raises(HearthError) as caught:
        llm.complete("The combination of the larder is 7-7-7.", Jar)
    assert "7-7-7" not in str(caught.value)
    llm.close()
    llm.close()
