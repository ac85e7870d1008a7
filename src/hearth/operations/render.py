"""Answers in words, for a model: dense, with what a next call needs, and nothing that a note could pass off as ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hearth.core.document import Document, is_foreign
from hearth.core.instants import moment, show_date_or_none
from hearth.core.query import Hit
from hearth.guard.fence import visible
from hearth.operations.problems import MCP, worded
from hearth.operations.shapes import briefly
from hearth.text.lines import plural as plural

SNIPPET_CHARS = 700


def clean(text: str) -> str:
    """Text of a note as it goes out: no secrets, nothing invisible, valid Unicode."""
    from hearth.guard.secrets.redaction import redact  # its rules load with the first answer, not with the server

    return redact(visible(text)).text


def line(text: str) -> str:
    return " ".join(clean(text).split())


def word_message(message: str) -> str:
    """A message of Hearth on one line, in the words of this surface."""
    return line(worded(message, MCP))


def name(text: str) -> str:
    """A path or name on one line; never redacted, since it has to work as a reference."""
    return visible(text).replace("\n", " ").replace("\t", " ")


def place(collection: str, path: str) -> str:
    return f"{name(collection)}/{name(path)}"


def minute(instant: int) -> str:
    return f"{moment(instant):%Y-%m-%d %H:%M} UTC"


def quoted(text: str) -> str:
    """Each line marked, so that no note can pass for what stands around it."""
    return "\n".join("> " + line for line in text.split("\n"))


def fragment(at: int, hit: Hit, *, full: bool) -> str:
    """A hit: where it stands, what it is, what it says."""
    about = [hit.content_type, show_date_or_none(hit.authored_at), f"score {hit.score:.2f}", f"#{hit.docid}"]
    if hit.voice:
        about.append(line(hit.voice))
    if hit.hidden:
        about.append(hit.validity.label(loud=True))
    about += map(line, hit.validity.remarks)
    first, last = hit.cited(full=full)
    where = f"{place(hit.collection, hit.path)}:{first}-{last}"
    body = clean(hit.text) if full else clean(hit.snippet)[:SNIPPET_CHARS]
    chain = "".join(f"\n   by: {name(step.words)}" for step in hit.chain)
    return f"{at}. {where} | {line(hit.title)}\n   {', '.join(about)}{chain}\n{quoted(body.strip())}"


def fragments(hits: Iterable[Hit], *, full: bool = False, first: int = 1) -> str:
    return "\n\n".join(fragment(at, hit, full=full) for at, hit in enumerate(hits, first))


def brief_fragments(hits: Iterable[Hit], first: int = 1) -> str:
    """A line each: the place, how sure, and what it says."""
    return "\n".join(_brief_fragment(at, hit) for at, hit in enumerate(hits, first))


def _brief_fragment(number: int, hit: Hit) -> str:
    at, text = briefly(hit)
    return (
        f"{number}. {place(hit.collection, hit.path)}:{at} #{hit.docid} {hit.score:.2f} "
        f"{f'({line(hit.voice)}) ' if is_foreign(hit.trust) else ''}"
        f"{f'({hit.validity.label()}) ' if hit.hidden else ''}"
        f"{''.join(f'({line(remark)}) ' for remark in hit.validity.remarks)}"
        f"> {line(text)}"
    )


def document_line(document: Document) -> str:
    about = f"{line(document.title)} ({document.content_type}, #{document.docid})"
    return f"{show_date_or_none(document.dated_at)}  {place(document.collection, document.path)} | {about}"


def remarked(text: str, remarks: Sequence[str]) -> str:
    return text if not remarks else text + "\n\n" + "\n".join(f"Note: {remark}" for remark in remarks)


def undo_by_run(run: str | None) -> str:
    return f"\nA person takes it back with: hearth undo --run {run}" if run else ""
