"""Reading replies: every shape that isn't the documented one is a ``BadReply`` that names the part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hearth.errors import BadReply

T = TypeVar("T")
Vector = NDArray[np.float32]

_SMALLEST = 1e-30


def part(reply: Any, name: str, kind: type[T]) -> T:
    """Member ``name`` of an object. Raises ``BadReply``."""
    found = reply.get(name) if isinstance(reply, dict) else None
    if not isinstance(found, kind):
        raise BadReply(f"the reply has no {name!r}, or one that is no {kind.__name__}")
    return found


def listed(reply: Any) -> list[Any]:
    """The reply itself where it is a bare list. Raises ``BadReply``."""
    if not isinstance(reply, list):
        raise BadReply("the reply is no list")
    return reply


def model_of(reply: Any) -> str | None:
    """The model that says it answered."""
    name = reply.get("model") if isinstance(reply, dict) else None
    return name if isinstance(name, str) and name else None


def in_order(items: Sequence[Any], count: int, value: Callable[[Any], Any]) -> list[Any]:
    """The ``value`` of each item, put in the order of ``index`` where the items have one.

    Raises ``BadReply`` unless there are ``count`` items whose indexes are 0 to ``count - 1``, each once."""
    if len(items) != count:
        raise BadReply(f"the reply holds {len(items)} results for {count} texts")
    indexes = [item.get("index") if isinstance(item, dict) else None for item in items]
    if all(index is None for index in indexes):
        return [value(item) for item in items]
    places = {index: item for index, item in zip(indexes, items, strict=True) if type(index) is int}
    if places.keys() != set(range(count)):
        raise BadReply(f"the reply's indexes are not 0 to {count - 1}, each once")
    return [value(places[at]) for at in range(count)]


def number(value: Any, name: str) -> float:
    """Raises ``BadReply`` for what is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise BadReply(f"the reply's {name!r} is {str(value)[:20]!r}, not a finite number")
    return float(value)


def unit(row: Any) -> Vector | str:
    """float32 of unit length from a list of numbers, or what is wrong with it."""
    if not isinstance(row, list) or not row:
        return "no vector"
    kinds = set(map(type, row))
    if list in kinds:
        return "a nested vector; the server must pool its tokens into one"
    try:
        values = np.array(row if kinds <= {int, float} else [np.nan], np.float64)
    except OverflowError:
        values = np.array([np.inf])
    if not np.isfinite(values).all():
        return "a vector that holds something else than finite numbers (NaN, null)"
    peak = np.abs(values).max()
    if peak < _SMALLEST:
        return "a vector of zeros"
    # Scaled first, so that neither tiny nor huge numbers leave the range when squared.
    values /= peak
    return np.asarray(values / np.linalg.norm(values), np.float32)
