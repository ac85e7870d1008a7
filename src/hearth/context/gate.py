"""The gate: whether a prompt is worth a search at all. Pure, and cheaper than any search."""

from __future__ import annotations

import re

from hearth.core.lazy import dataclass, regex
from hearth.language.asking import asks_memory

_FORCED = regex(
    r"\b(?:remember|recall|remind\s+me|last\s+(?:time|week|session)|yesterday|previously|"
    r"my\s+(?:name|e-?mail|phone|address|birthday|preferences?)|"
    r"what\s+did\s+(?:i|we)|did\s+(?:i|we)\s+(?:say|tell|mention|decide)|(?:have|had)\s+we\s+(?:decided|agreed)|"
    r"recu[eé]rda(?:me|s)?|te\s+acuerdas|la\s+(?:[uú]ltima\s+vez|semana\s+pasada)|ayer|anteriormente|"
    r"mi\s+(?:nombre|correo|tel[eé]fono|direcci[oó]n|cumplea[ñn]os|preferencias?)|"
    r"qu[eé]\s+(?:decidimos|dijimos|acordamos|dije)|(?:hemos|hab[ií]amos)\s+(?:decidido|acordado))\b",
    re.IGNORECASE,
)
# What hosts and bridges put before a prompt.
_PREFIX = regex(r"\A(?:\s*\[(?:cron:[^\]\n]{0,200}|(?:mon|tue|wed|thu|fri|sat|sun)\b[^\]\n]{0,60})\]\s*)+", re.I)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
# Words of which acknowledgements, greetings and continuations consist, alone or together.
_IDLE = _words(
    """a again ahead all alright amazing and at awesome bye cheers continue cool correct course do done
    exactly excellent fine go going good got gracias great ha hello hey hi hm hmm hola i indeed it just
    keep k lgtm looks love lovely makes me moment more morning nah neat next nice no nope now of ok okay
    on one perfect perfecto please por proceed right sense so sounds stop sure thank thanks that the
    then this thx true try understood very welcome much lot lol haha wait well wonderful works wow y yay
    yeah yep yes you yup adelante bien bueno buenas buenos claro continúa continua correcto de días dale
    entendido eso espera está exacto favor genial gusta hasta hecho listo luego muchas muy noches otra
    para perfecta pues que sí si siga sigue sigamos sigues tardes todo un una vale va vez danke ja nein
    gut weiter bitte merci oui non super d'accord continuez obrigado sim não 好 好的 是 是的 对 嗯 继续 谢谢 不 不用
    可以 行 да нет хорошо спасибо продолжай ок"""
)
_GREETINGS = _words("hi hello hey hola buenas good morning evening afternoon there claude codex assistant")
_HEARTBEATS = frozenset(
    (
        "heartbeat",
        "health check",
        "healthcheck",
        "keepalive",
        "keep alive",
        "keep-alive",
        "status check",
        "are you alive",
        "are you there",
        "still alive",
        "still there",
        "ping",
        "pong",
        "test",
        "testing",
        "debug",
    )
)
_COMMANDS = _words(
    """ls cd pwd cat echo git npm npx pnpm yarn pip pip3 pipx uv uvx docker kubectl curl wget grep rg sed awk find make
    cmake sudo bun node deno cargo rustc go python python3 pytest ruff mypy brew apt apt-get ssh scp rsync tar unzip
    chmod chown mkdir rmdir rm mv cp touch head tail less vim nano code export source which man ps kill top df du
    terraform ansible helm gh psql sqlite3 redis-cli systemctl journalctl java javac mvn gradle dotnet swift xcodebuild
    jest vitest tsc eslint prettier poetry tox nox hearth claude codex"""
)
# What only a command line holds: flags, paths, files, variables, pipes.
_SHELLISH = regex(
    r"(?:^|\s)(?:--?[a-zA-Z][\w-]*|\.{0,2}/[\w./-]*|\.|\S*\.\w{1,5}|\*\S*|\d+|\w+=\S*|\S+@\S+|\$\w+)(?=\s|$)|[|;&<>`]|&&"
)
# What stands right after a program in a command line without any of that.
_SUBCOMMANDS = _words(
    """add apply blame branch build cache check checkout cherry-pick clean clone commit config create delete describe
    destroy diff down exec fetch fix fmt format get images import info init inspect install lint list log login logs ls
    merge mod new open plan pr ps publish pull push rebase release remove reset restart restore revert rm run serve show
    start stash status stop sync tag test tidy uninstall up update upgrade validate version view watch"""
)
# Programs whose argument may be any one word.
_OPERANDS = _words("ls cd cat mkdir rmdir rm touch source which man kill mypy ruff pytest tsc eslint prettier nano vim")
# Programs that are also English verbs: words alone after them are a sentence.
_ENGLISH = _words("find make cat head tail less touch kill top code go source test which man node watch")
_SMALL_WORDS = _words("a an the our my we i you this that where how why what it is are on with but for and to from")
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
    if _plain(text) in _HEARTBEATS or _plain(text) in map(_plain, heartbeats):
        return Verdict(text, "heartbeat")
    if _FORCED.search(text):
        return Verdict(text, forced=True, asks=True)
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    if sum(len(word) for word in words) < _LEAST_LETTERS:
        return Verdict(text, "no words")
    if all(word in _IDLE or word in _GREETINGS for word in words):
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
    if first not in _COMMANDS and not re.match(r"\.{1,2}/[\w./-]+\Z", first):
        return False
    if not rest or (_SHELLISH.search(" ".join(rest)) and not _is_sentence(rest)):
        return True
    if first in _ENGLISH or _is_sentence(rest):
        return False
    plain = len(rest) == 1 and first in _OPERANDS
    return plain or (rest[0] in _SUBCOMMANDS and len(rest) <= (3 if first == "git" else 2))


def _is_sentence(rest: list[str]) -> bool:
    """Whether the words after a program read as English: articles and pronouns stand in no command line."""
    quoted = re.sub(r"(['\"]).*?\1", "", " ".join(rest)).split()
    return any(word.casefold() in _SMALL_WORDS for word in quoted)
