"""Layer 3: a person's words as a statement that stands alone.

In English the speaker takes the place of "I" where the verb's form is certain. Else, and in other languages, the words
are quoted after who said them. What begins with a word that only the sentence before explains is quoted with it, and
marked.
"""

from __future__ import annotations

import re
from datetime import date

from hearth.extract.rules.due import absolute
from hearth.extract.rules.forms.oneself import find_oneself
from hearth.lazy import dataclass, regex
from hearth.model.capture.extraction import MAX_STATEMENT, Category

_FRAMES = {
    "en": ("The user", {}),
    "es": ("El usuario", {"decision": "Decisión del usuario", "preference": "Preferencia del usuario",
                          "commitment": "Compromiso del usuario", "fact": "Dicho por el usuario"}),
    "de": ("Der Nutzer", {"decision": "Entscheidung des Nutzers", "preference": "Vorliebe des Nutzers",
                          "commitment": "Zusage des Nutzers", "fact": "Angabe des Nutzers"}),
    "fr": ("L'utilisateur", {"decision": "Décision de l'utilisateur", "preference": "Préférence de l'utilisateur",
                             "commitment": "Engagement de l'utilisateur", "fact": "Dit par l'utilisateur"}),
    "pt": ("O usuário", {"decision": "Decisão do usuário", "preference": "Preferência do usuário",
                         "commitment": "Compromisso do usuário", "fact": "Dito pelo usuário"}),
    "it": ("L'utente", {"decision": "Decisione dell'utente", "preference": "Preferenza dell'utente",
                        "commitment": "Impegno dell'utente", "fact": "Detto dall'utente"}),
}  # fmt: skip
_DANGLING = regex(
    r"(?:(?:and|but|so|because|also|then|which|who|that|this(?!\s+(?:repo(?:sitory)?|project|app|codebase|service|book|novel|paper|thesis|site)\b)|it|these|those|they|he(?!\s+\w+[aiíä](?:do|to)\b)|she|him|her|there|here|such|both|"
    r"either|considering|especially|given|including|definitely|one\s+of|the\s+(?:same|latter|former|other|others|one))\b|y\s|pero\b|eso\b|esto\b|ella\b|él\b|und\b|aber\b|"
    r"das\s+(?:ist|war|liegt|heißt)\b|sie\b|er\b|dies\b|et\b|mais\b|c['’]est\b|cela\b|elle\b|il\s+(?!y\b)|e\s|mas\b|"
    r"isso\b|ela\b|ele\b|ma\b|questo\b|lei\b|lui\b|и\b|но\b|это\b|он\b|она\b|这|那|它|他|她|それ|これ|彼)",
    re.IGNORECASE,
)
_JOINED = regex(
    r"(?:(?:and|but|so|considering|given|especially|since|because|although|though|plus|also|now|that|y|pero|así\s+que|"
    r"porque|und|aber|also|weil|et|mais|donc|car|e|mas|então|porque|ma|quindi|perché|и|но|поэтому)\b,?\s+)+"
    r"(?=(?:i|we|my|our|(?-i:[A-Z])[a-z]+\s+(?:is|was|has|suggested|said|told|wants|prefers|asked|recommended)|yo|mi|me|he|hemos|ich|wir|mein\w*|je|j['’]|nous|mon|ma|eu|nós|meu|minha|io|noi|ho|mio|mia|я|мы|мой|моя)\b)",
    re.IGNORECASE,
)
# Words that only the sentence before explains, so early that nothing in this one does.
_POINTS = regex(
    r"(?:\S+\s+){0,4}?(?:it|them|this|these|those|that|him|her)(?=[\s.,!]*(?:$|[.,!]|to\b|on\b|for\b|with\b|in\b|at\b|from\b|and\b|over\b|because\b|"
    r"so\b|definition\b|rule\b|policy\b|format\b|wording\b|convention\b|setup\b|design\b|plan\b|approach\b|way\b|idea\b|steps\b|one\b|ones\b|option\b|structure\b|schedule\b|strategy\b|method\b))",
    re.IGNORECASE,
)
# Without its comma "no" denies what follows, and others belong to it ("Great Danes are big").
_LEAD = regex(
    r"(?:(?:ok(?:ay)?|well(?=[,:!.]|\s+(?:i|we)\b)|yes|yeah|yep|no(?=[,:!.])|hm+|so|and|but|also|oh|hey|(?:hi|hello|bonjour|bonsoir|salut|hola|hallo|moin|olá|ciao|buongiorno)(?=[,!.])|(?:thanks|great|sure)(?=[,:!.])|actually|honestly|just|plus|"
    r"(?:some\s+|a\s+bit\s+of\s+|more\s+)?(?:context|background)(?:\s+about\s+me|\s+on\s+\w+(?:\s\w+)?)?(?=:)|"
    r"by\s+the\s+way|btw|fyi|anyway(?=,)|note|remember|for\s+the\s+record|then|please|(?:it\s+)?turn(?:s|ed)\s+out|"
    r"that['’]s\s+(?:wrong|not\s+(?:right|true|correct))(?=[,:;])|you\s+got\s+(?:that|it|this)\s+wrong(?=[,:;]))\b[,:;!.]?\s+(?:that\s+)?)+",
    re.IGNORECASE,
)
_VERBS_WORDS = """
prefer like love hate dislike want need use work live study teach own speak run manage lead favour favor enjoy
believe think know keep play collect drive eat drink avoid expect owe plan intend promise commit agree pledge
vow guarantee build maintain write read learn practise practice host train volunteer attend belong pay support
follow trust rely depend suffer wear cook sleep rent
"""
_VERBS = frozenset(_VERBS_WORDS.split())
_KEPT_WORDS = """
was had did said went got made took gave told found kept left lost met paid put ran sat sent sold spoke spent
stood taught thought understood won wrote grew became began bought brought built came chose cut drove ate fell
felt flew forgot heard held knew led learnt let meant read rose saw set signed swore will would can could
should must might may undertook quit hit
"""
_KEPT = frozenset(_KEPT_WORDS.split())
_ADVERBS = (
    r"(?:really|always|never|usually|also|just|recently|already|still|now|generally|mostly|absolutely|personally|"
    r"definitely|strongly|much|finally|only|currently|often|normally|actually|especially|typically)\s+"
)
_SUBJECT = regex(
    rf"I(?:(?P<short>['’](?:m|ve|ll|d))|\s+(?P<aux>am|have))?\s+(?P<adverb>(?:{_ADVERBS})*)(?P<verb>[a-z']+)"
)
# After these a verb is bare, and so is the next.
_BARE = regex(r"\b(?:will|would|can|could|should|must|may|might|to(?!\s+\d)|let|help\w*|make|makes|made)\b")
_FORMS = {
    "have": "has",
    "want": "wants",
    "need": "needs",
    "am": "is",
    "prefer": "prefers",
    "plan": "plans",
    "don't": "doesn't",
    "don’t": "doesn’t",
}
_SECOND = regex(r"(\band\s+)(have|want|need|am|prefer|plan|don['’]t)\b(?!\s+(?:for|of)\b)")
_AUXILIARY = {"m": "is", "ve": "has", "ll": "will", "am": "is", "have": "has"}
# Notes to oneself leave the subject out.
_ELLIPTIC = regex(
    r"(?:Promised|Decided|Agreed|Committed|Told|Switched|Moved|Booked|Finished|Started|Accepted|Pledged|Signed|Chose|"
    r"Picked|Opted|Settled|Adopted|Volunteered|Assured|Offered|Gave|Bought|Sold|Joined|Confirmed\s+(?:that\s+)?I)\b"
)
_ELLIPTIC_WILL = regex(r"Will\s+(?!you\b|I\b|we\b|it\b|they\b|he\b|she\b|the\b)[a-z]+\s")
_ELLIPTIC_ING = regex(
    r"(?:Updating|Adding|Scheduling|Rescheduling|Drafting|Sending|Booking|Preparing|Fixing|Rewriting|Moving|Filing|"
    r"Adopting|Switching|Committing|Planning|Dropping|Replacing|Keeping|Migrating)\s"
)
# What is added in passing.
_TAIL = regex(
    r",?\s*\b(?:btw|by\s+the\s+way|fyi|just\s+so\s+you\s+know|please|thanks|(?<!since )(?<!until )(?<!back )then|"
    r"übrigens|por\s+cierto)[\s.!,]*$",
    re.IGNORECASE,
)
# The only person that the sentence before tells of, by its first word or after a verb of speaking to.
_TOLD_OF = regex(
    r"^([A-Z][\w'’-]+)\s+(?:is|was|has|will|said|told|[a-z]{2,}(?:(?<!s)s|ed))\b|"
    r"\b(?:with|told|asked|met|by|from|to)\s+([A-Z][\w'’-]+)\b"
)
_NAMES = regex(r"(?<![\w.])[A-Z][\w'’-]+")
_NO_NAMES = regex(
    r"(?:I|We|My|Our|The|It|This|That|They|He|She|You|Yes|No|Ok|Okay|\w+day|January|February|March|April|May|June|July|August|"
    r"September|October|November|December)(?:['’]\w+)?$"
)
_HIM = regex(
    r"\b(?:him|her)\b(?=\s+(?:the|a|an|this|that|my|our|it|by|on|at|about|for|in|before|until|to|and|or)\b|[.,!;]|$)"
)
_HIS = regex(r"\b(?:his|her)\b(?=\s+\w)")
_MY = regex(r"My\s+(?=\w)")
_MY_AND_I = regex(r"My\s+((?:\w+\s){1,3}?)and\s+I\s+(?=are\b|were\b|have\b|will\b|want\b|need\b|live\b|moved\b)")
_OWN = (
    (regex(r"\bI['’]m\b|\bI\s+am\b"), "they are"),
    (regex(r"\bI['’]ve\b"), "they have"),
    (regex(r"\bI['’]ll\b"), "they will"),
    (regex(r"\bI['’]d\b"), "they would"),
    (regex(r"\bI\s+was\b"), "they were"),
    (regex(r"\bI\b"), "they"),
    (regex(r"\bmyself\b"), "themselves"),
    (regex(r"\bmine\b"), "theirs"),
    (regex(r"\bmy\b"), "their"),
    (regex(r"\bme\b"), "them"),
)
_ADDRESSED = regex(r"\b(?:you|your|we|our|us|let['’]s)\b", re.IGNORECASE)
# With their, another person's "their" would be taken for the speaker's.
_OTHERS = regex(r"\b(?:they|them|their|he|she|him|her|his)\b", re.IGNORECASE)

_I = regex(r"\b(?:I|mine|myself)\b")
_ME, _MINE = regex(r"\bme\b"), regex(r"\bmy\b")
_I_AM_CALLED = regex(r"I(?:['’]m|\s+am)\s+(?=[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)*,)")
_REMIND = regex(r"Remind\s+me\s+(?=to|about|of|that)")
_TOLD_YOU = regex(r"(?:Answer|Reply|Respond|Speak|Talk|Write|Address|Call)\s")
_FIRST = regex(r"\b(?:I|me|my|mine|myself)\b")
_YOU = regex(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_SETTLED = regex(r"Let['’]s\s+(?:decide|settle|fix)(?:\s+on)?\s+([^:]{2,40}):", re.IGNORECASE)
_LETS = regex(r"\bLet['’]s\s+(?P<not>not\s+)?", re.IGNORECASE)
_WANTED_OF_YOU = regex(r"I(?P<verb>['’]d\s+like|\s+would\s+like|\s+want|\s+need|\s+prefer)\s+you\s+to\s+(?!.*\byou)")
# What "we" do together is told as it was said; what a family does is not a project's.
_SPEAKER = regex(
    r"\b(?:ich|mich|mir|mein\w*|yo|me|mi|mis|conmigo|je|moi|mon|ma|mes|eu|mim|meu|minha|io|mio|mia|miei|я|меня|мне|мой|моя)(?!\w)|\bj['’]|"
    r"我(?!们)|私|僕|俺",
    re.IGNORECASE,
)
_SHARED = frozenset({Category.DECISION, Category.PRINCIPLE, Category.ANTIPATTERN})
_TOLD_ALIKE = _SHARED | {Category.FACT}
_OUR_WORK = regex(
    r"We\s+(?:use|run|deploy|host|ship|store|support|test|write)\b|We(?:['’]re|\s+are)\s+(?:\w+ing|an?)\s|"
    r"We\s+(?:(?:just|recently|now|have)\s+)*(?:moved|switched|migrated|replaced|dropped|adopted|upgraded)\s|Our\s+\w",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stated:
    text: str
    standalone: bool = True


def state(text: str, before: str, language: str, category: Category, said: date | None) -> Stated:
    """``text`` as a statement; ``before`` is what was said before it, ``said`` the day."""
    joined = _JOINED.match(text)
    own = _TAIL.sub("", (text[joined.end() :] if joined is not None else text).rstrip("?？"))
    own = without_lead(own)
    dated = said is not None and category is not Category.PREFERENCE
    whole = _end(absolute(own, said, promised=category is Category.COMMITMENT) if dated and said is not None else own)
    if _DANGLING.match(own) or (language == "en" and _POINTS.match(own)):
        context = f"{_capital(_end(without_lead(before)))} {_capital(whole)}" if before else whole
        return Stated(_quote(context, language, category), False)
    told = _stand_alone(_name_who(_capital(whole), before), category) if language == "en" else None
    alike = category in _TOLD_ALIKE and not _SPEAKER.search(whole) and find_oneself(whole) is None
    if language != "en" and alike:
        told = _capital(whole)  # said to whoever reads it, of all who work on it, or of a thing
    return Stated((told or _quote(whole, language, category))[:MAX_STATEMENT])


def without_lead(text: str) -> str:
    """``text`` without what only leads up to it: "ok", "hm", "by the way"."""
    lead = _LEAD.match(text)
    return text if lead is None else text[lead.end() :]


def _stand_alone(text: str, category: Category) -> str | None:
    """English words of which the grammar is certain; ``None`` where quoting is safer."""
    reminder = _REMIND.match(text)
    if reminder is not None:
        return f"The user wants to be reminded {_own(text[reminder.end() :])}"
    instructs = category is Category.PRINCIPLE or (category is Category.PREFERENCE and _TOLD_YOU.match(text))
    if instructs and not _I.search(text):
        return _MINE.sub("the user's", _ME.sub("the user", text))  # said to whoever reads it
    wanted = _WANTED_OF_YOU.match(text)
    if wanted is not None:
        verb = "would like" if "like" in wanted["verb"] else f"{wanted['verb'].strip()}s"
        return f"The user {verb} the assistant to {_own(text[wanted.end() :])}"
    if category in _SHARED or _OUR_WORK.match(text):
        ours = _SETTLED.sub(r"\1:", text)
        ours = _LETS.sub(_together, ours, count=1)
        if not _FIRST.search(ours) and not _YOU.search(ours) and _LETS.search(ours) is None:
            return _capital(ours)
    return _third_person(text)


def _together(lets: re.Match[str]) -> str:
    told = "we do not " if lets["not"] else "we "
    return told if lets.start() else _capital(told)


def _name_who(text: str, before: str) -> str:
    """With the name for "him", "her" and "his" where the sentence before names one person, and nobody else is meant."""
    found = _TOLD_OF.search(before)
    name = found and (found[1] or found[2])
    others = {
        word for word in (*_NAMES.findall(before[1:]), *_NAMES.findall(text[1:])) if not _NO_NAMES.match(word)
    } - {name}
    if not name or _NO_NAMES.match(name) or others or re.search(r"\b(?:he|she|they|them|their)\b", text, re.IGNORECASE):
        return text
    return _HIS.sub(f"{name}'s", _HIM.sub(name, text))


def _third_person(text: str) -> str | None:
    """English words of which the grammar is certain; ``None`` where quoting is safer."""
    if _ADDRESSED.search(text):
        return None
    both = _MY_AND_I.match(text)
    if both is not None:
        rest = text[both.end() :]
        return None if _mixed(f"I {rest}") else f"The user and their {both[1]}{_own(rest)}"
    named = _I_AM_CALLED.match(text)
    if named is not None:
        rest = text[named.end() :]
        return None if _mixed(f"I {rest}") else f"The user is {_own(rest)}"
    subject = _SUBJECT.match(text)
    if subject is not None:
        verb = _verb(subject)
        rest = text[subject.end() :]
        return None if verb is None or _mixed(rest) else f"The user {verb}{_own(_agree(verb, rest))}"
    for pattern, lead in ((_ELLIPTIC, ""), (_ELLIPTIC_WILL, ""), (_ELLIPTIC_ING, "is ")):
        if pattern.match(text):
            return None if _mixed(text) else f"The user {lead}{text[0].lower()}{_own(text[1:])}"
    if _MY.match(text):
        return None if _mixed(text) else f"The user's {_own(_MY.sub('', text, count=1))}"
    own = re.search(r"\b(?:I|me|my|mine|myself)\b|\bI['’]", text)
    return text if own is None else None


def _verb(subject: re.Match[str]) -> str | None:
    adverb, verb = subject["adverb"], subject["verb"]
    short = (subject["short"] or "")[1:] or subject["aux"] or ""
    if short == "d":
        return None if verb not in ("rather", "like", "prefer") else f"would {adverb}{verb}"
    if short:
        return f"{_AUXILIARY[short]} {adverb}{verb}"
    if verb in ("am", "have", "do"):
        return {"am": "is", "have": "has", "do": "does"}[verb]
    if verb in _KEPT or (verb.endswith("ed") and verb not in _VERBS):
        return f"{adverb}{verb}"
    return f"{adverb}{_inflect(verb)}" if verb in _VERBS else None


def _agree(verb: str, rest: str) -> str:
    """A second verb in the form of the first, where it is surely one: "uses it and want" becomes "and wants"."""
    second = _SECOND.search(rest)
    if second is None or _BARE.search(f"{verb} {rest[: second.start()]}"):
        return rest
    return f"{rest[: second.start(2)]}{_FORMS[second[2]]}{rest[second.end(2) :]}"


def _inflect(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


def _mixed(text: str) -> bool:
    return _OTHERS.search(text) is not None and re.search(r"\b(?:I|me|my|mine|myself)\b", text) is not None


def _own(text: str) -> str:
    for pattern, other in _OWN:
        text = pattern.sub(other, text)
    return text


def _quote(text: str, language: str, category: Category) -> str:
    speaker, frames = _FRAMES.get(language, _FRAMES["en"])
    frame = frames.get(category.value, f"{speaker}: ") if frames else "The user said"
    return f"{frame.rstrip(': ')}: “{text[: MAX_STATEMENT - 60].strip()}”"


def _end(text: str) -> str:
    text = " ".join(text.split()).rstrip(",;:-–— ")
    return text if text.endswith((".", "!", "?", "。", "！", "？", "”", '"')) else f"{text}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
