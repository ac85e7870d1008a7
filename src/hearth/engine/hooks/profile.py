"""How much a prompt may be told, and how long finding it may take."""

from __future__ import annotations

from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """``tokens`` is the size of the whole block, wrapper included; ``passages`` how many it holds at most;
    ``milliseconds`` the time for the answer."""

    name: str
    recipe: str
    tokens: int
    passages: int
    milliseconds: int


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("speed", "surface-speed", 400, 3, 150),
        Profile("balanced", "surface", 400, 3, 400),
        Profile("deep", "surface-deep", 800, 3, 1500),
    )
}
