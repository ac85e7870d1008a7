"""A whole vault out and in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hearth.server.operations.arguments import Arguments, about
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import TEXTS, WHOLE, obj

if TYPE_CHECKING:
    from hearth.engine.exchange.importer import Imported

_NUMBERS = ("memories", "files", "events", "unchanged", "kept", "left", "redacted", "skipped")


class Export(Arguments):
    files: Annotated[bool, about("With the texts of people's files.")] = True


def _import(call: Request, given: Arguments) -> Imported:
    """People's files go nowhere from here: no client names a folder of this machine."""
    assert call.source is not None
    return call.vault.exchange.import_(call.source)


EXPORT = Operation(
    "export",
    "Export the vault",
    "Everything that a vault knows, as lines of JSON. Without a last line of kind end it is not complete.",
    Export,
    {},
    lambda call, given: call.vault.exchange.export(files=given.files),
)
IMPORT = Operation(
    "import",
    "Import into the vault",
    "Take in an export: memories and journal. Nothing that is there is replaced.",
    Arguments,
    obj({**dict.fromkeys(_NUMBERS, WHOLE), "problems": TEXTS}),
    _import,
    reads=False,
    writes=True,
    long=True,
)
