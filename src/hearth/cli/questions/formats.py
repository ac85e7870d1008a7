"""An answer as other programs read it: JSON, CSV, Markdown, a list of files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from hearth.cli import output
from hearth.lazy import regex
from hearth.model import instants
from hearth.model.query import Hit, Recall

COLUMNS = ("docid", "score", "collection", "path", "start_line", "end_line", "title", "content_type")
_BACKTICKS = regex("`+")
_MARKUP = regex(r"([\\`*_\[\]<>#|~])")


def as_json(recall: Recall, *, full: bool) -> None:
    output.say_json(recall.to_dict(full=full))


def as_files(recall: Recall, *, full: bool) -> None:
    """``docid,score,collection/path:line``: the third field is the rest of the line, commas included."""
    for hit in recall.hits:
        output.say(f"{hit.docid},{hit.score:.4f},{place(hit, full=full)}")


def as_csv(recall: Recall, *, full: bool) -> None:
    """RFC 4180 with a header, also where there are no rows."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    last = "text" if full else "snippet"
    writer.writerow([*COLUMNS, "authored_at", "modified_at", last])
    for hit in recall.hits:
        told = hit.to_dict(full=full)
        values = [output.name(str(told[column])) for column in COLUMNS]
        values[1] = f"{hit.score:.4f}"
        authored = "" if hit.authored_at is None else instants.show(hit.authored_at)
        body = output.clean(hit.text if full else hit.snippet)
        writer.writerow([*values, authored, instants.show(hit.modified_at), body])
    output.say(buffer.getvalue().removesuffix("\n"))


def as_markdown(recall: Recall, *, full: bool) -> None:
    """A section per hit; the passage stands in a fence that it can't close."""
    for number, hit in enumerate(recall.hits, 1):
        title = _MARKUP.sub(r"\\\1", output.line(hit.title))
        output.say(f"## {number}. {title}")
        output.say()
        output.say(f"- {_code(place(hit, full=full))}")
        output.say(f"- score {hit.score:.2f}, {hit.content_type}, {dated(hit)}, docid {hit.docid}")
        for standing in filter(None, (hit.voice, hit.validity.words, *hit.validity.remarks)):
            output.say(f"- {output.line(standing)}")
        output.say()
        body = output.clean(hit.text if full else hit.snippet)
        fence = "`" * max(3, _longest_run(body) + 1)
        output.say(f"{fence}markdown\n{body}\n{fence}\n")


FORMATS: dict[str, Callable[..., None]] = {
    "json": as_json,
    "files": as_files,
    "csv": as_csv,
    "md": as_markdown,
}


def place(hit: Hit, *, full: bool) -> str:
    """``collection/path:line`` on one line: the first line that is shown."""
    return f"{output.name(hit.collection)}/{output.name(hit.path)}:{hit.cited(full=full)[0]}"


def dated(hit: Hit) -> str:
    return instants.show_date_or_none(hit.authored_at)


def _code(text: str) -> str:
    """Inline code that holds any text (CommonMark 6.1)."""
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
