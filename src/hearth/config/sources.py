"""Settings in variables: the environment, and the file ``.env`` beside ``config.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hearth.config.kinds import ValueKind, from_json, near
from hearth.config.schema import NAMED, Settings, entries, find, flatten, leaf, leaf_keys, read_key
from hearth.config.tree import Config
from hearth.core.errors import ConfigError
from hearth.core.lazy import regex

PREFIX = "HEARTH_"
# Read where they are used; they are no settings and stand in no file.
OTHER_VARIABLES = frozenset(
    {
        "HEARTH_CONFIG_DIR",
        "HEARTH_DATA_DIR",
        "HEARTH_CACHE_DIR",
        "HEARTH_STATE_DIR",
        "HEARTH_VAULT",
        "HEARTH_AGENT",
        "HEARTH_DISABLE",
        "HEARTH_API_TOKEN",
        "HEARTH_DEBUG",
    }
)
MAX_DOTENV = 64 * 1024
_LINE = regex(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_DOUBLE = regex(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?')
_SINGLE = regex(r"'([^']*)'\s*(?:#.*)?")


class Given(NamedTuple):
    """A variable with the place that an error and ``config show`` name."""

    name: str
    value: str
    place: str


@cache
def variables() -> Mapping[str, str]:
    """Variable -> key, for every key that has one; ``collections`` and ``vaults`` are each one JSON text."""
    keys = [key for key in leaf_keys() if NAMED not in key] + ["collections", "vaults"]
    return {PREFIX + key.upper().replace(".", "_"): key for key in keys}


_SECTIONS = {
    "": "General",
    "daemon": "The daemon behind the hooks",
    "fragments": "How notes are cut, in words",
    "search": "Search and ranking",
    "embedding": "Embedding: the built-in table, a model here (onnx) or on a server (http)",
    "rerank": "A reranker, here (onnx) or on a server (http)",
    "llm": "A language model: openai, anthropic, agent or llama",
    "surface": "What hooks show",
    "lifecycle": "Archiving what is unused",
    "capture": "Capture of sessions",
    "context": "The context engine",
    "server": "REST and MCP over HTTP",
}


def render_example() -> str:
    """A ``.env`` with every variable of the settings commented out, each with its default."""
    flat = flatten(Config())
    lines = [
        "# Settings of Hearth as variables, each with its default. Copy this to .env beside config.yaml",
        "# (hearth config path names the folder), and remove the # from each value you change.",
        "# What each means: docs/config.md. API keys belong in the environment, under the names given here.",
    ]
    section = None
    for name, key in variables().items():
        head = key.partition(".")[0] if "." in key else ""
        if key in ("collections", "vaults"):
            continue
        if head != section:
            section = head
            lines += ["", f"# {_SECTIONS.get(head, head.capitalize())}"]
        lines.append(f"#{name}={_write(leaf(key, key).plain(flat[key]))}")
    return "\n".join([*lines, ""])


def _write(value: object) -> str:
    """As ``from_dotenv`` reads it."""
    import json

    if value is None or isinstance(value, str):
        return value or ""
    text = json.dumps(value, ensure_ascii=False)
    return f"'{text}'" if isinstance(value, list | dict) else text


def from_environment(environ: Mapping[str, str]) -> list[Given]:
    return [Given(name, value, name) for name, value in environ.items() if name.startswith(PREFIX)]


def from_dotenv(text: str, file: Path) -> list[Given]:
    """The ``HEARTH_*`` lines of a ``.env`` file; other lines belong to other programs and are passed over.

    Raises ``ConfigError`` for a line that can't be read, a name that stands twice, or one that has no effect there.
    """
    if len(text) > MAX_DOTENV:
        raise ConfigError(f"{file}: longer than {MAX_DOTENV // 1024} KiB; this is not a .env file")
    found: dict[str, Given] = {}
    for number, line in enumerate(text.split("\n"), 1):
        place, match = f"{file}:{number}", _LINE.fullmatch(line)
        if match is None or not match[1].startswith(PREFIX):
            if line.strip().removeprefix("export ").lstrip().startswith(PREFIX):
                raise ConfigError(f"{place}: not a line NAME=VALUE")
            continue
        name = match[1]
        if name in OTHER_VARIABLES:
            raise ConfigError(f"{place}: {name} has no effect in .env; set it in the environment")
        if name in found:
            raise ConfigError(f"{place}: {name} is given twice, first at {found[name].place}")
        found[name] = Given(name, _unquote(match[2], place), place)
    return list(found.values())


def _unquote(value: str, place: str) -> str:
    if match := _DOUBLE.fullmatch(value):
        return re.sub(r"\\(.)", r"\1", match[1])
    if match := _SINGLE.fullmatch(value):
        return match[1]
    if value[:1] in ("'", '"'):
        raise ConfigError(f"{place}: a quote is not closed")
    return re.sub(r"(^|\s+)#.*", "", value)


def typed(given: Iterable[Given], home: str) -> Iterator[tuple[str, Settings]]:
    """Each variable's key with the settings that it gives; they replace all that lies under the key.

    An empty variable counts as unset, except that it means null where a key may be null. A name that is no setting
    is an error if it looks like one (a section's beginning, or nearly a known name).
    """
    for name, value, place in given:
        key = variables().get(name)
        if key is None:
            _check_unknown(name, place)
            continue
        kind: ValueKind | None = find(key, place).get("kind")
        if value.strip() or (kind is not None and kind.optional):
            node = from_json(value, place) if kind is None else kind.node(value.strip(), place)
            yield key, read_key(key, node, home)


def _check_unknown(name: str, place: str) -> None:
    if name in OTHER_VARIABLES:
        return
    known = [known.removeprefix(PREFIX) for known in (*variables(), *OTHER_VARIABLES)]
    word = name.removeprefix(PREFIX)
    section = any(word.startswith(f"{section.upper()}_") for section in entries(Config))
    # 0.85 lets another program's HEARTH_BENCH_DIR pass beside our HEARTH_CACHE_DIR and still catches one slip.
    hint = near(word, known, 0.6 if section else 0.85)
    if hint or section:
        where = "" if place == name else f"{place}: "
        hint = hint.replace("did you mean ", f"did you mean {PREFIX}")
        raise ConfigError(f"{where}{name} is not a setting{hint}")
