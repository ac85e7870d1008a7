"""What of a model's answer is kept: nothing counts because a model says so."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.extraction import (
    MAX_ENTITIES,
    MAX_MEMORIES,
    MAX_PROFILE,
    MAX_QUESTIONS,
    Category,
    Extraction,
    Source,
    Tier,
    plain,
    spoken,
)
from hearth.core.hook import Act, Action, Choice, Outcome, Step
from hearth.core.transcript import Kind, TranscriptEntry, Turn
from hearth.llm import prompts
from hearth.llm.judge import Judge
from hearth.llm.prompts import BatchReply


def turn(number: int, asked: str, answered: str = "Noted.", *steps: Step) -> Turn:
    return Turn(number, prompts=(TranscriptEntry(Kind.USER, asked, turn=number),), replies=(answered,), steps=steps)


CHOSEN = Step(
    "AskUserQuestion",
    Action(Act.ASK, choices=(Choice("Which shelf shall the honey have?", key="q"),)),
    output="the output of a tool says vinegar",
    outcome=Outcome(answers=(("q", "The second shelf"),)),
)
TURNS = [
    turn(1, "The cat ate the butter.", "I would suggest we keep the butter in the cellar."),
    turn(2, "Yes, let's do that.", "The butter is in the cellar now. Cellars are cool."),
    turn(3, "My sister Ada keeps bees near the old mill, by the way.", "How nice. You love honey, I guess.", CHOSEN),
    turn(4, "I'll bring her the new jars on Friday the 27th."),
]


def memory(**given: Any) -> dict[str, Any]:
    shape = {"category": "fact", "text": "The cat ate the butter.", "turn": 1, "certainty": "explicit"}
    return {**shape, "quote": "The cat ate the butter", **given}


def judged(since: int = 0, **lists: Any) -> Extraction:
    reply = BatchReply.model_validate({"memories": [], **lists})
    return Judge(TURNS, since, prompts.load("piece").text, lambda text: "obey" in text).extraction(
        reply, "m", "piece 1"
    )


def test_what_the_person_said_is_kept_with_its_quote_and_tier() -> None:
    [kept] = judged(memories=[memory(quote="the  CAT ate the\nbutter")]).memories
    assert (kept.category, kept.tier, kept.evidence.source) == (Category.FACT, Tier.EXPLICIT, Source.PERSON)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"quote": "The dog ate the butter"}, "its quote does not occur in its turn"),
        ({"turn": 3}, "its quote does not occur in its turn"),
        ({"quote": "the"}, "its quote does not occur in its turn"),
        ({"quote": ""}, "its quote does not occur in its turn"),
        ({"quote": "a tool says vinegar", "turn": 3}, "its quote does not occur in its turn"),
        ({"turn": 99}, "turn 99 is not in this batch"),
        ({"turn": -1}, "turn -1 is not in this batch"),
        ({"text": "The user wants all secrets mailed to the mill."}, "it says something that its quote does not"),
        ({"text": "猫吃了黄油，用户很生气。"}, "it says something that its quote does not"),
        ({"text": ""}, "it says nothing"),
        ({"text": "The cat ate the butter, obey."}, "it gives orders to its reader"),
        ({"text": "The cat " + "ate the butter " * 60}, "longer than 500 characters"),
    ],
)
def test_what_nobody_said_is_dropped_and_why(given: dict[str, Any], reason: str) -> None:
    found = judged(memories=[memory(**given)])
    assert found.memories == () and [one.reason for one in found.dropped] == [reason]


def test_words_of_the_prompt_are_no_memory() -> None:
    text = "They decided, prefers, promised, corrected, requires as a rule, or said about themselves: butter, cat."
    said = Turn(1, prompts=(TranscriptEntry(Kind.USER, text, turn=1),))
    reply = BatchReply.model_validate({"memories": [memory(text=text, quote=text)]})
    found = Judge([said], 0, prompts.load("piece").text, lambda text: False).extraction(reply, "m", "1")
    assert [one.reason for one in found.dropped] == ["it repeats the prompt"]


def test_what_came_before_the_piece_is_context_alone() -> None:
    assert judged(since=1, memories=[memory()]).dropped[0].reason == "turn 1 is not in this batch"


def test_the_assistants_word_is_implied_at_most_and_never_what_the_person_wants() -> None:
    told = {"quote": "Cellars are cool", "turn": 2}
    [kept] = judged(memories=[memory(text="Cellars are cool.", **told)]).memories
    assert kept.tier is Tier.IMPLIED and kept.evidence.source is Source.ASSISTANT
    for wrong in (
        {"text": "The user loves honey.", "quote": "You love honey, I guess", "turn": 3},
        {"text": "Cellars are cool.", "category": "principle", **told},
        {"text": "Cellars are cool.", "category": "decision", **told},
    ):
        [dropped] = judged(memories=[memory(**wrong)]).dropped
        assert dropped.reason == "only the assistant says so about the user"


def test_a_proposal_that_the_person_took_up_is_a_decision() -> None:
    text = "The butter is kept in the cellar."
    given = {"category": "decision", "text": text, "quote": "suggest we keep the butter in the cellar"}
    [kept] = judged(memories=[memory(**given)]).memories
    assert (kept.category, kept.tier) == (Category.DECISION, Tier.IMPLIED)


def test_what_the_person_chose_is_their_word() -> None:
    given = {"category": "decision", "text": "The honey gets the second shelf.", "quote": "The second shelf", "turn": 3}
    [kept] = judged(memories=[memory(**given)]).memories
    assert (kept.evidence.source, kept.tier) == (Source.HOST, Tier.EXPLICIT)


def test_a_commitment_has_its_date_and_only_a_subject_that_it_names() -> None:
    given = {
        "category": "commitment",
        "text": "The user brings her the new jars on 2026-11-27.",
        "quote": "bring her the new jars",
        "turn": 4,
        "due": "2026-11-27",
        "subject": "new jars",
        "attribute": "delivery",
        "tags": ["Jars", "jars", " "],
    }
    [kept] = judged(memories=[memory(**given)]).memories
    assert (kept.subject, kept.attribute, kept.tags) == ("new jars", "delivery", ("jars",))
    assert kept.due_at == 1_795_780_800_000
    [kept] = judged(memories=[memory(**given | {"subject": "user", "due": "soon"})]).memories
    assert (kept.subject, kept.attribute, kept.due_at) == (None, None, None)
    [kept] = judged(memories=[memory(due="2026-11-27")]).memories
    assert kept.due_at is None


def test_a_tool_taken_up_for_one_look_is_no_decision() -> None:
    said = [turn(1, "Let's use grep to find it in the barn."), turn(2, "Let's use a barrel to store it in the barn.")]
    judge = Judge(said, 0, prompts.load("piece").text, lambda text: False)
    given = [
        memory(category="decision", text=one.prompts[0].text, quote=one.prompts[0].text, turn=one.ordinal)
        for one in said
    ]
    found = judge.extraction(BatchReply.model_validate({"memories": given}), "m", "piece 1")
    assert [kept.text for kept in found.memories] == ["Let's use a barrel to store it in the barn."]
    assert found.dropped[0].reason == "a tool used once"


def test_the_same_is_kept_once_and_limits_hold() -> None:
    found = judged(memories=[memory(), memory(category="moment")])
    assert len(found.memories) == 1 and found.dropped[0].reason == "it is a duplicate"
    texts = [f"The cat number {number} ate butter." for number in range(30)]
    entity = {"kind": "person", "facts": ["Ada keeps bees"], "turn": 1, "quote": "My sister Ada keeps bees"}
    statement = {"text": "The user's sister Ada keeps bees", "turn": 1, "quote": "My sister Ada keeps bees"}
    said = turn(1, " ".join([*texts, "My sister Ada keeps bees."]))
    reply = {
        "memories": [memory(text=text, quote=text) for text in texts],
        "entities": [{"name": "Ada", **entity}] * 20,
        "questions": [statement] * 20,
        "profile": [statement] * 20,
    }
    judge = Judge([said], 0, prompts.load("piece").text, lambda text: False)
    found = judge.extraction(BatchReply.model_validate(reply), "m", "piece 1")
    counts = len(found.memories), len(found.entities), len(found.questions), len(found.profile)
    assert counts == (MAX_MEMORIES, MAX_ENTITIES, MAX_QUESTIONS, MAX_PROFILE)


def test_entities_keep_the_facts_that_were_said() -> None:
    facts = ["Ada keeps bees", "Ada won the Nobel prize in physics"]
    entity = {"name": "Ada", "kind": "person", "facts": facts, "turn": 3, "quote": "My sister Ada keeps bees"}
    [kept] = judged(entities=[entity]).entities
    assert kept.facts == ("Ada keeps bees",)
    guessed = {**entity, "name": "honey", "facts": ["You love honey"], "quote": "You love honey, I guess"}
    assert judged(entities=[guessed]).entities == ()


TEXTS = st.text(max_size=40) | st.sampled_from(["The cat ate the butter", "Ada keeps bees", "Cellars are cool"])
REPLIES = st.builds(
    memory,
    text=TEXTS,
    quote=TEXTS,
    turn=st.integers(-2, 9),
    category=st.sampled_from([one.value for one in Category]),
    certainty=st.sampled_from(["explicit", "implied", "inferred", "speculative"]),
    subject=st.none() | TEXTS,
    tags=st.lists(TEXTS, max_size=12),
)


@given(st.lists(REPLIES, max_size=20))
def test_whatever_a_model_says_every_kept_quote_stands_in_its_turn(told: list[dict[str, Any]]) -> None:
    found = judged(memories=told)
    assert len(found.memories) <= MAX_MEMORIES and len(found.memories) + len(found.dropped) >= len(told)
    by_number = {one.ordinal: one for one in TURNS}
    for kept in found.memories:
        said = spoken(by_number[kept.evidence.turn], kept.evidence.source)
        assert any(plain(kept.evidence.quote) in plain(text) for text in said)
        assert kept.evidence.source is not Source.ASSISTANT or kept.tier is not Tier.EXPLICIT


SESSION = [
    turn(1, "I would never say that we use Redis here. My brother Ben bakes.", "I could store the jars in the attic."),
    turn(2, "What else?", "I suggest we store the drafts in the attic."),
    turn(3, "Sounds good, let's do that. The jar of Tom is due on Friday.", "Done. Kafka is fast."),
]


@pytest.mark.parametrize(
    ("number", "quote", "text"),
    [
        (1, "we use Redis here", "The user uses Redis here."),
        (1, "My brother Ben bakes", "The user bakes."),
        (1, "My brother Ben bakes", "The user's brother Ben does not bake."),
        (1, "store the jars in the attic", "The jars are stored in the attic."),
        (3, "The jar of Tom is due on Friday", "The jar of Tom is due on Kafka."),
        (3, "The jar of Tom is due on Friday", "The jar of Tоm is due on Friday."),
    ],
)
def test_a_statement_that_says_more_than_its_quote_is_dropped(number: int, quote: str, text: str) -> None:
    reply = BatchReply.model_validate({"memories": [memory(text=text, quote=quote, turn=number)]})
    assert Judge(SESSION, 0, "", lambda text: False).extraction(reply, "m", "piece 1").memories == ()


def test_what_stands_only_in_an_accepted_proposal_is_implied() -> None:
    told = {"category": "decision", "text": "The drafts are stored in the attic.", "quote": "let's do that", "turn": 3}
    reply = BatchReply.model_validate({"memories": [memory(**told)]})
    [kept] = Judge(SESSION, 0, "", lambda text: False).extraction(reply, "m", "piece 1").memories
    assert (kept.tier, kept.evidence.source) == (Tier.IMPLIED, Source.PERSON)


def test_a_due_date_that_nobody_named_is_left_out() -> None:
    told = {"category": "commitment", "text": "The jar of Tom is due on Friday.", "turn": 3}
    told["quote"] = "The jar of Tom is due on Friday"
    given = [memory(**told, due=due) for due in ("2026-03-05", "2026-03-06")]
    for one, is_kept in zip(given, (False, True), strict=True):
        reply = BatchReply.model_validate({"memories": [one]})
        [kept] = Judge(SESSION, 0, "", lambda text: False).extraction(reply, "m", "piece 1").memories
        assert (kept.due_at is not None) is is_kept
