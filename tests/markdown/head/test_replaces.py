"""A decision that says what it replaces, as people write it."""

from __future__ import annotations

import pytest

from hearth.markdown.description import describe
from hearth.markdown.kinds import replaced


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Status: accepted. Replaces [[0005-jwt-for-sessions]].", ("0005-jwt-for-sessions",)),
        ("Supersedes: [[001-redis]], [[002-rq|the second]]", ("001-redis", "002-rq")),
        ("**Supersedes** [3. Use Redis](0003-use-redis.md)", ("0003-use-redis.md",)),
        (
            "- Supercedes [3. Use Redis](../adr/0003-use%20redis.md#why) and [[004]]",
            ("../adr/0003-use redis.md", "004"),
        ),
        ("Ersetzt [[001-redis]].", ("001-redis",)),
        ("Estado: aceptada. Sustituye a [[001-redis]]", ("001-redis",)),
        ("Status: accepted. It replaces nothing, see [[001-redis]].", ()),
        ("A cache never replaces [[001-redis]].", ()),
        ("Superseded by [[009-valkey]]", ()),
        ("Replaces the queue of [[001-redis]]", ()),
        ("Replaces [the old page](https://example.org/old)", ()),
    ],
)
def test_what_is_said_to_be_replaced(line: str, names: tuple[str, ...]) -> None:
    assert replaced(f"# A decision\n\n{line}\n") == names


def test_what_stands_further_down_or_in_another_note_says_nothing() -> None:
    assert replaced("# A decision\n" + "\n" * 12 + "Replaces [[001]]\n") == ()
    body = "# Talk\n\nReplaces [[001]]\n"
    assert "supersedes" not in describe({}, "talks/a.md", body).facts
    assert describe({}, "decisions/a.md", body).facts["supersedes"] == "001"
    assert describe({"supersedes": "b.md"}, "decisions/a.md", body).facts["supersedes"] == "b.md"
