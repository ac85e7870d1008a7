"""What was captured piece by piece, as the index has it."""

from __future__ import annotations

from hearth.engine.capture.report import CapturedPiece
from hearth.engine.sessions import keys
from hearth.model.journal import subjects
from hearth.ports import Reader, StateReader


def latest(reader: StateReader) -> list[str]:
    """The sessions of which something was captured, the latest first."""
    found = [(v["at"], s) for subject, v in reader.holders("captured").items() if (s := subjects.read_session(subject))]
    return [session for _, session in sorted(found, reverse=True)]


def of_session(reader: Reader, session: str) -> list[CapturedPiece]:
    found: dict[str, list[str]] = {}
    at: dict[str, int] = {}
    for key, moment in reader.keys(subjects.name_session(session), "captured").items():
        piece, docid = subjects.read_captured(key)
        found.setdefault(piece, []).append(docid)
        at[piece] = moment
    pieces = []
    for piece, docids in found.items():
        stored = {one: reader.document(one) for one in docids}
        documents = tuple(one for one in stored.values() if one is not None)
        pieces.append(CapturedPiece(piece, session, at[piece], documents, tuple(docids)))
    return pieces


def named(reader: Reader, reference: str) -> list[CapturedPiece]:
    """The piece of that name, else the pieces of the session of that name; none where there is neither."""
    for session in latest(reader):
        pieces = of_session(reader, session)
        found = pieces if session == keys.of_session(reference) else [one for one in pieces if one.id == reference]
        if found:
            return found
    return []
