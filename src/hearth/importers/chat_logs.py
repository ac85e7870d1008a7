"""Logs of chats between people: WhatsApp's and Telegram's exports, and any text with names and times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from hearth.core import instants
from hearth.core.lazy import regex
from hearth.importers.formats import Head
from hearth.importers.records import Conversation, Format, Found, Options, Record, Turn
from hearth.importers.values import instant, read_beginning, read_json, read_text, tables, to_text

NAME = "chat"
_GAP = timedelta(hours=6)
"""So long a silence ends a conversation."""
_LEAST_TURNS = 4
_HEAD_CHARS = 64 * 1024
_MOST_TURNS = 2_000
# [24.11.26, 18:03:12] Ana: …    24/11/2026, 6:03 pm - Ana: …    2026-11-24 18:03 Ana: …
_LINE = regex(
    r"[\u200e\u200f\ufeff]*\[?(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})[,T]?[ \u00a0]+"
    r"(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)"
    r"(?:[ \u00a0\u202f]*(?P<half>[AaPp]\.?[Mm]\.?))?\]?(?:[ \u00a0]*[-–][ \u00a0])?[ \u00a0]*"
    r"(?:<?(?P<who>[^:<>\n]{1,60}?)>?:[ \u00a0](?P<text>.*)|(?P<notice>.*))\Z"
)
_LEFT_OUT = regex(r"\u200e?<[^<>]{1,40}>\Z|\u200e.*(?:omitted|weggelassen|omitido|omis|omesso)\.?\Z", re.IGNORECASE)


class _Message(NamedTuple):
    who: str
    text: str
    at: datetime


def measure_certainty(place: Path) -> float:
    if not place.is_file():
        return 0.0
    head = read_beginning(place)
    if _is_telegram(head):
        return 1.0
    text = head.text[:_HEAD_CHARS]
    rows = [row for row in text.split("\n") if row.strip()]
    found = [match for row in rows if (match := _LINE.match(row.rstrip("\r"))) and match["who"]]
    people = Counter(match["who"] for match in found)
    if len(found) < _LEAST_TURNS or len(people) < 2 or 3 * len(found) < len(rows):
        return 0.0
    # Levels and names of programs stand where a log of a program has its speakers.
    loud = sum(count for name, count in people.items() if name.isupper() or "/" in name or "[" in name)
    return 0.0 if 2 * loud > len(found) else 0.8


def read(place: Path, options: Options) -> Iterator[Found]:
    zone = instants.zone_of(options.zone)
    if _is_telegram(read_beginning(place)):
        yield from _read_telegram(_list_chats(read_json(place)))
        return
    text = read_text(place)
    messages, left_out, undated = _read_lines(text, _orders(text))
    for _ in range(left_out):
        yield Record("message", place.name, skipped="a notice of the program, or a file that is not in the export")
    for _ in range(undated):
        yield Record("message", place.name, skipped="its date can't be read")
    turns = [Turn(one.who, one.text, instants.of(one.at.replace(tzinfo=zone))) for one in messages]
    yield from _conversations(place.stem, place.stem, turns)


def _conversations(key: str, title: str, turns: Sequence[Turn]) -> Iterator[Record]:
    """A new one after a long silence; the first message says which it is, so that an export that has grown continues
    it; where two begin alike, as in a log without times, also which part it is."""
    part: list[Turn] = []
    begun: Counter[tuple[int, str]] = Counter()
    gap = int(_GAP.total_seconds() * 1000)
    for turn in [*turns, None]:
        before = next((one.at for one in reversed(part) if one.at is not None), None)
        is_over = turn is None or len(part) >= _MOST_TURNS
        if turn is not None and turn.at is not None and before is not None and turn.at - before > gap:
            is_over = True
        if part and is_over:
            at = next((one.at for one in part if one.at is not None), 0)
            people = tuple(dict.fromkeys(one.role for one in part))
            label = f"{title} {instants.show_date(at)}" if at else title
            begun[at, part[0].role] += 1
            again = f"\0{count}" if (count := begun[at, part[0].role]) > 1 else ""
            said = Conversation(f"{key}\0{at}\0{part[0].role}{again}", label, tuple(part), people, "external")
            yield Record("conversation", label, conversation=said)
            part = []
        if turn is not None:
            part.append(turn)


# -- Telegram ------------------------------------------------------------------------------------------------------


def _is_telegram(head: Head) -> bool:
    found = head.value
    if not isinstance(found, dict):
        return False
    # Of everything that Telegram has the contacts come first, and may be more than the beginning of the file.
    return bool(_list_chats(found)) or {"about", "personal_information", "contacts"} <= found.keys()


def _list_chats(found: Any) -> list[dict[str, Any]]:
    """The chats in an export of one or of all."""
    if not isinstance(found, dict):
        return []
    inner = found.get("chats")
    chats = list(tables(inner.get("list"))) if isinstance(inner, dict) else [found]
    return [one for one in chats if any("date_unixtime" in row for row in tables(one.get("messages")))]


def _read_telegram(chats: Sequence[dict[str, Any]]) -> Iterator[Record]:
    for chat in chats:
        title = to_text(chat.get("name")) or "Telegram"
        turns: list[Turn] = []
        for row in tables(chat.get("messages")):
            text = _text_of(row.get("text"))
            if row.get("type") != "message" or not text:
                why = "a notice of the program, or a file that is not in the export"
                yield Record("message", title, skipped=why)
                continue
            turns.append(Turn(to_text(row.get("from")) or "Somebody", text, instant(row.get("date_unixtime"))))
        yield from _conversations(f"telegram\0{chat.get('id')}", title, turns)


def _text_of(value: object) -> str:
    if isinstance(value, list):
        told = (part.get("text") if isinstance(part, dict) else part for part in value)
        value = "".join(text for text in told if isinstance(text, str))
    return value.replace("\0", "").strip() if isinstance(value, str) else ""


# -- lines ---------------------------------------------------------------------------------------------------------


def _read_lines(text: str, order: str) -> tuple[list[_Message], int, int]:
    """Messages, each with the lines that follow it, and how many lines were notices or had no date that can be."""
    found: list[_Message] = []
    left_out = undated = 0
    for row in text.split("\n"):
        row = row.rstrip("\r")
        match = _LINE.match(row)
        if match is None:
            if found and row.strip():
                found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{row}")
            continue
        if not match["who"] or _LEFT_OUT.search(match["text"].strip()):
            left_out += 1
            continue
        at = _moment(match, order)
        if at is None:
            undated += 1
            continue
        found.append(_Message(match["who"].strip().lstrip("~").strip(), match["text"], at))
    return found, left_out, undated


def _orders(text: str) -> str:
    """What dates put first: the day, unless a number over 12 says it is the month, or nothing says so and days would go
    back."""
    dates = [match["date"] for row in text.split("\n") if (match := _LINE.match(row.rstrip("\r")))]
    numbers = [tuple(int(part) for part in _numbers_of(date)) for date in dates]
    short = [one for one in numbers if one[0] < 100]
    if any(one[0] > 12 for one in short):
        return "day"
    if any(one[1] > 12 for one in short):
        return "month"
    as_days = [(one[2], one[1], one[0]) for one in short]
    return "day" if as_days == sorted(as_days) or any("." in date for date in dates) else "month"


def _numbers_of(date: str) -> list[str]:
    return date.replace("/", ".").replace("-", ".").split(".")


def _moment(match: re.Match[str], order: str) -> datetime | None:
    first, second, third = (int(part) for part in _numbers_of(match["date"]))
    if first > 31:
        year, month, day = first, second, third
    else:
        day, month = (first, second) if order == "day" else (second, first)
        year = third + 2000 if third < 100 else third
    clock = [int(part) for part in match["time"].replace(".", ":").split(":")]
    hour, minute, seconds = clock[0], clock[1], clock[2] if len(clock) > 2 else 0
    if half := (match["half"] or "").lower().replace(".", ""):
        hour = hour % 12 + (12 if half == "pm" else 0)
    try:
        return datetime(year, month, day, hour, minute, seconds)
    except ValueError:
        return None


FORMAT = Format(NAME, "a chat", measure_certainty, read)
