"""Forms of basic-memory, Dataview and Obsidian are understood in any note."""

from __future__ import annotations

import pytest

from hearth.markdown.description import Description, describe

NOTE = """\
# Coffee

## Observations

- [method] Pour over brings out acidity. #brewing (in the morning)
- [Tip] Rinse the filter.
- [ ] buy filters
- [x] buy a kettle
- [link](https://example.org) is a link

## Relations

- supersedes [[Old coffee]]
- relates to [[Tea]]
- caused_by [[A broken kettle]]
- caused_by [[A cold kitchen]]

rating:: 5
Bought at [shop:: Corner Store].

```cpp
std:: vector
```
"""


def read(body: str, **fields: str) -> Description:
    return describe(fields, "coffee.md", body)


def test_categories_of_observations_are_tags_and_boxes_of_tasks_are_not() -> None:
    assert set(read(NOTE).tags) == {"method", "tip", "brewing"}


def test_a_relation_in_a_list_is_stated_like_one_in_the_frontmatter() -> None:
    facts = read(NOTE).facts
    assert facts["supersedes"] == "[[Old coffee]]"
    assert facts["caused_by"] == "[[A broken kettle]], [[A cold kitchen]]"
    assert not any("Tea" in value for value in facts.values())
    assert read(NOTE, supersedes="[[Older]]").facts["supersedes"] == "[[Older]]"


def test_keys_with_two_colons_are_facts_wherever_they_stand_but_not_in_code() -> None:
    facts = read(NOTE).facts
    assert (facts["rating"], facts["shop"]) == ("5", "Corner Store") and "std" not in facts


@pytest.mark.parametrize("line", ["title:: Tea", "trust:: external", "- tags:: a, b"])
def test_what_a_block_says_of_itself_is_not_said_of_the_note(line: str) -> None:
    found = read(f"# Coffee\n\nText.\n\n{line}\n")
    assert (found.title, found.trust, found.tags) == ("Coffee", None, ())


@pytest.mark.parametrize(
    "said",
    [
        "> Superseded by [[Plan B]]",
        "Status: superseded by [[Plan B]]",
        "- supersedes [[Plan B]]",
        "status:: superseded",
    ],
)
def test_what_is_said_in_a_conversation_is_not_said_of_it(said: str) -> None:
    found = read(f"# Talk\n\n{said}\n", content_type="conversation")
    assert found.status is None
    assert not {"superseded_by", "supersedes", "succeeds", "status"} & found.facts.keys()
