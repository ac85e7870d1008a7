"""A person's words cut into units that are judged alone: sentences, and the clauses of long ones and of questions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.lazy import dataclass, regex
from hearth.text.sentences import ABBREVIATIONS

_MONTH = r"(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Quartal)\b"
_BREAK = regex(
    rf"(?<=[.!?…])[\"'”’)\]]*\s+(?=[^a-zà-ÿ])(?!{_MONTH})|(?<=[。！？])|\n+|"
    r"(?<=[A-Za-zà-ÿ)]{3}[.!?])\s+(?=[a-zà-ÿ])"
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
# Where a clause may end: before a request, and between what joins statements.
_CLAUSE = regex(
    r"(?:,|\s[-–—]|;|:(?=\s+can))\s+(?=(?:and\s+)?(?:so|but|can|could|would|how|what|which\s+(?:one|of|is\s+better)|should|is\s+(?:it|that|this)|do|does|any|considering|"
    r"given|especially|maybe|please|although|though|since|because|"
    r"and\s+(?:i|we|my|our)|i(?:['’]m|['’]ve|['’]ll|['’]d)?\s|we(?:['’]re|['’]ve|['’]ll)?\s|my\s|"
    r"pero|así\s+que|puedes|podrías|cómo|qué|y\s+(?:yo|mi|nosotros)|"
    r"aber|also|kannst|könntest|wie|und\s+(?:ich|wir|mein)|mais|donc|peux|pourrais|comment|et\s+(?:je|nous|mon|ma)|"
    r"mas|então|você\s+pode|pode|como|e\s+(?:eu|meu|minha)|ma\s|quindi|puoi|potresti|come|e\s+(?:io|mio|mia)|"
    r"но|поэтому|можешь|как|и\s+(?:я|мы))\b)|"
    # What somebody likes is a statement of its own, without a comma, too.
    r"\s+(?=(?:and\s+i(?:['’]d)?\s+(?:(?:really|much|always|still)\s+)?(?:prefer|rather|hate)|y\s+prefiero|und\s+(?:ich\s+)?bevorzuge|"
    r"et\s+je\s+préfère|e\s+(?:prefiro|preferisco))\b)",
    re.IGNORECASE,
)
# How a question begins that a later clause ends.
_ASKS = regex(
    r"(?:(?:so|and|but|also|hmm+|ok(?:ay)?)\b,?\s+)*(?:what(?:['’]s|\s+(?:is|are|was|would|do|does|should|can))|how\s+(?:do|does|can|could|"
    r"should|would|much|many|is|are)|(?:which|who|where|why|when)\s+(?:\w+\s+)?(?:is|are|do|does|did|should|can|would)|"
    r"(?:can|could|would|should|do|does|did|is|are|will)\s+(?:i|we|you|it|there|this|that|they|my|the)\b)",
    re.IGNORECASE,
)
# Not where what is feared may never come.
_SO = r"(?!.{0,80}n['’]t\b)(?!(?:\s+\S+){1,3}?\s+(?:might|may|could)\b)"
# A request ends any statement; what follows "the fact that" is one even within a request.
_REQUEST = regex(
    r",\s+(?=help\s+me\b|(?:and\s+|so\s+|but\s+)?(?:can|could|would|will|do|any)\s+you\b|(?:so\s+)?(?:how|what|which)\s+(?:can|do|should|are|is|would|could)\b|"
    r"any\s+(?:tips|advice|ideas|thoughts)|so\s+(?:i|we)\s+(?:want|need|would\s+like)\s+to\s+(?:make\s+sure|know|see|check)\b)|"
    r"\s+(?:the\s+fact\s+that|now\s+that|given\s+that|"
    rf"(?<=worried )that{_SO}|(?<=concerned )that{_SO}|"
    r"(?<=proud )that|(?<=noticed )that|"
    r"(?<=realized )that|(?<=understand )how|(?<=found out )that)\s+(?=(?:i|my|we|our|the)\b)|"
    r"\s+(?:(?<=explain )how|(?<=explain )why|(?<=understand )why)\s+(?=(?:my|our)\b)",
    re.IGNORECASE,
)
_CJK_CLAUSE = regex(r"[，；](?=(?:但|所以|可以|能不能|怎么|请|而且我|我))")
_GRANTED = ("the fact that", "now that", "given that", "explain how", "explain why", "understand why")
_LONG = 140
_SHORTEST, _LONGEST = 8, 600
_DENSE = regex("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_MOST = 40
# With what only the rest of a formula or a bracket begins.
_REST = (")", "]", "}", "\\")


@dataclass(frozen=True, slots=True)
class Unit:
    """``text`` occurs in what was said as it stands; ``sentence`` is what it was cut from, ``asked`` says that the
    sentence is a question. ``before`` is the unit that it follows."""

    text: str
    sentence: str
    asked: bool = False
    before: str = ""


def units(text: str) -> list[Unit]:
    """At most 40 of one prompt; lines of code, and what is too short or too long to be a statement, are left out."""
    found: list[Unit] = []
    before = ""
    for sentence in sentences(text):
        asked = sentence.endswith(("?", "？"))
        for part in _clauses(sentence, whole=not asked and len(sentence) <= _LONG):
            least = _SHORTEST // 2 if _DENSE.search(part) else _SHORTEST
            if least <= len(part) <= _LONGEST and not part.startswith(_REST):
                asks = sentence.endswith(part) or _ASKS.match(part) is not None
                found.append(Unit(part, sentence, asked and asks and not _tell(sentence, part), before))
                before = part
        if len(found) >= _MOST:
            break
    return found[:_MOST]


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


def _tell(sentence: str, part: str) -> bool:
    """Whether the part is what a question takes for granted."""
    return sentence[: -len(part)].rstrip().lower().endswith(_GRANTED)


def _clauses(sentence: str, *, whole: bool) -> list[str]:
    """``whole`` sentences are cut before requests alone."""
    dense = _DENSE.search(sentence) is not None
    patterns = [_REQUEST] if whole else [_REQUEST, _CJK_CLAUSE if dense else _CLAUSE]
    cuts: list[tuple[int, int]] = []
    for span in sorted(match.span() for pattern in patterns for match in pattern.finditer(sentence)):
        if not cuts or span[0] >= cuts[-1][1]:
            cuts.append(span)
    if not cuts:
        return [sentence]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(sentence)]
    return [sentence[start:end].strip(" ,") for start, end in zip(starts, ends, strict=True)]
