"""What the engine does when a host tells it something: one module a hook, all answering with a ``HookReply``. A prompt
pays for no reader of transcripts: each is loaded when its hook runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.core.lazy import modules

if TYPE_CHECKING:
    from hearth.context.hooks import bootstrap, compaction, incognito, nudge, surfacing, tool, turn

__all__ = ["bootstrap", "compaction", "incognito", "nudge", "surfacing", "tool", "turn"]

__getattr__ = modules(__name__, *__all__)
