"""The hooks in a host's JSON settings: ours added, renewed or taken out, everybody else's as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any

from hearth.core.errors import ConfigError
from hearth.core.lazy import dataclass
from hearth.settings_files import jsonc
from hearth.settings_files.jsonc import JsonNode, parse

KEY = "hooks"
_NEW = "{}\n"


@dataclass(frozen=True, slots=True)
class Wanted:
    """One handler under an event; ``matcher`` is that of its group."""

    event: str
    matcher: str | None
    handler: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a host writes hooks. ``grouped`` handlers stand in groups with a matcher; ``head`` is what a new file begins
    with; ``ours`` knows our handlers."""

    ours: Callable[[Any], bool]
    grouped: bool = True
    head: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Found:
    """A handler of ours: its place in the event's list and, in a group, in the group."""

    event: str
    at: int
    inner: int | None
    matcher: Any
    node: JsonNode


def edited(text: str, wanted: Sequence[Wanted], layout: Layout, place: str) -> str:
    """The settings with exactly the wanted handlers of ours; with none wanted, without a trace of us.

    ``text`` is empty for a file that does not exist, and the answer is empty where nothing is left of one. Raises
    ``ConfigError`` naming line and column for settings that can't be read, and the key that has an odd shape.
    """
    if not text.strip():
        if not wanted:
            return text
        text = _NEW
    root = _parse(text, place)
    before = _others(root, layout)
    if wanted:
        for key, value in layout.head.items():
            if root.child(key) is None:
                text = jsonc.added(text, root, key, value)
                root = _parse(text, place)
    text = _renew(text, wanted, layout, place)
    if _others(_parse(text, place), layout) != (layout.head | before if wanted else before):
        raise ConfigError(f"{place}: can't be edited in its present layout; change it by hand")
    return text


def is_blank(text: str, layout: Layout, place: str) -> bool:
    """Whether nothing is left but what a new file begins with."""
    if "//" in text or "/*" in text:
        return False
    return bool(text.strip()) and _parse(text, place).value in ({}, layout.head)


def holds_ours(text: str, layout: Layout, place: str) -> bool:
    return bool(text.strip()) and any(_find(_parse(text, place), layout))


def _parse(text: str, place: str) -> JsonNode:
    root = parse(text, place, {KEY})
    hooks = root.child(KEY)
    if hooks is not None and hooks.pairs is None:
        raise ConfigError(f"{place}: {KEY} is not a JSON object; fix it there; nothing was changed")
    for pair in (hooks.pairs if hooks is not None else None) or ():
        if pair.node.items is None:
            raise ConfigError(f"{place}: {KEY}.{pair.key} is not a list; fix it there; nothing was changed")
    return root


def _renew(text: str, wanted: Sequence[Wanted], layout: Layout, place: str) -> str:
    """One change at a time, each on freshly read text."""
    for item in wanted:
        ours = [
            found
            for found in _find(_parse(text, place), layout)
            if found.event == item.event and found.matcher == item.matcher
        ]
        if not ours:
            text = _append(text, item, layout, place)
        elif ours[0].node.value != item.handler:
            text = jsonc.replaced(text, ours[0].node, item.handler)
    while (surplus := _surplus(_parse(text, place), wanted, layout)) is not None:
        text = _without(text, surplus, place)
    return text


def _find(root: JsonNode, layout: Layout) -> Iterator[_Found]:
    hooks = root.child(KEY)
    for pair in (hooks.pairs if hooks is not None else None) or ():
        for at, item in enumerate(pair.node.items or ()):
            if not layout.grouped:
                if layout.ours(item.value):
                    yield _Found(pair.key, at, None, item.value.get("matcher"), item)
                continue
            inner = item.child(KEY)
            for index, handler in enumerate((inner.items if inner is not None else None) or ()):
                if layout.ours(handler.value):
                    yield _Found(pair.key, at, index, item.value.get("matcher"), handler)


def _surplus(root: JsonNode, wanted: Sequence[Wanted], layout: Layout) -> _Found | None:
    """A handler of ours that is not wanted, or stands there a second time."""
    open_ = list(wanted)
    for found in _find(root, layout):
        match = next((w for w in open_ if (w.event, w.matcher) == (found.event, found.matcher)), None)
        if match is None:
            return found
        open_.remove(match)
    return None


def _append(text: str, item: Wanted, layout: Layout, place: str) -> str:
    group: dict[str, Any] = item.handler
    if layout.grouped:
        matcher = {} if item.matcher is None else {"matcher": item.matcher}
        group = {**matcher, KEY: [item.handler]}
    root = _parse(text, place)
    hooks = root.child(KEY)
    if hooks is None:
        return jsonc.added(text, root, KEY, {item.event: [group]})
    event = hooks.child(item.event)
    if event is None:
        return jsonc.added(text, hooks, item.event, [group])
    return jsonc.added(text, event, None, group)


def _without(text: str, found: _Found, place: str) -> str:
    """Takes out a handler, and whatever holds nothing any more because of it."""
    root = _parse(text, place)
    hooks = root.child(KEY)
    assert hooks is not None
    event = hooks.child(found.event)
    assert event is not None and event.items is not None
    if found.inner is not None:
        handlers = event.items[found.at].child(KEY)
        assert handlers is not None
        if len(handlers.children) > 1:
            return jsonc.removed(text, handlers, found.inner)
    if len(event.children) > 1:
        return jsonc.removed(text, event, found.at)
    return jsonc.take_out(text, root, (KEY, found.event))


def _others(root: JsonNode, layout: Layout) -> dict[str, Any]:
    """What the settings mean without us; an event without handlers means nothing."""
    rest = {key: value for key, value in root.value.items() if key != KEY}
    kept = {}
    for event, items in root.value.get(KEY, {}).items():
        if left := [item for item in (_keep(item, layout) for item in items) if item is not None]:
            kept[event] = left
    return {**rest, KEY: kept} if kept else rest


def _keep(item: Any, layout: Layout) -> Any:
    if not layout.grouped:
        return None if layout.ours(item) else item
    if not isinstance(item, dict) or not isinstance(item.get(KEY), list):
        return item
    handlers = [handler for handler in item[KEY] if not layout.ours(handler)]
    return {**item, KEY: handlers} if handlers or not item[KEY] else None
