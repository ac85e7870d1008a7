"""The key by which this machine hashes prompts and questions, so that a hash tells nobody else what was asked."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

from hearth.errors import Unavailable
from hearth.files import locked, write_atomically

_LENGTH = 32
_DIGEST_CHARS = 32


def local_key(state_folder: Path) -> bytes:
    """32 random bytes, drawn once and kept in ``state_folder``, readable by nobody else.

    A damaged file makes a new key: hashes made before then match nothing any more, which costs no more than a repeated
    prompt that isn't known again. Raises ``Unavailable`` where the folder can't be read or written.
    """
    path = state_folder / "prompt.key"
    known = _read(path)
    if known is None:
        with locked(state_folder / "prompt.key.lock"):
            known = _read(path)
            if known is None:
                known = os.urandom(_LENGTH)
                write_atomically(path, known.hex().encode("ascii") + b"\n")
    return known


def digest(key: bytes, text: str) -> str:
    """HMAC-SHA-256 (RFC 2104) of a text, as 32 hexadecimal digits."""
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(key, data, hashlib.sha256).hexdigest()[:_DIGEST_CHARS]


def _read(path: Path) -> bytes | None:
    try:
        text = path.read_bytes()[: 4 * _LENGTH].decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"can't read {path}: {error.strerror}; check its permissions") from error
    try:
        found = bytes.fromhex(text)
    except ValueError:
        return None
    return found if len(found) == _LENGTH else None
