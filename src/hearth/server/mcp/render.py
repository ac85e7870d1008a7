"""Answers in words, for a model: dense, with what a next call needs, and nothing that a note could pass off as ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hearth.guard.invisible import visible
from hearth.model.document import Document
from hearth.model.instants import moment, show_date_or_none
from hearth.model.query import Hit

SNIPPET_CHARS = 700


def clean(text: str) -> str:
    """Text of a note as it goes out: no secrets, nothing invisible, valid Unicode."""
    from hearth.guard.secrets.redaction import redact  # its rules load with the first answer, not with the server

    return redact(visible(text)).text


def line(text: str) -> str:
    return " ".join(clean(text).split())


def name(text: str) -> str:
    """A path or name on one line; never redacted, since it has to work as a reference."""
    return visible(text).replace("\n", " ").replace("\t", " ")


def minute(instant: int) -> str:
    return f"{moment(instant):%Y-%m-%d %H:%M} UTC"


def quoted(text: str) -> str:
    """Each line marked, so that no note can pass for what stands around it."""
    return "\n".join("> " + line for line in text.split("\n"))


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def passage(at: int, hit: Hit, *, full: bool) -> str:
    """A hit: where it stands, what it is, what it says."""
    about = [hit.content_type, show_date_or_none(hit.authored_at), f"score {hit.score:.2f}", f"#{hit.docid}"]
    if hit.trust != "human":
        about.append(f"trust: {hit.trust}")
    if hit.hidden:
        about.append("hidden: " + ", ".join(hit.hidden))
    place = f"{name(hit.collection)}/{name(hit.path)}:{hit.start_line}-{hit.end_line}"
    body = clean(hit.text) if full else clean(hit.snippet)[:SNIPPET_CHARS]
    return f"{at}. {place} | {line(hit.title)}\n   {', '.join(about)}\n{quoted(body.strip())}"


def passages(hits: Iterable[Hit], *, full: bool = False, first: int = 1) -> str:
    return "\n\n".join(passage(at, hit, full=full) for at, hit in enumerate(hits, first))


def row(hit: Hit, **more: Any) -> dict[str, Any]:
    """A hit as data: where it stands; what it says is in the text of the answer, once."""
    found = hit.to_dict()
    found.pop("snippet")
    found["title"] = line(hit.title)
    return found | more


def document_row(document: Document) -> dict[str, Any]:
    return {
        "docid": document.docid,
        "collection": document.collection,
        "path": document.path,
        "title": line(document.title),
        "content_type": document.content_type,
        "authored_at": document.dated_at,
        "modified_at": document.modified_at,
    }


def document_line(document: Document) -> str:
    place = f"{name(document.collection)}/{name(document.path)}"
    dated = show_date_or_none(document.dated_at)
    return f"{dated}  {place} | {line(document.title)} ({document.content_type}, #{document.docid})"


def remarked(text: str, remarks: Sequence[str]) -> str:
    return text if not remarks else text + "\n\n" + "\n".join(f"Note: {remark}" for remark in remarks)
