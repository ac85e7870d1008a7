"""What is used again and again moves into MEMORY.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from hearth.lazy import dataclass
from hearth.server.operations.arguments import Arguments, about
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import ANYTHING, maybe, obj

if TYPE_CHECKING:
    from hearth.engine.dream.report import DreamStatus, Dreamt


class Dream(Arguments):
    action: Annotated[
        Literal["status", "run", "dry-run"], about("How dreaming stands, tonight's run, or what it would do.")
    ] = "status"


@dataclass(frozen=True, slots=True)
class Dreaming:
    """One of both is there."""

    status: DreamStatus | None = None
    night: Dreamt | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "status": None if self.status is None else self.status.to_dict(),
            "night": None if self.night is None else self.night.to_dict(),
        }


def _dream(call: Request, given: Dream) -> Dreaming:
    if given.action == "status":
        return Dreaming(status=call.vault.dream.status())
    return Dreaming(night=call.vault.dream.dream(apply=given.action == "run"))


DREAM = Operation(
    "dream",
    "Dream",
    "Move what answers used again and again into MEMORY.md, once a day, or say how that stands.",
    Dream,
    obj(
        {
            "status": maybe(ANYTHING) | {"description": "Signals, nights, who writes the page."},
            "night": maybe(ANYTHING) | {"description": "What was promoted, what left, what not yet and why."},
        }
    ),
    _dream,
    writes=True,
)
