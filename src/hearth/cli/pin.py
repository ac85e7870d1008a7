"""``hearth pin``."""

from __future__ import annotations

from hearth.cli.change import changing

pin = changing("pin", "Put a document at the top of what is as relevant, and keep it from being archived.")
