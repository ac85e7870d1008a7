"""Parts of a note, as links name them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.markdown.links import lines_of

NOTE = """---
title: x
---
Begin ^start

# One

text over
two lines ^two

## Deep

- item ^i1
  - inner ^i2
    - innermost
- last

# Two

## Deep

> quoted ^q

```
code ^no
```

^fence

# Naïve: [[Link|Shown]] *mark*

end
"""


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        ("^start", (4, 4)),
        ("^two", (8, 9)),
        ("^TWO", (8, 9)),
        ("^i1", (13, 15)),
        ("^i2", (14, 15)),
        ("^q", (22, 22)),
        ("^fence", (24, 26)),
        ("^no", None),
        ("One", (6, 16)),
        ("Deep", (11, 16)),
        ("Two#Deep", (20, 28)),
        ("Deep#Two", None),
        ("naive shown mark", (30, 32)),
        ("", None),
        ("^", None),
        ("#", None),
    ],
)
def test_a_part_is_where_the_link_says(part: str, lines: tuple[int, int] | None) -> None:
    assert lines_of(NOTE, part) == lines


def test_a_block_of_its_own_at_the_beginning_names_itself() -> None:
    assert lines_of("^a\n\ntext\n", "^a") == (1, 1)


@given(st.text(alphabet="#^ab -\n>`", max_size=60), st.text(alphabet="#^ab ", max_size=8))
def test_a_part_lies_inside_the_note_or_nowhere(text: str, part: str) -> None:
    found = lines_of(text, part)
    if found is not None:
        assert 1 <= found[0] <= found[1] <= text.count("\n") + 1
