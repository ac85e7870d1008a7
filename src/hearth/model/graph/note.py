"""What a language model is shown of documents, and what it says of them."""

from __future__ import annotations

from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class NoteSource:
    """A document as it is shown: ``text`` is what people say in it, ``day`` is YYYY-MM-DD or empty."""

    docid: str
    title: str
    day: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteLink:
    """From ``source`` to ``target`` (docids), of ``type`` semantic, supporting or contradicts. ``quotes`` are words of
    either; ``tags`` and ``context`` say anew what the neighbour is about, where the model does."""

    neighbour: str
    type: str
    source: str
    target: str
    weight: float
    quotes: tuple[str, str]
    tags: tuple[str, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class ReadNote:
    """``by`` is who says so: the model and its prompt. ``context`` is empty where what it said does not hold."""

    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    context: str
    links: tuple[NoteLink, ...]
    by: str
