"""Identity of documents: stable across edits and rebuilds, the same on every machine."""

from __future__ import annotations

import hashlib
import unicodedata

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
DOCID_LENGTH = 16
MIN_PREFIX = 6
INTERNAL = "_hearth"
"""The collection that the engine writes."""


def normal_path(path: str) -> str:
    """NFC, which is what identity compares; the bytes on disk stay as they are."""
    return unicodedata.normalize("NFC", path)


def docid(collection: str, path: str, counter: int = 0) -> str:
    """The first 16 Crockford characters of SHA-256(collection, NUL, NFC path); ``counter`` settles a collision."""
    text = f"{collection}\0{normal_path(path)}" + (f"\0{counter}" if counter else "")
    value = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:10], "big")
    return "".join(CROCKFORD[(value >> shift) & 31] for shift in range(75, -1, -5))


def content_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def is_docid(text: str | None) -> bool:
    """Whether the text has the form of a whole docid."""
    return text is not None and len(text) == DOCID_LENGTH and all(char in CROCKFORD for char in text)
