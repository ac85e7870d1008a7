"""The profile and what a session begins with: lines that are rules or facts of the person, and lines that are not."""

from __future__ import annotations

from collections.abc import Iterator

from trust_checks.table import SAMPLES, Options, Row, read_lines
from trust_checks.text import share
from trust_checks.transcripts import Turn
from trust_checks.vault import Vault

_PROJECT = "bindery"
# Below this a line repeats none of what was typed.
_LEAST = 0.4


def measure(options: Options) -> Iterator[Row]:
    sessions = list(read_lines(SAMPLES / "profile.jsonl"))[: options.most]
    with Vault() as vault:
        for number, session in enumerate(sessions):
            turns = [Turn(turn["prompt"]) for turn in session["turns"]]
            vault.tell(str(number), turns, project=_PROJECT, date=f"2026-05-{number + 4:02}T10:00:00")
        vault.capture()
        profile, start = vault.profile(), vault.session_start(_PROJECT)
    typed = {turn["prompt"]: turn["label"] for session in sessions for turn in session["turns"]}
    for page, lines in (("profile", profile), ("session start", start)):
        wrong = tuple(line for line in lines if _label(line, typed) == "not")
        yield Row(f"{page}: lines that are the person's rules", len(lines) - len(wrong), len(lines), ">= 0.9", wrong)
    wanted = [prompt for prompt, label in typed.items() if label == "rule"]
    lines = [*profile, *start]
    lost = tuple(prompt for prompt in wanted if not any(_source(line, typed) == prompt for line in lines))
    yield Row("session start: rules of the person that are there", len(wanted) - len(lost), len(wanted), "", lost)


def _source(line: str, typed: dict[str, str]) -> str | None:
    """The prompt that a line repeats."""
    found = max(typed, key=lambda prompt: share(line, prompt))
    return found if share(line, found) >= _LEAST else None


def _label(line: str, typed: dict[str, str]) -> str:
    return typed.get(_source(line, typed) or "", "not")
