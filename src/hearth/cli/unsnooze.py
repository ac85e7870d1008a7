"""``hearth unsnooze``."""

from __future__ import annotations

from hearth.cli.change import changing

unsnooze = changing("unsnooze", "End a snooze.")
