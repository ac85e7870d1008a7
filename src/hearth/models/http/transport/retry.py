"""How long to wait before the same request is sent again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_FIRST = 0.5
_LONGEST = 8.0

MOST = 60.0
"""Seconds that a server may ask for and get; one that asks for more is left alone instead."""


def backoff(attempt: int, chance: float) -> float:
    """Seconds before attempt number ``attempt`` (1 is the first repetition): doubling, half of it by ``chance``."""
    return float(min(_LONGEST, _FIRST * 2.0 ** (attempt - 1)) * (0.5 + chance / 2))


def asked(headers: Mapping[str, str], body: bytes) -> float | None:
    """Seconds that the reply asks to wait: ``retry-after-ms``, ``retry-after`` (seconds or a date, which counts from
    the reply's own ``date``), or Gemini's ``retryDelay`` in the body; ``None`` where it asks nothing that makes sense.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is None and after:
        seconds = _until(after, headers.get("date", ""))
    return _delay(body) if seconds is None else seconds


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*[0-9]{1,9}(\.[0-9]{1,9})?\s*", text, re.ASCII) else None


def _until(after: str, date: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(after) - parsedate_to_datetime(date)).total_seconds())
    except (TypeError, ValueError):
        return None


def _delay(body: bytes) -> float | None:
    try:
        details = json.loads(body)["error"]["details"]
        delays = [detail["retryDelay"] for detail in details if "retryDelay" in detail]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return _number(str(delays[0]).removesuffix("s")) if delays else None
