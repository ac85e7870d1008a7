"""Does a text try to give orders to the assistant that reads it?

A suspicion is a reason to rank a text lower and to say so beside it. It is no boundary: whoever knows these rules
writes around them. What keeps a text harmless is its fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hearth.core.lazy import dataclass, regex
from hearth.guard.attacks.demands import candidates, rules
from hearth.guard.attacks.disguises import plain, revealed
from hearth.guard.invisible import visible


@dataclass(frozen=True, slots=True)
class Suspicion:
    """``score`` in [0, 1]; ``labels`` name the reasons, in order of the alphabet, and are empty below ``LABELLED``.

    ``quarantine``: an attack and nothing else. Everything that could be somebody's note is labelled at most.
    """

    score: float
    labels: tuple[str, ...]
    quarantine: bool

    @property
    def suspected(self) -> bool:
        return bool(self.labels)


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int
    label: str
    weight: float


LABELLED = 0.5
NONE = Suspicion(0.0, (), False)
_QUARANTINED = 0.85
_WINDOW = 1_200
"""Characters within which hits support each other."""
_LONGEST_ATTACK = 2_000
"""Longer texts hold more than the attack."""
_BLOCK, _SEAM = 2_000, 400
"""Rules are tried on stretches, of which few hold all that a rule needs; orders of up to a seam are whole in one."""
_QUOTED = 0.55
_CLEAR, _DISGUISED = 0.45, 0.4
_NEAREST = 24
_ENDS = 80
_SEIZES = frozenset(("override", "role"))
_HARMS = frozenset(("exfiltrate", "conceal", "run"))
_SHAPES = tuple(
    (label, weight, literals.split("&"), regex(shape, re.MULTILINE))
    for label, weight, literals, shape in (
        (
            "delimiter",
            0.3,
            "<|&[inst&[/inst&<<sys&<system&</system&</vault-&function_calls&antml:",
            r"<\|(?:im_start|im_end|system|user|assistant|eot_id|start_header_id|endoftext)\|?>|\[/?inst\]|<</?sys>>"
            r"|</?system(?:[-_ ]?(?:reminder|prompt|message|instructions?))?[ >]|</vault-|<(?:antml:)?function_calls>",
        ),
        ("delimiter", 0.2, "system&assistant", r"^[ \t>#*\[]{0,8}(?:system|assistant)[\]* ]{0,3}:"),
        ("hidden", 0.3, "<!--", r"<!--(?=[^>]{0,400}(?:instruction|assistant|\bai\b|ignore|system|prompt))"),
        (
            "hidden",
            0.25,
            "display&visibility&font-size&color&opacity",
            r"display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?[01](?:px|pt|em)?\b|opacity\s?:\s?0(?![.\d])"
            r"|(?<![-\w])color\s?:\s?(?:white|#fff|transparent)",
        ),
        (
            "exfiltrate",
            0.4,
            "](http",
            r"!\[[^\]\n]{0,200}\]\(https?://[^)\s]{0,300}[?&][^)\s=]{1,40}="
            r"[^)]{0,40}(?:[{<\[$%]|secret|data|conversation|key|history)",
        ),
        (
            "run",
            0.3,
            "rm -rf&| bash&|bash&| sh&|sh",
            r"rm -rf [/~$*]|(?:curl|wget)[^\n|]{1,300}\|\s?(?:sudo )?(?:ba|z)?sh\b",
        ),
    )
)
"""Read in the text as it stands: label, weight, literals of which one must occur, pattern."""
_TALK = regex(
    r"(?:prompt|command|code|sql) injections?|injection attack|jailbreaks?\b|adversarial|red team|attackers?\b"
    r"|malicious|for example|for instance|such as|e g |example of|owasp|vulnerabilit|payloads?\b|test cases?|phishing"
    r"|guardrail|threat model|classifier|detect(?:s|ed|ion|or)?\b|inyeccion|ataques?\b|atacantes?\b|por ejemplo"
)
"""Words of people who write about attacks."""


def suspicion(text: str) -> Suspicion:
    """Looks at all of the text, in any of its disguises. Takes time in proportion to its length."""
    shown = visible(text)
    open_hits = _hits(shown)
    best = _judge(shown, open_hits, shown)
    seen = {hit.label for hit in open_hits}
    for disguise, other in revealed(text):
        hits = _run_together(other) if disguise == "spread" else _hits(other)
        if any(hit.weight >= _CLEAR and (disguise == "hidden" or hit.label not in seen) for hit in hits):
            # Who disguises an order means it.
            hits += [_Hit(hit.start, disguise, _DISGUISED) for hit in hits]
            best = max(best, _judge(other, hits, shown), key=lambda found: (found.quarantine, found.score))
    return best


def _hits(text: str) -> list[_Hit]:
    lowered = text.lower()
    hits = list(_demands(plain(text)))
    for label, weight, literals, shape in _SHAPES:
        if any(literal in lowered for literal in literals):
            hits += (_Hit(found.start(), label, weight) for found in shape.finditer(lowered))
    return hits


def _demands(words: str) -> Iterator[_Hit]:
    possible = candidates(words)
    for start in range(0, len(words), _BLOCK) if possible else ():
        block = words[start : start + _BLOCK + _SEAM]
        for rule in candidates(block, possible) if len(words) > _BLOCK else possible:
            for found in rule.pattern.finditer(block):
                weight = rule.weight * (_QUOTED if _is_quoted(block, *found.span()) else 1)
                yield _Hit(found.start() + start, rule.label, weight)


def _run_together(text: str) -> list[_Hit]:
    return [
        _Hit(found.start(), rule.label, rule.weight)
        for rule in rules()
        if rule.weight >= LABELLED
        for found in rule.run_together.finditer(text)
    ]


def _is_quoted(words: str, start: int, end: int) -> bool:
    return '"' in words[max(0, start - 2) : start + 1] and '"' in words[end - 1 : end + _ENDS]


def _judge(text: str, hits: Iterable[_Hit], whole: str) -> Suspicion:
    """``whole`` is what the judged text was hidden in, or the same."""
    ordered = sorted(hits, key=lambda hit: hit.start)
    if not ordered:
        return NONE
    score, reasons = _strongest(ordered)
    if score < LABELLED:
        return Suspicion(score, (), False)
    alone = max(len(text), len(whole)) <= _LONGEST_ATTACK and _TALK.search(plain(f"{text}\n{whole}")) is None
    grave = bool(reasons & _SEIZES) and bool(reasons & _HARMS) and len(reasons) >= 3
    return Suspicion(score, tuple(sorted(reasons)), alone and grave and score >= _QUARANTINED)


def _strongest(hits: list[_Hit]) -> tuple[float, frozenset[str]]:
    """The hits of one stretch, of each label the weightiest, taken together as independent signs: 1 - Π(1 - weight)."""
    best, reasons = 0.0, frozenset[str]()
    first = 0
    for last, hit in enumerate(hits):
        while hits[first].start < hit.start - _WINDOW:
            first += 1
        near: dict[str, float] = {}
        for other in hits[max(first, last - _NEAREST) : last + 1]:
            near[other.label] = max(near.get(other.label, 0.0), other.weight)
        doubt = 1.0
        for weight in near.values():
            doubt *= 1 - weight
        if 1 - doubt > best:
            best, reasons = 1 - doubt, frozenset(near)
    return round(best, 3), reasons
