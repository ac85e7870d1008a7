"""A file's description comes from its frontmatter, else its name, folders and first heading."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hearth.markdown.description import Description, describe
from hearth.markdown.quality import quality


def at(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("decisions/use-x.md", "decision"),
        ("docs/ADR-0012-use-x.md", "decision"),
        ("projects/a/decisions/b.md", "decision"),
        ("hub.md", "hub"),
        ("python/MOC.md", "hub"),
        ("a/index.md", "hub"),
        ("resources/books.md", "hub"),
        ("memory/MEMORY.md", "hub"),
        ("memory.md", "note"),
        ("github/notes.md", "note"),
        ("undecisions/x.md", "note"),
        ("research/x.md", "research"),
        ("Projects/x.md", "project"),
        ("handoffs/x.md", "handoff"),
        ("Decisiones/usar-x.md", "decision"),
        ("De\u0301cisions/x.md", "decision"),
        ("Décisions/x.md", "decision"),
        ("decisões/x.md", "decision"),
        ("Projekte/x.md", "project"),
        ("preferences/coding.md", "preference"),
        ("antipatterns/x.md", "antipattern"),
        ("conversations/2024-01-02-x.md", "conversation"),
        ("progress/x.md", "progress"),
        ("journal/2024-01-02.md", "daily"),
        ("journal/2024-01-02.k3xq.md", "daily"),
        ("journal/2024-13-02.md", "note"),
        ("daily/anything.md", "daily"),
        ("2024-01-02-meeting.md", "meeting"),
        ("2024-01-02-party.md", "note"),
        ("x.md", "note"),
    ],
)
def test_whole_segments_and_names_tell_the_type(path: str, content_type: str) -> None:
    assert describe({}, path, "Rye.\n").content_type == content_type


def test_frontmatter_is_typed() -> None:
    fields = {
        "title": "T", "tags": ("#a", "b", "a"), "domain": "d", "workstream": "w", "content_type": "Decision",
        "review_by": "2025-03-04T23:00:00Z", "authored_at": "2024-01-02T03:04:05+02:00",
        "id": "abc", "confidence": "0.7", "trust": "agent", "entity": "Redis", "aliases": ("x", "y"),
    }  # fmt: skip
    found = describe(fields, "notes/x.md", "# Other")
    assert (found.title, found.content_type, found.tags) == ("T", "decision", ("a", "b"))
    assert (found.domain, found.workstream, found.id, found.confidence, found.trust) == ("d", "w", "abc", 0.7, "agent")
    assert (found.review_by, found.authored_at) == (at(2025, 3, 4, 12), at(2024, 1, 2, 1, 4, 5))
    assert found.aliases == ("x", "y")
    assert dict(found.facts) == {"entity": "Redis"}


def test_values_that_make_no_sense_are_kept_as_facts() -> None:
    fields = {
        "content_type": "poem", "review_by": "soon", "authored_at": "2024-02-31", "confidence": "2", "trust": "god",
        "id": "a b", "domain": ("x",),
    }  # fmt: skip
    found = describe(fields, "research/x.md", "")
    assert dict(found.facts) == {**fields, "domain": "x"}
    assert found.content_type == "research"
    assert (found.review_by, found.authored_at, found.confidence, found.trust, found.id) == (None,) * 5


def test_empty_and_null_values_clear_a_field() -> None:
    found = describe({"title": "", "domain": "null", "authored_at": "~", "tags": ""}, "x.md", "")
    assert found == Description(title="x")


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("```\n# no\n```\n\n# The **real** one #\n", "my file"),
        ("# The **real** one #\n", "The real one"),
        ("Real one\n===\n", "Real one"),
        ("#\n\n# Second", "Second"),
        ("no heading", "my file"),
        ("    # code", "my file"),
    ],
)
def test_the_title_falls_back_to_the_heading_above_all_text_then_the_name(body: str, title: str) -> None:
    assert describe({}, "a/my file.md", body).title == title


def test_a_date_in_the_name_counts_unless_frontmatter_has_one() -> None:
    assert describe({}, "a/2024-05-06-talk.md", "").authored_at == at(2024, 5, 6, 12)
    assert describe({"authored_at": "2020-01-01"}, "2024-05-06.md", "").authored_at == at(2020, 1, 1, 12)
    assert describe({}, "a/2024-15-06-talk.md", "").authored_at is None
    assert describe({}, "a/2024-05-061.md", "").authored_at is None


def test_tags_may_be_one_string_with_commas() -> None:
    assert describe({"tags": "a, #b,,a"}, "x.md", "").tags == ("a", "b")


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("x" * 49, 0.20),
        ("x" * 50, 0.30),
        ("x" * 201, 0.40),
        ("x" * 501, 0.50),
        ("x" * 50 + "\n\n## H\n", 0.40),
        ("x" * 50 + "\n\n```\n## H\n```\n", 0.30),
        ("x" * 50 + "\n- item", 0.35),
        ("We decided to keep it, " + "x" * 40, 0.45),
        ("Optamos por dejarlo así, " + "x" * 40, 0.45),
        ("The root cause is known, " + "x" * 40, 0.40),
        ("Undecided prefix debugger " + "x" * 40, 0.30),
    ],
)
def test_quality_adds_up_as_documented(text: str, score: float) -> None:
    assert quality(text, Description(title="t")) == score
    described = Description(title="t", tags=("a",), domain="d", workstream="w")
    assert quality(text, described) == pytest.approx(score + 0.15)


def test_quality_never_exceeds_one() -> None:
    text = "## H\n\n- decided\n- fixed\n" + "x" * 600
    assert quality(text, Description(title="t", tags=("a",), domain="d", workstream="w")) == 1.0
