"""Who somebody is, told in so many words, in nine languages."""

from __future__ import annotations

import pytest

from hearth.extract.rules.forms.oneself import find_oneself


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ["My name is Ana.", "Hi there, I'm called Ana.", "I live in Bilbao.", "I work as a nurse and like it.",
                "I'm from Ghent", "I have two daughters.", "My wife is called Marta."]),
        ("es", ["Me llamo Ana.", "Hola, mi nombre es Ana", "Vivo en Bilbao.", "Trabajo como enfermera.",
                "Tengo dos hijas.", "Mi mujer se llama Marta."]),
        ("de", ["Ich heiße Jonas.", "Mein Name ist Jonas.", "Ich wohne in Köln.", "Ich arbeite als Koch.",
                "Ich habe zwei Kinder.", "Meine Frau heißt Lena."]),
        ("fr", ["Je m'appelle Luc.", "Bonjour, je m’appelle Luc", "J'habite à Lyon.", "Je travaille chez Renault.",
                "J'ai deux enfants.", "Ma femme s'appelle Léa."]),
        ("pt", ["Meu nome é João.", "Me chamo João.", "Moro em Lisboa.", "Trabalho como médico.",
                "Tenho dois filhos."]),
        ("it", ["Mi chiamo Luca.", "Vivo a Torino.", "Lavoro come cuoco.", "Ho due figlie.",
                "Mia moglie si chiama Lia"]),
        ("ru", ["Меня зовут Анна.", "Я живу в Москве.", "Я работаю врачом.", "У меня двое детей.",
                "Мою жену зовут Лена"]),
        ("zh", ["我叫王伟。", "我住在上海。", "我在银行工作。", "我有两个孩子。"]),
        ("ja", ["田中と申します。", "私の名前は田中です。", "東京に住んでいます。", "看護師として働いています。"]),
    ],
)  # fmt: skip
def test_a_name_a_home_work_and_a_family_are_told_by_the_form_of_a_sentence(language: str, texts: list[str]) -> None:
    assert {text: find_oneself(text) for text in texts} == dict.fromkeys(texts, language)


@pytest.mark.parametrize(
    "text",
    [
        "I live in hope that it works.", "I work on the parser today.", "I have two questions.",
        "My name is not shown.",
        "Is my name Ana?", "I live in Bilbao, right?", "Ana lives in Bilbao.", "If I live in Bilbao, which bus is it?",
        "Vivo en un bucle.", "Trabajo de fin de grado", "Tengo dos preguntas.", "Ich heiße das nicht gut.",
        "Ich lebe in Angst.", "Je travaille sur le bug.", "J'ai deux questions.", "Trabalho para João entregar",
        "Ho due domande.", "Я работаю над этим.", "我叫你别动。", "我叫了外卖。", "これはテストと言います。", "",
    ],
)  # fmt: skip
def test_what_tells_something_else_or_asks_is_none(text: str) -> None:
    assert find_oneself(text) is None
