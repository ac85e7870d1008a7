from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hearth.app import hooks, open_folder
from hearth.app.settings import now_ms
from hearth.config import Config
from hearth.core.hook import Handled, HookEvent, PromptSubmitted, TurnEnded
from hearth.vault.vault import Vault

DAY_MS = 86_400_000
POSTGRES = "# Database\n\nWe chose PostgreSQL over MongoDB because billing needs transactions across tables.\n"
DEPLOY = "# Deployment\n\nThe staging cluster is rolled out by Spinnaker every evening at nineteen hours.\n"
COFFEE = "# Coffee\n\nThe espresso machine in the kitchen wants descaling with citric acid each month.\n"


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    vault = open_folder(
        next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
        / "examples"
        / "notes",
        tmp_path_factory.mktemp("work"),
    )
    vault.index.sync()
    yield vault
    vault.close()


class Home:
    """A vault over a folder of notes, with a clock that tests set; what a hook leaves to be done is done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "notes"
        self.notes.mkdir()
        self.project = folder / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.now = now_ms()
        self.vault = open_folder(self.notes, folder / "work", clock=lambda: self.now)
        self.hooks = hooks(self.vault, Config())

    def write(self, path: str, text: str) -> None:
        target = self.notes / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        self.vault.index.sync()

    def run(self, name: str, event: HookEvent, profile: str = "balanced") -> Handled:
        handled = self.hooks.answer(name, event, 60_000, profile)
        handled.after()
        return handled

    def prompt(self, text: str, *, session: str = "s1", turn: str | None = "t1", **given: Any) -> str | None:
        profile = given.pop("profile", "balanced")
        event = PromptSubmitted(host="claude-code", session=session, turn=turn, prompt=text, **self.place(), **given)
        return self.run("context-surfacing", event, profile).reply.context

    def why_not(self, text: str, **given: Any) -> str | None:
        event = PromptSubmitted(host="claude-code", session="s1", turn="t1", prompt=text, **{**self.place(), **given})
        return self.hooks.answer("context-surfacing", event, 60_000).reply.reason

    def end_turn(self, turn: str, reply: str = "Done.", **given: Any) -> Handled:
        self.now += 1  # turns that end are told apart by when
        where = self.place() | {"transcript": self.transcript({"type": "user"})} | given
        return self.run("feedback-loop", TurnEnded(host="claude-code", session="s1", turn=turn, reply=reply, **where))

    def place(self) -> dict[str, str]:
        return {"cwd": str(self.project)}

    def docid(self, path: str) -> str:
        return self.vault.get(path).document.docid

    def transcript(self, *lines: dict[str, Any]) -> str:
        path = self.folder / "transcript.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return str(path)

    def close(self) -> None:
        self.vault.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


@pytest.fixture
def notes(home: Home) -> Home:
    """With three notes on three subjects."""
    for name, text in (("database.md", POSTGRES), ("deployment.md", DEPLOY), ("coffee.md", COFFEE)):
        home.write(name, text)
    return home
