"""Admission: a wish checked against its limits and scrubbed, before anything of it is kept or shown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import (
    MAX_EVIDENCE,
    MAX_LINE_CHARS,
    MAX_PROJECT_CHARS,
    MAX_SUPERSEDED,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MAX_TEXT_BYTES,
    OWNERS,
    SCOPES,
    Memory,
    NewMemory,
    Origin,
)
from hearth.core.types import CONTENT_TYPES, Merge
from hearth.guard.secrets.randomness import PLACEHOLDER
from hearth.memory.file_names import first_words, heading
from hearth.ports import Redactor

TRUSTS = ("agent", "external")
# What could drive a terminal or make a file binary; line ends and tabs stay.
_CONTROLS = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = regex("[\ud800-\udfff]")
_BLANK_ENDS = regex(r"\A(?:[ \t]*\n)+|\s+\Z")
# What may stand before a secret without saying anything: a name and a sign.
_LABEL = regex(r"(?:[-*] )?(?:export )?[\w.-]+(?: [\w.-]+){0,2} ?[:=] ?\Z")


@dataclass(frozen=True, slots=True)
class Admitted:
    """A wish fit to be kept, and how many secrets were taken out of it."""

    wish: NewMemory
    redacted: int


class _Scrub:
    """Counts what it takes out."""

    def __init__(self, redact: Redactor) -> None:
        self._redact = redact
        self.count = 0

    def text(self, text: str) -> str:
        found = self._redact(_plain(text))
        self.count += len(found.secrets)
        return found.text

    def body(self, text: str, most: int = MAX_TEXT_BYTES) -> str:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > most:
            raise UsageError(
                f"the text takes {size:,} bytes, over the limit of {most:,}; shorten it, or keep it as a "
                "note in a collection"
            )
        clean = _BLANK_ENDS.sub("", self.text(text))
        if not clean:
            raise UsageError("no text to remember; give some, or - to read standard input")
        if self.count and _only_secrets(clean):
            raise UsageError("the text is only a secret, which is never stored; describe what it is for instead")
        return clean

    def line(self, value: str | None, name: str, limit: int = MAX_LINE_CHARS) -> str | None:
        """One line, white space collapsed; ``None`` for an empty one."""
        if value is None:
            return None
        if len(value) > 16 * limit:
            raise _too_long(name, len(value), limit)
        text = " ".join(self.text(value).split())
        if len(text) > limit:
            raise _too_long(name, len(text), limit)
        return text or None


def admitted(wish: NewMemory, redact: Redactor, most: int = MAX_TEXT_BYTES) -> Admitted:
    """Raises ``UsageError`` for a wish that is empty, of more than ``most`` bytes, of an unknown type, or nothing but a
    secret."""
    scrub = _Scrub(redact)
    text = scrub.body(wish.text, most)
    _check_type(wish.content_type)
    if wish.trust not in TRUSTS:
        raise UsageError(f"trust is one of {', '.join(TRUSTS)}: what the engine writes is never a person's own word")
    if wish.scope is not None and wish.scope not in SCOPES:
        raise UsageError(f"scope is one of {', '.join(SCOPES)}")
    confidence = wish.confidence
    if confidence is not None and not (math.isfinite(confidence) and 0 <= confidence <= 1):
        raise UsageError(f"confidence {confidence} is out of range; give a number from 0 to 1")
    if len(wish.supersedes) > MAX_SUPERSEDED:
        raise UsageError(f"{len(wish.supersedes)} superseded documents are over the limit of {MAX_SUPERSEDED}")
    clean = replace(
        wish,
        text=text,
        title=scrub.line(wish.title, "title"),
        tags=_tags(wish.tags, scrub),
        project=scrub.line(wish.project, "project", MAX_PROJECT_CHARS),
        subject=scrub.line(wish.subject, "subject"),
        session=scrub.line(wish.session, "session"),
        created_by=scrub.line(wish.created_by, "created_by") or "agent",
        origin=_origin(wish.origin, scrub),
    )
    return Admitted(clean, scrub.count)


def text_of(text: str, redact: Redactor) -> tuple[str, int]:
    """A text fit to be kept, and how many secrets were taken out of it. Raises ``UsageError`` as ``admitted``."""
    scrub = _Scrub(redact)
    return scrub.body(text), scrub.count


def memory_of(wish: NewMemory, identity: str, machine: str, now: int) -> Memory:
    """The memory that a wish makes where nothing is there yet. ``supersedes`` is resolved by the caller."""
    folder = CONTENT_TYPES[wish.content_type].folder or ""
    owner = "user" if folder.startswith("user/") else "agent"
    return Memory(
        id=identity,
        text=wish.text,
        content_type=wish.content_type,
        title=wish.title or heading(wish.text) or wish.subject or first_words(wish.text),
        machine=machine,
        authored_at=now if wish.said_at is None else min(now, wish.said_at),
        tags=wish.tags,
        project=wish.project,
        subject=wish.subject,
        session=wish.session,
        scope=wish.scope or ("project" if wish.project else owner),
        trust=wish.trust,
        created_by=wish.created_by,
        confidence=wish.confidence,
        origin=wish.origin,
        due_at=wish.due_at,
        owner=wish.owner if wish.owner in OWNERS else None,
        valid_from=wish.valid_from,
        pending_since=now if wish.pending else None,
    )


def _plain(text: str) -> str:
    """Line ends as ``\\n``, no control characters, nothing that UTF-8 can't hold."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text))


def _check_type(name: str) -> None:
    kind = CONTENT_TYPES.get(name)
    if kind is None or kind.merge is Merge.NEVER:
        known = ", ".join(sorted(kind.name for kind in CONTENT_TYPES.values() if kind.merge is not Merge.NEVER))
        why = "is not a content type" if kind is None else "can be written only by people: keep it in a collection"
        raise UsageError(f"{name[:MAX_LINE_CHARS]!r} {why}; a memory is one of: {known}")


def _origin(origin: Origin | None, scrub: _Scrub) -> Origin | None:
    if origin is None:
        return None
    source, evidence = (scrub.line(text, "the origin", MAX_EVIDENCE) for text in (origin.source, origin.evidence))
    return replace(origin, source=source or "", evidence=evidence or "")


def _tags(tags: Iterable[str], scrub: _Scrub) -> tuple[str, ...]:
    found = [scrub.line(tag.lstrip("#"), "a tag", MAX_TAG_CHARS) for tag in tags]
    kept = tuple(dict.fromkeys(tag for tag in found if tag))
    if len(kept) > MAX_TAGS:
        raise UsageError(f"{len(kept)} tags are over the limit of {MAX_TAGS}; leave some out")
    return kept


def _only_secrets(text: str) -> bool:
    return not any(any(map(str.isalnum, _rest(line))) for line in text.split("\n"))


def _rest(line: str) -> str:
    """What a line says beside its secrets and their names."""
    if not PLACEHOLDER.search(line):
        return line
    rest = PLACEHOLDER.sub("", line).strip(" \t\"'`;,.")
    return "" if _LABEL.match(rest) else rest


def _too_long(name: str, length: int, limit: int) -> UsageError:
    return UsageError(f"{name} has {length:,} characters, over the limit of {limit}; shorten it")
