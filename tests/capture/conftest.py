"""A vault with a clock of its own, and the transcript of a session that grows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hearth.app import compose, settings
from hearth.capture.capture import Capture
from hearth.core.session import Sighting
from hearth.vault.vault import Vault

START = 1_795_350_000_000
MINUTE = 60_000


class Talk:
    """A session of Claude Code, turn by turn; ``now`` is the vault's clock."""

    def __init__(
        self, folder: Path, environ: dict[str, str], name: str = "0b1d6f2e-talk", project: str = "larder"
    ) -> None:
        self.folder, self.environ, self.name = folder, environ, name
        self.transcript = folder / f"{name}.jsonl"
        self.now = START
        self.turns = 0
        self.vault = self.open()
        self.vault.sessions.seen(Sighting(name, "claude-code", project))

    def open(self, **given: str) -> Vault:
        return compose(settings(environ=self.environ | given), lambda: self.now)

    def again(self, **given: str) -> Capture:
        """The vault opened anew, as after a crash or with other settings."""
        self.vault.close()
        self.vault = self.open(**given)
        return self.vault.capture

    @property
    def capture(self) -> Capture:
        return self.vault.capture

    def write(self, *records: dict[str, Any]) -> None:
        with self.transcript.open("a", encoding="utf-8") as file:
            for number, record in enumerate(records):
                at = datetime.fromtimestamp(self.now / 1000, UTC).isoformat().replace("+00:00", "Z")
                file.write(json.dumps({"uuid": f"{self.name}-{self.now}-{number}", "timestamp": at, **record}) + "\n")

    def say(self, asked: str, answered: str = "Done.", *tools: dict[str, Any]) -> None:
        """Writes a turn into the transcript, a minute after the last one."""
        self.turns += 1
        self.now += MINUTE
        person = {"type": "user", "promptId": f"p{self.turns}", "message": {"role": "user", "content": asked}}
        blocks = [{"type": "text", "text": answered}, *tools]
        agent = {"id": f"m{self.turns}", "role": "assistant", "model": "x", "content": blocks}
        self.write(person, {"type": "assistant", "message": agent})

    def end_turn(self) -> None:
        """The hook of a turn's end."""
        size = self.transcript.stat().st_size
        self.vault.sessions.turn_ended(self.name, str(self.transcript), size, f"t{self.turns}")

    def turn(self, asked: str, answered: str = "Done.", *tools: dict[str, Any]) -> None:
        self.say(asked, answered, *tools)
        self.end_turn()

    def end(self) -> None:
        self.vault.sessions.ended(self.name, "exit")

    def files(self) -> list[Path]:
        return sorted((self.folder / "data").rglob("agent/conversations/*.md"))

    def text(self) -> str:
        """Without frontmatter."""
        return "".join(file.read_text(encoding="utf-8").split("---\n", 2)[2] for file in self.files())


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    names = ("config", "data", "cache", "state")
    environ = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in names} | {"HOME": str(tmp_path)}
    # What is captured is looked at here, not who approves it: `tests/truth/test_approval.py`.
    made = Talk(tmp_path, environ | {"TZ": "UTC", "HEARTH_CAPTURE_APPROVE": "off"})
    yield made
    made.vault.close()
