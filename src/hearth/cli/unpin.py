"""``hearth unpin``."""

from __future__ import annotations

from hearth.cli.change import changing

unpin = changing("unpin", "Take a pin back.")
