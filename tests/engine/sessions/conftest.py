from __future__ import annotations

from tests.engine.state.conftest import house
from tests.engine.usage.conftest import make_room, room

__all__ = ["house", "make_room", "room"]
