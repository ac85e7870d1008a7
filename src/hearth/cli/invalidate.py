"""``hearth invalidate``."""

from __future__ import annotations

from hearth.cli.change import changing

invalidate = changing("invalidate", "Say that a document is not true any more; it leaves searches.")
