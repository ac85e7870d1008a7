"""The gate: whether a prompt is worth a search at all. Pure, and cheaper than any search."""

from __future__ import annotations

import re

from hearth.core.lazy import dataclass, regex
from hearth.language.asking import asks_memory
from hearth.text.words import cues, word_set

_TABLE = "context/prompts"
# What hosts and bridges put before a prompt.
_PREFIX = regex(r"\A(?:\s*\[(?:cron:[^\]\n]{0,200}|(?:mon|tue|wed|thu|fri|sat|sun)\b[^\]\n]{0,60})\]\s*)+", re.I)

_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
# What only a command line holds: flags, paths, files, variables, pipes.
_SHELLISH = regex(
    r"(?:^|\s)(?:--?[a-zA-Z][\w-]*|\.{0,2}/[\w./-]*|\.|\S*\.\w{1,5}|\*\S*|\d+|\w+=\S*|\S+@\S+|\$\w+)(?=\s|$)|[|;&<>`]|&&"
)
_MAX_COMMAND = 200
_LEAST_LETTERS = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """``skip`` says why no search is made; ``forced`` prompts are searched even though they are short; ``asks`` says
    that something is asked of memory."""

    text: str
    skip: str | None = None
    forced: bool = False
    asks: bool = False


def judge(prompt: str, heartbeats: tuple[str, ...] = ()) -> Verdict:
    """``text`` is the prompt without what hosts put before it; ``heartbeats`` are whole prompts to be ignored."""
    text = _PREFIX.sub("", prompt).strip()
    if not text:
        return Verdict(text, "empty prompt")
    if text.startswith("/") and re.match(r"/[\w:-]+(?:\s|\Z)", text):
        return Verdict(text, "slash command")
    if cues(_TABLE, "heartbeat").match(_plain(text)) or _plain(text) in map(_plain, heartbeats):
        return Verdict(text, "heartbeat")
    if cues(_TABLE, "recalls").search(text):
        return Verdict(text, forced=True, asks=True)
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    if sum(len(word) for word in words) < _LEAST_LETTERS:
        return Verdict(text, "no words")
    if word_set(_TABLE, "idle", "address").issuperset(words):
        return Verdict(text, "acknowledgement")
    if _is_command(text):
        return Verdict(text, "shell command")
    return Verdict(text, asks=asks_memory(text))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!?…¿¡")


def _is_command(text: str) -> bool:
    """A bare command line: one line that starts with a program and goes on as no sentence does."""
    if "\n" in text or len(text) > _MAX_COMMAND or text.endswith("?"):
        return False
    first, *rest = text.removeprefix("$ ").removeprefix("!").strip().removeprefix("sudo ").split() or [""]
    if first not in word_set(_TABLE, "program") and not re.match(r"\.{1,2}/[\w./-]+\Z", first):
        return False
    if not rest or (_SHELLISH.search(" ".join(rest)) and not _is_sentence(rest)):
        return True
    if first in word_set(_TABLE, "verb") or _is_sentence(rest):
        return False
    plain = len(rest) == 1 and first in word_set(_TABLE, "operand")
    return plain or (rest[0] in word_set(_TABLE, "subcommand") and len(rest) <= (3 if first == "git" else 2))


def _is_sentence(rest: list[str]) -> bool:
    """Whether the words after a program read as English: articles and pronouns stand in no command line."""
    quoted = re.sub(r"(['\"]).*?\1", "", " ".join(rest)).split()
    return not word_set(_TABLE, "small").isdisjoint(word.casefold() for word in quoted)
