"""Marks text that tries to give orders to the assistant that reads it.

Four signs count: delimiters of chats and prompts, orders to drop the instructions, orders to take on a role without
rules, and disguises that hide such an order from people. A mark ranks a text lower and is shown beside it. It is no
boundary: an attack in other words is practically never marked. What keeps a text harmless is its fence.
"""

from __future__ import annotations

import codecs
import re
from base64 import b32decode
from binascii import Error
from collections.abc import Iterator
from functools import cache
from unicodedata import is_normalized, normalize
from urllib.parse import unquote

from hearth.core.lazy import dataclass, regex
from hearth.guard.fence import fold, visible
from hearth.guard.secrets.randomness import decode, unfold
from hearth.text.names import skeleton
from hearth.text.words import rows


@dataclass(frozen=True, slots=True)
class Suspicion:
    """``labels`` name the signs, in order of the alphabet; a text without one is not suspected.

    ``quarantine``: a short text whose order is disguised or stands beside a delimiter. Everything that could be
    somebody's note is labelled at most.
    """

    labels: tuple[str, ...]
    quarantine: bool

    @property
    def suspected(self) -> bool:
        return bool(self.labels)


NONE = Suspicion((), False)
_ORDERS = frozenset(("override", "role"))
_LONGEST_ATTACK = 2_000
"""Longer texts hold more than the attack."""
_BLOCK, _SEAM = 2_000, 400
"""Rows are tried on stretches, of which few hold all that a row needs; an order of up to a seam is whole in one."""
_QUOTE_REACH = 80
_GAP = regex(r"~(\d) | ")
_DELIMITER = regex(
    r"<\|(?:im_start|im_end|system|user|assistant|eot_id|start_header_id|endoftext)\|?>|\[/?INST\]|<</?SYS>>"
    r"|</?system[-_ ](?:reminder|prompt|message|instructions?)>|</vault-|<(?:antml:)?function_calls>"
    r"|^[ \t>#*\[]{0,8}(?:system|assistant)[\]* ]{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
_TALK = regex(
    r"(?:prompt|command|code|sql) injections?|injection attack|jailbreaks?\b|adversarial|red team|attackers?\b"
    r"|malicious|for example|for instance|such as|e g |owasp|vulnerabilit|payloads?\b|test cases?|phishing|guardrail"
    r"|threat model|detect(?:s|ed|ion|or)?\b|inyeccion|ataques?\b|atacantes?\b|por ejemplo"
)
"""Words of people who write about attacks."""


def suspicion(text: str) -> Suspicion:
    """Looks at all of the text, in any of its disguises. Takes time in proportion to its length."""
    shown = visible(text)
    open_orders = _find_orders(shown)
    labels = set(open_orders)
    disguised = _read_disguises(text, open_orders)
    labels |= disguised
    if not labels:
        return NONE
    delimited = _DELIMITER.search(shown) is not None
    if delimited:
        labels.add("delimiter")
    alone = len(text) <= _LONGEST_ATTACK and _TALK.search(plain(shown)) is None
    return Suspicion(tuple(sorted(labels)), alone and (bool(disguised) or delimited))


def _read_disguises(text: str, open_orders: frozenset[str]) -> set[str]:
    """The disguises that hide an order which cannot be read in the open, with what they order."""
    labels: set[str] = set()
    for disguise, other in _undo_disguises(text):
        orders = _find_orders(other, together=disguise == "spread")
        if orders - open_orders or (orders and disguise == "hidden"):
            # Who disguises an order means it.
            labels |= {disguise, *orders}
    return labels


# ---- orders


def _find_orders(text: str, together: bool = False) -> frozenset[str]:
    """The kinds of orders in a text. ``together``: nobody can tell its words apart any more."""
    quoted = plain(text)
    words = quoted.replace('"', " ")
    possible = [row for row in rows("guard/attacks") if together or any(need in words for need in row.needs)]
    found: set[str] = set()
    for start in range(0, len(words) if possible else 0, _BLOCK):
        end = start + _BLOCK + _SEAM
        for row in possible:
            hits = _compile(row.expression, row.pattern, together).finditer(words, start, end)
            if row.kind not in found and any(not _is_quoted(quoted, *hit.span()) for hit in hits):
                found.add(row.kind)
    return frozenset(found)


def _is_quoted(text: str, start: int, end: int) -> bool:
    return '"' in text[max(0, start - 2) : start + 1] and '"' in text[end - 1 : end + _QUOTE_REACH]


@cache
def _compile(expression: str, pattern: str, together: bool) -> re.Pattern[str]:
    if not together:
        return re.compile(expression)
    return re.compile(_GAP.sub(lambda gap: f"[a-z]{{0,{6 * int(gap[1])}}}?" if gap[1] else "", pattern))


# ---- disguises

_QUOTES = '"`“”„‟«»‹›「」『』＂'
_TAGS = regex("[\U000e0020-\U000e007e]{8,}")
_BYTES = regex("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_CUT = regex("(?<=[a-zA-Z])[\u00ad\u180e\u200b-\u200f\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff]+(?=[a-zA-Z])")
_MIXED = regex(r"[a-z][^\W\d_\u0000-\u024f]|[^\W\d_\u0000-\u024f][a-z]", re.IGNORECASE)
_SPREAD = regex(r"""(?<!\w)[^\W_](?:[\s.\-_*|/,:;!?@'"()]{1,6}+[^\W_](?!\w)){8,}+""")
_HEX = regex(r"(?:(?:\\x|0x|%)?[0-9a-f]{2}[ :,]?){16,}+", re.IGNORECASE)
_ESCAPED = regex(r"(?:\\u\{?[0-9a-f]{4,6}\}?|\\x[0-9a-f]{2}){6,}+", re.IGNORECASE)
_PERCENT = regex(r"%(?:20|[46][0-9a-f]|[57][0-9a-f])", re.IGNORECASE)
_BASE32 = regex(r"(?<![A-Z2-7])[A-Z2-7]{32,4096}+={0,6}")
_DIGITS = regex(r"(?:0x|\\x|[ :,%]|\\u\{?|\})", re.IGNORECASE)
_LEET = str.maketrans("013457@$!|", "oieastasil")
# In a disguise, words of attacks are hardly ever something else.
_SIGNS = (
    *("ignor", "nstruction", "instrucc", "prompt", "disregard", "forget", "everything", "previous", "guideline"),
    *("system", "discard", "override", "bypass", "restric", "olvida", "descarta", "anterior", "sistema", "directri"),
)
_ROTATED = tuple(codecs.encode(sign, "rot13") for sign in _SIGNS)
_REVERSED = tuple(sign[::-1] for sign in _SIGNS)
_BASE64 = regex(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}+={0,2}")
_PROBE = 48
_SPREAD_BLOCK, _SPREAD_SEAM = 4_000, 400
_MOST_KNOWN = 20_000


def plain(text: str) -> str:
    """Lower case without accents and punctuation, one blank between words, ``"`` for every quotation mark."""
    if not text.isascii() and not is_normalized("NFKC", text):
        text = normalize("NFKC", text)
    return " ".join(text.lower().translate(_ascii_table() if text.isascii() else _table()).split())


@cache
def _ascii_table() -> dict[int, str]:
    return {code: _space(chr(code)) for code in range(128)}


class _Table(dict[int, str]):
    def __missing__(self, code: int) -> str:
        char = _space(chr(code))
        if len(self) < _MOST_KNOWN:
            self[code] = char
        return char


@cache
def _table() -> _Table:
    return _Table()


def _space(char: str) -> str:
    if char in _QUOTES:
        return '"'
    if char in "ıłđø":
        return "ildo"["ıłđø".index(char)]
    if char.isalnum() or char == "_":
        base = normalize("NFD", char)
        return base[0] if "\u00c0" <= char <= "\u024f" or "\u1e00" <= char <= "\u1eff" else char
    # Vowel signs and viramas are no letters to Python.
    return " " if char < "\u0300" or char in "،؛؟。、，！？：；（）「」…–—‘’।" or "\u2000" <= char <= "\u2bff" else char


def _undo_disguises(text: str) -> Iterator[tuple[str, str]]:
    """What else the text may say, once per disguise: the name of the disguise, and the text without it.

    ``hidden`` is what no reader sees or what invisible characters cut; other disguises may leave much as it was.
    """
    shown = text
    if not text.isascii():
        if tags := "".join(found[0] for found in _TAGS.finditer(text)):
            yield "hidden", "".join(chr(ord(char) - 0xE0000) for char in tags)
        for found in _BYTES.finditer(text):
            yield "hidden", _bytes(found[0])
        shown = visible(text)
        if _CUT.search(text):
            yield "hidden", visible(_CUT.sub("", text))
        if _MIXED.search(shown):
            yield "lookalikes", skeleton(shown)
    if "&" in shown and "&#" in shown:
        yield "encoded", fold(shown)
    yield from _respell(shown)
    yield from _decode(shown)


def _bytes(selectors: str) -> str:
    codes = (ord(char) for char in selectors)
    data = bytes(code - 0xFE00 if code < 0xE0000 else code - 0xE0100 + 16 for code in codes)
    return data.decode("utf-8", "replace")


def _respell(text: str) -> Iterator[tuple[str, str]]:
    lowered = text.lower()
    if any(sign in lowered for sign in _ROTATED):
        yield "encoded", codecs.encode(text, "rot13")
    if any(sign in lowered for sign in _REVERSED):
        yield "encoded", text[::-1]
    leet = lowered.translate(_LEET)
    if any(leet.count(sign) > lowered.count(sign) for sign in _SIGNS):
        yield "lookalikes", leet
    spread = "\n".join(re.sub(r"[\W_]+", "", found[0]) for found in _SPREAD.finditer(lowered))
    if any(sign in spread for sign in _SIGNS):
        for start in range(0, len(spread), _SPREAD_BLOCK):
            yield "spread", spread[start : start + _SPREAD_BLOCK + _SPREAD_SEAM]


def _decode(text: str) -> Iterator[tuple[str, str]]:
    done = 0
    for found in _BASE64.finditer(text):
        if found.start() >= done and _is_readable(decode(found[0][:_PROBE])):
            run, done = unfold(text, *found.span())
            yield "encoded", decode(run)
    if text.count("%") > 4 and _PERCENT.search(text):
        yield "encoded", unquote(text.replace("+", " "))
    if "\\u" in text or "\\x" in text:
        for found in _ESCAPED.finditer(text):
            codes = re.findall(r"[0-9a-fA-F]{2,6}", found[0])
            yield "encoded", "".join(chr(int(code, 16)) for code in codes if int(code, 16) < 0x110000)
    for found in _HEX.finditer(text):
        digits = _DIGITS.sub("", found[0])
        data = bytes.fromhex(digits[: len(digits) // 2 * 2])
        if _is_text(data):
            yield "encoded", data.decode("utf-8", "replace")
    for found in _BASE32.finditer(text):
        word = found[0].rstrip("=")
        data = _base32(word[: len(word) // 8 * 8])
        if _is_text(data):
            yield "encoded", data.decode("utf-8", "replace")


def _base32(word: str) -> bytes:
    try:
        return b32decode(word)
    except Error:
        return b""


def _is_text(data: bytes) -> bool:
    return len(data) >= 12 and sum(32 <= byte < 127 for byte in data) / len(data) > 0.9


def _is_readable(text: str) -> bool:
    """Letters and blanks of any script; the last character may be cut."""
    return sum(char.isalnum() or char in " ,.:'" for char in text) >= 0.85 * len(text) - 1
