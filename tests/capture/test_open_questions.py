"""What an agent asked last and nobody answered is open until the person answers it."""

from __future__ import annotations

from tests.capture.conftest import Talk

CACHE = "Should the importer cache archives in Redis or on the disk?"


def listed(talk: Talk, status: str = "open") -> list[str]:
    return [one.text for one in talk.vault.knowledge.questions.show(status)]


def test_what_an_agent_asked_last_becomes_an_open_question_once(talk: Talk) -> None:
    talk.turn("Look at the importer of the larder.", f"It reads archives. {CACHE}")
    talk.end()
    talk.capture.run()
    assert listed(talk) == [CACHE]
    other = f"Reads them one by one. {CACHE.replace('Redis or', 'Redis, or')}"
    talk.turn("Look at how the importer reads.", other)
    talk.end()
    talk.capture.run()
    assert listed(talk, "all") == [CACHE]


def test_a_persons_next_words_answer_what_the_agent_stopped_with(talk: Talk) -> None:
    talk.turn("Look at the importer of the larder.", f"It reads archives. {CACHE}")
    talk.end()
    talk.capture.run()
    assert listed(talk) == [CACHE]
    talk.turn("The second one, please.", "I changed the importer and ran its tests.")
    talk.end()
    talk.capture.run()
    assert (listed(talk), listed(talk, "answered")) == ([], [CACHE])
    again = talk.again()
    again.run()
    assert listed(talk, "answered") == [CACHE]


def test_a_later_session_answers_by_most_of_the_words_and_a_name(talk: Talk) -> None:
    talk.vault.memories.remember(CACHE, "question", project="larder")
    talk.vault.memories.remember("Should the exporter write Parquet files?", "question", project="larder")
    talk.turn("What does Redis cost?", "Nothing.")
    talk.turn("The importer should cache its archives on the disk, not in Redis.", "I changed the importer.")
    talk.end()
    talk.capture.run()
    assert listed(talk) == ["Should the exporter write Parquet files?"]
