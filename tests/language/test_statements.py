"""What somebody says that is meant to last, and what is not."""

from __future__ import annotations

import pytest

from hearth.language.statements import Mark, find_statements


def marks(text: str) -> list[str]:
    return [str(one.mark) for one in find_statements([text])]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("From now on date the files by week.", Mark.STANDING),
        ("ab sofort bitte nur noch in Celsius", Mark.STANDING),
        ("Never bake on a Sunday.", Mark.ALWAYS),
        ("on ne livre jamais le lundi", Mark.ALWAYS),
        ("必ず日付を入れてください", Mark.ALWAYS),
        ("We settled on rye for the loaf.", Mark.DECIDED),
        ("al final nos quedamos con centeno", Mark.DECIDED),
        ("he decidido usar centeno para el pan", Mark.DECIDED),
        ("I changed my mind about the loaves: one size for all", Mark.DECIDED),
        ("I prefer rye to wheat.", Mark.PREFER),
        ("preferisco le risposte brevi", Mark.PREFER),
        ("My name is Odile.", Mark.SELF),
        ("ich heiße Odile", Mark.SELF),
        ("don't publish anything without asking me", Mark.BAN),
        ("don't write docstrings for private functions, ever", Mark.BAN),
        ("do not use the old mailer any more, it drops messages", Mark.BAN),
        ("nimm den alten Mailer nicht mehr, der verliert Mails", Mark.BAN),
        ("Every loaf must have a label.", Mark.MUST),
        ("No, ovens are measured in Celsius here.", Mark.CORRECT),
        ("I'll send the order by Thursday", Mark.PROMISE),
        ("we use a stone mill, not a steel one", Mark.OURS),
        ("use metric units from here on, ok?", Mark.STANDING),
        ("all invoices go out by post going forward", Mark.STANDING),
        ("I'm Odile, the one who bakes", Mark.SELF),
        ("let's go with rye", Mark.DECIDED),
        ("提交前都必须写测试", Mark.ALWAYS),
    ],
)
def test_a_mark_tells_what_is_meant_to_last(text: str, mark: Mark) -> None:
    assert marks(text) == [mark]


@pytest.mark.parametrize(
    "text",
    [
        "add a label to the loaf",
        "bake it again",
        "do we always bake on Sundays?",
        "can we use rye here",
        "maybe we always use rye",
        "my neighbour says you must never use rye",
        "oh great, another oven, because we never have enough",
        "I changed my mind about the glaze, leave it off",
        "I changed my mind about the glaze: please take it off",
        "ich habe es mir mit der Glasur anders überlegt, mach sie wieder weg",
        "j'ai changé d'avis sur le glaçage, enlève-le",
        "he cambiado de idea sobre el glaseado, quítalo",
        "the oven heats slowly, don't know why, worse than ever",
        "it always fails with an error",
        "immer noch derselbe Fehler",
        "toujours pas de pain",
        "works now, thanks!",
        "never touch that file",
        "el horno siempre me da error",
        "I don't know",
        "I moved the recipes to the new folder",
        "I am new to it, and slow",
        "let's say I'm a baker",
        "let's go with your suggestion",
        "yes, let's go with the second approach",
        "write down which mill we will use",
        "we are not using the right oven",
        "make a plan for the mill going forward",
        "Going forward this should be how it is done",
        "first, show me how the app uses the list",
        "the app is just showing an empty list",
        "No, its ovens are made of stone",
        "no, what happens to the orders of Ada",
        "piec nie działa dzisiaj",
        "список не всегда растягивается",
        "必须点击按钮",
        "まだ焼かないで",
        "我是希望每道菜都可以上传照片",
    ],
)
def test_errands_questions_doubts_and_other_peoples_words_are_nothing(text: str) -> None:
    assert marks(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("remember this: the mill is closed in May", "The mill is closed in May."),
        ("Can you remember that my train is on June 3?", "My train is on June 3."),
        ("IMPORTANT: never leave the flour outside", "Never leave the flour outside."),
        ("Merk dir bitte, dass Tilo die Öfen wartet", "Tilo die Öfen wartet."),
        ("no olvides que Rosa lleva las cuentas", "Rosa lleva las cuentas."),
        ("记住：面粉在地下室", "面粉在地下室。"),
        ("粉は地下室にあります。覚えておいて。", "粉は地下室にあります。"),
        ("The mill is closed in May. Don't forget.", "The mill is closed in May."),
        ("please note that Ulf orders the yeast", "Ulf orders the yeast."),
    ],
)
def test_what_is_to_be_remembered_is_kept_without_the_request(text: str, kept: str) -> None:
    [one] = find_statements([text])
    assert (one.text, one.mark) == (kept, Mark.REMEMBER)


@pytest.mark.parametrize(
    "text",
    [
        "Rename the list. Sort it by week. Remember to update the index, too.",
        "Where does the list belong? I looked at both. Note that there is a folder, but I am not sure whether it fits.",
        "Fit the settings to the mill. Use the newest ones. Keep in mind it is a stone mill.",
        "Build a list of orders. Sort it by day. Group it.\nIMPORTANT:\n- the total must come last",
    ],
)
def test_what_to_mind_in_a_task_is_not_for_later(text: str) -> None:
    assert marks(text) == []


@pytest.mark.parametrize(
    "text",
    ["do you remember when we met?", "I can't remember", "remember how it went?", "can you remind me of the recipe?"],
)
def test_asking_after_a_memory_asks_nothing_to_be_kept(text: str) -> None:
    assert marks(text) == []


def test_statements_about_oneself_in_one_sentence_are_kept_apart() -> None:
    found = find_statements(["My name is Odile, I live in Arles and I work as a baker."])
    assert [one.text for one in found] == ["My name is Odile.", "I live in Arles.", "I work as a baker."]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("We should never set a date by hand, please remove that.", "We should never set a date by hand."),
        ("I decided to bake with rye, but I'm not sure how much of it fits.", "I decided to bake with rye."),
        ("I chose the stone mill, can you list its parts?", "I chose the stone mill."),
    ],
)
def test_a_clause_counts_whatever_the_next_one_asks(text: str, kept: str) -> None:
    assert [one.text for one in find_statements([text])] == [kept]


def test_what_follows_a_doubt_or_a_supposition_counts_no_more_than_it() -> None:
    assert marks("Maybe we drop the mill, and we go with rye.") == []
    assert marks("Let's say I run a shop. I always bake on Sundays.") == []


def test_what_only_its_form_tells_counts_where_a_prompt_says_little_else() -> None:
    assert marks("we use a stone mill") == [Mark.OURS]
    assert marks("Do this. Then that. And then the next. we use a stone mill") == []


def test_a_mark_without_anything_that_is_to_last_is_nothing() -> None:
    assert marks("From now on") == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (["Flour is weighed in grams everywhere.", "summarise this"], ["Flour is weighed in grams everywhere."]),
        (["what does she want from us?", "Die Mühle mahlt auch am Sonntag."], ["Die Mühle mahlt auch am Sonntag."]),
        (["summarise this", "I see the same list."], []),
        (["summarise this", "the list is empty now."], []),
        (["summarise this", "It is the second one."], []),
        (["what is wrong here?", "The importer fails on Mondays."], []),
        (["summarise this", "Keep it short, three points."], []),
        (["Flour is weighed in grams everywhere."], []),
        (["what is this?", "Flour is weighed in grams.", "The mill is closed."], []),
        (["Here is the order list:", "Report on the loaves and their prices."], []),
        (["Here is the order list:", "The printer is not showing the prices."], []),
        (["should the order be turned round?", "Flour is weighed in grams."], []),
    ],
)
def test_beside_a_text_a_whole_sentence_about_how_things_are_counts(said: list[str], kept: list[str]) -> None:
    assert [one.text for one in find_statements(said, beside=True)] == kept
    assert find_statements(said) == []
