"""What the person asked not to keep: private prompts and spans, and turns that are not to be remembered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from hearth.lazy import regex
from hearth.model.host.transcript import Kind, TranscriptEntry

# Also as a command of the host, as its transcript has it.
_OPENS_PRIVATE = regex(r"\s*(?:<private>|/private(?=\s|\Z)|<command-name>/?private</command-name>)", re.IGNORECASE)
_SPAN = regex(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
# Of the turn itself, in lower case: patterns that ignore it take twice the time. Each side of the gap stands for the
# object, which languages put before or after.
_NOT_THIS = regex(
    r"\b(?:do\s*n['’o]?t|do\s+not|never)\s+(?:remember|save|store|keep|record|memori[sz]e)\s+(?:any\s+of\s+)?(?:this|that|it)\b"
    r"|\boff\s+the\s+record\b|\bthis\s+(?:stays|is)\s+(?:between\s+us|confidential)\b"
    r"|\bno\s+(?:recuerdes|guardes|memorices|registres)\s+(?:esto|eso|lo)\b|\bno\s+lo\s+(?:recuerdes|guardes)\b"
    r"|\b(?:merk|speicher)e?\s+dir\s+(?:das|dies)\s+nicht\b|\b(?:das|dies)\s+(?:bitte\s+)?nicht\s+(?:merken|speichern)\b"
    r"|\bne\s+(?:retiens|garde|m[ée]morise|enregistre)s?\s+pas\s+(?:[çc]a|ceci|cela)\b"
    r"|\bn[ãa]o\s+(?:lembre|guarde|memorize|registre)\s+(?:isso|isto)\b"
    r"|\bnon\s+(?:ricordare|salvare|memorizzare|registrare)\s+(?:questo|ciò)\b"
    r"|\bне\s+(?:запоминай|сохраняй|записывай)(?:те)?\s+(?:это|этого)\b"
    r"|(?:不要|别)(?:记住|保存|记录)(?:这|此)|これ[はを](?:覚え|記憶|保存)し?ないで"
)
# Of this turn and the one before it.
_NOT_BEFORE = regex(
    r"\bforget\s+(?:what|everything|all)\s+i\s+(?:just\s+)?(?:said|told|wrote)\b|\bforget\s+(?:that\s+)?i\s+(?:just\s+)?said\b"
    r"|\bolvida\s+lo\s+que\s+(?:te\s+)?(?:acabo\s+de\s+decir|dije)\b"
    r"|\bvergiss,?\s+was\s+ich\s+(?:gerade\s+|eben\s+)?gesagt\s+habe\b"
    r"|\boublie\s+ce\s+que\s+j['’]ai\s+dit\b|\boublie\s+ce\s+que\s+je\s+viens\s+de\s+dire\b"
    r"|\besque[çc][ae]\s+o\s+que\s+(?:eu\s+)?(?:disse|acabei\s+de\s+dizer)\b"
    r"|\bdimentica\s+(?:quello|ciò)\s+che\s+ho\s+(?:appena\s+)?detto\b"
    r"|\bзабудь\s*,?\s+что\s+я\s+(?:только\s+что\s+)?сказал[а]?\b|忘(?:掉|记)我(?:刚才|刚刚)?说的|さっき言ったこと[はを]忘れ"
)
# One of these stands in whatever asks for it: of most prompts nothing else need be looked for.
_TELLING = (
    "remember", "save", "store", "keep", "record", "memor", "confidential", "between", "recuerd", "guard", "registr",
    "merk", "speicher", "retiens", "garde", "mémor", "enregistre", "lembre", "ricordare", "salvare",
    "запоминай", "сохраняй", "записывай",
    "记", "保存", "覚", "記憶", "forget", "olvida", "vergiss", "oublie", "esque", "dimentica", "забудь", "忘",
)  # fmt: skip
_LONGEST = 2_000  # what asks for this says so in few words


def heard(entries: Iterable[TranscriptEntry]) -> list[TranscriptEntry]:
    """The entries of the main session without the turns that are not to be kept; marked spans are taken out."""
    found = [entry for entry in entries if entry.kind is not Kind.SIDECHAIN]
    left_out = withheld(found)
    return [_open(entry) for entry in found if entry.turn not in left_out]


def without_spans(text: str, instead: str = "[private]") -> str:
    """A text in which something else stands for what is marked as private."""
    return _SPAN.sub(instead, text) if "<private>" in text.lower() else text


def is_withheld(text: str) -> bool:
    """Whether a person asks that what is said here, or was just said, is not remembered."""
    if is_private(text):
        return True
    said = text.lstrip()
    return len(said) <= _LONGEST and _asks(said)


def is_private(text: str) -> bool:
    """Whether a prompt opens with ``<private>`` or ``/private``."""
    return _OPENS_PRIVATE.match(text) is not None


@lru_cache(maxsize=1024)
def _asks(said: str) -> bool:
    """Each prompt is looked at by several readers."""
    text = said.lower()
    if not any(word in text for word in _TELLING):
        return False
    return (_NOT_THIS.search(text) or _NOT_BEFORE.search(text)) is not None


def withheld(entries: Iterable[TranscriptEntry]) -> set[int]:
    """The turns that are not to be kept, by their number; the one before the first entry is among them where what came
    before is meant."""
    found: set[int] = set()
    for entry in entries:
        if entry.kind is not Kind.USER:
            continue
        if is_withheld(entry.text):
            before = len(entry.text) <= _LONGEST and _NOT_BEFORE.search(entry.text.lower()) is not None
            found |= {entry.turn - 1, entry.turn} if before else {entry.turn}
    return found


def recanted(entries: Iterable[TranscriptEntry]) -> set[int]:
    """The turns before these entries that the person asks to forget."""
    own = [entry for entry in entries if entry.kind is not Kind.SIDECHAIN]
    begun = {entry.turn for entry in own if entry.kind is Kind.USER}
    return withheld(own) - begun


def _open(entry: TranscriptEntry) -> TranscriptEntry:
    text = without_spans(entry.text)
    return entry if entry.kind is not Kind.USER or text is entry.text else replace(entry, text=text)
