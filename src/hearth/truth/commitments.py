"""Commitments: what was promised, by whom, until when, and whether it was kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from hearth.core import instants
from hearth.core.document import Document
from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import OWNERS, captured_turn, is_of_project
from hearth.core.transcript import Turn
from hearth.memory.reviews import draft_review, find_review
from hearth.ports import Reader, Store, StoredDocument
from hearth.text.language import stem
from hearth.text.lines import split_sentences
from hearth.text.similarity import negated, shared
from hearth.transcripts.typed import own_words_of
from hearth.vault import changes
from hearth.vault.documents import find_commitments, read_beginning
from hearth.vault.history import History
from hearth.vault.validity import COMMITMENT, due_at

# What says that something is done, in nine languages; what is still to be done is said with other forms.
_DONE = regex(
    r"(?<!\w)(?:done|finished|completed|sent|shipped|delivered|merged|deployed|released|published|submitted|paid|"
    r"booked|renewed|fixed|wrote|written|called|answered|replied|moved|migrated|uploaded|closed|"
    r"hecho|hice|terminad[oa]|terminé|enviad[oa]|envié|mandé|entregad[oa]|publicad[oa]|pagad[oa]|pagué|arreglad[oa]|"
    r"erledigt|fertig|geschickt|gesendet|abgeschickt|verschickt|bezahlt|veröffentlicht|behoben|abgegeben|"
    r"fait|terminé|envoyé|livré|publié|payé|corrigé|"
    r"fatto|finito|inviato|mandato|consegnato|pubblicato|pagato|"
    r"feito|terminei|enviei|enviado|entregue|publicado|paguei|pago|"
    r"gedaan|klaar|verstuurd|verzonden|betaald|gepubliceerd|opgelost|"
    r"сделал[аи]?|сделано|отправил[аи]?|отправлен[ао]?|закончил[аи]?|готово|оплатил[аи]?|опубликовал[аи]?|"
    r"klart|färdig|skickat|skickade|betalt|betalade|publicerat|löst)(?!\w)",
    re.IGNORECASE,
)
# What somebody says they did, whatever it was: done is only what was promised.
_DID = regex(
    r"(?<!\w)(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:just|already|finally|now|also)\s+)?(?P<verb>[a-z]{2,}ed|bought|got|gave|"
    r"took|told|brought|met|made|put|set|read|ran|picked\s+up)(?!\w)",
    re.IGNORECASE,
)
# What takes that back: not yet, a plan, a condition, a question.
_OPEN = regex(
    r"(?<!\w)(?:not|never|isn't|hasn't|haven't|wasn't|will|shall|going to|to be|should|must|need|needs|until|once|when|"
    r"if|almost|nearly|half|partly|no|nunca|todavía|aún|casi|cuando|si|hay que|nicht|noch|nie|wird|werde|muss|fast|"
    r"wenn|sobald|pas|jamais|encore|presque|quand|non|mai|ancora|quasi|quando|se|não|ainda|niet|nog|bijna|als|не|ещё|"
    r"еще|почти|когда|если|inte|ännu|nästan|när|om)(?!\w)|\?|？",
    re.IGNORECASE,
)
_WORD = regex(r"[a-z]+")
SURE = 0.99
"""The share of a commitment's own words that a statement has to name so that it is kept without anybody being asked."""
LIKELY = 0.6


def may_fulfil(statement: str) -> bool:
    """Whether a statement says of anything at all that it is done."""
    done = _DONE.search(statement) is not None or _DID.search(statement) is not None
    return done and _OPEN.search(statement) is None and not negated(statement)


def judge(promised: str, statement: str) -> Literal["kept", "perhaps", "no"]:
    """Rules only: a statement in the past that names all of what was promised keeps it; one that names most of it asks
    a person."""
    if not may_fulfil(statement):
        return "no"
    if _DONE.search(statement) is None and not any(
        _promises(promised, did["verb"]) for did in _DID.finditer(statement)
    ):
        return "no"
    part = shared(_bare(promised, statement), statement)
    if part >= SURE:
        return "kept"
    return "perhaps" if part >= LIKELY else "no"


# Who promises and how, and until when, is no part of what is promised.
_FRAME = regex(
    r"(?<!\w)(?:said|remind(?:ed)?|wants? to be|i'll|i will|we'll|we will|will|"
    r"shall|promise(?:d|s)?|commit(?:ted|s)?|agreed|going to|have to|has to|"
    r"needs? to|must|by|until|before|on|next|this|user|agent|assistant|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday|"
    r"tomorrow|today|tonight|week|month|end of|\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th)?|january|february|"
    r"march|april|may|june|july|august|september|october|november|december)(?!\w)",
    re.IGNORECASE,
)


# Forms of the past that stemming does not lead back to the verb.
_PAST = {
    r"send": r"sent", r"buy": r"bought", r"get": r"got", r"give": r"gave", r"take": r"took", r"tell": r"told",
    r"bring": r"brought", r"meet": r"met", r"make": r"made", r"run": r"ran", r"pick up": r"picked up",
    r"write": r"wrote|written", r"pay": r"paid", r"do": r"done|did",
    r"(?:ver|ab)?schicken|(?:ver)?senden": r"(?:ver|abge|ge)schickt|(?:ge|ver)sendet|versandt", r"bezahlen": r"bezahlt",
    r"schreiben": r"geschrieben", r"beheben": r"behoben", r"abgeben": r"abgegeben",
    r"hacer": r"hecho|hice", r"escribir": r"escrito|escribí", r"envoyer": r"envoyé[es]*", r"écrire": r"écrit",
    r"scrivere": r"scritto", r"escrever": r"escrito",
    r"sturen|versturen": r"(?:ver|ge)stuurd", r"schrijven": r"geschreven",
    r"отправить": r"отправил[аи]?|отправлен[ао]?", r"сделать": r"сделал[аи]?|сделано", r"skicka": r"skicka[td]e?",
    r"betala": r"betala[td]e?|betalt",
}  # fmt: skip


def _promises(promised: str, verb: str) -> bool:
    """Whether it was promised to do what was done."""
    stems = {stem(word, "en") for word in _WORD.findall(promised.lower())}
    if stem(verb.lower(), "en") in stems:
        return True
    return any(
        re.fullmatch(past, verb, re.IGNORECASE) and re.search(rf"(?<!\w)(?:{present})(?!\w)", promised, re.IGNORECASE)
        for present, past in _PAST.items()
    )


def _bare(promised: str, statement: str) -> str:
    """What is promised, without the verb where the statement has a form of it."""
    bare = _FRAME.sub(" ", promised)
    for verb, past in _PAST.items():
        if re.search(rf"(?<!\w)(?:{past})(?!\w)", statement, re.IGNORECASE):
            bare = re.sub(rf"(?<!\w)(?:{verb})(?!\w)", " ", bare, flags=re.IGNORECASE)
    return bare


CommitmentState = Literal["open", "fulfilled", "expired"]
SOON_DAYS = 3
"""So long before its day a commitment is brought up."""
_SAID_CHARS = 300


@dataclass(frozen=True, slots=True)
class Commitment:
    """``owner`` is who owes it, where that is known: ``user``, ``agent`` or ``other``; ``overdue`` says that the day by
    which it was to be kept is over where the person is. Instants are ms UTC."""

    docid: str
    collection: str
    path: str
    said: str
    state: CommitmentState
    owner: str | None
    due_at: int | None
    made_at: int | None
    fulfilled_at: int | None = None
    fulfilled_by: str | None = None
    overdue: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {name: getattr(self, name) for name in self.__slots__}


def commitments(
    reader: Reader, now: int, zone: str = "UTC", *, due: int | None = None, closed: bool = False
) -> list[Commitment]:
    """Those that are open, the most urgent first; with ``due`` only those due today, within so many days or overdue,
    with ``closed`` also those kept and lapsed. Due is a whole day, and today that of ``zone``."""
    where = instants.zone_of(zone)
    today = instants.show_date(now, where)
    listed = [
        _commitment(reader, stored, now, today)
        for stored in find_commitments(reader)
        if closed or not stored.state.expired(now)
    ]
    if due is not None:
        last = instants.show_date(now + due * DAY_MS, where)
        listed = [one for one in listed if one.due_at is not None and instants.show_date(one.due_at) <= last]
    return listed


def draft_fulfilment(
    reader: Reader, history: History, stored: StoredDocument, at: int, by: str | None, metadata: Mapping[str, Any]
) -> list[Draft]:
    """The event that says that a commitment was kept; ``by`` is the docid of what says so."""
    docid = stored.document.docid
    known = history.registers(reader, docid)
    ops = changes.plan(known, lambda field: reader.set_by(docid, field), {"fulfilled_at": at})
    if by is not None:
        ops = [changes.along(op, {"by": by}) for op in ops]
    return changes.of(stored.document, ops, metadata)


def _commitment(reader: Reader, stored: StoredDocument, now: int, today: str) -> Commitment:
    document, state = stored.document, stored.state
    status: CommitmentState = "open"
    if state.fulfilled_at is not None:
        status = "fulfilled"
    elif state.expired(now):
        status = "expired"
    owner, due = document.facts.get("owner"), due_at(document)
    return Commitment(
        docid=document.docid,
        collection=document.collection,
        path=document.path,
        said=read_beginning(reader, stored, _SAID_CHARS) or document.title,
        state=status,
        owner=owner if owner in OWNERS else None,
        due_at=due,
        made_at=document.valid_from,
        fulfilled_at=state.fulfilled_at,
        fulfilled_by=state.fulfilled_by,
        overdue=due is not None and instants.show_date(due) < today,
    )


ACTOR = "noticing"
MOST_ASKED = 3
"""Commitments that one statement asks a person about."""


def keep(store: Store, history: History, docid: str, text: str, now: int) -> list[str]:
    """Notes which commitments a memory that was just written says to be kept, and asks where that is not sure. Gives
    the ids of the events, all of the run that is called like the memory."""
    if not may_fulfil(text):
        return []
    with store.read() as reader:
        stored = reader.document(docid)
        if stored is None or stored.document.content_type == COMMITMENT:
            return []
        open_ones = [one for one in commitments(reader, now) if one.docid != docid]
        drafts = [draft for one in open_ones for draft in _draft_promise(reader, history, stored, one, text, now)]
    asked = [draft for draft in drafts if draft.kind == "review"][MOST_ASKED:]
    return history.record([draft for draft in drafts if draft not in asked])


def find_kept(
    reader: Reader, turns: Sequence[Turn], session: str, project: str | None, now: int
) -> list[StoredDocument]:
    """Open commitments of a project that a sentence of what the person said since surely says to be kept."""
    texts = [(turn.ordinal, own_words_of(prompt.text)) for turn in turns for prompt in turn.prompts]
    done = [(turn, one) for turn, text in texts for one in split_sentences(text) if may_fulfil(one)]
    if not done:
        return []
    found = []
    for promise in commitments(reader, now):
        stored = reader.document(promise.docid)
        if stored is None or not is_of_project(stored.document.facts.get("project"), project):
            continue
        facts = stored.document.facts
        since = captured_turn(facts.get("source", "")) or 0 if facts.get("session") == session else 0
        if any(turn > since and judge(promise.said, one) == "kept" for turn, one in done):
            found.append(stored)
    return found


def _draft_promise(
    reader: Reader, history: History, stored: StoredDocument, promise: Commitment, text: str, now: int
) -> list[Draft]:
    promised = reader.document(promise.docid)
    if promised is None or not _same_project(promised.document, stored.document):
        return []
    verdict = judge(promise.said, text)
    remarks = {"actor": ACTOR, "run": stored.document.docid}
    if verdict == "kept":
        payload = {**remarks, "reason": "a later statement says that it is done"}
        return draft_fulfilment(reader, history, promised, now, stored.document.docid, payload)
    if verdict == "no" or find_review(reader, stored.document.docid, promise.docid, now) is not None:
        return []
    why = "it may say that the commitment was kept"
    return [draft_review(stored.document, promise.docid, "fulfils", why=why, confidence=0.6, **remarks)]


def _same_project(one: Document, other: Document) -> bool:
    return is_of_project(one.facts.get("project"), other.facts.get("project"))
