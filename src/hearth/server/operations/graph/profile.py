"""The profile: who the person is and what they are at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hearth.server.operations.arguments import Arguments, about
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import FLAG, TEXT, TEXTS, WHOLE, listed, maybe, obj

if TYPE_CHECKING:
    from hearth.engine.knowledge.profile import ProfilePage


class ProfileArguments(Arguments):
    rebuild: Annotated[bool, about("Bring the page up to date first (default false).")] = False


class _Nothing(Arguments):
    pass


def _show(call: Request, given: Arguments) -> ProfilePage:
    return call.vault.profile.show()


def _profile(call: Request, given: ProfileArguments) -> ProfilePage:
    return call.vault.profile.rebuild() if given.rebuild else call.vault.profile.show()


_STATEMENT = obj(
    {"section": TEXT, "text": TEXT, "sources": TEXTS | {"description": "Docids."}, "own": FLAG}, {"date": TEXT}
)
_SHAPE = obj(
    {
        "docid": maybe(TEXT),
        "path": TEXT,
        "statements": listed(_STATEMENT, "As they stand on the page; own are the person's words."),
        "changed": FLAG,
        "dismissed": WHOLE | {"description": "Statements that the person has deleted since the last rebuild."},
    }
)
SHOW = Operation(
    "profile",
    "Who the user is",
    "What is known of the person, each statement with its source.",
    _Nothing,
    _SHAPE,
    _show,
)
PROFILE = Operation(
    "profile_rebuild",
    "Who the user is",
    "Say what is known of the person: how they want things, what they use and what they are at, with sources.",
    ProfileArguments,
    _SHAPE,
    _profile,
    writes=True,
)
