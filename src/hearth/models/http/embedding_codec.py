"""Requests for vectors: prompts that a model expects, and how vectors are written and read."""

from __future__ import annotations

import hashlib
import re
import threading
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hearth.core.errors import BadReply
from hearth.core.lazy import dataclass, regex
from hearth.models.http.protocol import EmbeddingRequest, Embeddings, Role, Vector, VectorRows, unit

# Begins and ends the control tokens of the usual chat models; a fragment must not speak for the system.
_CONTROL = regex(r"<\|(?=[a-z_]+\|>)")


@dataclass(frozen=True, slots=True)
class Prompts:
    """``{text}`` stands for the text, once."""

    query: str = "{text}"
    document: str = "{text}"

    def around(self, text: str, role: Role) -> str:
        before, _, after = (self.query if role == "query" else self.document).partition("{text}")
        return f"{before}{text}{after}"


def prompts_for(model: str | None) -> Prompts:
    """The templates of the model that ``model`` names; without any for one that is not known."""
    found = _find("embedding", model or "")
    return Prompts(**{role: found[role] for role in ("query", "document") if role in found})


def judgement(model: str | None, query: str, text: str) -> str:
    """The prompt that asks a language model whether ``text`` answers ``query``."""
    template: str = _find("judgement", model or "")["prompt"]
    given = {"{query}": query, "{text}": text}
    pieces = re.split(r"(\{query\}|\{text\})", template)
    return "".join(_CONTROL.sub("< |", given[piece]) if piece in given else piece for piece in pieces)


def _find(table: str, model: str) -> dict[str, Any]:
    name = model.lower()
    return next((entry for entry in _entries()[table] if re.search(entry["pattern"], name)), {})


@cache
def _entries() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files(__package__).joinpath("prompts.toml").read_text(encoding="utf-8"))


_ALIKE = 1e-6
_DISTINCT = 3


@dataclass(frozen=True, slots=True)
class ServedModel:
    """Who answered: the model's name where replies give one, and the width of its vectors."""

    model: str | None
    dimensions: int


class EmbeddingCodec:
    """Requests to one server and the checks of its replies. Thread-safe.

    The first good reply fixes width and model name; later ones that differ are refused, so that vectors of two models
    never meet in one space."""

    def __init__(
        self, family: Embeddings, model: str | None, dimensions: int | None, served: ServedModel | None = None
    ) -> None:
        """``served`` is who answered in an earlier process, where somebody remembers."""
        self.family = family
        self.model = model
        self.prompts = prompts_for(model) if family.templates else Prompts()
        self._asked = dimensions
        self._width = dimensions or (served.dimensions if served else None)
        self._name = served.model if served else None
        self._lock = threading.Lock()

    @property
    def width(self) -> int | None:
        return self._width

    def require_width(self) -> int:
        """Raises ``BadReply`` while no vector was seen."""
        if self._width is None:
            raise BadReply("the server gave no vector to learn its width from")
        return self._width

    def expect(self, width: int) -> None:
        """Fixes the width beforehand. Raises ``BadReply`` where another is known."""
        with self._lock:
            if width != (self._width or width):
                raise BadReply(self._wrong_width(width))
            self._width = width

    @property
    def served(self) -> ServedModel | None:
        return ServedModel(self._name, self._width) if self._width is not None else None

    def fingerprint(self, shown: str) -> str:
        """Place, model, width asked for, and a hash of what is put around texts. Never the key."""
        around = "\0".join((self.family.name, self.prompts.query, self.prompts.document))
        short = hashlib.sha256(around.encode()).hexdigest()[:8]
        return f"http:{shown}:{self.model or '-'}:{self._asked or 'auto'}:{short}"

    def rendered(self, text: str, role: Role) -> str:
        return self.prompts.around(text, role)

    def payload(self, texts: Sequence[str], role: Role) -> dict[str, Any]:
        """The body of a request for ``texts``, which are rendered already."""
        return self.family.body(EmbeddingRequest(texts, role, self.model, self._asked))

    def rows(self, reply: Any, texts: Sequence[str]) -> list[Vector | str]:
        """A unit vector for each text, or what is wrong with the one it got.

        Raises ``BadReply`` where the reply as a whole can't be believed."""
        found = self.family.read(reply, len(texts))
        rows = [unit(row) for row in found.vectors]
        self._check(found, [row for row in rows if not isinstance(row, str)])
        _check_distinct(texts, rows)
        return rows

    def _check(self, found: VectorRows, vectors: Sequence[Vector]) -> None:
        with self._lock:
            if found.model is not None and found.model != (self._name or found.model):
                raise BadReply(
                    f"the server now answers as {found.model!r}, but as {self._name!r} before; vectors of two models "
                    "can't be compared: bring the first back, or set embedding.model to the new one"
                )
            for vector in vectors:
                if len(vector) != (self._width or len(vector)):
                    raise BadReply(self._wrong_width(len(vector)))
                self._width = len(vector)
            if vectors:
                self._name = self._name or found.model

    def _wrong_width(self, width: int) -> str:
        if self._asked == self._width:
            return (
                f"the server gives {width} numbers a text where embedding.dimensions asks for {self._asked}; "
                f"the model or server can't do that: remove the setting or set it to {width}"
            )
        return (
            f"the server gives {width} numbers a text, but gave {self._width} before: it serves another model; bring "
            "the first back, or set embedding.model to the new one"
        )


def _check_distinct(texts: Sequence[str], rows: Sequence[Vector | str]) -> None:
    """A server that gives texts of different words one and the same vector reads none of them."""
    vectors = [row for row in rows if not isinstance(row, str)]
    if len({"".join(filter(str.isalnum, text.casefold())) for text in texts}) < _DISTINCT or len(vectors) < len(rows):
        return
    block = np.stack(vectors)
    if (block @ block[0] > 1 - _ALIKE).all():
        raise BadReply(f"the server gives {len(rows)} different texts one and the same vector; check its model")
