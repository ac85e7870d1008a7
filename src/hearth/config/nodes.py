"""What a setting looks like before it has a type: text, a list or a table, with the place it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hearth.core.errors import ConfigError
from hearth.core.lazy import dataclass

if TYPE_CHECKING:
    from hearth.core.yaml_tree import Item

# Far above any real file (the whole tree needs 1.5 KiB and six levels), low enough that parsing stays under a second.
MAX_CHARS = 256 * 1024
MAX_DEPTH = 8


@dataclass(frozen=True)
class Node:
    """Exactly one of ``text``, ``items`` and ``pairs`` is set.

    ``place`` is ``<file>:<line>``, a variable or a flag. ``start`` and ``end`` are the half-open range of the value in
    its file, ``flow`` whether it is written in brackets; they serve edits only.
    """

    place: str
    text: str | None = None
    quoted: bool = False
    items: tuple[Node, ...] | None = None
    pairs: tuple[Pair, ...] | None = None
    start: int = 0
    end: int = 0
    flow: bool = False

    @property
    def is_null(self) -> bool:
        return self.text in ("", "~", "null", "Null", "NULL") and not self.quoted

    def child(self, key: str) -> Node | None:
        return next((pair.node for pair in self.pairs or () if pair.key == key), None)


@dataclass(frozen=True)
class Pair:
    """An entry of a table; ``start`` and ``end`` are the range of its key in the file."""

    key: str
    place: str
    node: Node
    start: int = 0
    end: int = 0


def from_yaml(text: str, file: str) -> Node:
    """The tree of a YAML file, read without anchors, aliases, tags or repeated keys.

    Raises ``ConfigError`` naming ``file`` and the line for text that is not YAML, is longer than ``MAX_CHARS`` or is
    nested deeper than ``MAX_DEPTH``.
    """
    from hearth.core import yaml_tree  # most runs have no file to read

    if len(text) > MAX_CHARS:
        raise ConfigError(f"{file}: longer than {MAX_CHARS // 1024} KiB; this is not a configuration")
    try:
        root = yaml_tree.read(text, MAX_DEPTH - 1)  # a text is a level, too
    except yaml_tree.YamlRefused as error:
        problem = f"nested deeper than {MAX_DEPTH} levels" if isinstance(error, yaml_tree.TooDeep) else error.problem
        line = f":{error.line}" if error.line else ""
        what = "not valid YAML: " if isinstance(error, yaml_tree.MalformedYaml) else ""
        raise ConfigError(f"{file}{line}: {what}{problem}") from error
    return Node(f"{file}:1", pairs=(), start=len(text), end=len(text)) if root is None else _node(root, file)


def _node(item: Item, file: str) -> Node:
    place = f"{file}:{item.line}"
    if item.text is not None:
        text = item.text.rstrip("\n") if item.style in ("|", ">") else item.text
        return Node(place, text=text, quoted=bool(item.style), start=item.start, end=item.end)
    span: dict[str, Any] = {"start": item.start, "end": item.end, "flow": item.flow}
    if item.items is not None:
        return Node(place, items=tuple(_node(inner, file) for inner in item.items), **span)
    pairs: dict[str, Pair] = {}
    for key, value in item.pairs or ():
        name, where = str(key.text), f"{file}:{key.line}"
        if key.style in ("|", ">"):
            name = name.rstrip("\n")
        if name in pairs:
            raise ConfigError(f"{where}: the key {name!r} is given twice, first at {pairs[name].place}")
        pairs[name] = Pair(name, where, _node(value, file), key.start, key.end)
    return Node(place, pairs=tuple(pairs.values()), **span)


def from_value(value: object, place: str) -> Node:
    """The tree of a value that Python or JSON holds."""
    if isinstance(value, dict):
        return Node(place, pairs=tuple(Pair(str(key), place, from_value(item, place)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return Node(place, items=tuple(from_value(item, place) for item in value))
    if value is None or isinstance(value, bool):
        return Node(place, text="null" if value is None else str(value).lower())
    if isinstance(value, int | float):
        return Node(place, text=repr(value))
    return Node(place, text=str(value), quoted=True)


def from_json(text: str, place: str) -> Node:
    """The tree of a JSON text; raises ``ConfigError`` for bad JSON or a name that stands twice."""
    import json

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            raise ConfigError(f"{place}: a key is given twice in {', '.join(key for key, _ in pairs)}")
        return result

    if len(text) > MAX_CHARS:
        raise ConfigError(f"{place}: longer than {MAX_CHARS // 1024} KiB")
    try:
        return from_value(json.loads(text, object_pairs_hook=table), place)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: not valid JSON: {error}") from error
