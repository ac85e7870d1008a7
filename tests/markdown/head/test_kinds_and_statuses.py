"""Types and statuses of notes by what stands in them, whatever their folder is called."""

from __future__ import annotations

import pytest

from hearth.markdown.description import describe
from hearth.markdown.frontmatter import split


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
        ("# Oven is cold\n\n## Meaning\n\na\n\n## Impact\n\nb\n\n## Diagnosis\n\nc\n\n## Mitigation\n\nd\n", "runbook"),
        ("## 4 March - bakers' meeting\n\n| | |\n|---|---|\n| Attending | Ana, Bo |\n\n- ovens\n", "meeting"),
        ("- RFC Type: feature\n- RFC Status: approved\n\n# Summary\n\nRye.\n\n# Motivation\n\nMoney.\n", "rfc"),
        ("# Weekly sync\n\nAttendees: Ana, Bo\n\nOvens.\n", "meeting"),
        ("# 1:1 with Ana, 2024-03-05\n\n- ovens\n", "meeting"),
        ("# Teamtreffen 12.3.2024\n\n- Öfen\n", "meeting"),
        ("# Week ending 7 June 2024\n\nThe oven came.\n", "weekly"),
        ("# Week 36, 2024\n\nThe oven came.\n", "weekly"),
        ("# Bakers' minutes, 5 March 2024\n\nOvens.\n", "meeting"),
        ("---\nrfc: 12\n---\n# Sell rye\n\nWe should.\n", "rfc"),
        ("---\nstatus: accepted\ndeciders: Ana\nconsulted: Bo\n---\n# Sell rye\n\nWe do.\n", "decision"),
        ("# RFC 12: sell rye\n\nWe should.\n", "rfc"),
        ("# Week 36\n\nThe oven came.\n", "weekly"),
        ("# Bread\n\nContext matters for a decision.\n", "note"),
        ("# How we decide\n\n## Context\n\nx\n\n## Decision\n\ny\n", "note"),
        ("# What RFC 7231 says\n\nOf methods.\n", "note"),
        ("# Party\n\nParticipants: Ana\n", "note"),
        ("# Tasks before the kick-off meeting with the bakers\n\n- flour\n", "note"),
        ("# RFC 9110: HTTP semantics\n\nOf methods.\n", "note"),
        ("# How to run a postmortem\n\n## Timeline\n\nSay when.\n", "note"),
        ("# Meetings and their keys\n\nOf 5 March 2024.\n", "note"),
        ("# Week 3 - Sequences and series\n\nOf a course.\n", "note"),
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


_PROPOSAL = "# Rye\n\n## Goals\n\na\n\n## Alternatives\n\nb\n\n## Risks\n\nc\n\n## Open questions\n\nd\n"


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("notes/rye.md", "rfc"),
        ("decision-records/rye.md", "decision"),
        ("notes/shop-ADR-0007-rye.md", "decision"),
        ("notes/SHOP-ADR-WEB-007.md", "decision"),
    ],
)
def test_what_is_called_a_decision_is_one_though_it_is_laid_out_like_a_proposal(path: str, content_type: str) -> None:
    assert read(_PROPOSAL, path)[0] == content_type


def test_a_running_number_in_its_name_is_a_part_of_a_decision() -> None:
    body = "# Use rye\n\n## Context\n\nx\n\n## Decision\n\ny\n"
    assert read(body, "choices/0007-use-rye.md")[0] == "decision"
    assert read(body, "choices/use-rye.md")[0] == "note"
    assert read(body, "choices/2024-use-rye.md")[0] == "note"


@pytest.mark.parametrize(
    ("collection", "path", "body", "content_type"),
    [
        ("runbooks", "alerts/OvenCold.md", "# OvenCold\n\n## Meaning\n\nx\n\n## Diagnosis\n\nx\n", "runbook"),
        ("runbooks", "names.md", "# How ovens are named\n\n## Checks\n\nx\n", "note"),
        ("team-meetings", "2024/2024-03-25/README.md", "# Ovens\n\nWe met.\n", "meeting"),
        ("shop-rfcs", "0007-rye.md", "# Rye\n\nWe sell it.\n", "rfc"),
        ("team-meetings", "2024/ovens-03-25.md", "# Ovens\n\nWe met.\n", "meeting"),
        (
            "postmortems",
            "oven.md",
            "# Oven\n\n## Timeline\n\na\n\n## Lessons learned\n\nb\n\n## Attendees\n\nc\n",
            "postmortem",
        ),
        ("team-meetings", "how-to-record.md", "# How to record\n\nPress the button.\n", "note"),
        ("team-meetings", "README.md", "# Meetings\n\nAgenda: below\n", "note"),
        ("notes", "0007-rye.md", "# Rye\n\nWe sell it.\n", "note"),
    ],
)
def test_the_name_of_a_collection_tells_the_type_of_what_bears_it_out(
    collection: str, path: str, body: str, content_type: str
) -> None:
    assert describe({}, path, body, collection=collection).content_type == content_type


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("adr/0000-template.md", "# Title\n\nStatus: accepted\n\nDate: 2024-01-02\n\n## Context\n\n## Decision\n"),
        ("adr/templates/nygard.md", "# ADR-0001: x\n\nDate: 2024-01-02\n\nStatus: accepted\n"),
        ("adr/new.md", "# {short title}\n\n- Status: accepted\n- Date: {YYYY-MM-DD}\n\n## Context\n\n{why}\n"),
        ("adr/new.md", "# ADR-NNNN: [what we decided]\n\nStatus: proposed\n\n## Decision\n\n[the decision]\n"),
        ("m/new.md", "# Team meeting\n\nDate: YYYY-MM-DD\nAttendees: ...\nChair: TODO\n\n## Agenda\n\n- ...\n"),
    ],
)
def test_a_template_is_no_note_of_its_kind(path: str, body: str) -> None:
    found = describe({}, path, body)
    assert (found.content_type, found.status, found.authored_at) == ("note", None, None)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("adr/0003-use-templates.md", "# Use templates\n\nStatus: accepted\n\n## Context\n\nThey help.\n"),
        ("adr/0004-x.md", "# Use `Box<Bread>`\n\nStatus: accepted\n\n## Context\n\nIt holds.\n\n## More\n\nTODO\n"),
    ],
)
def test_a_decision_with_a_gap_is_no_template(path: str, body: str) -> None:
    assert read(body, path) == ("decision", "accepted")


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
        ("Status: Review", "proposed"),
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
