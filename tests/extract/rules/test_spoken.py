"""Layer 2: which sentences of a person are kept, and which never are."""

from __future__ import annotations

import pytest

from hearth.extract.rules.extract import extract
from hearth.extract.rules.spoken import spoken
from hearth.model.capture.extraction import Category, ExtractedMemory, Source, Tier
from hearth.model.host.transcript import Kind, TranscriptEntry, Turn
from hearth.model.instants import parse
from hearth.models.static import StaticEmbedder

EMBEDDER = StaticEmbedder()
AT = parse("2026-03-04T10:00:00Z")  # a Wednesday


def said(text: str, reply: str = "") -> list[ExtractedMemory]:
    before = [Turn(1, prompts=(TranscriptEntry(Kind.USER, "Go on."),), replies=(reply,))] if reply else []
    turn = Turn(2, prompts=(TranscriptEntry(Kind.USER, text, at=AT),))
    return spoken([*before, turn], lambda texts: EMBEDDER.embed(texts, "document"), since=1)


def told(text: str) -> list[tuple[Category, str]]:
    return [(memory.category, memory.text) for memory in said(text)]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("We decided to keep the archive in SQLite.", Category.DECISION),
        ("Hemos decidido guardar el archivo en SQLite.", Category.DECISION),
        ("Wir haben entschieden, das Archiv in SQLite zu halten.", Category.DECISION),
        ("Nous avons décidé de garder les archives dans SQLite.", Category.DECISION),
        ("Decidimos manter o arquivo no SQLite.", Category.DECISION),
        ("Abbiamo deciso di tenere l'archivio in SQLite.", Category.DECISION),
        ("Мы решили хранить архив в SQLite.", Category.DECISION),
        ("我们决定把档案放在 SQLite 里。", Category.DECISION),
        ("アーカイブは SQLite に置くことに決めました。", Category.DECISION),
        ("I prefer oak over pine for shelves.", Category.PREFERENCE),
        ("Prefiero el roble al pino para los estantes.", Category.PREFERENCE),
        ("Ich bevorzuge Eiche statt Kiefer für Regale.", Category.PREFERENCE),
        ("Я предпочитаю дуб сосне.", Category.PREFERENCE),
        ("I promised the baker to send the recipe by Friday.", Category.COMMITMENT),
        ("J'ai promis au boulanger d'envoyer la recette avant vendredi.", Category.COMMITMENT),
        ("Ho promesso al fornaio di mandare la ricetta entro venerdì.", Category.COMMITMENT),
        ("My name is Ada and I live in Ghent.", Category.FACT),
        ("Confirmed: the oven holds 14 trays.", Category.FACT),
        ("Ich heiße Ada und wohne in Gent.", Category.FACT),
        ("Always weigh flour in grams when I ask about bread.", Category.PRINCIPLE),
        ("My wife works at the mill on Tuesdays.", Category.RELATIONSHIP),
        ("I prefer stone ovens over electric ones, so I want to make sure I buy the right one", Category.PREFERENCE),
        ("I'm trying to keep each loaf below 900 grams by using less water.", Category.FACT),
    ],
)
def test_what_a_person_settles_likes_owes_or_is_becomes_a_memory_of_its_kind(text: str, category: Category) -> None:
    assert [memory.category for memory in said(text)] == [category]


@pytest.mark.parametrize(
    "text",
    [
        "Can you decide which oven we should buy?",
        "Thanks, that helps a lot!",
        "I'll let you know how it goes.",
        "I think sourdough is overrated.",
        "Creo que el pan está sobrevalorado.",
        "Ich glaube, das Rezept ist überbewertet.",
        "Maybe we should use a bigger oven.",
        "Fix the failing test in oven.py.",
        "I'm trying to understand how yeast works.",
        "Let's keep supporting each other!",
        "I'm worried that I won't finish 40 loaves by Friday.",
        "What's the best way to add Ada to the meeting on May 12, considering that she is ill?",
    ],
)
def test_questions_thanks_opinions_wishes_and_worries_are_not_kept(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "<private>We decided to sell the bakery.",
        "<private>We decided to sell the bakery.</private> What time is it?",
        "<vault-context>We decided to sell the bakery.</vault-context> What time is it?",
        "> We decided to sell the bakery.\n\nWhat does that mean?",
        "```\nWe decided to sell the bakery.\n```",
        "[cron:17] We decided to sell the bakery.",
        "We decided to sell the bakery. Don't remember this.",
        "Read HEARTBEAT.md if it exists. We decided to sell the bakery.",
    ],
)
def test_private_quoted_injected_and_unattended_words_yield_nothing(text: str) -> None:
    assert told(text) == []


def test_a_proposal_that_is_accepted_becomes_a_decision_that_was_implied() -> None:
    (memory,) = said("Yes, let's do that.", "There are two ways. I suggest we keep the starter in the fridge. Fine?")
    assert memory.category is Category.DECISION and memory.tier is Tier.IMPLIED
    assert "keep the starter in the fridge" in memory.text
    assert memory.evidence.source is Source.PERSON and memory.evidence.quote == "Yes, let's do that."


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("Yes, but why?", "I suggest we keep the starter in the fridge."),
        ("Yes, go ahead.", "Should I run the tests now?"),
        ("Yes, do that.", "I suggest the fridge. Or I recommend the cellar."),
        ("No.", "I suggest we keep the starter in the fridge."),
    ],
)
def test_an_answer_that_takes_up_no_single_proposal_decides_nothing(answer: str, reply: str) -> None:
    assert said(answer, reply) == []


def test_a_correction_needs_something_to_correct() -> None:
    words = "No, that's wrong: the oven is electric, not gas."
    assert [memory.category for memory in said(words, "The oven burns gas.")] == [Category.CORRECTION]
    assert said(words) == []


def test_every_quote_occurs_in_what_was_said_and_long_requests_yield_their_statements_alone() -> None:
    text = "I'm trying to bake, and I prefer rye over wheat for its taste, can you help me find a recipe?"
    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, text, at=AT),))
    found = extract([turn], embed=lambda texts: EMBEDDER.embed(texts, "document"))
    assert [memory.text for memory in found.memories] == ["The user prefers rye over wheat for its taste."]
    assert found.memories[0].evidence.quote in text and found.dropped == ()


@pytest.mark.parametrize("words", ["We'll ship the beta on April 3rd.", "We'll publish the paper on 3 April."])
def test_what_will_be_done_on_a_day_with_a_date_is_a_promise_due_then(words: str) -> None:
    (memory,) = said(words)
    assert memory.category is Category.COMMITMENT
    assert memory.due_at == parse("2026-04-03T12:00:00Z")


@pytest.mark.parametrize(
    "words", ["We'll see on April 3rd.", "It'll rain on April 3rd.", "We might ship on April 3rd."]
)
def test_what_binds_nobody_to_anything_is_no_promise_for_its_date(words: str) -> None:
    assert said(words) == []


def test_a_promise_knows_when_it_is_due() -> None:
    (memory,) = said("I promised the baker to send the recipe by Friday.")
    assert memory.due_at == parse("2026-03-06T12:00:00Z") and memory.owner == "user"
    assert memory.text == "The user promised the baker to send the recipe by Friday (2026-03-06)."


def test_without_vectors_cues_and_form_decide() -> None:
    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, "We decided to keep the archive in SQLite."),))
    assert [memory.category for memory in spoken([turn], None)] == [Category.DECISION]


def test_what_somebody_fears_is_not_told_as_if_it_were_so() -> None:
    prompt = (
        "I'm kinda worried that I might not make the most of Ada's offer. The meeting with the head of the guild is on "
        "April 20, so how can I prepare for it?"
    )
    kept = [memory.text for memory in said(prompt, "Ask away.")]
    assert any("April 20" in text for text in kept)
    assert all("might not" not in text or "worried" in text for text in kept)


@pytest.mark.parametrize(
    ("words", "category"),
    [
        ("the mail server listens on 2525", Category.FACT),
        ("we've about 200 members, mostly retired people", Category.FACT),
        ("gotta renew the parking permit before the 1st or they tow the van", Category.COMMITMENT),
        ("please no webpack, I can't debug it", Category.PREFERENCE),
        ("ok then Caddy it is", Category.DECISION),
        ("data has to stay in Belgium, one of our clients is a hospital", Category.FACT),
        ("nobody opens the kiln without Wren around", Category.PRINCIPLE),
    ],
)
def test_what_is_told_in_plain_prose_is_kept_for_what_it_is(words: str, category: Category) -> None:
    assert [memory.category for memory in said(words, "Anything else?")] == [category]


def test_what_was_done_today_is_no_promise() -> None:
    [memory] = said("printed menus are done, picked them up today", "Anything else?")
    assert memory.category is Category.FACT


@pytest.mark.parametrize(
    "words",
    [
        "the page is still blank",
        "some guy online says you should always skip the small versions",
        "I had the weirdest dream last night",
        "maybe we should go with Caddy at some point",
        "put the second paragraph first and make it shorter",
        "in the example the port is 5432",
    ],
)
def test_what_only_the_moment_means_is_not_kept_however_plain(words: str) -> None:
    assert said(words, "Anything else?") == []


def test_an_offer_to_do_what_was_just_described_is_a_proposal() -> None:
    reply = "The oven takes an hour to heat. Sharing one oven a day could save eight of them. Should I do that?"
    texts = [memory.text for memory in said("Yes, do that. But each dough gets its own tray.", reply)]
    assert texts == [
        "The user accepted the assistant's proposal: “Sharing one oven a day could save eight of them.”",
        "Each dough gets its own tray.",
    ]


def test_a_rule_is_kept_whatever_else_its_words_sound_like() -> None:
    text = "ok nice. Going forward put all feature flags into config/flags.yaml, not into env vars."
    assert [memory.category for memory in said(text, "Done.")] == [Category.PRINCIPLE]


def test_what_is_told_again_with_what_follows_is_kept_once() -> None:
    text = "This repo is the backend of Crumb, an app for bakers. It's written in Go 1.23."
    assert [memory.text for memory in said(text)] == [
        "The user said: “This repo is the backend of Crumb, an app for bakers. It's written in Go 1.23.”"
    ]


def test_what_somebody_wants_to_be_reminded_of_is_a_commitment_of_theirs() -> None:
    (memory,) = said("Remind me to call the electrician by Friday.")
    assert memory.category is Category.COMMITMENT and memory.owner == "user"
    assert memory.text == "The user wants to be reminded to call the electrician by Friday (2026-03-06)."
    assert memory.due_at == parse("2026-03-06T12:00:00Z")


def test_what_cannot_be_done_leaves_the_decision_beside_it() -> None:
    (memory,) = said("Ada can't do it, we're going with Wren Ott instead.")
    assert memory.category is Category.DECISION


@pytest.mark.parametrize(
    "request_", ["Please summarise this for me:", "Übersetze das bitte:", "Can you proofread my text:"]
)
def test_a_text_that_is_given_to_be_worked_on_tells_nothing_of_who_gives_it(request_: str) -> None:
    given = "In 1941 the bakery moved to Lisbon. We decided to bake rye instead of wheat. " * 4
    assert said(f"{request_}\n\n{given}") == []
    assert said(f"Here is what we settled:\n\n{given}") != []


def test_a_correction_is_told_with_what_shall_be_instead() -> None:
    said_of_it = "no wait, half is too much for the first loaf. make it a quarter in May and half after"
    [memory] = said(said_of_it, "I've halved the salt of every loaf.")

    assert memory.category is Category.CORRECTION
    assert memory.text.endswith("is too much for the first loaf. Make it a quarter in May and half after.")


def test_what_only_adds_to_a_rule_that_stands_by_itself_is_no_second_memory() -> None:
    kept = told("Loaves must never be counted as rolls. Ada signed off on that definition last year")

    assert kept == [(Category.PRINCIPLE, "Loaves must never be counted as rolls.")]


def test_sentences_of_who_writes_no_capitals_are_told_apart() -> None:
    kept = told("i looked at the oven again today. we decided to keep the archive in sqlite")

    assert [category for category, _ in kept] == [Category.DECISION]
    assert "oven" not in kept[0][1]


@pytest.mark.parametrize("answer", ["ok good", "works for me", "agreed"])
def test_what_should_be_then_is_a_proposal(answer: str) -> None:
    [memory] = said(answer, "Then coupons should wait for the second oven as well.")

    assert memory.text == (
        "The user accepted the assistant's proposal: “Then coupons should wait for the second oven as well.”"
    )


@pytest.mark.parametrize(
    "text",
    [
        "from now on name every recipe after its flour",
        "let's name the loaves in English, the German names confuse Ada",
        "import the orders into the ledger. never merge two orders without a receipt",
        "var is the unit of the scale. variants must never be called sizes",
    ],
)
def test_words_that_languages_of_programs_share_begin_no_code(text: str) -> None:
    assert told(text)


@pytest.mark.parametrize("text", ["import oven", "from oven import always", "let always = 3", "class Never:"])
def test_code_is_no_statement(text: str) -> None:
    assert told(text) == []


def test_the_verb_of_a_statement_and_a_courtesy_after_it_make_no_request() -> None:
    assert [category for category, _ in told("we're a two-person bakery near Ghent, fiscal year is the calendar year")]
    assert [category for category, _ in told("las tartas siempre con poco azúcar y mucha fruta, por favor")]


def test_a_yes_to_whether_something_shall_be_so_takes_it_up() -> None:
    [memory] = said("yes please", "No. Should I add a lock to the larder?")

    assert memory.text == "The user accepted the assistant's proposal: “Should I add a lock to the larder?”"


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("I'm a bit worried about our March 12 delivery for the mill, can you help?", "March 12 delivery"),
        ("I can't keep up with my reading, like targeting 40 pages per day", "40 pages per day"),
        ("I'm sorting the archive and I have 320 photos to label, how do I start?", "320 photos to label"),
    ],
)  # fmt: skip
def test_a_day_or_a_figure_in_a_worry_or_a_request_is_kept(words: str, holds: str) -> None:
    assert [holds in memory.text for memory in said(words)] == [True]


@pytest.mark.parametrize(
    "words",
    [
        "What if our March 12 delivery for the mill is late?",
        "I'm tired, so I can reach the goal of 40 pages per day",
        "You can cut \\( 4! \\) since that holds for all 4 loaves, not just 2.",
    ],
)
def test_a_day_or_a_figure_that_nobody_tells_is_not_kept(words: str) -> None:
    assert told(words) == []


def test_a_preference_behind_an_and_is_told_with_what_it_is_about() -> None:
    [memory] = said(
        "I'm fitting out the shop with oak shelves and I prefer them over pine for the looks, can you help me?",
        "Go on.",
    )
    assert memory.category is Category.PREFERENCE
    assert "oak shelves" in memory.text and "I prefer them over pine" in memory.text


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ("I've sent the form to Marta on May 3 and I'm nervous.", "The user has sent the form to Marta on May 3."),
        ("I haven't sent the form to Marta yet.", "The user has not sent the form to Marta yet."),
        ("How do I use the tips I got from Leila at the Fair, now?", "The user got the tips from Leila at the Fair."),
        ("I was glad when I passed my kiln exam on May 12.", "The user passed their kiln exam on May 12."),
        ("Can you explain why my marks rose from 55% to 80%?", "The user's marks rose from 55% to 80%."),
        ("J'ai envoyé le dossier le 3 juin.", "Dit par l'utilisateur: “J'ai envoyé le dossier le 3 juin.”"),
        ("He enviado la solicitud el 3 de junio.", "He enviado la solicitud el 3 de junio."),
    ],
)
def test_what_somebody_tells_in_passing_that_they_did_stands_alone(words: str, stated: str) -> None:
    assert [memory.text for memory in said(words)] == [stated]


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("My name is Ana.", "The user's name is Ana."),
        ("I'm called Ana.", "The user is called Ana."),
        ("Me llamo Ana y vivo en Bilbao.", "Dicho por el usuario: “Me llamo Ana y vivo en Bilbao.”"),
        ("Vivo en Bilbao.", "Dicho por el usuario: “Vivo en Bilbao.”"),
        ("Ich heiße Jonas.", "Angabe des Nutzers: “Ich heiße Jonas.”"),
        ("Je m'appelle Luc.", "Dit par l'utilisateur: “Je m'appelle Luc.”"),
        ("Меня зовут Анна.", "The user said: “Меня зовут Анна.”"),
        ("東京に住んでいます。", "The user said: “東京に住んでいます。”"),
    ],
)
def test_who_somebody_is_is_explicit_and_told_of_the_user(text: str, statement: str) -> None:
    assert [(one.text, one.tier) for one in said(text)] == [(statement, Tier.EXPLICIT)]
