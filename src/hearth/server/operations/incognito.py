"""Incognito: a session or a folder that is neither read for nor written down."""

from __future__ import annotations

from typing import Annotated, Literal

from hearth.errors import UsageError
from hearth.model.host.switches import IncognitoReport
from hearth.server.operations.arguments import Arguments, about, text
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import FLAG, TEXT, TEXTS, maybe, obj


class Where(Arguments):
    session: Annotated[str | None, text("Which session, by the host's id.", 256)] = None
    folder: Annotated[str | None, text("Which folder, with all below it: its absolute name.", 4_096)] = None


class Incognito(Where):
    action: Annotated[
        Literal["status", "on", "off"],
        about("On: nothing is read or kept from now on; off: again. Only as the person wants it (default status)."),
    ] = "status"


def _status(call: Request, given: Where) -> IncognitoReport:
    return call.vault.privacy.report(given.session or call.session, _folder(given))


def _switch(call: Request, given: Incognito) -> IncognitoReport:
    session, folder = given.session, _folder(given)
    if session is None and folder is None:
        session = call.session
    if given.action != "status":
        if (session is None) == (folder is None):
            raise UsageError("give session or folder: what is to be switched")
        call.vault.privacy.switch(given.action == "on", session=session, folder=folder)
    return call.vault.privacy.report(session, folder)


def _folder(given: Where) -> str | None:
    if given.folder is not None and not given.folder.startswith("/"):
        raise UsageError(f"folder {given.folder[:80]!r} is not an absolute name")
    return None if given.folder is None else given.folder.rstrip("/") or "/"


_GIVES = obj(
    {
        "incognito": FLAG | {"description": "Whether nothing is read and nothing kept here."},
        "capture": FLAG | {"description": "Whether what is said here is kept."},
        "surface": FLAG | {"description": "Whether hooks bring something here."},
        "why": TEXT | {"description": "What switches it off."},
        "session": maybe(TEXT),
        "folder": maybe(TEXT),
        "sessions": TEXTS | {"description": "All that are incognito on this machine."},
        "folders": TEXTS,
        "problems": TEXTS | {"description": "What of the files that switch things off can't be understood."},
    }
)
STATUS = Operation(
    "incognito_status", "What is incognito", "What is switched off for a session or a folder.", Where, _GIVES, _status
)
SWITCH = Operation(
    "incognito",
    "Incognito",
    "Make a session or a folder incognito (hooks bring nothing, nothing is captured), end that, or show what is.",
    Incognito,
    _GIVES,
    _switch,
    writes=True,
)
