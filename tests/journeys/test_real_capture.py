"""What a session of one real agent said and decided is there for a session of the other."""

from __future__ import annotations

import json
from typing import Any

from .conftest import Home, Provider
from .test_real_claude_code import ask as ask_claude
from .test_real_claude_code import claude
from .test_real_codex import ask as ask_codex
from .test_real_codex import codex, folder

__all__ = ["ask_claude", "ask_codex", "claude", "codex", "folder"]

SAID = "Remember for the beekeeping project: the hives of the Walnut Orchard are opened only on dry Thursdays."
ASKED = "On which days are the hives of the Walnut Orchard opened?"
FACT = "opened only on dry Thursdays"


def captured(home: Home) -> list[dict[str, Any]]:
    home.hearth("capture", "run", "--all")
    pieces = json.loads(home.hearth("capture", "show", "--json").stdout)["pieces"]
    return [document for piece in pieces for document in piece["documents"]]


def test_what_was_said_to_claude_code_reaches_codex(
    home: Home, provider: Provider, ask_claude: Any, ask_codex: Any
) -> None:
    home.hearth("setup", "claude-code")
    home.hearth("setup", "codex")
    session = ask_claude(SAID)
    assert "conversation" in [document["content_type"] for document in captured(home)], home.complaints()
    [file] = home.written("conversations/*.md")
    text = file.read_text(encoding="utf-8")
    assert session in text and "host: claude-code" in text and FACT in text
    before = provider.seen(FACT)
    ask_codex(ASKED)
    assert provider.seen(FACT) > before, home.complaints()


def test_what_codex_committed_reaches_claude_code(
    home: Home, provider: Provider, ask_claude: Any, ask_codex: Any
) -> None:
    home.hearth("setup", "claude-code")
    home.hearth("setup", "codex")
    identity = "-c user.name=a -c user.email=a@b"
    made = f"git init -q hives; cd hives; git {identity} commit -q --allow-empty -m 'Open the Walnut hives on dry days'"
    provider.plan = [("exec_command", {"cmd": made})]
    ask_codex("Please commit that.")
    kinds = {document["content_type"]: document["title"] for document in captured(home)}
    assert kinds.get("milestone", "").startswith("Committed: Open the Walnut hives on dry days"), (
        kinds,
        home.complaints(),
    )
    ask_claude("When are the Walnut hives opened?")
    assert provider.seen("Committed: Open the Walnut hives on dry days") >= 1, home.complaints()
