"""What there is: every operation of the modules beside this one, found by looking. A new operation is a new module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

import hearth.operations
from hearth.config.kinds import near
from hearth.core.errors import NotFound
from hearth.operations.operation import JSON, Operation, Tool


@cache
def operations() -> Mapping[str, Operation[Any]]:
    """By name, in the order of the modules."""
    found: dict[str, Operation[Any]] = {}
    for operation in _find():
        if found.setdefault(operation.name, operation) is not operation:
            raise RuntimeError(f"two operations are called {operation.name!r}")
    return MappingProxyType(found)


def _find() -> Iterator[Operation[Any]]:
    for module in sorted(iter_modules(hearth.operations.__path__), key=lambda one: one.name):
        loaded = import_module(f"hearth.operations.{module.name}")
        yield from (one for one in vars(loaded).values() if isinstance(one, Operation))


# Listed by default: what most sessions need, and one that reaches all others.
CORE = (
    "memory_retrieve",
    "query",
    "search",
    "get",
    "multi_get",
    "memory_search",
    "memory_get",
    "memory_context",
    "memory_store",
    "memory_pin",
    "memory_snooze",
    "memory_forget",
    "session_log",
    "timeline",
    "find_similar",
    "intent_search",
    "find_causal_links",
    "profile",
    "status",
    "hearth",
)


@cache
def tools() -> Mapping[str, tuple[Operation[Any], Tool]]:
    """Every name that a model may call: those that are listed, the core first, and operations by their own name."""
    named = {tool.name: (operation, tool) for operation in operations().values() for tool in operation.tools}
    found = {name: named.pop(name) for name in CORE} | dict(sorted(named.items()))
    for operation in operations().values():
        if not operation.tools and operation.name not in found and has_answer(operation):
            found[operation.name] = (operation, Tool(operation.name))
    return MappingProxyType(found)


def find(name: str) -> tuple[Operation[Any], Tool]:
    """By a tool's name, a former one, or the operation's. Raises ``NotFound``."""
    there = tools()
    known = former_names().get(name, name)
    if known in there:
        return there[known]
    if (operation := operations().get(known)) is not None:
        return operation, operation.tools[0] if operation.tools else Tool(known)
    raise NotFound(f"no operation {name[:64]!r}{near(name[:64], list(there))}; hearth without arguments lists them")


def has_answer(operation: Operation[Any]) -> bool:
    """Whether it gives an object: what gives a stream or takes a file is for REST and commands alone."""
    return bool(operation.gives) and not any(route.source or route.media != JSON for route in operation.routes)


@cache
def former_names() -> Mapping[str, str]:
    """Names that tools had -> what they are called now."""
    pairs = ((former, tool.name) for _, tool in tools().values() for former in tool.former)
    return MappingProxyType(dict(pairs))


def listed() -> tuple[str, ...]:
    """The tools of the full list."""
    return tuple(name for name, (operation, tool) in tools().items() if tool in operation.tools)
