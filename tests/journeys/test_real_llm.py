"""Sessions read by the person's own agent: the real programs, against a provider of this machine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Home, Provider
from .test_real_claude_code import ask as ask_claude
from .test_real_claude_code import claude
from .test_real_codex import ask as ask_codex
from .test_real_codex import codex, folder

__all__ = ["ask_claude", "ask_codex", "claude", "codex", "folder"]

SAID = "The hives of the Walnut Orchard stay shut on wet days, the bees drown otherwise. Let us keep to that."
TOLD = {
    "memories": [
        {
            "category": "principle",
            "text": "The hives of the Walnut Orchard stay shut on wet days, because the bees drown otherwise.",
            "turn": 1,
            "quote": "The hives of the Walnut Orchard stay shut on wet days",
            "certainty": "explicit",
            "subject": "hives",
            "attribute": None,
            "due": None,
            "tags": ["bees"],
        }
    ],
    "entities": [],
    "questions": [],
    "profile": [],
}


@pytest.fixture
def by_claude(home: Home, provider: Provider, claude: Any) -> Home:
    # Nobody but the command below is to capture.
    for key, value in (("capture.mode", "off"), ("llm.provider", "agent"), ("llm.command", str(claude))):
        home.hearth("config", "set", key, value)
    home.environ |= {
        "ANTHROPIC_BASE_URL": provider.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }
    return home


def written(home: Home) -> list[str]:
    return [file.read_text(encoding="utf-8") for file in home.written("principles/*.md")]


def recorded(home: Home) -> list[str]:
    return [session["id"] for session in json.loads(home.hearth("log", "--json").stdout)["sessions"]]


def test_claude_code_reads_a_session_of_its_own_and_its_run_leaves_no_session(
    by_claude: Home, provider: Provider, ask_claude: Any
) -> None:
    home = by_claude
    home.hearth("setup", "claude-code")
    ask_claude(SAID)
    before, sessions = len(provider.requests), recorded(home)
    provider.plan = [("StructuredOutput", TOLD)]
    done = home.hearth("capture", "run", "--all")
    assert len(provider.requests) > before, (done.stdout, done.stderr, home.complaints())
    asked = provider.requests[before]
    assert [tool["name"] for tool in asked["tools"]][-1] == "StructuredOutput"
    assert not {"Bash", "Read", "Write", "WebFetch"} & {tool["name"] for tool in asked["tools"]}
    assert "Walnut Orchard stay shut" in json.dumps(asked["messages"]) and "<vault-" not in json.dumps(asked)
    [text] = written(home)
    assert "bees drown otherwise" in text and "agent:claude piece 1" in text, home.complaints()
    assert len(sessions) == 1, home.complaints()
    assert recorded(home) == sessions, "the run that read it is no session"


def test_what_claude_code_found_waits_until_a_person_approves_it(
    by_claude: Home, provider: Provider, ask_claude: Any
) -> None:
    home = by_claude
    done = home.hearth("setup", "claude-code", "--capture-model", "agent")
    assert "tokens a day" in done.stderr
    ask_claude(SAID)
    provider.plan = [("StructuredOutput", TOLD)]
    home.hearth("capture", "run", "--all")
    [waiting] = json.loads(home.hearth("review", "list", "--json").stdout)["pending"]
    assert "bees drown otherwise" in waiting["said"], home.complaints()
    asked = "When do the hives of the Walnut Orchard stay shut?"
    [hit] = [one for one in results(home, asked) if one["docid"] == waiting["docid"]]
    assert hit["hidden"] == ["pending"]
    home.hearth("review", "accept", waiting["docid"])
    [hit] = [one for one in results(home, asked) if one["docid"] == waiting["docid"]]
    assert "hidden" not in hit


def results(home: Home, question: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(home.hearth("query", question, "--json").stdout)["results"]
    return found


def test_rules_read_where_the_agents_model_is_down_and_the_model_is_asked_again(
    by_claude: Home, provider: Provider, ask_claude: Any
) -> None:
    home = by_claude
    home.hearth("setup", "claude-code", "--capture-model", "agent")
    home.hearth("config", "set", "llm.timeout_seconds", "5")
    ask_claude(SAID)
    home.environ["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:9"  # nobody listens there
    done = home.hearth("capture", "run", "--all")
    assert "rules read this for now; the language model will read it later" in done.stderr, done
    assert home.written("conversations/*.md") and "agent:claude" not in "".join(written(home))
    assert json.loads(home.hearth("capture", "status", "--json").stdout)["unread"] == 1


def test_codex_reads_a_session_of_its_own_and_its_run_leaves_no_session(
    home: Home, provider: Provider, codex: Any, folder: Any, ask_codex: Any
) -> None:
    home.hearth("config", "set", "capture.mode", "off")  # nobody but the command below is to capture
    home.environ["OWN_KEY"] = "none"
    home.hearth("config", "set", "llm.command", str(codex))
    home.hearth("setup", "codex", "--capture-model", "agent")
    ask_codex(SAID)
    before, sessions = len(provider.requests), recorded(home)
    rollouts = list(folder.rglob("rollout-*.jsonl"))
    provider.words = json.dumps(TOLD)
    done = home.hearth("capture", "run", "--all")
    assert len(provider.requests) > before, (done.stdout, done.stderr, home.complaints())
    asked = provider.requests[before]
    assert "Walnut Orchard stay shut" in json.dumps(asked) and "<vault-" not in json.dumps(asked)
    [text] = written(home)
    assert "bees drown otherwise" in text and "agent:codex piece 1" in text, home.complaints()
    assert len(sessions) == 1, home.complaints()
    assert recorded(home) == sessions, "the run that read it is no session"
    assert list(folder.rglob("rollout-*.jsonl")) == rollouts


def test_codex_reads_a_sample(home: Home, provider: Provider, codex: Any, folder: Any) -> None:
    marker = home.folder / "started"
    with (folder / "config.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[mcp_servers.mail]\ncommand = "/usr/bin/touch"\nargs = ["{marker}"]\n')
    home.environ |= {"HEARTH_LLM_PROVIDER": "agent", "HEARTH_LLM_COMMAND": str(codex), "OWN_KEY": "none"}
    told = {
        "category": "decision",
        "text": "The jars of the larder stand on the top shelf, because the cat can reach the lower ones.",
        "turn": 2,
        "quote": "From now on they stand on the top shelf",
        "certainty": "explicit",
    }
    provider.words = json.dumps({"memories": [told]})
    found = json.loads(home.hearth("llm", "test", "--json").stdout)
    assert [one["text"] for one in found["extraction"]["memories"]] == [told["text"]]
    assert (found["model"], found["calls_today"], found["tokens_today"]) == ("agent:codex", 1, 105)
    [asked] = provider.requests
    assert asked["text"]["format"]["type"] == "json_schema"
    assert not {"exec_command", "shell", "web_search"} & {tool.get("name", tool["type"]) for tool in asked["tools"]}
    assert not marker.exists(), "none of the person's servers was started"
    assert list(folder.rglob("rollout-*.jsonl")) == [], "no session of it is kept"
