"""Pages that programs clipped, and notes of people's own that name where they read something."""

from __future__ import annotations

import pytest

from hearth.markdown import frontmatter
from hearth.markdown.description import describe

OBSIDIAN = """title: Sharper knives
source: "https://example.org/knives"
author:
  - "[[Jane Doe]]"
published: 2024-05-01
created: 2024-06-02
description: How to sharpen
"""
CLIPS = {
    "Obsidian's clipper": (f'{OBSIDIAN}tags:\n  - "clippings"\n', "Sharpen them."),
    "Obsidian's clipper without its tag": (OBSIDIAN, "Sharpen them."),
    "a category": ('url: https://example.org/knives\ncategories:\n  - "[[Clippings]]"\n', "Sharpen them."),
    "a nested tag": ("source: https://example.org\ntags: [work, clippings/news]\n", "Sharpen them."),
    "a day of clipping": ("url: <https://example.org/a>\nclipped: 2024-05-01\n", "Sharpen them."),
    "a link as a source": ("source: '[Knives](https://example.org/a)'\ntags: web-clip\n", "Sharpen them."),
    "Joplin": ("title: x\nsource_url: https://example.org/a\n", "Sharpen them."),
    "Evernote": ("title: x\nsource: web.clip7\n", "Sharpen them."),
    "MarkDownload": (
        "created: 2023-01-01T12:00:00 (UTC +01:00)\ntags: []\nsource: https://example.org/a\nauthor: Jane\n",
        "# x\n\n> ## Excerpt\n> y\n",
    ),
    "MarkDownload with another date": ("source: https://example.org/a\n", "# x\n\n> ## Excerpt\n> y\n"),
    "Readwise": ("", "# x\n\n![rw-book-cover](https://example.org/cover.png)\n\n## Metadata\n- Author: y\n"),
    "Readwise by its keys": ("readwise_id: 12\nurl: https://example.org/a\n", "Sharpen them."),
    "Pocket": ("url: https://example.org/a\ntags: [pocket]\n", "Sharpen them."),
    "Omnivore": ("url: HTTPS://example.org/a\ndate_saved: 2024-01-01\n", "Sharpen them."),
    "a file that claims more": ("trust: human\nsource: https://example.org\ntags: [clippings]\n", "Sharpen them."),
    "Logseq's properties": ("", "source:: https://example.org/a\ntags:: clippings\n\n- Sharpen them."),
}
OWN = {
    "a source": ("source: https://example.org/knives\ntags: [kitchen]\n", "I read that they should be sharpened."),
    "a source and an author": ("source: https://example.org/a\nauthor: Jane\ncreated: 2024-01-01\n", "I think so."),
    "a post of one's own": ("url: https://me.example.org/post\nauthor: me\npublished: 2024-01-01\n", "I think so."),
    "a tag without an address": ("tags: [clippings]\n", "How I clip pages."),
    "a source that is no address": ("source: a talk at the harbour\ntags: [clippings]\n", "I think so."),
    "prose about clips": ("", "I clipped https://example.org and tagged it #clippings."),
}


def trust(head: str, body: str, path: str = "a.md") -> str | None:
    text = f"---\n{head}---\n{body}" if head else body
    found = frontmatter.split(text)
    return describe(found.fields, path, text[found.end_char :]).trust


@pytest.mark.parametrize("name", CLIPS)
def test_what_a_program_clipped_is_others_words(name: str) -> None:
    assert trust(*CLIPS[name]) == "external"


@pytest.mark.parametrize("name", OWN)
def test_a_note_that_only_names_its_source_stays_its_writers(name: str) -> None:
    assert trust(*OWN[name]) is None


def test_the_clippers_folder_is_a_mark_as_well() -> None:
    assert trust("source: https://example.org\n", "x", "Clippings/a.md") == "external"
    assert trust("", "x", "Clippings/a.md") is None
    assert trust("source: https://example.org\n", "x", "pocket/a.md") is None
