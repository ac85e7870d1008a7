"""A page that two write: what a person edited, added or deleted wins, whatever it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.markdown.owned_lines import (
    PageStatement,
    blank_statements,
    bullets,
    find_deleted,
    find_edited,
    key_of,
    merge,
)

ABOUT = "About you"
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=30)


def statement(text: str, *sources: str) -> PageStatement:
    return PageStatement(text, sources or ("abc",), "2026-03-01")


def page(*texts: str) -> str:
    return merge("# Profile", {ABOUT: [statement(text) for text in texts]}).body


def test_a_page_holds_each_statement_with_its_sources_and_its_date() -> None:
    body = merge("# Profile", {ABOUT: [statement("The user prefers tea.", "abc", "def")]}).body
    [shown] = bullets(body)
    assert (shown.text, shown.sources, shown.date) == ("The user prefers tea.", ("abc", "def"), "2026-03-01")
    assert body.startswith("# Profile\n\n## About you\n\n- The user prefers tea. (#abc, #def, 2026-03-01) ^h-")


def test_an_edited_bullet_is_the_persons_and_comes_back_neither_old_nor_new() -> None:
    body = page("The user prefers tea.").replace("tea", "green tea")
    merged = merge(body, {ABOUT: [statement("The user prefers tea.")]})
    assert merged.body == body
    assert [(one.text, one.sources) for one in bullets(body)] == [("The user prefers green tea.", ())]
    assert find_edited(body) == {key_of("The user prefers tea.")}
    assert merge(body, {}).body == body


def test_a_new_date_or_source_is_an_edit_too() -> None:
    body = page("The user prefers tea.").replace("2026-03-01", "2026-04-01")
    assert merge(body, {ABOUT: []}).body == body


def test_a_deleted_bullet_is_known_by_what_was_written() -> None:
    made = merge("# Profile", {ABOUT: [statement("One."), statement("Two.")]})
    body = "\n".join(line for line in made.body.split("\n") if "One." not in line)
    assert find_deleted(body, made.keys) == [key_of("One.")]


def test_a_statement_that_is_wanted_no_more_leaves_and_others_keep_their_place() -> None:
    body = page("One.", "Two.", "Three.")
    merged = merge(body, {ABOUT: [statement("Four."), statement("Three."), statement("One.", "def")]})
    assert [one.text for one in bullets(merged.body)] == ["One.", "Three.", "Four."]
    assert bullets(merged.body)[0].sources == ("def",)


def test_a_section_that_was_deleted_comes_back_only_for_what_is_new() -> None:
    assert merge("# Mine\n\ntext", {ABOUT: []}).body == "# Mine\n\ntext"
    assert merge("# Mine\n\ntext", {ABOUT: [statement("New.")]}).body.startswith("# Mine\n\ntext\n\n## About you\n\n- ")


def test_of_statements_that_differ_in_case_alone_one_stands_on_the_page() -> None:
    wanted = {ABOUT: [statement("J"), statement("j")]}
    merged = merge("", wanted)
    assert [one.text for one in bullets(merged.body)] == ["j"]
    assert merge(merged.body, wanted) == merged


@given(
    st.lists(TEXTS, min_size=1, max_size=8, unique_by=key_of),
    st.lists(st.tuples(st.sampled_from(("insert", "edit", "cut", "swap")), st.integers(0, 20), TEXTS), max_size=8),
    st.lists(TEXTS, max_size=4),
)
def test_whatever_a_person_does_their_lines_stay_and_a_second_run_changes_nothing(
    texts: list[str], edits: list[tuple[str, int, str]], more: list[str]
) -> None:
    made = merge("# Profile", {ABOUT: [statement(text) for text in texts]})
    lines = made.body.split("\n")
    own: list[str] = []
    for what, where, text in edits:
        at = where % (len(lines) + 1)
        if what == "insert":
            lines.insert(at, f"- own {text}")
        elif at < len(lines) and what == "edit":
            lines[at] += text
        elif at < len(lines) and what == "cut":
            del lines[at]
        elif at < len(lines) and what == "swap":
            lines[at], lines[0] = lines[0], lines[at]
    own = [line for line in lines if line.strip() and line not in made.body.split("\n")]
    body = "\n".join(lines)
    out = {*find_deleted(body, made.keys), *find_edited(body)}
    wanted = {ABOUT: [one for text in (*texts, *more) if (one := statement(text)).key not in out]}
    merged = merge(body, wanted)
    after = merged.body.split("\n")
    assert [line for line in own if line not in after] == []
    assert not any(statement(text).line in after for text in texts if key_of(text) in find_deleted(body, made.keys))
    assert merge(merged.body, wanted) == merged
    assert set(merged.keys) == set(merged.keys) - set(find_deleted(merged.body, merged.keys))


def test_what_a_search_reads_of_a_page_is_what_a_person_wrote_there_in_its_place() -> None:
    ours = PageStatement("The user bakes.", ("a" * 16,), "2026-03-02").line
    body = f"# Profile\n\n## About you\n\n{ours}\n- I am allergic to nuts.\n\n## Current focus\n\n{ours}"
    read = blank_statements(body)
    assert read.split() == ["#", "Profile", "##", "About", "you", "-", "I", "am", "allergic", "to", "nuts."]
    assert [len(line) for line in read.split("\n")] == [len(line) for line in body.split("\n")]
    assert not blank_statements(f"# Profile\n\n## About you\n\n{ours}").strip()
