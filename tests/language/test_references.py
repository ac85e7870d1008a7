"""Which notes an answer used, and by what it is told."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.references import MAX_ANSWER, ShownNote, content, find_quoted, grams, references

LEDGER = ShownNote(
    docid="0a1b2c3d4e5f6g7h",
    title="Ledger reconciliation",
    collection="notes",
    path="decisions/ledger-reconciliation.md",
    text="The ledger is reconciled nightly by a cron job; mismatches above 5 euros page the treasury desk.",
)
BACKUP = ShownNote(
    docid="9z8y7x6w5v4t3s2r",
    title="Notes",
    collection="notes",
    path="ops/index.md",
    text="Backups go to the tape library. Restores are rehearsed each quarter by the night shift.",
)
SHOWN = [LEDGER, BACKUP]


def used(answer: str, shown: list[ShownNote] | None = None, prompt: str = "") -> list[tuple[str, str]]:
    return [(found.docid[:2], found.by) for found in references(answer, shown or SHOWN, prompt)]


def named(title: str, docid: str = "1" * 16, text: str = "") -> ShownNote:
    return ShownNote(docid, title, "notes", f"{docid}.md", text)


def test_what_repeats_a_note_takes_no_use_from_it() -> None:
    said = "As the notes have it, mismatches above 5 euros page the treasury desk."
    session = ShownNote("5" * 16, "Session", "_hearth", "agent/conversations/a.md", said, echo=True)
    assert used(said, [*SHOWN, session]) == [("0a", "phrase")]
    assert used(said, [BACKUP, session]) == [("55", "phrase")]
    assert find_quoted(said, {"a": LEDGER.text, "b": said}) == set()
    assert find_quoted(said, {"a": LEDGER.text, "b": said}, echoes={"b"}) == {"a"}


@pytest.mark.parametrize(
    "answer",
    [
        "See notes/decisions/ledger-reconciliation.md.",
        "As `decisions/ledger-reconciliation.md:12` says, …",
        "I read /home/ana/vault/notes/decisions/ledger-reconciliation.md first",
        "(ledger-reconciliation.md)",
        "**Decisions/Ledger-Reconciliation.md**, line 3",
    ],
)
def test_a_path_in_any_of_its_forms_is_a_reference(answer: str) -> None:
    assert used(answer) == [("0a", "path")]


@pytest.mark.parametrize(
    "answer",
    [
        "See index.md and the index of the table.",
        "Edit src/index.md, then README.md.",
        "other/ledger-reconciliation.md is another file",
        "my-ledger-reconciliation.md and ledger-reconciliation.mdx",
        "decisions/ledger-reconciliation.md.bak/x",
        "Add the stem ledger to the index; take notes.",
    ],
)
def test_generic_names_and_other_files_are_none(answer: str) -> None:
    assert used(answer) == []


def test_a_generic_name_counts_with_its_folder() -> None:
    assert used("ops/index.md tells how.") == [("9z", "path")]


def test_a_file_name_that_two_items_share_names_neither() -> None:
    twins = [ShownNote(str(i) * 16, "", "notes", f"{folder}/rollout-plan-b.md", "") for i, folder in enumerate("ab")]
    assert used("In rollout-plan-b.md it says so.", twins) == []
    assert used("In a/rollout-plan-b.md it says so.", twins) == [("00", "path")]


@pytest.mark.parametrize("answer", ["From 0a1b2c3d4e5f6g7h.", "(#0A1B2C3D4E5F6G7H)", "see #0a1b2c"])
def test_a_docid_or_a_marked_beginning_of_it_is_a_reference(answer: str) -> None:
    assert used(answer) == [("0a", "docid")]


@pytest.mark.parametrize("answer", ["0a1b2c", "#0a1b2", "x0a1b2c3d4e5f6g7h", "0a1b2c3d4e5f6g7h9"])
def test_less_of_a_docid_or_more_is_none(answer: str) -> None:
    assert used(answer) == []


def test_a_beginning_that_two_docids_share_names_neither() -> None:
    assert used("see #111111", [named("", "1" * 16), named("", "1" * 15 + "2")]) == []


@pytest.mark.parametrize(
    ("title", "answer"),
    [
        ("Ledger reconciliation", "The *ledger*\nreconciliation runs nightly."),
        ("Ledger reconciliation", "LEDGER RECONCILIATION!"),
        ("Größenordnung Prüfstelle", "Laut grössenordnung prüfstelle gilt das."),
        ("Запуск прод-кластера", "Смотри «Запуск прод-кластера»."),
        ("支付服务重试策略", "根据支付服务重试策略我们应该等待。"),
        ("Zookeeper", "Zookeeper holds the lock."),
        ("निर्णय सूची पुस्तक", "देखें निर्णय सूची पुस्तक में।"),
    ],
)
def test_a_title_is_a_reference_in_any_script(title: str, answer: str) -> None:
    assert used(answer, [named(title)]) == [("11", "title")]


@pytest.mark.parametrize(
    ("title", "answer"),
    [
        ("Notes", "I took notes."),
        ("Index", "The index is large."),
        ("Meeting notes", "As in the meeting notes."),
        ("Project overview", "Here is a project overview."),
        ("Session 12", "In session 12 we met."),
        ("March 2024", "It was March 2024."),
        ("Config", "Change the config."),
        ("会议记录", "请看会议记录。"),
        ("Redis", "Redised and preredis"),
        ("Kafka", "kafkaesque"),
        ("Plan", "The plan."),
        ("", "anything"),
        ("*****", "*****"),
    ],
)
def test_a_generic_short_or_partial_title_is_none(title: str, answer: str) -> None:
    assert used(answer, [named(title)]) == []


def test_a_one_word_title_that_the_prompt_said_is_none_but_two_words_are() -> None:
    shown = [named("Zookeeper", "1" * 16), named("Zookeeper quorum", "2" * 16)]
    prompt = "What about the zookeeper quorum?"
    assert used("Zookeeper is fine.", shown, prompt) == []
    assert used("The Zookeeper quorum is fine.", shown, prompt) == [("22", "title")]


def test_a_title_inside_a_longer_one_is_named_only_where_it_stands_alone() -> None:
    shown = [named("Ledger reconciliation", "1" * 16), named("Ledger reconciliation runbook", "2" * 16)]
    assert used("The ledger reconciliation runbook has it.", shown) == [("22", "title")]
    both = "The ledger reconciliation runbook has it, and ledger reconciliation too."
    assert used(both, shown) == [("11", "title"), ("22", "title")]


def test_a_title_that_two_items_share_names_neither() -> None:
    assert used("Ledger reconciliation.", [named("Ledger reconciliation", str(i) * 16) for i in (1, 2)]) == []


def test_wording_of_one_item_alone_is_a_reference() -> None:
    answer = "If the difference exceeds 5 euros, somebody at the treasury desk gets a call."
    found = references(answer, SHOWN, "What happens when books differ?")
    assert [(item.docid, item.by, item.evidence) for item in found] == [(LEDGER.docid, "phrase", "treasuri desk")]


def test_wording_that_another_item_or_the_prompt_has_is_none() -> None:
    answer = "Somebody at the treasury desk gets a call."
    assert used(answer, [LEDGER, named("", text="Ask the treasury desk.")]) == []
    assert used(answer, SHOWN, "Who is at the treasury desk?") == []
    assert used(answer, SHOWN, "Which treasury, and which desk?") == []


def test_two_passages_of_one_document_do_not_cancel_each_other() -> None:
    again = ShownNote(LEDGER.docid, LEDGER.title, LEDGER.collection, LEDGER.path, "Call the treasury desk.")
    assert used("Somebody at the treasury desk gets a call.", [LEDGER, again]) == [("0a", "phrase")]


@pytest.mark.parametrize(
    "answer",
    [
        "Great to hear! Let me know if you need help with the next step, and feel free to ask more questions.",
        "You can use the function to return a list of values from the file.",
        "是的，我们可以的，这个问题是什么？",
    ],
)
def test_what_is_said_in_every_answer_is_no_reference(answer: str) -> None:
    assert used(answer, [named("", text=answer)]) == []


def test_wording_in_chinese_is_a_reference() -> None:
    shown = [
        named("甲", "1" * 16, "支付网关在超时之后最多重试三次，每次等待时间加倍。"),
        named("乙", "2" * 16, "备份每天凌晨写入磁带库，由夜班人员检查。"),
    ]
    assert used("建议沿用最多重试三次的做法。", shown, "失败了怎么办？") == [("11", "phrase")]
    assert used("天气很好，适合出门散步。", shown) == []


@pytest.mark.parametrize("text", ["निर्णय सूची", "пры́клад тэкст", "cafe\u0301 na\u0308he", "کِتاب خانه"])
def test_a_word_keeps_together_with_its_marks(text: str) -> None:
    assert len(content(text, "hi")) == 2


def test_the_longer_an_answer_the_more_a_phrase_must_say() -> None:
    filler = random.Random(5)
    words = ["alpha", "river", "yellow", "station", "paper", "cloud", "window", "garden", "silver", "market"]
    item = named("", text="Mismatches page the treasury desk.")
    short = "Somebody at the treasury desk gets a call."
    assert used(short, [item]) == [("11", "phrase")]
    assert used(short + " " + " ".join(filler.choices(words, k=4_000)), [item]) == []


def test_each_item_is_told_once_in_the_order_shown_by_the_strongest_sign() -> None:
    answer = "ops/index.md says tape library. Ledger reconciliation pages the treasury desk, see #0a1b2c."
    assert used(answer) == [("0a", "docid"), ("9z", "path")]


@given(
    answer=st.text(max_size=200),
    shown=st.lists(st.builds(ShownNote, st.text(max_size=4), *[st.text(max_size=12)] * 4), max_size=4),
    prompt=st.text(max_size=20),
)
def test_any_text_gives_items_that_were_shown_each_once(answer: str, shown: list[ShownNote], prompt: str) -> None:
    found = [reference.docid for reference in references(answer, shown, prompt)]
    assert len(found) == len(set(found))
    assert set(found) <= {item.docid for item in shown}
    assert references(answer, shown, prompt) == references(answer, shown, prompt)


@given(text=st.text(min_size=5, max_size=60))
def test_a_path_is_found_whatever_it_holds(text: str) -> None:
    name = "".join(char for char in text if char.isalnum())
    item = ShownNote("1" * 16, "", "notes", f"deep/{name}x.md", "")
    assert used(f"See notes/deep/{name}x.md for more.", [item]) == [("11", "path")]


def test_what_ten_items_cost_grows_no_faster_than_the_answer(steps: Callable[..., int]) -> None:
    rng = random.Random(3)
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(3, 9))) for _ in range(3_000)]
    shown = [
        named(" ".join(rng.choices(words, k=3)), str(i) * 16, " ".join(rng.choices(words, k=270))) for i in range(10)
    ]
    answers = [" ".join(rng.choices(words, k=count)) for count in (4_000, 8_000)]
    references(answers[1], shown, "what?")
    short, long = (steps(lambda answer=answer: references(answer, shown, "what?")) for answer in answers)
    assert long < 2.2 * short
    assert short < 40_000


@pytest.mark.timeout(30)  # quadratic work on any of them takes minutes
@pytest.mark.parametrize("piece", ["Ledger reconciliation ", "a/", "#0a1b2c"])
def test_hostile_repetition_is_read_to_its_end(piece: str) -> None:
    assert len(references(piece * (MAX_ANSWER // len(piece)), SHOWN, "")) <= len(SHOWN)


def test_runs_of_characters_reach_to_the_last_one() -> None:
    assert grams("青銅器時代", "ja", 4) == {("青銅器時",), ("銅器時代",)}
