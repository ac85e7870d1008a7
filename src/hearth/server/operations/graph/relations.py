"""What somebody says of how documents hang together."""

from __future__ import annotations

from typing import Annotated

from hearth.engine.graph.graph import STATABLE
from hearth.engine.knowledge.notes.building import build_graph
from hearth.server.operations.arguments import Arguments, OneOf, text
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import TEXTS, WHOLE, obj, ref
from hearth.server.operations.state import TARGET, Change, Reasoned, titled


class Relating(Reasoned):
    reference: Annotated[str, TARGET]
    type: Annotated[Annotated[str, OneOf(*STATABLE)], text("How it is related to the target.", 20)]
    target: Annotated[str, text("The other document.", 4_096)]


def _relate(call: Request, given: Relating) -> Change:
    graph = call.vault.graph
    return titled(call, graph.relate(given.reference, given.type, given.target, reason=given.reason, actor=call.actor))


def _unrelate(call: Request, given: Relating) -> Change:
    graph = call.vault.graph
    done = graph.unrelate(given.reference, given.type, given.target, reason=given.reason, actor=call.actor)
    return titled(call, done)


_BY_TYPE = {"type": "object", "additionalProperties": WHOLE}
BUILD = Operation(
    "build",
    "Derive relations",
    "Derive how the documents that changed hang together: what they name, what comes next, what is alike. A language "
    "model, where there is one, reads what they are about.",
    Arguments,
    obj(
        {
            "documents": WHOLE,
            "missing": WHOLE | {"description": "Documents that wait for their vectors."},
            "added": _BY_TYPE | {"description": "Type -> rows that are new."},
            "removed": _BY_TYPE | {"description": "Type -> rows that are there no more."},
            "summed_up": WHOLE | {"description": "Entities that the language model summed up anew."},
            "notes": obj(
                {
                    "read": WHOLE | {"description": "Documents that the language model read."},
                    "waiting": WHOLE | {"description": "Documents that it is still to read."},
                    "missing": TEXTS | {"description": "Why some were not read."},
                }
            ),
        }
    ),
    lambda call, given: build_graph(call.vault),
    writes=True,
)
RELATE = Operation(
    "relate", "Relate a document", "Say how a document is related to another.", Relating, ref("Changed"), _relate,
    writes=True,
)  # fmt: skip
UNRELATE = Operation(
    "unrelate", "Unrelate a document", "Say that a document is not related to another in this way, whoever says so.",
    Relating, ref("Changed"), _unrelate, writes=True,
)  # fmt: skip
