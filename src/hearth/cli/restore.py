"""``hearth restore``."""

from __future__ import annotations

from hearth.cli.change import changing

restore = changing("restore", "Bring back what is forgotten, archived, superseded or invalidated.")
