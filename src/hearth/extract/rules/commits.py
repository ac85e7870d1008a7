"""Commits and merged pull requests, by the commands that made them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from hearth.lazy import dataclass, regex
from hearth.model.host.action import Act, Step

_COMMIT = regex(r"\bgit\s+(?:-\w+\s+\S+\s+)*commit\b")
# A message given as a document: -m "$(cat <<'EOF' … EOF)", or -F - <<EOF.
_DOCUMENT = regex(r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n(.*?)\n\s*\1\b", re.DOTALL)
_MERGE = regex(r"\bgh\s+pr\s+merge\b(?:\s+--?\S+)*\s*(\d{1,9}|\S*/pull/\d{1,9})?|^merge pull request (\d{1,9})$")
_TRAILER = regex(r"^(?:[A-Z][\w-]*-[Bb]y|Change-Id|Issue|Refs?|Closes|Fixes)\s*:|^🤖", re.MULTILINE)
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&"})
_MAX_COMMAND = 8_000
_MAX_BODY = 300


@dataclass(frozen=True, slots=True)
class Commit:
    subject: str
    body: str = ""

    @property
    def statement(self) -> str:
        said = self.subject.rstrip(".")
        return f"Committed: {said}. {self.body}".rstrip()


def commit_of(step: Step) -> Commit | None:
    """The message of the commit that a call made; ``None`` where it made none, or told its message nowhere."""
    command = _command(step)
    if command is None or not _COMMIT.search(command):
        return None
    paragraphs = list(_message(command))
    if not paragraphs or not paragraphs[0].strip():
        return None
    subject, _, rest = paragraphs[0].strip().partition("\n")
    body = "\n\n".join([rest, *paragraphs[1:]])
    trailer = _TRAILER.search(body)
    told = " ".join((body[: trailer.start()] if trailer else body).split())
    return Commit(" ".join(subject.split()), told[:_MAX_BODY])


def merged_of(step: Step) -> tuple[str, str] | None:
    """What was merged, and the words of the command that say so."""
    command = _command(step)
    found = _MERGE.search(command) if command is not None else None
    if found is None or "--auto" in (command or ""):
        return None
    number = (found[1] or found[2] or "").rpartition("/")[2]
    return (f"Merged pull request {number}." if number else "Merged the branch's pull request."), found[0].strip()


def _command(step: Step) -> str | None:
    """Of a call that ended well."""
    if step.action is None or step.action.act is not Act.COMMAND or step.failed or not step.done:
        return None
    return step.action.text


def _message(command: str) -> Iterator[str]:
    document = _DOCUMENT.search(command, _COMMIT.search(command).start())  # type: ignore[union-attr]
    if document is not None:
        yield document[2]
        return
    try:
        words = shlex.split(command[:_MAX_COMMAND], posix=True)
    except ValueError:
        return
    start = next((at for at, word in enumerate(words) if word == "commit"), None)
    if start is not None:
        yield from _give(words[start + 1 :])


def _give(words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        if word in _SEPARATORS:
            return
        after = words[at + 1] if at + 1 < len(words) else ""
        if word == "--message" or re.fullmatch(r"-[a-zA-Z]*m", word):
            yield after
        elif word.startswith("--message="):
            yield word.partition("=")[2]
        elif re.match(r"-[a-z]?m.", word) and not word.startswith("--"):
            yield word.partition("m")[2]
