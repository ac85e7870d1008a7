"""The note that a session leaves behind: what it was about, and the last that was said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from hearth.context.engine.cycle import is_silent
from hearth.core.lazy import dataclass
from hearth.language.asking import telling_words
from hearth.memory.file_names import slug
from hearth.text.language import background_share
from hearth.text.lines import cut_line
from hearth.transcripts.typed import strip_added

MAX_SLUG = 30
_MESSAGE_CHARS = 1_000
_NAMED = 2
_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class EndedSession:
    """``messages`` are role and text, in order; the note quotes the last ``most``. ``handoff`` is markdown, ``moment``
    local, ``host`` the program that ran the agent."""

    key: str
    reason: str
    moment: datetime
    messages: Sequence[tuple[str, str]]
    most: int
    handoff: str = ""
    host: str = ""


def render_note(session: EndedSession) -> str:
    """As markdown, without frontmatter. Empty where nothing was said that a person would want to read."""
    lines = [f"- {role}: {json.dumps(text, ensure_ascii=False)}" for role, text in spoken(session.messages)]
    if not lines:
        return ""
    facts = [f"- Session: `{session.key}`", f"- Ended by: {session.reason}"]
    facts += [f"- Host: {session.host}"] if session.host else []
    parts = [f"# Session of {session.moment:%Y-%m-%d %H:%M}", "\n".join(facts)]
    parts += [session.handoff.strip()] if session.handoff.strip() else []
    parts += ["## Said last", "\n".join(lines[-session.most :])]
    return "\n\n".join(parts) + "\n"


def spoken(messages: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What the person and the agent said: no commands, no silent replies, nothing that was injected."""
    found = []
    for role, text in messages:
        own = strip_added(text) if role == "user" else text.strip()
        if own and not own.startswith("/") and not is_silent(own):
            found.append((role, cut_line(" ".join(own.split()), _MESSAGE_CHARS)))
    return found


def name_note(session: EndedSession, is_taken: Callable[[str], bool], title: str = "") -> str:
    """``YYYY-MM-DD-<slug>.md``: the slug is the title, else the two rarest words of the last request, else the time."""
    base = f"{session.moment:%Y-%m-%d}-{_cut_slug(title) or _name_request(session) or f'{session.moment:%H%M}'}"
    names = (f"{base}.md" if number == 1 else f"{base}-{number}.md" for number in range(1, 1_000))
    return next((name for name in names if not is_taken(name)), f"{base}-{session.moment:%H%M%S}.md")


def _name_request(session: EndedSession) -> str:
    asked = next((text for role, text in reversed(spoken(session.messages)) if role == "user"), "")
    words = [word for word in dict.fromkeys(telling_words(asked)) if len(word) >= _LEAST_LETTERS and word.isalnum()]
    rare = sorted(words, key=background_share)[:_NAMED]
    return _cut_slug(" ".join(word for word in words if word in rare))


def _cut_slug(title: str) -> str:
    """Whole words, where one fits."""
    whole = slug(title)
    cut = whole[:MAX_SLUG]
    return (cut if whole[MAX_SLUG : MAX_SLUG + 1] in ("", "-") else cut.rpartition("-")[0] or cut).strip("-")
