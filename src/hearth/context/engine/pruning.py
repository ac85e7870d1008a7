"""Old tool results shortened in what a model is sent, while their transcript keeps them whole."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from hearth.config.tree import PruningSettings
from hearth.context.engine.messages import (
    HEAD,
    IMAGE_MARK,
    IMAGE_TOKENS,
    MESSAGE_TOKENS,
    TAIL,
    TRIM_OVER,
    Outline,
    Role,
)
from hearth.core.lazy import library
from hearth.text.lines import estimate_tokens

if TYPE_CHECKING:
    import numpy as np

    from hearth.context.engine.messages import Counts, Flags
else:
    np = library("numpy")

CLEARED = "[Old tool result content cleared]"
CHARS_PER_TOKEN = 4
TRIM_SHARE, CLEAR_SHARE = 0.3, 0.5
"""Of the window: from where on results are trimmed, and cleared."""
CLEAR_CHARS = 50_000
"""The least that can be cleared."""
IMAGE_CHARS = 8_000
PLACE_CHARS = 100
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


ACTIONS = tuple(Action)
CODES = {action: code for code, action in enumerate(ACTIONS)}
KEEP, TRIM, CLEAR, DROP, UNILLUSTRATE = CODES.values()


def is_due(settings: PruningSettings, now: int, last_call: int | None) -> bool:
    """Whether the provider's cache of the last call (both ms UTC) has run out, so that a change costs nothing."""
    return settings.mode == "cache-ttl" and last_call is not None and now - last_call > settings.ttl * 1_000


def prune(outline: Outline, codes: Counts, window: int, settings: PruningSettings) -> Counts:
    """What becomes of each message once old results are trimmed and cleared, as ``codes``: places in ``ACTIONS``.
    ``window`` is in tokens; what was pruned before stays so. Of the messages that aren't dropped, results between the
    first prompt and the third-last reply can be pruned, oldest first."""
    if settings.mode == "off" or window <= 0:
        return codes
    room, chars = window * CHARS_PER_TOKEN, outline.column("chars")
    if _sizes(outline, codes).sum() / room < TRIM_SHARE:
        return codes
    able = _prunable(outline, codes, settings) & (codes != CLEAR)
    pruned = np.where(able & (codes == KEEP) & (chars > TRIM_OVER), TRIM, codes)
    sizes = _sizes(outline, pruned)
    if sizes.sum() / room < CLEAR_SHARE or sizes[able].sum() < CLEAR_CHARS:
        return pruned
    cleared = len(CLEARED) + PLACE_CHARS
    wanted = np.flatnonzero(able & (chars > cleared))
    freed = sizes[wanted] - cleared
    used = sizes.sum() - freed.cumsum() + freed
    pruned[wanted[used / room >= CLEAR_SHARE]] = CLEAR
    return pruned


def age_images(outline: Outline, codes: Counts) -> Counts:
    """``codes``, and the messages whose attachments are old."""
    prompts = outline.has_role(Role.USER) & (codes != DROP)
    turns = prompts.sum() - prompts.cumsum()
    return np.where((outline.column("images") > 0) & (codes == KEEP) & (turns > OLD_TURNS), UNILLUSTRATE, codes)


def sizes_after(outline: Outline, codes: Counts) -> tuple[Counts, Counts]:
    """Tokens, and characters with attachments counted, of each message after what becomes of it; 0 for those that are
    dropped."""
    tokens, chars, images, known = map(outline.column, ("tokens", "chars", "images", "trimmed"))
    is_trimmed = codes == TRIM
    kept = np.where(is_trimmed, np.minimum(chars, HEAD + TAIL + _NOTE_CHARS), chars)
    kept = np.where(codes == CLEAR, np.minimum(chars, len(CLEARED) + PLACE_CHARS), kept)
    shown = np.where((codes == KEEP) | is_trimmed, images, 0)
    text = np.maximum(0, tokens - images * IMAGE_TOKENS)
    left = np.where(chars > 0, np.rint(text * kept / np.maximum(chars, 1)), text).astype(np.int64)
    marks = np.where(codes == UNILLUSTRATE, images, 0)
    kept = kept + marks * len(IMAGE_MARK)
    spent = np.maximum(MESSAGE_TOKENS, left + shown * IMAGE_TOKENS + marks * estimate_tokens(IMAGE_MARK))
    spent = np.where(is_trimmed & (known >= 0), known + images * IMAGE_TOKENS + MESSAGE_TOKENS, spent)
    spent = np.where(codes == KEEP, tokens, spent)
    is_dropped = codes == DROP
    return np.where(is_dropped, 0, spent), np.where(is_dropped, 0, kept + shown * IMAGE_CHARS)


def _sizes(outline: Outline, codes: Counts) -> Counts:
    return sizes_after(outline, codes)[1]


def _prunable(outline: Outline, codes: Counts, settings: PruningSettings) -> Flags:
    kept, places = codes != DROP, np.arange(len(outline))
    prompts = places[kept & outline.has_role(Role.USER)]
    replies = places[kept & outline.has_role(Role.ASSISTANT)]
    most = settings.keep_last_assistants
    if not prompts.size or replies.size < most:
        return places < 0
    last = replies[-most] if most else len(outline)
    allowed = np.array([_is_allowed(tools, settings) for tools in outline.tools], dtype=np.bool_)
    results = outline.has_role(Role.RESULT) & (outline.column("images") == 0) & allowed[outline.column("tools")]
    found: Flags = results & kept & (places > prompts[0]) & (places < last)
    return found


def _is_allowed(tools: Sequence[str], settings: PruningSettings) -> bool:
    names = [name.lower() for name in tools]
    if any(fnmatchcase(name, glob.lower()) for name in names for glob in settings.deny):
        return False
    allowed = settings.allow
    return not allowed or any(fnmatchcase(name, glob.lower()) for name in names for glob in allowed)
