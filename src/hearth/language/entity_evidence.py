"""What stands beside a name and tells a person from a thing: speech, thanks and kin of the one; versions, code, links,
articles and lists of tools of the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from hearth.core.lazy import regex
from hearth.language.entity_words import read_cues

_CODE = regex(r"`{3,}[^`]*`{3,}|~~~[^~]*~~~|`[^`\n]+`|https?://[^\s/)>\]]+")
_WORD = regex(r"[^\W_]+(?:[.+][^\W_]+)*")
_VERSION = regex(r" (?:v\d{1,3}|v?\d{1,3}(?:\.\d+)+)(?![\w:/%°-]|[.,]\d)")
_RELEASED = regex(r"(?:\*\*|__|\])? v?\d+\.\d+")
_LINK_END = regex(r"[^\[\]\n]{0,40}\]\(")
_LINK_BEGIN = regex(r"(?<!\[)\[[^\[\]\n]{0,40}\Z")
_ARTICLES = {
    "en": regex(r"\b(?:the|an?)\s\Z", re.IGNORECASE),
    "es": regex(r"\b(?:el|los|las|una?)\s\Z", re.IGNORECASE),
    "fr": regex(r"\b(?:les?|une?|des)\s\Z", re.IGNORECASE),
}
_PLATFORM = regex(r" on (?P<name>[A-Z][\w+#-]*)")
_ADDRESSED = regex(
    r"\b(?:hey|hi|hello|dear|thanks|thank you|congrats|congratulations|sorry|hola|querid[oa]|gracias|salut|ch[eè]re?"
    r"|merci|hallo|liebe[rn]?|danke),?\s\Z",
    re.IGNORECASE,
)
_TOLD = regex(r",? (?:who|whose|quien|cuy[oa]|qui)\b|, (?:she|he)\b")
_NEXT_WORD = regex(r"['’]?s? ?(?P<word>[^\W\d_]+)")
_OWNED = regex(r"['’]s? (?P<word>[^\W\d_]+)")
_LISTED_BEFORE = regex(r"(?P<name>[\w.+#-]*\w),? (?:(?:and|or|y|o|et|ou|und|oder|e) )?\Z")
_LISTED_BEHIND = regex(r",? (?:(?:and|or|y|o|et|ou|und|oder|e) )?(?P<name>[\w.+#-]*\w)")
_JOINS = regex(r",|\b(?:and|or|y|o|et|ou|und|oder|e)\b")
_SPEAKER = regex(r"^\**([^\s:*][^\n:*]{0,40})(?:\*\*:|:\*\*|:) ", re.MULTILINE)
_AROUND, _LINE = 48, 400
_SPEAKS_TWICE = 2


class NameEvidence:
    """Of the names in one text, by their half-open range."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._language = language

    @cached_property
    def _code(self) -> frozenset[str]:
        """Words of code and of addresses, in lower case."""
        return frozenset(word.casefold() for part in _CODE.findall(self._text) for word in _WORD.findall(part))

    @cached_property
    def _speakers(self) -> Counter[str]:
        return Counter(_SPEAKER.findall(self._text))

    def is_person(self, start: int, end: int) -> bool:
        before, behind = self._around(start, end)
        if _ADDRESSED.search(before) or _TOLD.match(behind):
            return True
        cues = read_cues()
        says = _NEXT_WORD.match(behind)
        if says is not None and says["word"].lower() in cues["person", "says"]:
            return True
        owned = _OWNED.match(behind)
        kin = owned is not None and owned["word"].lower() in cues["person", "kin"]
        return kin or self.speaks(self._text[start:end])

    def speaks(self, name: str) -> bool:
        """Whether two lines begin with it, as those of a dialogue do with who speaks."""
        return self._speakers[name] >= _SPEAKS_TWICE

    def is_tool(self, start: int, end: int) -> bool:
        name = self._text[start:end]
        before, behind = self._around(start, end)
        if name[-1].isdigit() or name.casefold() in self._code or _RELEASED.match(behind):
            return True
        # "Woche 9"
        if self._language != "de" and _VERSION.match(behind):
            return True
        if " " not in name and _LINK_BEGIN.search(before) and _LINK_END.match(behind):
            return True
        cues = read_cues()
        last, following = _WORD.findall(before)[-1:], _NEXT_WORD.match(behind)
        if last and last[0].lower() in cues["tool", "before"]:
            return True
        if following is not None and following["word"] in cues["tool", "after"]:
            return True
        on = _PLATFORM.match(behind)
        if on is not None and on["name"].lower().removesuffix("s") not in cues["other", "date"]:
            return True
        return any(self._is_technical(other) for other in self._listed_with(before, behind))

    def is_thing(self, start: int, end: int) -> bool:
        """Whether it has an article, which persons have none of."""
        article = _ARTICLES.get(self._language)
        return article is not None and article.search(self._around(start, end)[0]) is not None

    def is_by_code(self, start: int, end: int) -> bool:
        """Whether code stands on its line."""
        before, behind = self._text[max(0, start - _LINE) : start], self._text[end : end + _LINE]
        return "`" in before.rpartition("\n")[2] or "`" in behind.partition("\n")[0]

    def _around(self, start: int, end: int) -> tuple[str, str]:
        return self._text[max(0, start - _AROUND) : start], self._text[end : end + _AROUND]

    def _listed_with(self, before: str, behind: str) -> Iterable[str]:
        for found in (_LISTED_BEFORE.search(before), _LISTED_BEHIND.match(behind)):
            if found is not None and _JOINS.search(found[0].replace(found["name"], "", 1)):
                yield found["name"]

    def _is_technical(self, word: str) -> bool:
        inner = word[1:]
        return word.casefold() in self._code or (
            any(map(str.isupper, inner)) and not word.isupper() and "-" not in word
        )
