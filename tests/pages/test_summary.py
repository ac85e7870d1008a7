"""What a summary says: each thing once, by date, within its limits, and nothing where there is little."""

from __future__ import annotations

from hearth.markdown.owned_lines import PageStatement
from hearth.pages.summaries import DECISIONS, MILESTONES, OPEN, SummarySource, summarise


def source(text: str, kind: str = "decision", date: str = "2026-03-01", **given: object) -> SummarySource:
    return SummarySource(PageStatement(text, (f"{kind}{text}",), date), kind, **given)  # type: ignore[arg-type]


def texts(*sources: SummarySource) -> dict[str, list[str]]:
    return {section: [one.text for one in group] for section, group in summarise(sources).items()}


def test_statements_stand_in_their_sections_by_date() -> None:
    found = texts(
        source("Is the quern paid?", "question"),
        source("Committed: the second lid.", "milestone", "2026-03-03"),
        source("We chose Redis.", date="2026-03-02"),
        source("We chose oak.", date="2026-03-01"),
        source("Send the invoice.", "commitment", "2026-03-04"),
        source("The lid fits.", "progress", "2026-03-02"),
    )
    assert found == {
        DECISIONS: ["We chose oak.", "We chose Redis."],
        MILESTONES: ["The lid fits.", "Committed: the second lid."],
        OPEN: ["Is the quern paid?", "Send the invoice."],
    }


def test_two_statements_make_no_summary_nor_does_one_said_three_times() -> None:
    assert texts(source("We chose oak."), source("We chose Redis.")) == {}
    said = "The user decided to limit the results of autocomplete to 5"
    again = (f"{said}.", f"{said} items to be quick.", f"{said}, as was said.")
    assert texts(*(source(text, date=f"2026-03-0{at + 1}") for at, text in enumerate(again))) == {}


def test_what_is_not_decided_yet_is_no_decision() -> None:
    settled = [source(f"We chose {name}.") for name in ("oak", "ash", "elm")]
    open_ones = (
        "The user is still thinking about the decision.",
        "The user is trying to decide on oak.",
        "The user hasn't chosen yet.",
    )
    assert len(texts(*settled, *map(source, open_ones))[DECISIONS]) == 3


def test_over_the_cap_what_was_only_meant_and_what_is_old_and_unused_leaves() -> None:
    names = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "yew", "willow")
    rows = [source(f"We chose {name}.", date=f"2026-03-{at + 10}") for at, name in enumerate(names)]
    assert "We chose ash." not in texts(*rows)[DECISIONS] and len(texts(*rows)[DECISIONS]) == 12
    used = [source("We chose ash.", date="2026-03-10", uses=2), *rows[1:]]
    assert texts(*used)[DECISIONS][0] == "We chose ash."
    meant = [*rows[:-1], source("We chose willow.", date="2026-03-22", tier="implied")]
    assert "We chose willow." not in texts(*meant)[DECISIONS]
