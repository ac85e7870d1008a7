"""Types and statuses of notes by what stands in them, whatever their folder is called."""

from __future__ import annotations

import pytest

from hearth.markdown.head.description import describe
from hearth.markdown.head.frontmatter import split


def read(text: str, path: str = "x/note.md") -> tuple[str, str | None]:
    head = split(text)
    found = describe(head.fields, path, text[head.end_char :])
    return found.content_type, found.status


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("# Use a queue\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\ny\n", "decision"),
        ("# Cola\n\n## Estado\n\nAceptada\n\n## Contexto\n\nx\n\n## Decisión\n\ny\n", "decision"),
        ("# Queue\n\n## Considered Options\n\n* a\n\n## Decision Outcome\n\nb\n\n### Consequences\n\nc\n", "decision"),
        ("# Warteschlange\n\n**Kontext**\n\nx\n\n**Entscheidung**\n\ny\n\n**Konsequenzen**\n\nz\n", "decision"),
        ("| Status | Accepted |\n|---|---|\n| Context | x |\n| Decision | y |\n", "decision"),
        ("# ADR-0012: Use a queue\n\nA queue it is.\n", "decision"),
        ("# Tuesday\n\nAttendees: Ana, Bo\n\n## Agenda\n\n- ovens\n", "meeting"),
        ("# Dienstag\n\nAnwesend: Ana, Bo\n\nTagesordnung:\n- Öfen\n", "meeting"),
        ("# 定例\n\n参加者: 田中、佐藤\n\n## 議題\n\n- 窯\n", "meeting"),
        ("# Oven is cold\n\n## Symptoms\n\na\n\n## Diagnosis\n\nb\n\n## Rollback\n\nc\n", "runbook"),
        ("# Burnt bread\n\n## Timeline\n\na\n\n## Root cause\n\nb\n\n## Lessons learned\n\nc\n", "postmortem"),
        ("# RFC 12: sell rye\n\nWe should.\n", "rfc"),
        ("# Week 36\n\nThe oven came.\n", "weekly"),
        ("# Bread\n\nContext matters for a decision.\n", "note"),
        ("# How we decide\n\n## Context\n\nx\n\n## Decision\n\ny\n", "note"),
        ("# What RFC 7231 says\n\nOf methods.\n", "note"),
        ("# Party\n\nParticipants: Ana\n", "note"),
    ],
)
def test_structure_tells_the_type_in_any_folder(body: str, content_type: str) -> None:
    assert read(body)[0] == content_type


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("architecture-decision-records/0001-x.md", "decision"),
        ("docs/Meeting notes/2024-03-05.md", "meeting"),
        ("protokolle/2024-03-05.md", "meeting"),
        ("議事録/窯.md", "meeting"),
        ("ops/runbooks/oven.md", "runbook"),
        ("post-mortems/oven.md", "postmortem"),
        ("rfcs/0007-rye.md", "rfc"),
        ("log/2024-W12.md", "weekly"),
        ("decisions/README.md", "note"),
        ("adr/template.md", "note"),
        ("meeting-rooms/keys.md", "note"),
    ],
)
def test_folders_are_known_by_more_than_one_name(path: str, content_type: str) -> None:
    assert read("# Bread\n\nRye.\n", path)[0] == content_type


def test_frontmatter_names_the_type() -> None:
    assert read("---\nType: Meeting\n---\n# Bread\n")[0] == "meeting"
    assert read("---\ntags: [adr, oven]\n---\n# Bread\n")[0] == "decision"
    assert read("---\ntype: recipe\n---\n# Bread\n")[0] == "note"


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Status: accepted", "accepted"),
        ("**Status**: ❌", "rejected"),
        ("- State: withdrawn by the author", "rejected"),
        ("| Status | Date |\n|---|---|\n| Deprecated | 2024-01-02 |", "deprecated"),
        ("## Status\n\n~~Accepted~~\n\nSuperseded by [9](0009-x.md)", "superseded"),
        ("## Status\n\n- [ ] Accepted\n- [x] Rejected", "rejected"),
        ("Statut : remplacée par 0006", "superseded"),
        ("Estado: aprobada", "accepted"),
        ("ステータス: 却下", "rejected"),
        ("> **Deprecated**: the oven is gone", "deprecated"),
        ("Why: it is cheap. Status: in force.", "accepted"),
        ("Status: accepted, supersedes 0003", "accepted"),
        ("Status: {proposed | accepted | rejected | deprecated}", None),
        ("Status: Proposed | Accepted | Rejected | Superseded", None),
        ("We rejected the other oven.", None),
    ],
)
def test_the_status_of_a_decision_is_read_where_it_may_stand(said: str, status: str | None) -> None:
    assert read(f"# Oven\n\n{said}\n\nMore of it.\n", "adr/0005-oven.md") == ("decision", status)


def test_of_other_notes_only_what_no_longer_holds_is_a_status() -> None:
    assert read("---\nstatus: done\n---\n# Trip\n") == ("note", None)
    assert read("---\nstatus: obsolete\n---\n# Trip\n") == ("note", "deprecated")


def test_a_decision_names_what_took_its_place_and_of_what_it_takes_the_place() -> None:
    older = describe({}, "adr/0004-a.md", "# A\n\nStatus: superseded by ADR-0007\n").facts
    newer = describe({}, "adr/0007-b.md", "# B\n\nStatus: accepted, supersedes 4\n").facts
    linked = describe({}, "adr/0001-c.md", "# C\n\nStatus: superseded by [7](0007-b.md)\n").facts
    assert (older["superseded_by"], newer["succeeds"], linked["superseded_by"]) == ("#7", "#4", "0007-b.md")
