"""Is a document a page of the web that a program clipped or saved: words of others, in a folder of one's own.

It takes both an address and a mark that such programs leave. Whoever merely names a source wrote the note herself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from hearth.lazy import regex
from hearth.markdown.head.frontmatter import Value
from hearth.text.stem import fold

# Keys are compared without their separators, in lower case.
_ADDRESSES = frozenset({"source", "url", "link", "href", "uri", "website", "originalurl", "canonical", "canonicalurl"})
# That a person's note has an address under these names, too, is rare (Joplin, Evernote, Readwise).
_OF_PROGRAMS = frozenset({"sourceurl", "clippedfrom", "clipurl", "webclipurl"})
_PROGRAMS = (
    "clipped", "clipper", "webclip", "dateclipped", "pocket", "readwise", "omnivore", "instapaper", "raindrop",
    "wallabag", "hoarder", "karakeep", "markdownload", "readitlater", "datesaved", "savedat",
)  # fmt: skip
_NAMED = frozenset({"tags", "tag", "category", "categories", "type", "kind", "contenttype", "source"})
_NAMES = frozenset(
    {
        "clipping", "clippings", "clipped", "clip", "clips", "webclip", "webclips", "webclipping", "webclippings",
        "webclipper", "readitlater", "pocket", "readwise", "instapaper", "omnivore", "raindrop", "wallabag",
        "markdownload",
    }
)  # fmt: skip
# Folders of these names may hold notes of one's own.
_FOLDERS = _NAMES - {"clip", "clips", "pocket", "raindrop"}
# All that Obsidian's Web Clipper writes, where somebody took its tag away.
_FORM = frozenset({"source", "author", "published", "created", "description"})
_FIRST_CHARS = 4_096
# What MarkDownload and Readwise put above a text.
_ABOVE = ("\n> ## Excerpt\n", "![rw-book-cover](")
_ADDRESS = regex(r"""(?:[<"'(]|\[[^\]\n]{0,300}\]\()?https?://\S""", re.IGNORECASE)
# How Evernote says where a note is from, and when MarkDownload saved one.
_EVERNOTE, _ZONE = "web.clip", " (UTC"


def is_clip(fields: Mapping[str, Value], path: str, body: str) -> bool:
    """Whether frontmatter or properties, with the path and the first lines, say so."""
    said = {_plain(key): list(_parts(value)) for key, value in fields.items()}
    start = body[:_FIRST_CHARS]
    if _ABOVE[1] in start:
        return True
    if any(_is_address(said.get(key, ())) for key in _OF_PROGRAMS):
        return True
    if any(part.startswith(_EVERNOTE) for part in said.get("source", ())):
        return True
    if not any(_is_address(said.get(key, ())) for key in _ADDRESSES):
        return False
    return (
        any(key.startswith(_PROGRAMS) for key in said)
        or said.keys() >= _FORM
        or _ABOVE[0] in start
        or any(_ZONE in part for part in said.get("created", ()))
        or any(_is_named(part) for key in _NAMED for part in said.get(key, ()))
        or any(_plain(folder) in _FOLDERS for folder in PurePosixPath(path).parts[:-1])
    )


def names_address(fields: Mapping[str, Value]) -> bool:
    """Whether a page of the web is named as what a note is from."""
    return any(_plain(key) in _ADDRESSES and _is_address(_parts(value)) for key, value in fields.items())


def _parts(value: Value) -> Iterator[str]:
    for part in (value,) if isinstance(value, str) else value:
        yield part.strip()


def _is_address(values: Iterable[str]) -> bool:
    return any(_ADDRESS.match(value) for value in values)


def _is_named(value: str) -> bool:
    """``[[Clippings]]`` and ``clippings/news`` are marks as well as ``#clippings``, and one of several may be."""
    return any(_plain(part.partition("/")[0]) in _NAMES for part in value.split(","))


def _plain(name: str) -> str:
    return "".join(char for char in fold(name.lower()) if char.isalnum())
