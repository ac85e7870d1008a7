"""A vault of its own that is used as a person and their agent use it: by commands and by the hooks of a host."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from hearth import stub
from trust_checks.transcripts import Turn, write_claude_code, write_codex

FOLDERS = ("config", "data", "cache", "state")
# What is kept of a session besides memories.
_RECORDS = {"conversation", "handoff", "hand-off", "precompact", "summary"}
_HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SESSION = re.compile(r'^session: "?([0-9a-f-]+)"?$', re.MULTILINE)
_TIER = re.compile(r"^tier: (\w+)$", re.MULTILINE)
# What follows a line of the profile: its day and the memory it rests on.
_MARK = re.compile(r"(?:\s+\d{4}-\d{2}-\d{2})?\s+#[0-9a-z]{16}$")
_HAND_OFF = re.compile(r"^# Last hand-off", re.MULTILINE)
_SECTION = re.compile(r"^## ", re.MULTILINE)
_SECONDS = 600


@dataclass(frozen=True)
class Memory:
    """``head`` is its front matter, ``text`` what follows."""

    session: str
    kind: str
    title: str
    text: str
    head: str
    docid: str = ""

    @property
    def said(self) -> str:
        """Title and text; where the quote it rests on stands is left out."""
        return f"{self.title}\n{self.text}"

    @property
    def tier(self) -> str:
        """How sure it is of itself."""
        found = _TIER.search(self.head)
        return found.group(1) if found else ""


class Vault:
    def __init__(self, settings: str = "") -> None:
        self.home = Path(tempfile.mkdtemp(prefix="hearth-trust-"))
        self._command = [sys.executable, "-m", "hearth"]
        runtime = self.home / "runtime"
        runtime.mkdir(0o700)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HEARTH_", "CLAUDE", "CODEX", "XDG_"))}
        folders = {f"HEARTH_{name.upper()}_DIR": str(self.home / name) for name in FOLDERS}
        self._environ = kept | folders | {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(runtime), "NO_COLOR": "1"}
        self.run("init")
        if settings:
            file = self.home / "config" / "config.yaml"
            file.write_text((file.read_text("utf-8") if file.exists() else "") + settings, encoding="utf-8")
        self.run("daemon", "start")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.run("daemon", "stop")
        shutil.rmtree(self.home, ignore_errors=True)

    def folder(self, project: str | None) -> Path:
        """The folder of a project, a repository of its own; else the home."""
        if project is None:
            return self.home
        found = self.home / "src" / project
        if not found.exists():
            found.mkdir(parents=True)
            subprocess.run(["git", "init", "-q", str(found)], env=self._environ, check=True)
        return found

    def run(self, *arguments: str, project: str | None = None, stdin: str | None = None) -> str:
        """What a command prints; what it complains of goes to standard error."""
        done = self._run([*self._command, *arguments], project, stdin)
        if done.returncode not in (0, 1):
            print(f"hearth {' '.join(arguments)[:80]}: {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
        return done.stdout

    def _run(self, command: list[str], project: str | None, stdin: str | None) -> subprocess.CompletedProcess[str]:
        folder = self.folder(project)
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, env=self._environ, cwd=folder, timeout=_SECONDS
        )

    def ask(self, *arguments: str, project: str | None = None) -> dict[str, Any]:
        """What a command prints as JSON, empty where it is none."""
        try:
            found = json.loads(self.run(*arguments, "--json", project=project))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def hook(self, name: str, event: Mapping[str, Any], project: str | None, host: str = "claude-code") -> str:
        command = [sys.executable, "-I", "-S", str(stub.__file__), name, "--host", host]
        return self._run(command, project, json.dumps(event)).stdout

    def tell(
        self, key: str, turns: list[Turn], *, project: str | None = None, date: str = "2026-05-04T10:00:00",
        host: str = "claude-code",
    ) -> str:  # fmt: skip
        """A session that has ended; its id."""
        session = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.home.name}/{key}"))
        folder = self.folder(project)
        write = write_codex if host == "codex" else write_claude_code
        transcript = write(self.home, session, folder, date, turns)
        event = {"session_id": session, "transcript_path": str(transcript), "cwd": str(folder)}
        if host == "codex":
            self.hook("feedback-loop", event | {"hook_event_name": "Stop"}, project, host)
        self.hook("session-end", event | {"hook_event_name": "SessionEnd", "reason": "other"}, project, host)
        return session

    def capture(self) -> None:
        """Everything that waits."""
        for _ in range(8):
            self.run("capture", "run", "--all")
            found = json.loads(self.run("capture", "status", "--json") or "{}")
            if not found.get("waiting"):
                return
        print("some sessions still wait to be captured", file=sys.stderr)

    def documents(self) -> list[Memory]:
        """All that was written of sessions, whatever its kind."""
        found = json.loads(self.run("multi-get", "_hearth/**/*.md", "--json", "--max-bytes", "5000000") or "{}")
        made = []
        for row in found.get("documents", []):
            head = _HEAD.match(row["text"])
            session = _SESSION.search(head.group(1)) if head else None
            if head and session:
                text = row["text"][head.end() :]
                made.append(
                    Memory(session.group(1), row["content_type"], row["title"], text, head.group(1), row["docid"])
                )
        known = {one.docid for one in made}
        # What waits for approval is kept, too.
        waiting = json.loads(self.run("review", "list", "--json") or "{}").get("pending", [])
        return made + [
            Memory(row["session"], row["content_type"], row["said"], row["said"], "", row["docid"])
            for row in waiting
            if row["docid"] not in known
        ]

    def profile(self) -> list[str]:
        """The lines of the profile."""
        self.run("profile", "--rebuild")
        lines = [_MARK.sub("", line) for line in self.run("profile").splitlines() if line.startswith("  ")]
        return [line.strip() for line in lines if line.strip()]

    def session_start(self, project: str) -> list[str]:
        """The rules and statements that a session begins with; the hand-off is another matter."""
        event = {
            "session_id": str(uuid.uuid4()),
            "transcript_path": str(self.home / "new.jsonl"),
            "cwd": str(self.folder(project)),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
        printed = self.hook("session-bootstrap", event, project)
        text = json.loads(printed)["hookSpecificOutput"]["additionalContext"] if printed.strip() else ""
        lines = _HAND_OFF.split(text)[0].splitlines()
        return [line.lstrip("> -").strip() for line in lines if line.startswith("> ") and not line.startswith("> #")]

    def memories(self) -> list[Memory]:
        return [one for one in self.documents() if is_memory(one)]


def decisions(documents: list[Memory]) -> list[Memory]:
    """The decisions that hand-offs hand over, each as a memory of its session."""
    found = []
    for one in documents:
        if one.kind in ("handoff", "hand-off"):
            for section in _SECTION.split(one.text)[1:]:
                title, _, rest = section.partition("\n")
                if title.lower().startswith("decision"):
                    found.append(Memory(one.session, "hand-off decision", title, rest, one.head))
    return found


def is_memory(one: Memory) -> bool:
    return one.kind not in _RECORDS
