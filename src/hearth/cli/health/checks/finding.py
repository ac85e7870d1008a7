"""The outcome of a check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from hearth.core.errors import HearthError
from hearth.core.lazy import dataclass

OK, WARN, FAIL = "ok", "warn", "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """``fix`` is what a person does; ``remedy`` names what ``--fix`` can do about it."""

    check: str
    level: str
    message: str
    fix: str | None = None
    remedy: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        return {"check": self.check, "level": self.level, "message": self.message, "fix": self.fix}


Check = Callable[[], Iterable[Finding]]


def tried(name: str, check: Check) -> Iterator[Finding]:
    """What the check finds; one that can't be carried out is a failure itself."""
    try:
        yield from check()
    except HearthError as error:
        yield Finding(name, FAIL, str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        yield Finding(name, FAIL, f"{place}{error.strerror or error}")
