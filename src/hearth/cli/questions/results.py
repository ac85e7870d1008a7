"""Answers as people read them (styled on a terminal) and as programs do: JSON, CSV, Markdown, files."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from hearth.cli import output
from hearth.core import instants
from hearth.core.lazy import regex
from hearth.core.query import Explanation, Hit, Recall
from hearth.disk.obsidian import vault_above
from hearth.recall.ranking import packing
from hearth.text.language import is_stop_word
from hearth.text.terms import terms

if TYPE_CHECKING:
    from rich.text import Text

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
        row = hit.to_dict(full=full)
        values = [output.name(str(row[column])) for column in COLUMNS]
        values[1] = f"{hit.score:.4f}"
        authored = "" if hit.authored_at is None else instants.show(hit.authored_at)
        body = output.clean(hit.text if full else hit.snippet)
        writer.writerow([*values, authored, instants.show(hit.modified_at), body])
    output.say(buffer.getvalue().removesuffix("\n"))


def as_markdown(recall: Recall, *, full: bool) -> None:
    """A section per hit; the fragment stands in a fence that it can't close."""
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


_WORD = regex(r"\w+")
_INDENT = "   "


def show(recall: Recall, roots: Mapping[str, str], *, full: bool) -> None:
    """``roots`` maps collections to folders, for links. An outline is a line each."""
    if recall.plan is not None and recall.plan.kind == "outline":
        for row in packing.render(recall.hits):
            output.say(output.name(row))
        return
    if output.out().isatty():
        _show_styled(recall, roots, full=full)
        return
    for number, hit in enumerate(recall.hits, 1):
        output.say(f"{number}. {output.line(hit.title)}")
        output.say(f"{_INDENT}{place(hit, full=full)}  {_facts(hit)}")
        for text in _body(hit, full=full):
            output.say(f"{_INDENT}{text}".rstrip())
        for text in trace(hit.explain):
            output.say(f"{_INDENT}{text}")
        output.say()


def trace(explain: Explanation | None) -> list[str]:
    """How a hit came to its score: what each lane measured and made of it, their mix, and the stages that moved it."""
    if explain is None:
        return []
    lines = [f"lane {lane.lane}: raw {lane.raw:.3f}, score {lane.score:.3f}" for lane in explain.lanes]
    lines.append(f"fused {explain.fused:.3f}")
    for move in explain.moves:
        why = f" ({output.line(move.why)})" if move.why else ""
        lines.append(f"stage {move.stage}: {move.before:.3f} -> {move.after:.3f}{why}")
    return lines


def _facts(hit: Hit) -> str:
    facts = f"{hit.score:.2f}  {hit.content_type}  {dated(hit)}  #{hit.docid}"
    validity = hit.validity
    standing = (validity.words, validity.standing, validity.doubt)
    return "  ".join(filter(None, (facts, output.line(hit.voice), *standing)))


def _body(hit: Hit, *, full: bool) -> list[str]:
    lines = output.clean(hit.text if full else hit.snippet).split("\n")
    also = ", ".join(output.name(other) for other in hit.also_in)
    chain = "; ".join(output.line(step.words) for step in hit.chain)
    later = (output.line(one.words) for one in hit.validity.later)
    beside = (*later, f"also in {also}" if also else "", f"by {chain}" if chain else "")
    return [*lines, *filter(None, beside)]


def _show_styled(recall: Recall, roots: Mapping[str, str], *, full: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    make = partial(Console, file=output.out(), highlight=False, soft_wrap=True, _environ=output.environ())
    console = make()
    if console.no_color:
        console = make(color_system=None)
    wanted = _terms(recall.query)
    shown = {hit.collection for hit in recall.hits}
    vaults = {name for name in shown & roots.keys() if vault_above(os.path.realpath(roots[name])) is not None}
    for number, hit in enumerate(recall.hits, 1):
        console.print(Text.assemble((f"{number}. ", "dim"), (output.line(hit.title), "bold")))
        link = f"link {_file_link(hit, roots, full=full)}" if hit.collection in roots else ""
        where = Text.assemble(_INDENT, (place(hit, full=full), f"cyan {link}"))
        if hit.collection in vaults:
            where.append_text(Text.assemble("  ", ("obsidian", f"cyan link {_obsidian_link(hit, roots)}")))
        console.print(where.append(f"  {_facts(hit)}", "dim"))
        for text in _body(hit, full=full):
            console.print(Text(_INDENT) + _emphasise(text, wanted))
        for text in trace(hit.explain):
            console.print(Text(f"{_INDENT}{text}", style="dim"))
        console.print()


def _file_link(hit: Hit, roots: Mapping[str, str], *, full: bool) -> str:
    path = f"{roots[hit.collection].rstrip('/')}/{hit.path}"
    return f"file://{quote(path.encode('utf-8', 'surrogateescape'))}#L{hit.cited(full=full)[0]}"


def _obsidian_link(hit: Hit, roots: Mapping[str, str]) -> str:
    """Opens the note in Obsidian, which finds the vault by the file's place."""
    path = f"{roots[hit.collection].rstrip('/')}/{hit.path}"
    return f"obsidian://open?path={quote(path.encode('utf-8', 'surrogateescape'), safe='')}"


def _terms(text: str) -> frozenset[str]:
    """The index terms of the query's words that carry meaning."""
    words = [word for word in _WORD.findall(text.casefold()) if not is_stop_word(word, ("en",))]
    return frozenset(term for word in words for term in terms(word, "en"))


def _emphasise(text: str, wanted: frozenset[str]) -> Text:
    from rich.text import Text

    styled = Text(text)
    for found in _WORD.finditer(text):
        if not wanted.isdisjoint(terms(found[0], "en")):
            styled.stylize("bold yellow", *found.span())
    return styled
