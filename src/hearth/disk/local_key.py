"""Secrets of this machine: the key that hashes prompts and questions, and the token that clients of a server send."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from hearth.core.errors import Unavailable
from hearth.core.files import PRIVATE_FILE, locked, write_atomically

TOKEN = "serve.token"
_LENGTH = 32
_TOKEN_CHARS = 43
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


def serve_token(state_folder: Path) -> str:
    """What clients of ``hearth serve`` send, drawn once and kept in ``state_folder``, readable by nobody else.

    One that others could read, or that is damaged, is replaced. Raises ``Unavailable`` where the folder can't be read
    or written.
    """
    path = state_folder / TOKEN
    with locked(state_folder / f"{TOKEN}.lock"):
        known = _read_token(path)
        if known is None:
            known = secrets.token_urlsafe(_LENGTH)
            # It keeps the mode of the file that it replaces.
            path.unlink(missing_ok=True)
            write_atomically(path, known.encode("ascii") + b"\n")
    return known


def digest(key: bytes, text: str) -> str:
    """HMAC-SHA-256 (RFC 2104) of a text, as 32 hexadecimal digits."""
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(key, data, hashlib.sha256).hexdigest()[:_DIGEST_CHARS]


def _read_token(path: Path) -> str | None:
    try:
        found = path.read_bytes()[: 2 * _TOKEN_CHARS].decode("ascii", "replace").strip()
        private = path.stat().st_mode & 0o777 == PRIVATE_FILE
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"can't read {path}: {error.strerror}; check its permissions") from error
    return found if private and len(found) == _TOKEN_CHARS and found.isascii() and found.isprintable() else None


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
