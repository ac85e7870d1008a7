"""A person's words cut into sentences, without marks of lists and without code."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.lazy import regex
from hearth.text.sentences import ABBREVIATIONS

_MONTH = r"(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Quartal)\b"
_BREAK = regex(
    rf"(?<=[.!?…])[\"'”’)\]]*\s+(?=[^a-zà-ÿ])(?!{_MONTH})|(?<=[。！？])|\n+|"
    r"(?<=[A-Za-zà-ÿ)]{2}[.!?])\s+(?=[a-zà-ÿ])|"
    # Two sentences without anything between them: "… from this We never …".
    r"(?<=[a-zà-ÿ]{3})\s+(?=(?:We|My|Our|The|Please|Always|Never|From now|Wir|Nous)\s[a-zà-ÿ])|"
    r"(?<=\b[a-zà-ÿ]{2})\s+(?=(?:We|My|Our|The|Please|Always|Never|From now|Wir|Nous)\s[a-zà-ÿ])"
)
_ABBREVIATION = regex(
    rf"(?:^|[\s(])(?:[A-Za-z]|{ABBREVIATIONS}|p\.ej|ex|cf|env|Inc|Ltd|a\.m|p\.m|U\.S)\.[\"'”’)\]]*\s*$"
)
_MARK = regex(r"^\s*(?:[-*+•]|\d{1,2}[.)]|#{1,6}|>)\s+")
_CODE = regex(
    r"[{};]\s*$|^\s*(?:import\s+[\w.*{\"']+\s*(?:$|[,;{}]|(?:as|from)\s+\S+\s*$)|from\s+[\w.]+\s+import\b|"
    r"(?:async\s+)?def\s+\w+\(|"
    r"class\s+\w+\s*[({:]|(?:const|let|var)\s+\w+\s*[:=]|return\s+[\w.\"'\[(]+[;(\[]|return\s*$|"
    r"SELECT\s|\$ |#!|//|/\*|<\w)|=>|\);|==|::"
)


def sentences(text: str) -> Iterator[str]:
    """In order, as they stand, without marks of lists."""
    for line in text.split("\n"):
        line = _MARK.sub("", line).strip()
        if not line or _CODE.search(line):
            continue
        held = ""
        for part in _parts(line):
            held = f"{held}{part}"
            if _ABBREVIATION.search(held):
                continue
            if held.strip():
                yield held.strip()
            held = ""
        if held.strip():
            yield held.strip()


def _parts(line: str) -> Iterator[str]:
    start = 0
    for match in _BREAK.finditer(line):
        yield line[start : match.end()]
        start = match.end()
    yield line[start:]
