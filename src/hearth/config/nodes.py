"""What a setting looks like before it has a type: text, a list or a table, with the place it came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from hearth.errors import ConfigError

if TYPE_CHECKING:
    import yaml

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
    import yaml

    if len(text) > MAX_CHARS:
        raise ConfigError(f"{file}: longer than {MAX_CHARS // 1024} KiB; this is not a configuration")
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Reader(yaml.parse(text, Loader=loader), text, file).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{file}{line}: not valid YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{file}: not valid YAML: {' '.join(str(error).split())}") from error


def _mark(mark: Any) -> yaml.Mark:
    """The parser marks every event; its types do not say so."""
    return cast("yaml.Mark", mark)


class _Reader:
    """Folds the parser's events: values keep their text, because their key decides the type, not their look."""

    def __init__(self, events: Iterator[yaml.Event], text: str, file: str) -> None:
        self.events = events
        self.text = text
        self.file = file

    def document(self) -> Node:
        import yaml

        next(self.events)
        event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            return Node(f"{self.file}:1", pairs=(), start=len(self.text), end=len(self.text))
        root = self.node(next(self.events), 1)
        next(self.events)
        event = next(self.events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise ConfigError(f"{self.place(event)}: a second document; keep one")
        return root

    def place(self, event: yaml.Event) -> str:
        return f"{self.file}:{_mark(event.start_mark).line + 1}"

    def node(self, event: yaml.Event, depth: int) -> Node:
        import yaml

        place = self.place(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ConfigError(f"{place}: anchors and aliases (& and *) are not accepted; write the value out")
        if getattr(event, "tag", None):
            raise ConfigError(f"{place}: tags (!) are not accepted; write the plain value")
        if depth > MAX_DEPTH:
            raise ConfigError(f"{place}: nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, place)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, place, depth)
        return self.mapping(event, place, depth)

    def scalar(self, event: yaml.ScalarEvent, place: str) -> Node:
        start, end = _mark(event.start_mark).index, _mark(event.end_mark).index
        end = start + len(self.text[start:end].rstrip())
        text = event.value.rstrip("\n") if event.style in ("|", ">") else event.value
        return Node(place, text=text, quoted=bool(event.style), start=start, end=end)

    def sequence(self, event: yaml.Event, place: str, depth: int) -> Node:
        import yaml

        items: list[Node] = []
        while not isinstance(inner := next(self.events), yaml.SequenceEndEvent):
            items.append(self.node(inner, depth + 1))
        start, end, flow = self.span(event, inner, items)
        return Node(place, items=tuple(items), start=start, end=end, flow=flow)

    def mapping(self, event: yaml.Event, place: str, depth: int) -> Node:
        import yaml

        pairs: dict[str, Pair] = {}
        while not isinstance(inner := next(self.events), yaml.MappingEndEvent):
            key = self.node(inner, depth + 1)
            if key.text is None:
                raise ConfigError(f"{key.place}: a key must be a word, not a list or a table")
            if key.text in pairs:
                raise ConfigError(f"{key.place}: the key {key.text!r} stands twice, first at {pairs[key.text].place}")
            pairs[key.text] = Pair(key.text, key.place, self.node(next(self.events), depth + 1), key.start, key.end)
        start, end, flow = self.span(event, inner, [pair.node for pair in pairs.values()])
        return Node(place, pairs=tuple(pairs.values()), start=start, end=end, flow=flow)

    def span(self, first: yaml.Event, last: yaml.Event, children: list[Node]) -> tuple[int, int, bool]:
        """A block ends with its last child; the parser's own mark lies behind the comments that follow."""
        flow = bool(getattr(first, "flow_style", False))
        start = _mark(first.start_mark).index
        end = _mark(last.end_mark).index if flow or not children else children[-1].end
        return start, end, flow


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
            raise ConfigError(f"{place}: a key stands twice in {', '.join(key for key, _ in pairs)}")
        return result

    if len(text) > MAX_CHARS:
        raise ConfigError(f"{place}: longer than {MAX_CHARS // 1024} KiB")
    try:
        return from_value(json.loads(text, object_pairs_hook=table), place)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: not valid JSON: {error}") from error
