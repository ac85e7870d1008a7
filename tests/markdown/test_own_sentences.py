"""The person's own words in a conversation become fragments of their own."""

from __future__ import annotations

from hearth.markdown.own_sentences import find_own_sentences

TEXT = """---
title: x
---

## User · 09:10

Uploads go to the Ceph cluster now. Is that fine? We keep them for a year.

> Somebody else: we use floppy disks

## Assistant · 09:11

I will use the Ceph cluster from now on.

## User · 09:12

yes

## User · 09:14

发布日改到周四。
"""


def test_only_own_statements_are_fragments() -> None:
    found = list(find_own_sentences(TEXT, 7))
    assert [part.text for part in found] == [
        "Uploads go to the Ceph cluster now.",
        "We keep them for a year.",
        "发布日改到周四。",
    ]
    assert [part.seq for part in found] == [7, 8, 9]
    assert {part.kind for part in found} == {"said"}


def test_each_knows_its_place_and_its_turn() -> None:
    first, *_, last = find_own_sentences(TEXT, 0)
    assert (first.start_line, first.headings) == (7, ("User · 09:10",))
    assert TEXT[last.start_char : last.end_char] == last.text
    assert last.headings == ("User · 09:14",)
