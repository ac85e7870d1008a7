"""Language models behind HTTP, spoken to in each dialect, and what becomes of their faults."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.models.llm.chat import ChatServer, Reply
from tests.models.llm.conftest import GOOD, Jar

from hearth.core.errors import BadReply, ConfigError, Unavailable
from hearth.models.structured import DayUsage, StructuredLlm, UsageLedger

Opened = Callable[..., StructuredLlm]
BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])


@BOTH
def test_a_server_is_held_to_the_schema_and_its_tokens_are_counted(
    provider: str, chat: ChatServer, opened: Opened, ledger: UsageLedger
) -> None:
    llm = opened(provider=provider, url=chat.url, model="small", key="k-123456", api_key_env="LLM_KEY")
    assert llm.complete("Which jar?", Jar) == Jar(name="honey", shelf=3)
    [sent] = chat.sent
    assert sent.held and sent.prompt == "Which jar?" and sent.body["model"] == "small"
    expected = {"openai": ("authorization", "Bearer k-123456"), "anthropic": ("x-api-key", "k-123456")}[provider]
    assert sent.headers[expected[0]] == expected[1]
    assert (sent.headers.get("anthropic-version") == "2023-06-01") == (provider == "anthropic")
    assert ledger.used() == DayUsage(1, 100) and llm.name == f"{provider}:small"


@pytest.mark.parametrize("base", ["", "/v1", "/v1/chat/completions", "/v1/"])
def test_the_address_is_completed_once(base: str, chat: ChatServer, opened: Opened) -> None:
    opened(provider="openai", url=chat.url + base).complete("Which jar?", Jar)
    assert [sent.path for sent in chat.sent] == ["/v1/chat/completions"]


@pytest.mark.parametrize(
    ("provider", "refused", "tried"),
    [
        ("openai", {"temperature"}, 2),
        ("openai", {"json_schema"}, 3),
        ("openai", {"response_format"}, 4),
        ("anthropic", {"tools"}, 2),
    ],
)
def test_a_server_that_knows_no_schemas_is_told_in_words_and_asked_so_from_then_on(
    provider: str, refused: set[str], tried: int, chat: ChatServer, opened: Opened
) -> None:
    chat.refuses = refused
    llm = opened(provider=provider, url=chat.url, model="small")
    for _ in range(2):
        assert llm.complete("Which jar?", Jar).shelf == 3
    assert len(chat.sent) == tried + 1
    held = chat.sent[-1].held
    assert held == (refused == {"temperature"})
    assert held or "fits this JSON Schema" in chat.sent[-1].prompt


def test_a_server_that_refuses_everything_is_not_asked_three_times(chat: ChatServer, opened: Opened) -> None:
    chat.always = Reply("unknown model", 400)
    with pytest.raises(BadReply, match="unknown model"):
        opened(provider="openai", url=chat.url).complete("Which jar?", Jar)
    assert len(chat.sent) == 4, "once in each way"


@BOTH
@pytest.mark.parametrize("status", [401, 402, 404, 503])
def test_a_server_that_complains_is_unavailable_and_says_why(
    provider: str, status: int, chat: ChatServer, opened: Opened
) -> None:
    chat.always = Reply("the cellar is closed", status)
    with pytest.raises(Unavailable, match="the cellar is closed"):
        opened(provider=provider, url=chat.url, model="small").complete("Which jar?", Jar)


@BOTH
@pytest.mark.parametrize(
    "raw", [b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"content": 7}', b'{"choices": [7]}']
)
def test_a_server_that_speaks_another_language_gives_a_bad_reply(
    provider: str, raw: bytes, chat: ChatServer, opened: Opened
) -> None:
    chat.always = Reply(raw=raw)
    with pytest.raises(BadReply):
        opened(provider=provider, url=chat.url, model="small").complete("Which jar?", Jar)


@BOTH
def test_a_model_that_refuses_or_says_nothing_gives_a_bad_reply(
    provider: str, chat: ChatServer, opened: Opened, ledger: UsageLedger
) -> None:
    chat.always = Reply("", usage=False)
    with pytest.raises(BadReply, match="the reply has no JSON object"):
        opened(provider=provider, url=chat.url, model="small").complete("Which jar?" * 100, Jar)
    assert ledger.used().tokens > 3 * 200, "what nobody counts is estimated"


@BOTH
def test_a_server_that_never_answers_costs_no_more_than_its_time(
    provider: str, chat: ChatServer, opened: Opened
) -> None:
    chat.always = "stall"
    with pytest.raises(Unavailable, match="no answer within 1 s"):
        opened(provider=provider, url=chat.url, model="small", timeout_seconds=1).complete("Which jar?", Jar)
    assert len(chat.sent) == 1


def test_half_a_reply_is_asked_for_again(chat: ChatServer, opened: Opened) -> None:
    chat.replies.extend([GOOD[:12]])
    assert opened(provider="openai", url=chat.url).complete("Which jar?", Jar).name == "honey"


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"provider": "openai"}, "llm.model is not set"),
        ({"provider": "anthropic", "url": "http://127.0.0.1:9"}, "llm.model is not set"),
        ({"provider": "openai", "url": "http://127.0.0.1:9", "headers": {"a b": "c"}}, "llm.headers"),
        ({"provider": "llama", "model": "small.gguf"}, "llm.model must name a GGUF file"),
        ({"provider": "agent", "command": "rm"}, "llm.command"),
        ({"provider": "agent", "command": "bin/claude"}, "llm.command"),
        ({"provider": "agent", "command": "/bin/rm"}, "llm.command"),
    ],
)
def test_settings_that_can_not_work_are_named(settings: dict[str, object], complaint: str, opened: Opened) -> None:
    with pytest.raises(ConfigError, match=complaint):
        opened(**settings)


def test_the_key_is_shown_nowhere(chat: ChatServer, opened: Opened) -> None:
    llm = opened(provider="openai", url=chat.url, model="small", key="k-123456", api_key_env="LLM_KEY")
    chat.always = Reply("wrong key k-123456", 401)
    with pytest.raises(Unavailable) as caught:
        llm.complete("Which jar?", Jar)
    assert "k-123456" not in str(caught.value) and "LLM_KEY" in str(caught.value)
