"""YAML read strictly, as a tree of texts or as flat fields: nothing is resolved or constructed, and every limit is
explicit.

Aliases, anchors, tags and a second document are refused; what a text means is up to whoever asked for it. The parser
gives its events one by one, so a refusal stops the work. Whoever reads YAML imports this module only then: PyYAML takes
20 ms to load.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import yaml

from hearth.core.lazy import dataclass

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# The parser looks ahead, and newer ones may see brackets beyond a limit of their own before the first event is ours.
_PARSERS_LIMIT = "exceeded maximum nesting depth"


class YamlRefused(Exception):
    """``problem`` says what is wrong, ``line`` where, counting from 1; 0 where nobody knows."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


class MalformedYaml(YamlRefused):
    """No YAML at all."""


class TooDeep(YamlRefused):
    """More lists and tables in one another than the limit."""


@dataclass(frozen=True, slots=True)
class Item:
    """Exactly one of ``text``, ``items`` and ``pairs`` is set; a key may stand in ``pairs`` twice. ``line`` counts from
    1. ``style`` is that of a text: empty for a plain one. ``start`` and ``end`` are a half-open range of characters;
    ``flow`` says whether it is written in brackets."""

    line: int
    start: int
    end: int
    text: str | None = None
    style: str = ""
    items: tuple[Item, ...] | None = None
    pairs: tuple[tuple[Item, Item], ...] | None = None
    flow: bool = False


def read(text: str, max_depth: int) -> Item | None:
    """The one document of a text, ``None`` where there is none. At most ``max_depth`` lists and tables may stand in one
    another; the length is up to the caller. Raises ``YamlRefused``."""
    try:
        return _Reader(text, max_depth).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        problem = str(error.problem or error.context)
        if problem == _PARSERS_LIMIT:
            raise _too_deep(max_depth, line) from None
        raise MalformedYaml(problem, line) from None
    except (yaml.YAMLError, UnicodeEncodeError):
        raise MalformedYaml("a character that YAML doesn't allow") from None


class _Reader:
    def __init__(self, text: str, max_depth: int) -> None:
        self._text = text
        self._max_depth = max_depth
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_LOADER)

    def document(self) -> Item | None:
        next(self._events)
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        root = self._item(next(self._events), 1)
        next(self._events)
        event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise YamlRefused("a second document; keep one", _line(event))
        return root

    def _item(self, event: yaml.Event, depth: int) -> Item:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise YamlRefused("anchors and aliases (& and *) are not accepted; write the value out", _line(event))
        if getattr(event, "tag", None):
            raise YamlRefused("tags (!) are not accepted; write the plain value", _line(event))
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if depth > self._max_depth:
            raise _too_deep(self._max_depth, _line(event))
        return self._list(event, depth) if isinstance(event, yaml.SequenceStartEvent) else self._table(event, depth)

    def _scalar(self, event: yaml.ScalarEvent) -> Item:
        """The parser's mark lies behind the blank lines that follow a text."""
        start, end = _mark(event.start_mark).index, _mark(event.end_mark).index
        end = start + len(self._text[start:end].rstrip())
        return Item(_line(event), start, end, event.value, event.style or "")

    def _list(self, event: yaml.Event, depth: int) -> Item:
        items: list[Item] = []
        while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
            items.append(self._item(inner, depth + 1))
        start, end, flow = _span(event, inner, items)
        return Item(_line(event), start, end, items=tuple(items), flow=flow)

    def _table(self, event: yaml.Event, depth: int) -> Item:
        pairs: list[tuple[Item, Item]] = []
        while not isinstance(inner := next(self._events), yaml.MappingEndEvent):
            key = self._item(inner, depth + 1)
            if key.text is None:
                raise YamlRefused("a key must be a word, not a list or a table", key.line)
            pairs.append((key, self._item(next(self._events), depth + 1)))
        start, end, flow = _span(event, inner, [value for _, value in pairs])
        return Item(_line(event), start, end, pairs=tuple(pairs), flow=flow)


def _too_deep(most: int, line: int) -> TooDeep:
    return TooDeep(f"nested deeper than {most} levels", line)


def _span(first: yaml.Event, last: yaml.Event, children: list[Item]) -> tuple[int, int, bool]:
    """A block ends with its last child; the parser's own mark lies behind the comments that follow."""
    flow = bool(getattr(first, "flow_style", False))
    end = _mark(last.end_mark).index if flow or not children else children[-1].end
    return _mark(first.start_mark).index, end, flow


def _line(event: yaml.Event) -> int:
    return _mark(event.start_mark).line + 1


def _mark(mark: Any) -> yaml.Mark:
    """The parser marks every event; its types do not say so."""
    return cast("yaml.Mark", mark)


def read_fields(block: str, max_depth: int) -> tuple[dict[str, str | tuple[str, ...]], str | None]:
    """Fields of one mapping, and a key that is given twice, of which the last counts.

    Maps in lists give ``list.key``. Raises ``yaml_tree.YamlRefused``, with lines of the block.
    """
    root = read(block, max_depth)
    if root is None:
        return {}, None
    if root.pairs is None:
        raise YamlRefused("it has no keys")
    fields = _FlatFields()
    fields.table(root, "", in_list=False)
    return {key: tuple(v) if isinstance(v, list) else v for key, v in fields.held.items()}, fields.twice


class _FlatFields:
    def __init__(self) -> None:
        self.held: dict[str, str | list[str]] = {}
        self.twice: str | None = None

    def table(self, item: Item, prefix: str, *, in_list: bool) -> None:
        for key, value in item.pairs or ():
            if key.text == "<<" and not key.style:
                raise YamlRefused("merge keys are not allowed", key.line)
            name = f"{prefix}.{key.text}" if prefix else str(key.text)
            if name in self.held and not in_list:
                self.twice = name
                del self.held[name]
            self._value(name, value, in_list=in_list)

    def _value(self, name: str, item: Item, *, in_list: bool) -> None:
        if item.text is not None:
            self._put(name, item.text, in_list=in_list)
        elif item.pairs is not None:
            self.table(item, name, in_list=in_list)
        else:
            self._list(name, item)

    def _list(self, name: str, item: Item) -> None:
        values = self.held.setdefault(name, [])
        for inner in item.items or ():
            self._value(name, inner, in_list=True)
        if values == [] and any(other.startswith(f"{name}.") for other in self.held):
            self.held.pop(name, None)

    def _put(self, name: str, value: str, *, in_list: bool) -> None:
        present = self.held.get(name)
        if not in_list:
            self.held[name] = value
        elif isinstance(present, list):
            present.append(value)
        else:
            self.held[name] = [value] if present is None else [present, value]
