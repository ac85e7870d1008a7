"""Text with its secrets taken out, and the way back to the original's offsets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import field

from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """``start``/``end`` are a half-open range of the original text; ``placeholder`` stands there now."""

    rule: str
    start: int
    end: int
    placeholder: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """``secrets`` are disjoint and ordered by ``start``."""

    text: str
    secrets: tuple[Secret, ...] = ()
    _starts: Sequence[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts, shift = [], 0
        for secret in self.secrets:
            starts.append(secret.start + shift)
            shift += len(secret.placeholder) - (secret.end - secret.start)
        object.__setattr__(self, "_starts", tuple(starts))

    def original_offset(self, position_in_redacted: int) -> int:
        """Where that character stood before: exact outside secrets, within the secret's range inside a placeholder.

        Never decreases as the position grows.
        """
        index = bisect_right(self._starts, position_in_redacted) - 1
        if index < 0:
            return position_in_redacted
        secret = self.secrets[index]
        inside = position_in_redacted - self._starts[index]
        beyond = inside - len(secret.placeholder)
        return secret.end + beyond if beyond >= 0 else min(secret.start + inside, secret.end)
