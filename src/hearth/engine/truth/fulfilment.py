"""Whether a statement says that a commitment was kept: it has to name what was promised and to say that it is done."""

from __future__ import annotations

import re
from typing import Literal

from hearth.lazy import regex
from hearth.text.similarity import negated, shared
from hearth.text.stem import stem

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
        re.fullmatch(past, verb, re.IGNORECASE) and re.search(rf"(?<!\w)(?:{told})(?!\w)", promised, re.IGNORECASE)
        for told, past in _PAST.items()
    )


def _bare(promised: str, statement: str) -> str:
    """What is promised, without the verb where the statement has a form of it."""
    bare = _FRAME.sub(" ", promised)
    for verb, past in _PAST.items():
        if re.search(rf"(?<!\w)(?:{past})(?!\w)", statement, re.IGNORECASE):
            bare = re.sub(rf"(?<!\w)(?:{verb})(?!\w)", " ", bare, flags=re.IGNORECASE)
    return bare
