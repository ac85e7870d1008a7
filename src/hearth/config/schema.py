"""Between untyped nodes, flat settings (dotted key -> value) and the frozen tree.

Sources are merged flat, because there each value keeps the place that it came from.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from types import MappingProxyType
from typing import Any, cast

from hearth.config.kinds import Node, Table, ValueKind, Wrong, near, show_node
from hearth.config.tree import DEFAULT_VAULT, NAME, Config, VaultSettings
from hearth.core.errors import ConfigError
from hearth.core.lazy import dataclass, regex
from hearth.core.session import MAIN_AGENT

NAMED = "<name>"
_NAME = regex(NAME)


@dataclass(frozen=True)
class Setting:
    value: Any
    place: str


Settings = dict[str, Setting]
# One of {"kind": Kind}, {"section": dataclass} and {"named": dataclass}.
Slot = Mapping[str, Any]


@cache
def entries(cls: Hashable) -> Mapping[str, Slot]:
    """The slots of a section's dataclass by name."""
    return {field.name: field.metadata for field in fields(cast(Any, cls))}


def read(root: Node, home: str) -> Settings:
    """The settings that a whole tree gives; raises ``ConfigError`` naming place and key."""
    if root.pairs is None and not root.is_null:
        raise ConfigError(f"{root.place}: the file must be a table of sections, not {show_node(root)}")
    return dict(_section(root, Config, "", home))


def read_key(key: str, node: Node, home: str) -> Settings:
    """The settings that one key gives: a leaf, or the whole of ``collections`` or ``vaults``."""
    return dict(_entry(node, find(key, node.place), key, home))


def _section(node: Node, cls: type, prefix: str, home: str) -> Iterator[tuple[str, Setting]]:
    if node.is_null:
        return
    if node.pairs is None:
        raise ConfigError(f"{node.place}: {prefix.rstrip('.')} must be a table of keys, not {show_node(node)}")
    known = entries(cls)
    for pair in node.pairs:
        if pair.key not in known:
            raise ConfigError(f"{pair.place}: {prefix}{pair.key} is not a setting{suggestion(prefix, pair.key, known)}")
        yield from _entry(pair.node, known[pair.key], prefix + pair.key, home)


def _entry(node: Node, slot: Slot, key: str, home: str) -> Iterator[tuple[str, Setting]]:
    if "section" in slot:
        yield from _section(node, slot["section"], f"{key}.", home)
    elif "named" in slot:
        yield from _walk_named(node, slot["named"], key, home)
    else:
        try:
            yield key, Setting(slot["kind"].read(node, home), node.place)
        except Wrong as error:
            raise ConfigError(f"{error.place}: {key} {error}") from None


def _walk_named(node: Node, cls: type, key: str, home: str) -> Iterator[tuple[str, Setting]]:
    """Entries under names of the user's choice; a vault may be given by its data folder alone."""
    if node.is_null:
        return
    if node.pairs is None:
        raise ConfigError(f"{node.place}: {key} must be a table of names, not {show_node(node)}")
    required = next(iter(entries(cls)))
    optional = entries(cls)[required]["kind"].optional
    for pair in node.pairs:
        check_name(pair.key, key, pair.place)
        inner, prefix = pair.node, f"{key}.{pair.key}."
        if cls is VaultSettings and inner.text is not None and not inner.is_null:
            yield from _entry(inner, entries(cls)[required], prefix + required, home)
            continue
        if inner.is_null or inner.child(required) is None:
            if not optional:
                raise ConfigError(f"{pair.place}: {key}.{pair.key} needs {required}")
            yield prefix + required, Setting(None, pair.place)
        yield from _section(inner, cls, prefix, home)


def check_name(name: str, key: str, place: str) -> None:
    if not _NAME.fullmatch(name):
        rule = "1 to 64 of a-z 0-9 _ -, first a letter or digit"
        raise ConfigError(f"{place}: {key} can't have the name {name!r}; a name is {rule}")


def suggestion(prefix: str, word: str, known: Mapping[str, Any]) -> str:
    """A near key of the same section, else a key of that name in another section."""
    if hint := near(word, tuple(known)):
        return hint.replace("did you mean ", f"did you mean {prefix}")
    elsewhere = [key for key in leaf_keys() if key.rpartition(".")[2] == word and NAMED not in key]
    return f"; did you mean {elsewhere[0]}?" if elsewhere else ""


def find(key: str, place: str) -> Slot:
    """What a dotted key names, with names of the user's choice in it; raises ``ConfigError`` where nothing."""
    slot: Slot = {"section": Config}
    prefix = ""
    for part in key.split("."):
        if "named" in slot:
            check_name(part, prefix.rstrip("."), place)
            slot = {"section": slot["named"]}
        elif "section" in slot:
            known = entries(slot["section"])
            if part not in known:
                raise ConfigError(f"{place}: {prefix}{part} is not a setting{suggestion(prefix, part, known)}")
            slot = known[part]
        else:
            slot = _entry_of(slot["kind"], part, prefix, key, place)
        prefix += f"{part}."
    return slot


def _entry_of(kind: ValueKind, name: str, prefix: str, key: str, place: str) -> Slot:
    """An entry of a table whose names are known."""
    names = kind.names if isinstance(kind, Table) else None
    if names is None:
        raise ConfigError(f"{place}: {key} is not a setting; {prefix.rstrip('.')} is set only as a whole")
    if name not in names:
        raise ConfigError(f"{place}: {prefix}{name} is not a setting{suggestion(prefix, name, dict.fromkeys(names))}")
    return {"kind": cast(Table, kind).item}


def table_of(key: str) -> str | None:
    """The key of the table that an existing key is an entry of."""
    owner = key.rpartition(".")[0]
    return owner if owner and isinstance(find(owner, key).get("kind"), Table) else None


def leaf(key: str, place: str) -> ValueKind:
    """The kind of one setting; raises ``ConfigError`` for a section or a name."""
    slot = find(key, place)
    if "kind" not in slot:
        prefix = key if "section" in slot else f"{key}.{NAMED}"
        inner = ", ".join(f"{prefix}.{name}" for name in entries(slot.get("section") or slot["named"]))
        raise ConfigError(f"{place}: {key} is not one setting; name one of {inner}")
    kind: ValueKind = slot["kind"]
    return kind


@cache
def leaf_keys() -> tuple[str, ...]:
    """Every key of the tree, with ``<name>`` for a name; a vault's collections count as one key."""

    def walk(cls: type, prefix: str) -> Iterator[str]:
        for name, slot in entries(cls).items():
            if "section" in slot:
                yield from walk(slot["section"], f"{prefix}{name}.")
            elif "named" in slot and not prefix:
                yield from walk(slot["named"], f"{name}.{NAMED}.")
            else:
                yield prefix + name

    return tuple(walk(Config, ""))


def flatten(tree: Any, prefix: str = "") -> dict[str, Any]:
    """The typed value of every setting in a tree, by dotted key."""
    flat: dict[str, Any] = {}
    for name, slot in entries(tree.__class__).items():
        value, key = getattr(tree, name), prefix + name
        if "section" in slot:
            flat |= flatten(value, f"{key}.")
        elif "named" in slot:
            for entry, inner in value.items():
                flat |= flatten(inner, f"{key}.{entry}.")
        else:
            flat[key] = value
    return flat


def build(settings: Mapping[str, Setting]) -> Config:
    """The frozen tree of flat settings over the defaults; raises ``ConfigError`` where settings contradict."""
    nested: dict[str, Any] = {}
    for key, setting in settings.items():
        *path, last = key.split(".")
        inner = nested
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = setting.value
    config: Config = _build(Config, nested)
    _agree(config, settings)
    return config


def _build(cls: type, given: Mapping[str, Any]) -> Any:
    values: dict[str, Any] = {}
    for name, slot in entries(cls).items():
        if name not in given:
            continue
        if "section" in slot:
            values[name] = _build(slot["section"], given[name])
        elif "named" in slot:
            inner = {entry: _build(slot["named"], keys) for entry, keys in given[name].items()}
            values[name] = MappingProxyType({DEFAULT_VAULT: VaultSettings()} | inner if name == "vaults" else inner)
        else:
            values[name] = given[name]
    return cls(**values)


def _agree(config: Config, settings: Mapping[str, Setting]) -> None:
    """Rules that hold between keys."""

    def place(key: str) -> str:
        return settings[key].place if key in settings else "default"

    window = config.fragments
    if window.words is not None and window.overlap is not None and window.overlap >= window.words:
        raise ConfigError(f"{place('fragments.overlap')}: fragments.overlap must be less than fragments.words")
    for name in config.collections:
        if name in config.vaults[DEFAULT_VAULT].collections:
            key = f"vaults.{DEFAULT_VAULT}.collections.{name}.path"
            raise ConfigError(
                f"{place(key)}: collections.{name} is already a collection of the default vault; keep one"
            )
    if (main := config.agents.get(MAIN_AGENT)) is not None and not main.memory:
        key = f"agents.{MAIN_AGENT}.memory"
        raise ConfigError(
            f"{place(key)}: {key} can't be false: {MAIN_AGENT} stands for everyone without a name, including you; "
            "see hearth incognito, capture.mode and surface for what can be switched off"
        )
    owners: dict[object, str] = {}
    for name, vault in config.vaults.items():
        for what, key in [*(((root,), "roots") for root in vault.roots), (vault.data, "data")]:
            if what is not None and owners.setdefault(what, name) != name:
                other = f"vaults.{owners[what]}.{key}"
                raise ConfigError(f"{place(f'vaults.{name}.{key}')}: vaults.{name}.{key} is also the folder of {other}")
