from __future__ import annotations

from tests.memory.state.conftest import house
from tests.memory.usage.conftest import make_room, room

__all__ = ["house", "make_room", "room"]
