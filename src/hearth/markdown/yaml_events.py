"""The part of YAML that frontmatter may use beyond flat keys, read from PyYAML's events.

Events come from the pure Python parser, one by one, so a refusal stops the work; nothing is constructed or resolved.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

Value = str | tuple[str, ...]


class NotRead(Exception):
    """The message says what is wrong and on which line of the file."""


def read(block: str, max_depth: int) -> tuple[dict[str, Value], str | None]:
    """Fields of one mapping, nested keys joined by dots, and a key that is given twice.

    Lists hold the scalars below them, maps in lists give ``list.key``. Raises ``NotRead``.
    """
    reader = _Reader(block, max_depth)
    try:
        reader.document()
    except yaml.YAMLError as error:
        raise NotRead(_reason(error)) from None
    return {key: tuple(v) if isinstance(v, list) else v for key, v in reader.fields.items()}, reader.twice


def _reason(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 2}: {error.problem}"
    return "a character that YAML doesn't allow"


def _line(event: yaml.Event) -> int:
    """The line of the file; the block starts on its second."""
    return 2 if event.start_mark is None else event.start_mark.line + 2


class _Reader:
    def __init__(self, block: str, max_depth: int) -> None:
        self.fields: dict[str, str | list[str]] = {}
        self.twice: str | None = None
        self._max_depth = max_depth
        self._events: Iterator[yaml.Event] = yaml.parse(block, Loader=yaml.SafeLoader)

    def document(self) -> None:
        event = self._next(0)
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = self._next(0)
        if isinstance(event, yaml.StreamEndEvent):
            return
        if not isinstance(event, yaml.MappingStartEvent):
            raise NotRead("it holds no keys")
        self._mapping("", 1, in_list=False)
        if any(isinstance(rest, yaml.DocumentStartEvent) for rest in self._events):
            raise NotRead("it holds more than one document")

    def _next(self, depth: int) -> yaml.Event:
        event = next(self._events)
        line = _line(event)
        if isinstance(event, yaml.AliasEvent):
            raise NotRead(f"line {line}: aliases are not allowed")
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            raise NotRead(f"line {line}: anchors are not allowed")
        if getattr(event, "tag", None) is not None:
            raise NotRead(f"line {line}: tags are not allowed")
        if isinstance(event, yaml.CollectionStartEvent) and depth >= self._max_depth:
            raise NotRead(f"line {line}: nested deeper than {self._max_depth}")
        return event

    def _mapping(self, prefix: str, depth: int, *, in_list: bool) -> None:
        while not isinstance(event := self._next(depth), yaml.MappingEndEvent):
            line = _line(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise NotRead(f"line {line}: a key must be plain text")
            if event.value == "<<" and event.style is None:
                raise NotRead(f"line {line}: merge keys are not allowed")
            key = f"{prefix}.{event.value}" if prefix else event.value
            if key in self.fields and not in_list:
                self.twice = key
                del self.fields[key]
            self._node(key, depth, in_list=in_list)

    def _node(self, key: str, depth: int, *, in_list: bool) -> None:
        event = self._next(depth)
        if isinstance(event, yaml.ScalarEvent):
            self._put(key, event.value, in_list=in_list)
        elif isinstance(event, yaml.MappingStartEvent):
            self._mapping(key, depth + 1, in_list=in_list)
        else:
            self._list(key, depth + 1)

    def _list(self, key: str, depth: int) -> None:
        held = self.fields.setdefault(key, [])
        while not isinstance(event := self._next(depth), yaml.SequenceEndEvent):
            if isinstance(event, yaml.ScalarEvent):
                self._put(key, event.value, in_list=True)
            elif isinstance(event, yaml.MappingStartEvent):
                self._mapping(key, depth + 1, in_list=True)
            else:
                self._list(key, depth + 1)
        if held == [] and any(name.startswith(f"{key}.") for name in self.fields):
            self.fields.pop(key, None)

    def _put(self, key: str, value: str, *, in_list: bool) -> None:
        held = self.fields.get(key)
        if not in_list:
            self.fields[key] = value
        elif isinstance(held, list):
            held.append(value)
        else:
            self.fields[key] = [value] if held is None else [held, value]
