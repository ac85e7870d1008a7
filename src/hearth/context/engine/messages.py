"""The messages of an agent, in the forms of OpenClaw, OpenAI and Anthropic: what they cost, and shortened copies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, library
from hearth.text.lines import estimate_tokens
from hearth.transcripts.actions import blocks_of, dict_of, name_of, text_of

if TYPE_CHECKING:
    import numpy as np

    Counts = np.ndarray[tuple[int], np.dtype[np.int64]]
    Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]
else:
    np = library("numpy")

IMAGE_TOKENS = 1_200
IMAGE_BYTES = 40_000
"""Of any other attachment: what costs as much as an image, about a page of a document."""
MESSAGE_TOKENS = 4
"""What the form of a message costs beside its content."""
MOST_COUNTED = 10**12
"""Tokens, characters or attachments of one message that a host keeps itself."""
IMAGE_MARK = "[Image removed: it was sent more than 3 turns ago]"
_PICTURES = frozenset({"image", "image_url", "input_image"})
_IMAGES = _PICTURES | {"document", "file", "input_file", "audio", "input_audio"}
_DATA_KEYS = ("data", "file_data", "url")
_CALLS = frozenset({"toolCall", "tool_use"})
_RESULTS = frozenset({"tool_result"})
_RESULT_ROLES = frozenset({"toolResult", "tool", "function"})


TRIM_OVER, HEAD, TAIL = 4_000, 1_500, 1_500
"""Characters: longer results can be trimmed to their head and tail."""


def trim(text: str) -> str:
    """Head and tail of a long result, and how long it was."""
    if len(text) <= TRIM_OVER:
        return text
    note = f"[Tool result trimmed: the first {HEAD:,} and the last {TAIL:,} of {len(text):,} characters]"
    return f"{text[:HEAD]}\n...\n{text[-TAIL:]}\n\n{note}"


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    RESULT = "result"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Message:
    """What a plan knows of a message, without its text. ``chars`` counts its text, ``images`` its attachments, each as
    many times as it costs an image;
    ``calls`` are ids of the tool calls it makes, ``answers`` of those it answers, ``tools`` the names behind either.
    ``trimmed`` are the tokens of a long result's text once it is trimmed, where that is known. ``at`` is ms UTC."""

    id: str
    role: Role
    tokens: int = 0
    chars: int = 0
    images: int = 0
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    at: int | None = None
    trimmed: int | None = None


_ROLES = {role: number for number, role in enumerate(Role)}
_COLUMNS = ("tokens", "chars", "images", "trimmed", "role", "answers", "at", "tools", "unit")
_LATEST = 2**62


class Outline:
    """Messages in order, with what plans count of them in columns, so that a long session isn't counted anew for each
    request. Messages can be added at the end.

    ``units`` holds the places of messages that stay or go together: a message, and the results of the calls that it
    makes. ``tools`` are the distinct names of tools of messages, which the column of that name points into.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.ids: list[str] = []
        self.places: dict[str, int] = {}
        self.units: list[list[int]] = []
        self.tools: dict[tuple[str, ...], int] = {}
        self._messages: list[Message] = []
        self._callers: dict[str, int] = {}
        self._table = np.zeros((len(_COLUMNS), 64), dtype=np.int64)
        self._units = np.zeros((2, 64), dtype=np.int64)
        self.add(messages)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, at: int) -> Message:
        return self._messages[at]

    def add(self, messages: Iterable[Message]) -> None:
        start, touched = len(self.ids), set()
        for at, one in enumerate(messages, start):
            unit = next((self._callers[call] for call in one.answers if call in self._callers), len(self.units))
            if unit == len(self.units):
                self.units.append([])
            self.units[unit].append(at)
            self._callers.update(dict.fromkeys(one.calls, unit))
            touched.add(unit)
            self.ids.append(one.id)
            self.places[one.id] = at
            self._messages.append(one)
        rows = [self._row(one) for one in self._messages[start:]]
        if rows:
            self._table = _grow(self._table, len(self.ids))
            self._table[: len(_COLUMNS) - 1, start : len(self.ids)] = np.array(rows, dtype=np.int64).T
            self._units = _grow(self._units, len(self.units))
        for unit in touched:
            places = self.units[unit]
            self._table[-1, places] = unit
            self._units[:, unit] = places[0], _is_whole([self._messages[at] for at in places])

    def column(self, name: str) -> Counts:
        """Of each message; ``trimmed`` and ``at`` are -1 where they aren't known, ``unit`` is a place in ``units``."""
        return self._table[_COLUMNS.index(name), : len(self.ids)]

    def has_role(self, role: Role) -> Flags:
        found: Flags = self.column("role") == _ROLES[role]
        return found

    def first_of_units(self) -> Counts:
        """The place of the first message of each unit."""
        return self._units[0, : len(self.units)]

    def whole_units(self) -> Flags:
        """Whether each call of a unit has its result and each result its call: providers refuse half of a pair."""
        return self._units[1, : len(self.units)] > 0

    def last_call(self) -> int | None:
        """When a model answered last, ms UTC."""
        found = self.column("at")[self.has_role(Role.ASSISTANT)]
        return int(found.max()) if found.size and found.max() >= 0 else None

    def _row(self, one: Message) -> tuple[int, ...]:
        tools = self.tools.setdefault(one.tools, len(self.tools))
        at = one.at if one.at is not None and 0 <= one.at < _LATEST else -1
        trimmed = -1 if one.trimmed is None else one.trimmed
        return one.tokens, one.chars, one.images, trimmed, _ROLES[one.role], bool(one.answers), at, tools


def _grow(table: np.ndarray[tuple[int, int], np.dtype[np.int64]], size: int) -> Any:
    """With room for so many columns."""
    room = table.shape[1]
    if size <= room:
        return table
    grown = np.zeros((table.shape[0], max(size, 2 * room)), dtype=np.int64)
    grown[:, :room] = table
    return grown


def _is_whole(unit: Sequence[Message]) -> bool:
    if len(unit) == 1:
        return not unit[0].calls and not unit[0].answers
    calls = {call for one in unit for call in one.calls}
    return calls == {call for one in unit for call in one.answers}


def measure(message: Mapping[str, Any], name: str) -> Message:
    """``message`` in any of the three forms. What it holds beside them counts nothing."""
    blocks = list(blocks_of(message.get("content")))
    texts = [text for block in blocks for text in _texts(block)]
    calls = [*_block_calls(blocks), *_listed_calls(message)]
    answers = [name_of(block.get("tool_use_id")) for block in blocks if block.get("type") in _RESULTS]
    single = name_of(message.get("toolCallId")) or name_of(message.get("tool_call_id"))
    tool = name_of(message.get("toolName")) or name_of(message.get("name"))
    images = sum(map(_count_images, blocks))
    spent = sum(map(estimate_tokens, texts)) + sum(estimate_tokens(arguments) for _, _, arguments in calls)
    at = message.get("timestamp")
    size = sum(map(len, texts))
    is_long = size > TRIM_OVER and bool(answers or single)
    return Message(
        name,
        _role_of(message, answers),
        spent + images * IMAGE_TOKENS + MESSAGE_TOKENS,
        size,
        images,
        tuple(call for call, _, _ in calls),
        tuple(found for found in [*answers, single] if found),
        tuple(name for name in [*(name for _, name, _ in calls), tool] if name),
        at if isinstance(at, int) else None,
        estimate_tokens(trim("\n".join(texts))) if is_long else None,
    )


def plain_text(message: Mapping[str, Any]) -> str:
    """Its texts, a line each; those of tool results included."""
    return "\n".join(text for block in blocks_of(message.get("content")) for text in _texts(block))


def with_results(message: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """A copy in which each text of a tool's result is changed."""
    if message.get("role") in _RESULT_ROLES:
        return {**message, "content": _changed(message.get("content"), change)}
    blocks = [
        {**block, "content": _changed(block.get("content"), change)} if block.get("type") in _RESULTS else block
        for block in blocks_of(message.get("content"))
    ]
    return {**message, "content": blocks}


def without_images(message: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with a mark in the place of each attachment."""
    return {**message, "content": [_unillustrated(block) for block in blocks_of(message.get("content"))]}


def _role_of(message: Mapping[str, Any], answers: Sequence[object]) -> Role:
    role = text_of(message.get("role"))
    if role in _RESULT_ROLES or answers:
        return Role.RESULT
    if role in ("system", "developer"):
        return Role.SYSTEM
    if role == "compactionSummary":
        return Role.SUMMARY
    return Role.ASSISTANT if role == "assistant" else Role.USER


def _texts(block: Mapping[str, Any]) -> Iterator[str]:
    if block.get("type") in _RESULTS:
        for inner in blocks_of(block.get("content")):
            yield from _texts(inner)
    else:
        for key in ("text", "thinking", "input_text"):
            if text := text_of(block.get(key)):
                yield text


def _block_calls(blocks: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str | None, str]]:
    for block in blocks:
        if block.get("type") in _CALLS and (call := name_of(block.get("id"))):
            given = block.get("arguments", block.get("input"))
            yield call, name_of(block.get("name")), _as_json(given)


def _listed_calls(message: Mapping[str, Any]) -> Iterator[tuple[str, str | None, str]]:
    listed = message.get("tool_calls")
    for one in listed if isinstance(listed, list) else ():
        function = dict_of(dict_of(one).get("function"))
        if call := name_of(dict_of(one).get("id")):
            yield call, name_of(function.get("name")), _as_json(function.get("arguments"))


def _as_json(value: object) -> str:
    if isinstance(value, str):
        return text_of(value)
    try:
        return json.dumps(value, ensure_ascii=False) if value is not None else ""
    except (TypeError, ValueError, RecursionError):
        return ""


def _count_images(block: Mapping[str, Any]) -> int:
    if block.get("type") in _RESULTS:
        return sum(map(_count_images, blocks_of(block.get("content"))))
    if block.get("type") in _PICTURES:
        return 1
    return max(1, -(-_count_bytes(block) // IMAGE_BYTES)) if block.get("type") in _IMAGES else 0


def _count_bytes(block: Mapping[str, Any]) -> int:
    """Of the data of an attachment, which is base64."""
    inner = (dict_of(block.get(key)) for key in ("source", "file", "input_audio"))
    texts = [text_of(one.get(key)) for one in (block, *inner) for key in _DATA_KEYS]
    return max(len(text) for text in texts) * 3 // 4


def is_empty(message: Mapping[str, Any]) -> bool:
    """Whether it has neither text nor attachments, and neither calls tools nor answers a call."""
    found = measure(message, "")
    return not (found.chars or found.images or found.calls or found.answers)


def read_sizes(given: Mapping[str, Any]) -> Message:
    """What a host says of a message that it keeps itself. Raises ``UsageError``."""
    name, role = name_of(given.get("id")), given.get("role")
    tokens, chars, images = (given.get(key, 0) for key in ("tokens", "chars", "images"))
    counted = all(type(count) is int and 0 <= count <= MOST_COUNTED for count in (tokens, chars, images))
    if name is None or role not in set(Role) or not counted:
        raise UsageError(f"no sizes of a message: {str(given)[:200]}")
    lists = [given.get(key) or () for key in ("calls", "answers", "tools")]
    if not all(isinstance(one, list | tuple) for one in lists):
        raise UsageError(f"calls, answers and tools of {name[:100]!r} are not lists")
    at = given.get("at")
    calls, answers, tools = (tuple(found for item in one if (found := name_of(item))) for one in lists)
    when = at if isinstance(at, int) else None
    return Message(name, Role(role), tokens, chars, images, calls, answers, tools, when)


def _unillustrated(block: dict[str, Any]) -> dict[str, Any]:
    if block.get("type") in _RESULTS:
        return {**block, "content": [_unillustrated(inner) for inner in blocks_of(block.get("content"))]}
    return {"type": "text", "text": IMAGE_MARK} if block.get("type") in _IMAGES else block


def _changed(content: object, change: Callable[[str], str]) -> object:
    if isinstance(content, str):
        return change(content)
    blocks = list(blocks_of(content))
    texts = [text_of(block.get("text")) for block in blocks]
    if sum(map(bool, texts)) > 1:
        # Several texts of one result are trimmed as the one text that the model reads.
        others = [block for block, text in zip(blocks, texts, strict=True) if not text]
        return [{"type": "text", "text": change("\n".join(filter(None, texts)))}, *others]
    return [{**block, "text": change(text)} if text else block for block, text in zip(blocks, texts, strict=True)]
