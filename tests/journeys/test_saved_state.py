"""What is saved before a compaction stands below the note that it quotes, whoever asks by whichever way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.answers import data
from tests.server.conftest import asking
from tests.server.rest.conftest import Live, serving

from hearth.app import hooks, open_vault
from hearth.app.pool import VaultPool
from hearth.cli import main
from hearth.config import Config
from hearth.core.hook import CompactionImminent
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import tools

QUOTE = "We decided to use Redis for the job queue, not RabbitMQ, since it runs here anyway."
ADR = f"# 12: Queues\n\n2026, accepted by all.\n\n{QUOTE} The operators know it, and the backups hold it.\n"
ASKED = "did we decide to use Redis for the job queue?"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """A server over notes with the decision, of which a session that was compacted since has spoken."""
    with serving(tmp_path) as found:
        (tmp_path / "notes" / "decisions" / "0012-queues.md").write_text(ADR, "utf-8")
        row = {
            "type": "assistant", "uuid": "a1", "sessionId": "s1", "timestamp": "2026-03-04T10:00:00.000Z",
            "message": {"role": "assistant", "content": [{"type": "text", "text": QUOTE}], "id": "a1"},
        }  # fmt: skip
        transcript = tmp_path / "transcript.jsonl"
        transcript.write_text(json.dumps(row) + "\n", "utf-8")
        event = CompactionImminent(host="claude-code", session="s1", transcript=str(transcript), cwd=str(tmp_path))
        with open_vault(environ=found.environ) as vault:
            vault.index.sync()
            hooks(vault, Config()).answer("precompact-extract", event, 60_000).after()
        yield found


def check(rows: list[dict[str, Any]]) -> None:
    paths = [row["path"] for row in rows]
    assert paths[0] == "decisions/0012-queues.md"
    assert any("precompact" in path for path in paths)


@pytest.mark.parametrize("command", ["search", "query"])
def test_the_command_line_gives_the_decision_first(
    live: Live, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in live.environ.items():
        monkeypatch.setenv(name, value)
    assert main([command, ASKED, "--json"]) == 0
    check(json.loads(capsys.readouterr().out)["results"])


@pytest.mark.parametrize("tool", ["search", "query", "memory_retrieve"])
def test_mcp_gives_the_decision_first(live: Live, tool: str) -> None:
    pool = VaultPool(environ=live.environ)
    try:
        check(data(asking(HearthServer(pool, tools()))(tool, query=ASKED))["results"])
    finally:
        pool.close()


@pytest.mark.parametrize("path", ["/search", "/retrieve"])
def test_rest_gives_the_decision_first(live: Live, path: str) -> None:
    with live.client() as rest:
        answer = rest.post(path, json={"query": ASKED})
    assert answer.status_code == 200, answer.text
    check(answer.json()["results"])
