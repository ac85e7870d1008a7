"""The report of a run says what was taken, known, merged and skipped, and why."""

from __future__ import annotations

from hearth.importers.runs import MAX_LISTED, ImportReport, describe


def test_a_report_names_the_run_that_can_be_undone_only_if_something_changed() -> None:
    report = ImportReport("mine-1")
    report.count("known", "slack")
    assert report.to_dict()["run"] is None
    assert not any("undo" in line for line in describe(report))
    report.count("taken", "slack")
    assert report.to_dict()["run"] == "mine-1"
    assert "hearth undo --run mine-1" in describe(report)[-1]


def test_a_dry_run_says_that_nothing_was_written() -> None:
    report = ImportReport("mine-1", dry_run=True)
    report.count("taken", "slack")
    assert describe(report)[0] == "would take in: 1 document"
    assert report.to_dict()["run"] is None


def test_a_place_is_named_once_where_its_error_names_it_too() -> None:
    report = ImportReport()
    report.skip("can't be read", "/a.db", "/a.db can't be read: file is not a database")
    assert report.problems == ["/a.db: can't be read: file is not a database"]


def test_reasons_are_counted_and_the_first_places_are_listed() -> None:
    report = ImportReport()
    for number in range(MAX_LISTED + 5):
        report.skip("nothing was said", f"{number}.json")
    report.skip("nothing was said")
    assert report.skipped == {"nothing was said": MAX_LISTED + 6}
    assert len(report.problems) == MAX_LISTED
    assert report.problems[0] == "0.json: nothing was said"
