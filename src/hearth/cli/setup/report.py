"""What ``hearth setup`` says about a change of settings."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from hearth.cli import output
from hearth.guard.secrets.redaction import redact
from hearth.settings_files.file import FileChange


def report(change: FileChange, done: str, notes: Sequence[str], *, dry_run: bool, as_json: bool) -> None:
    """``done`` is the sentence for a change that was made; ``notes`` are what people have to know or do besides."""
    if as_json:
        output.say_json(_fields(change, notes, dry_run))
        return
    if dry_run:
        output.say(
            output.clean(difference(change)).rstrip("\n") if change.changed else f"{change.file} would stay as it is"
        )
    elif change.changed:
        output.say(f"{done}: {change.file}{'' if change.after is not None else ' (deleted, nothing was left in it)'}")
        if change.backup is not None:
            output.say(f"settings before Hearth: {change.backup}")
    else:
        output.say(f"nothing to change in {change.file}")
    for text in notes:
        output.note(text)


def _fields(change: FileChange, notes: Sequence[str], dry_run: bool) -> dict[str, Any]:
    return {
        "file": str(change.file),
        "changed": change.changed,
        "dry_run": dry_run,
        "backup": None if change.backup is None else str(change.backup),
        "diff": difference(change),
        "notes": list(notes),
    }


def difference(change: FileChange) -> str:
    """A unified diff without the secrets that settings may hold."""
    old, new = ((text or "").splitlines(keepends=True) for text in (change.before, change.after))
    source, target = ("/dev/null" if text is None else str(change.file) for text in (change.before, change.after))
    lines = difflib.unified_diff(old, new, source, target)
    return redact(
        "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    ).text
