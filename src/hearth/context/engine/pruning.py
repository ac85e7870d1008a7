"""Old tool results shortened in what a model is sent, while their transcript keeps them whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase

from hearth.config.tree import PruningSettings
from hearth.context.engine.messages import (
    HEAD,
    IMAGE_TOKENS,
    MESSAGE_TOKENS,
    TAIL,
    TRIM_OVER,
    Message,
    Role,
    turns_back,
)

CLEARED = "[Old tool result content cleared]"
CHARS_PER_TOKEN = 4
TRIM_SHARE, CLEAR_SHARE = 0.3, 0.5
"""Of the window: from where on results are trimmed, and cleared."""
CLEAR_CHARS = 50_000
"""The least that can be cleared."""
IMAGE_CHARS = 8_000
PLACE_CHARS = 60
"""What may name the place of a cleared text."""
_NOTE_CHARS = 90
"""What says how a result was trimmed."""
OLD_TURNS = 3
"""After so many prompts an attachment becomes a mark."""


class Action(StrEnum):
    KEEP = "keep"
    TRIM = "trim"
    CLEAR = "clear"
    DROP = "drop"
    UNILLUSTRATE = "unillustrate"
    """Attachments become marks, the text stays."""


def is_due(settings: PruningSettings, now: int, last_call: int | None) -> bool:
    """Whether the provider's cache of the last call (both ms UTC) has run out, so that a change costs nothing."""
    return settings.mode == "cache-ttl" and last_call is not None and now - last_call > settings.ttl * 1_000


def prune(
    messages: Sequence[Message], window: int, settings: PruningSettings, former: Mapping[str, Action] | None = None
) -> dict[str, Action]:
    """What to trim and clear, by the ids of messages. ``window`` is in tokens; what was pruned before (``former``)
    stays so. Results between the first prompt and the third-last reply can be pruned, oldest first."""
    actions = dict(former or {})
    if settings.mode == "off" or window <= 0:
        return actions
    sizes = [size_after(one, actions.get(one.id))[1] for one in messages]
    used, room = sum(sizes), window * CHARS_PER_TOKEN
    able = [at for at in _prunable(messages, settings) if actions.get(messages[at].id) is not Action.CLEAR]
    if used / room < TRIM_SHARE:
        return actions
    for at in able:
        if messages[at].chars > TRIM_OVER and messages[at].id not in actions:
            actions[messages[at].id] = Action.TRIM
            size = size_after(messages[at], Action.TRIM)[1]
            used += size - sizes[at]
            sizes[at] = size
    if used / room < CLEAR_SHARE or sum(sizes[at] for at in able) < CLEAR_CHARS:
        return actions
    for at in able:
        if used / room < CLEAR_SHARE:
            break
        if messages[at].chars <= len(CLEARED) + PLACE_CHARS:
            continue
        actions[messages[at].id] = Action.CLEAR
        used += size_after(messages[at], Action.CLEAR)[1] - sizes[at]
    return actions


def age_images(messages: Sequence[Message], former: Mapping[str, Action]) -> dict[str, Action]:
    """``former``, and the messages whose attachments are old."""
    back = turns_back(messages)
    old = {
        one.id: Action.UNILLUSTRATE
        for one, turns in zip(messages, back, strict=True)
        if one.images and turns > OLD_TURNS and one.id not in former
    }
    return {**former, **old}


def size_after(message: Message, action: Action | None) -> tuple[int, int]:
    """Tokens, and characters with attachments counted, of a message after its action."""
    tokens, chars, images = message.tokens, message.chars, message.images
    if action is None or action is Action.KEEP:
        return tokens, chars + images * IMAGE_CHARS
    kept, shown = chars, images
    if action is Action.CLEAR:
        kept, shown = min(chars, len(CLEARED) + PLACE_CHARS), 0
    elif action is Action.TRIM:
        kept = min(chars, HEAD + TAIL + _NOTE_CHARS)
    else:
        shown = 0
    if action is Action.TRIM and message.trimmed is not None:
        return message.trimmed + images * IMAGE_TOKENS + MESSAGE_TOKENS, kept + images * IMAGE_CHARS
    text = max(0, tokens - images * IMAGE_TOKENS)
    left = round(text * kept / chars) if chars else text
    return max(MESSAGE_TOKENS, left + shown * IMAGE_TOKENS), kept + shown * IMAGE_CHARS


def _prunable(messages: Sequence[Message], settings: PruningSettings) -> list[int]:
    first = next((at for at, one in enumerate(messages) if one.role is Role.USER), None)
    replies = [at for at, one in enumerate(messages) if one.role is Role.ASSISTANT]
    if first is None or len(replies) < settings.keep_last_assistants:
        return []
    last = replies[-settings.keep_last_assistants] if settings.keep_last_assistants else len(messages)
    return [
        at
        for at in range(first + 1, last)
        if messages[at].role is Role.RESULT and not messages[at].images and _is_allowed(messages[at].tools, settings)
    ]


def _is_allowed(tools: Sequence[str], settings: PruningSettings) -> bool:
    names = [name.lower() for name in tools]
    if any(fnmatchcase(name, glob.lower()) for name in names for glob in settings.deny):
        return False
    allowed = settings.allow
    return not allowed or any(fnmatchcase(name, glob.lower()) for name in names for glob in allowed)
