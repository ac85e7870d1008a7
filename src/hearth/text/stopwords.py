"""Words too common to say what a text is about, by language; question words included."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

# Question and function words of unspaced scripts, cut out before n-grams are made of a query.
UNSPACED_STOP = (
    "什么时候", "什么", "为什么", "怎么样", "怎么", "怎样", "哪里", "哪个", "哪些", "哪一", "多少", "几个", "谁",
    "是否",
    "的", "了", "是", "在", "和", "与", "及", "吗", "呢", "吧", "有", "被", "这", "那",
    "ですか", "ました", "ます", "です", "から", "まで", "なに", "どこ", "いつ", "だれ",
)  # fmt: skip


@cache
def stop_words() -> dict[str, frozenset[str]]:
    """Language code -> lower-case words."""
    words: dict[str, set[str]] = {}
    for line in files("hearth.text").joinpath("stopwords.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            language, *found = line.split()
            words.setdefault(language, set()).update(found)
    return {language: frozenset(found) for language, found in words.items()}


def is_stop_word(word: str, languages: tuple[str, ...]) -> bool:
    """``word`` in lower case; true when any of the languages counts it as a stop word."""
    table = stop_words()
    return any(word in table.get(language, ()) for language in languages)
