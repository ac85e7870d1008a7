"""Heads: lines that say what is to follow, or when and by whom it was written, and answer little by themselves."""

from __future__ import annotations

from hearth.lazy import regex

HEADING = regex(r" {0,3}#{1,6}(?:\s|$)")
# As people head a decision or a meeting, plain, bold or in a list, with a short value: a longer one says more.
_METADATA = regex(
    r"[ \t>*_+-]*(?i:date|datum|fecha|data|дата|日期|日付|status|estado|estatus|statut|stato|stand|état|статус|状态|"
    r"authors?|auteurs?|autor(?:es|en|a)?|autore|deciders?|decision.makers?|created|updated|erstellt|creado|créé|"
    r"owners?|tags?|etiquetas)[ \t*_]*[:：][ \t*_]*(?P<value>\S[^\n]{0,60})?"
)
_MOST_WORDS = 6


def is_heading(line: str) -> bool:
    return HEADING.match(line) is not None


def is_metadata(line: str) -> bool:
    found = _METADATA.fullmatch(line.rstrip())
    return found is not None and len((found["value"] or "").split()) <= _MOST_WORDS


def is_head(line: str) -> bool:
    return is_heading(line) or is_metadata(line)
