"""Reads settings from file, environment, flags and the file ``.env`` beside ``config.yaml``, and finds the vault
among them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from hearth.config.kinds import ValueKind, from_json, from_value, from_yaml, near
from hearth.config.schema import (
    NAMED,
    Setting,
    Settings,
    build,
    entries,
    find,
    flatten,
    leaf,
    leaf_keys,
    read,
    read_key,
    table_of,
)
from hearth.config.tree import DEFAULT_VAULT, CollectionSettings, Config
from hearth.core import paths
from hearth.core.errors import ConfigError, NotFound
from hearth.core.files import unavailable
from hearth.core.lazy import dataclass, regex
from hearth.core.paths import Folders

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


LOCALTIME = "/etc/localtime"
UTC = "UTC"


def local_zone(environ: Mapping[str, str], localtime: str = LOCALTIME) -> str:
    """``TZ`` if it names a zone, else the zone that ``localtime`` links to, else ``UTC``.

    A ``TZ`` that is a rule (``CET-1CEST``) has no name that a query could carry and is passed over.
    """
    for candidate in (environ.get("TZ", "").removeprefix(":"), _link(localtime)):
        name = candidate.rpartition("zoneinfo/")[2].removeprefix("posix/").removeprefix("right/")
        if name and _exists(name):
            return name
    return UTC


def _link(localtime: str) -> str:
    try:
        target = os.readlink(localtime)  # noqa: PTH115 (pathlib would normalise a relative target)
    except OSError:
        return ""
    return target if "zoneinfo/" in target else ""


def _exists(name: str) -> bool:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


DEFAULT = "default"
RELOADED = frozenset({"search", "profile", "surface", "lifecycle"})
Stamp = tuple[int, int, int] | None


@dataclass(frozen=True)
class Loaded:
    """``origins`` maps each dotted key that is not at its default to where its value came from.

    ``zone`` is the machine's IANA zone. ``stamps`` holds time in ns, size and inode of each file read, None where
    there was none.
    """

    config: Config
    origins: Mapping[str, str]
    zone: str
    stamps: Mapping[Path, Stamp]


def config_file(folders: Folders) -> Path:
    return Path(folders.config, "config.yaml")


def load(
    folders: Folders, environ: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> Loaded:
    """The settings that hold now.

    ``flags`` maps dotted keys to text or typed values; None means that the flag was not given. Raises
    ``ConfigError`` naming the place and key of what is wrong.
    """
    environ = os.environ if environ is None else environ
    home = paths.home(environ)
    file, dotenv = config_file(folders), Path(folders.config, ".env")
    stamps = {path: stamp(path) for path in (file, dotenv)}
    merged: Settings = {}
    if stamps[file] is not None:
        merged |= read(from_yaml(read_text(file), str(file)), home)
    if stamps[dotenv] is not None:
        _overlay(merged, from_dotenv(read_text(dotenv), dotenv), home)
    _overlay(merged, from_environment(environ), home)
    for key, value in (flags or {}).items():
        if value is not None:
            place = "--" + key.replace("_", "-").replace(".", "-")
            node = leaf(key, place).node(value, place) if isinstance(value, str) else from_value(value, place)
            _replace(merged, key, read_key(key, node, home))
    origins = {key: setting.place.removeprefix(f"{folders.config}/") for key, setting in merged.items()}
    return Loaded(build(merged), MappingProxyType(origins), local_zone(environ), MappingProxyType(stamps))


def _overlay(merged: Settings, given: list[Given], home: str) -> None:
    for key, settings in typed(given, home):
        _replace(merged, key, settings)


def _replace(merged: dict[str, Setting], key: str, settings: Settings) -> None:
    for old in [old for old in merged if old.startswith(f"{key}.") and not _is_kept(old, key, settings)]:
        del merged[old]
    merged |= settings


def _is_kept(old: str, key: str, settings: Settings) -> bool:
    """A vault that a variable names keeps the collections that commands add to it in the file."""
    vault, separator, rest = old.removeprefix(f"{key}.").partition(".collections.")
    if key != "vaults" or not separator:
        return False
    group = f"vaults.{vault}.collections.{rest.partition('.')[0]}."
    there = any(name.startswith(f"vaults.{vault}.") for name in settings)
    return there and not any(name.startswith(group) for name in settings)


def read_text(file: Path) -> str:
    """The text of a settings file with its line ends as they are, without a byte order mark."""
    try:
        return file.read_bytes().decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise _unreadable(file, error) from error


def _unreadable(file: Path, error: OSError) -> ConfigError:
    return ConfigError(str(unavailable(f"{file}: can't be read", error)))


def stamp(file: Path) -> Stamp:
    """What ``stat`` says of a file, through symlinks; None where it does not exist."""
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(file, error) from error
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def changed(loaded: Loaded) -> bool:
    """Whether a settings file is not the one that was loaded, by ``stat``; the environment can't change."""
    return any(stamp(file) != before for file, before in loaded.stamps.items())


def restart_needed(old: Config, new: Config) -> tuple[str, ...]:
    """The keys that differ and can't change while a process runs, in order."""
    before, after = flatten(old), flatten(new)
    missing = object()
    return tuple(
        key
        for key in dict.fromkeys((*before, *after))
        if before.get(key, missing) != after.get(key, missing) and key.partition(".")[0] not in RELOADED
    )


def rows(loaded: Loaded) -> list[tuple[str, str, str]]:
    """(key, value, origin) of every setting; the value is text that ``config set`` reads back as the same."""
    values = flatten(loaded.config)
    return [(key, show_value(key, value), loaded.origins.get(key, DEFAULT)) for key, value in values.items()]


def show_value(key: str, value: Any) -> str:
    """A typed value as one line of text."""
    import json

    plain = leaf(key, key).plain(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def get(loaded: Loaded, key: str) -> Any:
    """The value of a key, or of a section as a nested table, as JSON can hold it.

    Raises ``ConfigError`` for a key that can't exist and ``NotFound`` for a name that is not configured.
    """
    values, slot = flatten(loaded.config), find(key, key)
    if key in values:
        return slot["kind"].plain(values[key])
    owner = table_of(key)
    if owner in values:
        name = key.rpartition(".")[2]
        if name not in values[owner]:
            raise NotFound(f"{key} is not configured; {owner} has {', '.join(values[owner]) or 'nothing'}")
        return slot["kind"].plain(values[owner][name])
    inside = {name: value for name, value in values.items() if name.startswith(f"{key}.")}
    if not inside and key != "collections":
        names = _names(loaded.config)
        raise NotFound(f"{key} is not configured{near(key, names)}")
    nested: dict[str, Any] = {}
    for name, value in inside.items():
        *path, last = name.removeprefix(f"{key}.").split(".")
        table = nested
        for part in path:
            table = table.setdefault(part, {})
        table[last] = leaf(name, name).plain(value)
    return nested


def _names(config: Config) -> tuple[str, ...]:
    """The dotted names of collections and vaults."""
    vaults = tuple(f"vaults.{name}" for name in config.vaults)
    inner = tuple(f"vaults.{name}.collections.{c}" for name, vault in config.vaults.items() for c in vault.collections)
    return (*(f"collections.{name}" for name in config.collections), *vaults, *inner)


@dataclass(frozen=True)
class VaultConfig:
    """``data`` holds markdown and journals, ``cache`` what can be rebuilt; neither is created here."""

    name: str
    data: Path
    cache: Path
    roots: tuple[Path, ...]
    collections: Mapping[str, CollectionSettings]


def vault_names(config: Config) -> tuple[str, ...]:
    return tuple(config.vaults)


def vault(config: Config, folders: Folders, name: str) -> VaultConfig:
    """The vault of that name; raises ``NotFound`` listing the names."""
    if name not in config.vaults:
        hint = near(name, vault_names(config))
        raise NotFound(f"there is no vault {name!r}{hint}; vaults are {', '.join(vault_names(config))}")
    given = config.vaults[name]
    collections = {**config.collections, **given.collections} if name == DEFAULT_VAULT else given.collections
    return VaultConfig(
        name=name,
        data=given.data or Path(folders.data, name),
        cache=Path(folders.cache, name),
        roots=given.roots,
        collections=collections,
    )


def vault_for(project: Path, config: Config) -> str:
    """The vault whose root is the longest prefix of ``project``, symlinks followed; else ``default``, also for a folder
    that no system can hold."""
    try:
        real = project.resolve()
    except (OSError, ValueError):
        return DEFAULT_VAULT
    found = [
        (len(root.parts), name)
        for name, given in config.vaults.items()
        for root in (root.resolve() for root in given.roots)
        if real.is_relative_to(root)
    ]
    return max(found)[1] if found else DEFAULT_VAULT
