"""Change one key of ``config.yaml`` and leave every other byte, comments included, as it was."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hearth.config.kinds import Node, Pair, from_value, from_yaml, near
from hearth.config.load import config_file, read_text
from hearth.config.schema import Setting, Settings, build, check_name, find, flatten, leaf, read, read_key, table_of
from hearth.config.tree import DEFAULT_VAULT, CollectionSettings, Config
from hearth.core.errors import ConfigError, Conflict, NotFound
from hearth.core.files import locked, write_atomically
from hearth.core.paths import Folders

INDENT = "  "
# A vault that is given by its folder alone turns into a table with this key when it gets a second one.
SHORT_KEY = "data"


def flow(value: Any) -> str:
    """A value on one line, quoted so that it holds inside brackets."""
    import yaml

    text: str = yaml.safe_dump([value], default_flow_style=True, width=sys.maxsize, allow_unicode=True, sort_keys=False)
    return text.strip()[1:-1]


def put(text: str, root: Node, path: Sequence[str], value: Any) -> str:
    """The text with ``value`` at ``path``, which is made as far as it does not exist."""
    node = root
    for depth, key in enumerate(path):
        pair = next((pair for pair in node.pairs or () if pair.key == key), None)
        rest = path[depth + 1 :]
        if pair is None:
            return _insert(text, node, path[depth:], value)
        if not rest:
            return _replace(text, pair, flow(value))
        if pair.node.is_null:
            return _replace(text, pair, flow(_nest(rest, value)))
        if pair.node.text is not None:
            longer = {SHORT_KEY: pair.node.text, **_nest(rest, value)}
            return _replace(text, pair, flow(value if tuple(rest) == (SHORT_KEY,) else longer))
        node = pair.node
    raise ValueError("an empty path")


def remove(text: str, root: Node, path: Sequence[str]) -> str:
    """The text without the entry at ``path``, which exists; comments on lines of their own stay."""
    parent = root
    for key in path[:-1]:
        parent = parent.child(key) or parent
    pairs = parent.pairs or ()
    index = next(i for i, pair in enumerate(pairs) if pair.key == path[-1])
    pair = pairs[index]
    if not parent.flow:
        start = text.rfind("\n", 0, pair.start) + 1
        return text[:start] + text[_next_line(text, pair.node.end) :]
    if index + 1 < len(pairs):
        return text[: pair.start] + text[pairs[index + 1].start :]
    start = pairs[index - 1].node.end if index else pair.start
    return text[:start] + text[pair.node.end :]


def _nest(path: Sequence[str], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    nested: dict[str, Any] = value
    return nested


def _replace(text: str, pair: Pair, new: str) -> str:
    """Put a value behind its key's colon; a comment between the two stays behind the value."""
    colon = text.index(":", pair.end) + 1
    between = text[colon : pair.node.start]
    if "\n" not in between:
        return text[:colon] + (between or " ") + new + text[pair.node.end :]
    comment = between.splitlines()[0].rstrip()
    return f"{text[:colon]} {new}{comment}{text[pair.node.end :]}"


def _insert(text: str, node: Node, path: Sequence[str], value: Any) -> str:
    """Put a new entry behind the last one of a table."""
    if node.flow:
        entry = flow(_nest(path, value))[1:-1]
        position = node.pairs[-1].node.end if node.pairs else node.start + 1
        return text[:position] + (", " if node.pairs else "") + entry + text[position:]
    newline = "\r\n" if "\r\n" in text else "\n"
    if not node.pairs:
        if node.text:
            raise ConfigError(f"{node.place}: can't be edited in its present layout; change it by hand")
        gap = newline if text and not text.endswith("\n") else ""
        return text + gap + newline.join(_block(path, value, "")) + newline
    column = node.pairs[0].start - text.rfind("\n", 0, node.pairs[0].start) - 1
    lines = newline.join(_block(path, value, " " * column)) + newline
    position = _next_line(text, node.pairs[-1].node.end)
    gap = "" if text[:position].endswith("\n") else newline
    return text[:position] + gap + lines + text[position:]


def _block(path: Sequence[str], value: Any, indent: str) -> list[str]:
    head = [f"{indent}{INDENT * depth}{key}:" for depth, key in enumerate(path)]
    return [*head[:-1], f"{head[-1]} {flow(value)}"]


def _next_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


# Where a value stands that is on its way into the file.
_SET = "config set"
# As "home" it replaces itself: folders are written back the way they were given.
AS_WRITTEN = "~"
# An edit takes milliseconds; a holder that needs longer hangs.
WAIT_SECONDS = 10.0
BOM = b"\xef\xbb\xbf"

# What an edit does: the new text, and the settings that it should mean.
Edit = Callable[[str, Node, Settings], tuple[str, Settings]]


def set_value(folders: Folders, key: str, value: object) -> None:
    """Write one key; ``value`` is text as on the command line, or a typed value.

    Raises ``ConfigError`` for a key or value that does not fit, ``NotFound`` for a collection that does not exist, and
    ``Unavailable`` where the file can't be written. The file is then as before.
    """
    table = table_of(key)
    if table is not None:
        _set_entry(folders, table, key.rpartition(".")[2], _read(key, value)[key].value)
        return
    kind = leaf(key, _SET)
    new = _read(key, value)

    def edit(text: str, root: Node, settings: Settings) -> tuple[str, Settings]:
        if key in settings and settings[key].value == new[key].value:
            return text, settings
        _check_owner(key, settings)
        return put(text, root, key.split("."), kind.plain(new[key].value)), settings | new

    _rewrite(folders, edit)


def unset_value(folders: Folders, key: str) -> None:
    """Take one key, or one entry of a table, out of the file, so that its default holds again.

    Raises ``ConfigError`` for a key that does not exist and ``NotFound`` where the file does not set it.
    """
    table = table_of(key)
    leaf(table or key, "config unset")

    def edit(text: str, root: Node, settings: Settings) -> tuple[str, Settings]:
        path = key.split(".")
        table_at = settings.get(table or key)
        if table_at is None or (table is not None and path[-1] not in table_at.value):
            raise NotFound(f"{config_file(folders)} does not set {key}")
        left = {name: setting for name, setting in settings.items() if name != (table or key)}
        if table is not None and len(table_at.value) > 1:
            left[table] = Setting({name: value for name, value in table_at.value.items() if name != path[-1]}, _SET)
        return remove(text, root, _whole(root, path)), left

    _rewrite(folders, edit)


def _whole(root: Node, path: list[str]) -> list[str]:
    """``path``, or the section above it that holds nothing else."""
    node, kept = root, 1
    for depth, name in enumerate(path[:-1], 1):
        node = node.child(name) or node
        if len(node.pairs or ()) > 1:
            kept = depth + 1
    return path[:kept]


def _set_entry(folders: Folders, table: str, name: str, value: object) -> None:
    """Write one entry of a table; a table that is not in the file is written with its default."""
    default = flatten(Config()).get(table, {})

    def edit(text: str, root: Node, settings: Settings) -> tuple[str, Settings]:
        there = table in settings
        old = settings[table].value if there else default
        if there and name in old and old[name] == value:
            return text, settings
        _check_owner(table, settings)
        new = {**old, name: value}
        plain = leaf(table, _SET).plain(new)
        return put(text, root, table.split("."), plain), settings | {table: Setting(new, _SET)}

    _rewrite(folders, edit)


def read_value(key: str, value: object) -> object:
    """The typed value that ``set_value`` would write. Raises ``ConfigError`` as it does."""
    return _read(key, value)[key].value


def _read(key: str, value: object) -> Settings:
    node = leaf(key, _SET).node(value, _SET) if isinstance(value, str) else from_value(value, _SET)
    return read_key(key, node, AS_WRITTEN)


_MAX_NAME = 64


def name_of(folder: Path) -> str:
    """A valid collection name like the folder's: ``My Nötes`` gives ``my-notes``."""
    plain = unicodedata.normalize("NFKD", folder.name).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_")[:_MAX_NAME] or "notes"


def add_collection(
    folders: Folders, vault: str, name: str, fields: Mapping[str, object], vaults: Iterable[str] = ()
) -> None:
    """Add a collection to a vault; ``fields`` holds ``path`` and any other keys of a collection. ``vaults`` are those
    that stand elsewhere than in the file.

    Raises ``Conflict`` if the vault has a collection of that name, ``NotFound`` for an unknown vault and
    ``ConfigError`` for fields that do not fit.
    """
    place = key_of(vault, name)
    group = place.rpartition(".")[0]
    check_name(name, group, place)
    node = Node(place, pairs=(Pair(name, place, from_value(dict(fields), place)),))

    def edit(text: str, root: Node, settings: Settings) -> tuple[str, Settings]:
        _check_vault(vault, settings, vaults)
        if name in _collections(vault, settings):
            raise Conflict(
                f"the vault {vault!r} already has a collection {name!r}; remove it first or take another name"
            )
        new = read_key(group, node, AS_WRITTEN)
        plain = {key.rpartition(".")[2]: leaf(key, place).plain(setting.value) for key, setting in new.items()}
        return put(text, root, place.split("."), plain), settings | new

    _rewrite(folders, edit)


def key_of(vault: str, collection: str) -> str:
    """The key under which a collection that is added to a vault stands."""
    return f"collections.{collection}" if vault == DEFAULT_VAULT else f"vaults.{vault}.collections.{collection}"


def remove_collection(folders: Folders, vault: str, name: str) -> None:
    """Take a collection out of a vault; its files stay. Raises ``NotFound`` listing the collections there are."""

    def edit(text: str, root: Node, settings: Settings) -> tuple[str, Settings]:
        _check_vault(vault, settings)
        known = _collections(vault, settings)
        if name not in known:
            listed = ", ".join(known) or "none"
            raise NotFound(
                f"the vault {vault!r} has no collection {name!r}{near(name, known)}; collections are {listed}"
            )
        prefix = f"{known[name]}."
        left = {key: setting for key, setting in settings.items() if not key.startswith(prefix)}
        return remove(text, root, known[name].split(".")), left

    _rewrite(folders, edit)


def _rewrite(folders: Folders, edit: Edit) -> None:
    """Read, edit, check and replace the file, alone; a symlink stays one and its target is replaced."""
    file = config_file(folders)
    with locked(Path(folders.state, "config.lock"), wait=WAIT_SECONDS):
        text = read_text(file) if file.exists() else ""
        root = from_yaml(text, str(file))
        settings = read(root, AS_WRITTEN)
        edited, expected = edit(text, root, settings)
        if edited == text:
            return
        wanted = flatten(build(expected))
        try:
            found = flatten(build(read(from_yaml(edited, str(file)), AS_WRITTEN)))
        except ConfigError:
            found = {}
        if found != wanted:
            raise ConfigError(f"{file}: can't be edited in its present layout; change it by hand")
        mark = BOM if file.exists() and file.read_bytes().startswith(BOM) else b""
        write_atomically(file.resolve(), mark + edited.encode("utf-8"))


def _check_owner(key: str, settings: Settings) -> None:
    """A key of a collection needs the collection."""
    owner = key.rpartition(".")[0]
    required = f"{owner}.path"
    if owner and find(owner, key).get("section") is CollectionSettings and required not in (key, *settings):
        raise NotFound(f"{owner} is not configured; add the collection first")


def _check_vault(vault: str, settings: Settings, others: Iterable[str] = ()) -> None:
    names = sorted({DEFAULT_VAULT, *others} | {key.split(".")[1] for key in settings if key.startswith("vaults.")})
    if vault not in names:
        raise NotFound(f"config.yaml has no vault {vault!r}{near(vault, names)}; vaults are {', '.join(names)}")


def _collections(vault: str, settings: Settings) -> dict[str, Any]:
    """Name -> dotted key of each collection of a vault, in the order of the file."""
    groups = [f"vaults.{vault}.collections", *(["collections"] if vault == DEFAULT_VAULT else [])]
    return {
        key.removeprefix(f"{group}.").partition(".")[0]: key.rpartition(".")[0]
        for key in settings
        for group in groups
        if key.startswith(f"{group}.")
    }
