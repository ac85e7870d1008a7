"""What a person says in place of what they said in another session, without a mark of lasting: noticed, and told apart
from what only looks like it."""

from __future__ import annotations

import pytest
from tests.capture.conftest import START, Talk

from hearth.core.instants import DAY_MS
from hearth.core.memory import STATEMENTS
from hearth.ports import Filter, StoredDocument


def tell(talk: Talk, *prompts: str, project: str = "larder") -> None:
    """Each in a session of its own, a day after the other."""
    for prompt in prompts:
        number = len(talk.files())
        one = Talk(talk.folder, talk.environ, f"{number}-{talk.name}", project)
        one.now = START + number * DAY_MS
        one.turn(prompt)
        one.end()
        assert one.capture.run(everything=True).problems == ()
        one.vault.close()
    talk.again()


def find_memories(talk: Talk) -> dict[str, StoredDocument]:
    with talk.vault.store.read() as reader:
        found = list(reader.each_document(Filter(types=STATEMENTS, include_hidden=True)))
    return {one.document.title.rstrip("."): one for one in found if not one.state.pending}


def find_standing(talk: Talk) -> dict[str, bool]:
    return {title: one.state.superseded_by is None for title, one in find_memories(talk).items()}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("invoices are rendered with wkhtmltopdf", "the invoices moved over to weasyprint, wkhtmltopdf is abandoned"),
        ("we host the shop on Linode", "hosting is at Hetzner now, Linode got too dear"),
        ("choir practice is on Wednesdays", "choir practice is on Thursdays from now on"),
        ("the rent is 740", "the rent went up to 790"),
        ("our podcast is called Night Shift", "our podcast goes by Late Train now"),
        ("the mock-ups are in Sketch", "the mock-ups moved to Figma, nobody opens Sketch any more"),
        ("Der Chor probt dienstags", "Der Chor probt ab sofort donnerstags"),
        ("usamos Jenkins para el CI", "el CI corre en GitHub Actions, ya no usamos Jenkins"),
    ],
)
def test_a_later_sentence_takes_the_place_of_an_earlier_one(talk: Talk, older: str, newer: str) -> None:
    tell(talk, older, newer)
    first, second = (f"{text[:1].upper()}{text[1:]}" for text in (older, newer))
    assert find_standing(talk) == {first: False, second: True}
    kept = find_memories(talk)
    assert (kept[first].document.authored_at or 0) < (kept[second].document.authored_at or 0)
    assert kept[first].document.facts["session"] != kept[second].document.facts["session"]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("we host the shop on Linode", "what if we moved the hosting from Linode to Hetzner"),
        ("we host the shop on Linode", "should we leave Linode for Hetzner?"),
        ("we host the shop on Linode", "the agency moved from Linode to Hetzner"),
        ("we host the shop on Linode", "my brother says Linode is dead, Hetzner it is"),
        ("we host the shop on Linode", "translate: “We have moved from Linode to Hetzner.”"),
        ("we host the shop on Linode", "the staging box is at Hetzner now"),
        ("I drink oat milk", "Selma gave up oat milk"),
        ("I live in Porto", "I live in a flat with two cats"),
        ("I live in Porto", "the docs moved to Outline"),
        ("the team writes Java", "every team but ours writes Java now"),
        ("the totals column is hidden", "now the totals column is gone again"),
        ("yes, keep going", "yes, push the changes"),
    ],
)
def test_what_is_supposed_quoted_of_others_or_of_the_moment_changes_nothing(talk: Talk, older: str, newer: str) -> None:
    tell(talk, older, newer)
    assert all(find_standing(talk).values())
    assert not {title for title in find_standing(talk) if "gone" in title or "keep going" in title}


def test_another_project_is_another_matter(talk: Talk) -> None:
    tell(talk, "we host everything on Linode", project="larder")
    tell(talk, "hosting is at Hetzner now, we left Linode", project="cellar")
    assert all(find_standing(talk).values())


def test_what_is_told_of_oneself_holds_in_every_project(talk: Talk) -> None:
    tell(talk, "my dentist is Dr Amsel", project="larder")
    tell(talk, "my dentist is Dr Specht now", project="cellar")
    assert find_standing(talk) == {"My dentist is Dr Amsel": False, "My dentist is Dr Specht now": True}


def test_back_and_forth_leaves_the_last_one_standing(talk: Talk) -> None:
    tell(
        talk,
        "charts are drawn with Plotly",
        "charts are drawn with Vega now, Plotly is gone",
        "we went back to Plotly for the charts, Vega is out",
    )
    standing = [title for title, stands in find_standing(talk).items() if stands]
    assert standing == ["We went back to Plotly for the charts, Vega is out"]


def test_what_is_captured_again_is_kept_once(talk: Talk) -> None:
    tell(talk, "charts are drawn with Plotly", "charts are drawn with Vega now, Plotly is gone")
    before = {title: one.document.docid for title, one in find_memories(talk).items()}
    assert len(before) == 2
    assert talk.again().run(everything=True).documents == ()
    assert {title: one.document.docid for title, one in find_memories(talk).items()} == before


def test_without_conversations_nothing_is_compared(talk: Talk) -> None:
    talk.environ["HEARTH_CAPTURE_CONVERSATIONS"] = "false"
    tell(talk, "charts are drawn with Plotly", "charts are drawn with Vega now, Plotly is gone")
    assert find_standing(talk) == {}


def test_what_replaced_the_answer_stands_in_its_place(talk: Talk) -> None:
    tell(
        talk,
        "the test runner is Mocha",
        "the smoke tests of the oven run at noon, the runner needs a minute",
        "Mocha is history, Vitest it is",
    )
    first, *others = talk.vault.recall("which test runner do we use?").hits
    assert "Vitest" in first.snippet
    assert all("Mocha" not in hit.snippet or "Vitest" in hit.snippet or hit.hidden for hit in others)
