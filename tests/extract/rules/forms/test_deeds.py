"""What somebody did on a day or with somebody named, and what they never did, is told by its form."""

from __future__ import annotations

import pytest

from hearth.extract.rules.forms.deeds import find_deed


@pytest.mark.parametrize(
    "said",
    [
        "I've never used any citation management software, like Zotero",
        "I've never used any 3D software such as Blender",
        "I have never actually enrolled in any pottery courses.",
        "We have never rented kilns from other studios before",
        "I just attended a workshop on glazes on May 3.",
        "I've submitted the application to Marta for review on April 10",
        "I downloaded Zotero to keep my references together",
    ],
)
def test_what_was_done_with_something_named_and_what_was_never_done_is_told(said: str) -> None:
    assert find_deed(said, "en") == said.rstrip(".")


@pytest.mark.parametrize(
    "said",
    [
        "I've never seen anything like that!",
        "I've never been so happy about a Monday",
        "I have never thought of it that way",
        "I've never done this before",
        "If I've never used any kilns, where do I begin?",
        "I submitted the application",
        "I just attended another long meeting",
        "I would have never bought any kiln from them",
        "I'd be glad if I could say when I passed the exam in Leeds",
    ],
)
def test_a_feeling_a_condition_and_what_may_be_anything_is_none(said: str) -> None:
    assert find_deed(said, "en") is None


@pytest.mark.parametrize(
    ("said", "deed"),
    [
        ("but I've never rented a kiln from anybody", "I've never rented a kiln from anybody"),
        ("I've never rented a kiln from them, so I'm nervous", "I've never rented a kiln from them"),
        ("I've sent the form to Marta on May 3 and I'm nervous", "I've sent the form to Marta on May 3"),
        ("I was glad when I passed my kiln exam on May 12, giving me hope", "I passed my kiln exam on May 12"),
        (
            "I don't see why I have never taken any glazing classes before",
            "I have never taken any glazing classes before",
        ),
        ("I love pots, but I've never joined any pottery class before.", "I've never joined any pottery class before"),
        ("I haven't sent the kiln form to Marta yet", "I have not sent the kiln form to Marta yet"),
    ],
)
def test_the_clause_that_tells_it_stands_alone(said: str, deed: str) -> None:
    assert find_deed(said, "en") == deed


def test_of_a_question_only_what_it_takes_for_granted_is_told() -> None:
    asked = "How do I work the tips I got from Leila at the Kiln Fair in 2022 into my talk?"
    assert find_deed(asked, "en", asked=True) == "I got the tips from Leila at the Kiln Fair in 2022"
    assert find_deed("Have I never taken any glazing classes?", "en", asked=True) is None
    assert find_deed("Did I send the form to Marta on May 3?", "en", asked=True) is None


@pytest.mark.parametrize(
    ("language", "said", "deed"),
    [
        (
            "de",
            "Ich habe noch nie einen Brennofen gemietet, lohnt sich das?",
            "Ich habe noch nie einen Brennofen gemietet",
        ),
        ("es", "Nunca he usado ningún horno eléctrico, ¿cuál compro?", "Nunca he usado ningún horno eléctrico"),
        ("fr", "Je n'ai jamais loué de four à bois, est-ce cher ?", "Je n'ai jamais loué de four à bois"),
        ("pt", "Eu nunca usei nenhum forno elétrico, qual compro?", "Eu nunca usei nenhum forno elétrico"),
        ("it", "Non ho mai usato un forno elettrico, quale compro?", "Non ho mai usato un forno elettrico"),
        ("ru", "Я никогда не арендовал печь для обжига, это дорого?", "Я никогда не арендовал печь для обжига"),
        ("zh", "我从来没有租过电窑，贵吗？", "我从来没有租过电窑"),
    ],
)
def test_what_was_never_done_is_told_before_a_question_in_other_languages(language: str, said: str, deed: str) -> None:
    assert find_deed(said, language, asked=True) == deed


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Gestern habe ich den Antrag bei Frau Krüger eingereicht"),
        ("es", "Me inscribí el 4 de marzo en el curso de cerámica"),
        ("fr", "J'ai envoyé le dossier à Mme Lenoir le 3 juin"),
        ("pt", "Enviei o formulário à Marta no dia 3 de maio"),
        ("it", "Ho inviato il modulo a Marta il 3 maggio"),
        ("ru", "Я отправил заявку Марте 3 мая"),
        ("zh", "我5月3日提交了申请表"),
    ],
)
def test_what_was_done_is_told_in_other_languages(language: str, said: str) -> None:
    assert find_deed(said, language) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Mein Bruder hat am 3. Mai den Antrag bei Frau Krüger eingereicht"),
        ("es", "Mi hermana ha enviado la solicitud el 3 de junio"),
        ("fr", "Ma sœur a envoyé le dossier à Mme Lenoir le 3 juin"),
        ("zh", "我姐姐5月3日提交了申请表"),
    ],
)
def test_what_somebody_else_did_is_none_of_the_speaker(language: str, said: str) -> None:
    assert find_deed(said, language) is None
