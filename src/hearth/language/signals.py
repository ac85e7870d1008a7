"""What a conversation settled and left open, and standing instructions, by words alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from hearth.core.lazy import regex
from hearth.text.lines import split_sentences, without_code

_MOST = 500
_LEAD = r"\W*(?:\w+[^\w`]+){0,4}?"
# Of each language: who takes up a tool, and what for. ``found`` are verbs of a single look, others may be of many;
# ``sure`` is something definite that is looked at.
_TONGUES = (
    (
        r"(?:let['’]?s|let\s+us|we['’]ll|(?:shall|should)\s+we|i(?:['’]d)?\s+(?:suggest|propose|recommend)(?:\s+that)?\s+we|"
        r"we\s+(?:will|can|could|should)|i['’](?:ll|d)|i\s+will)\s+(?:(?:just|first|now|quickly|simply|also|then)\s+){0,2}"
        r"(?:use|go\s+with|try|take|run)\b",
        r"\b(?:to|and)\s+(?:(?:just|quickly|first|then)\s+)?(?:(?P<found>find|look|see|locate|inspect|debug|figure|trace|reproduce|diagnose|grep|confirm|"
        r"understand|peek)|check|verify|search|list|count|test|measure)\b(?:\s+(?:out|up|at|for|in|into|through|all|exactly)){0,2}(?P<sure>\s+"
        r"(?:it|its|this|that|these|those|them|the|our|my|what|why|whether|if|how|where|which|who|when)\b|\W*$)?",
    ),
    (
        r"(?:usemos|utilicemos|usaremos|probemos\s+con|vamos\s+a\s+(?:usar|utilizar))\b",
        r"\bpara\s+(?:(?P<found>ver|mirar|encontrar|averiguar|localizar|inspeccionar|depurar|entender|hallar|rastrear)|buscar|comprobar|revisar|"
        r"verificar|listar|contar|medir|probar)(?P<sure>l[oae]s?\b|\s+(?:a\s+)?(?:el|l[ao]s?|est[aeo]s?|es[aeo]s?|nuestr\w+|qu[eé]|por|si|c[oó]mo|d[oó]nde|qui[eé]n|"
        r"cu[aá]l\w*|cu[aá]ndo)\b|\W*$)?(?!\w)",
    ),
    (
        r"(?:lass(?:t|en)?\s+(?:sie\s+)?uns|(?:nehmen|verwenden|benutzen|nutzen)\s+wir|wir\s+(?:nehmen|verwenden|benutzen|nutzen))\b",
        r"\bum\s+(?P<sure>(?:es|das|die|de[rmn]|diese\w*|dies|jene\w*|sie|ihn|unser\w*)\s|(?=(?:\w+)?zu))?(?:[^,]{0,60}?\s)?(?:(?P<found>(?:an|nach|hinein)zu(?:sehen|schauen|gucken)|herauszufinden|"
        r"aufzuspüren|zu\s+(?:finden|sehen|schauen|verstehen|debuggen|lokalisieren|inspizieren|untersuchen))|nachzuprüfen|zu\s+(?:(?:über)?prüfen|"
        r"suchen|durchsuchen|testen|zählen|messen|checken))\b(?P<also>,?\s+(?:was|warum|wieso|ob|wo|woher|wie|wer|wann|welche\w*)\b)?",
    ),
    (
        r"(?:utilisons|prenons|essayons\s+avec|(?:on|nous)\s+(?:prend|utilise|va\s+(?:utiliser|prendre)))\b",
        r"\bpour\s+(?P<sure>(?:l[ae]s?\s|l['’]|y\s)\s*)?(?:(?P<found>trouver|voir|regarder|repérer|localiser|inspecter|déboguer|comprendre|savoir|découvrir|retrouver)|"
        r"chercher|vérifier|contrôler|lister|compter|mesurer|tester)\b(?P<also>\s+(?:l[ae]s?|ce(?:tte|s|t)?|nos|notre|pourquoi|si|comment|où|qui|quel\w*|d['’]où)\b|"
        r"\s+[ls]['’]|\W*$)?",
    ),
    (
        r"(?:usiamo|utilizziamo|proviamo\s+con)\b",
        r"\bper\s+(?:(?P<found>trovar|veder|guardar|capir|scoprir|individuar|ispezionar|localizzar|rintracciar)|cercar|controllar|verificar|elencar|contar|"
        r"misurar|testar)(?:e\b|(?=l[oaie]\b|ne\b))(?P<sure>l[oaie]\b|ne\b|\s+(?:il|l[aeo]|i|gli|quest\w|quell\w+|perché|se|cosa|come|dove|chi|qual\w*|quando)\b|"
        r"\s+l['’]|\W*$)?",
    ),
    (
        r"(?:usemos|utilizemos|vamos\s+(?:usar|utilizar|com))\b",
        r"\b(?:para|pra)\s+(?:(?P<found>v[eê]|olh[aá]|ach[aá]|encontr[aá]|descobr[ií]|localiz[aá]|inspecion[aá]|depur[aá]|entend[eê]|rastre[aá])|busc[aá]|"
        r"procur[aá]|verific[aá]|confer[ií]|chec[aá]|list[aá]|cont[aá]|test[aá]|med[ií])(?:r\b|(?=-))(?P<sure>-l[oa]s?\b|\s+(?:[oa]s?|iss?to|isso|ess[ea]s?|est[ea]s?|"
        r"noss\w+|por\s?qu[eê]|se|como|onde|quem|qual|quando|de\s+onde)\b|\W*$)?",
    ),
    (
        r"давай(?:те)?\s+(?:использ\w+|возьм[её]м|попробуем)",
        r"\bчтобы\s+(?:(?P<found>найти|посмотреть|увидеть|выяснить|понять|разобраться|отыскать|отследить|глянуть)|проверить|поискать|искать|посчитать)\b"
        r"(?P<sure>,?\s+(?:это\w*|эт\w+|его|её|их|где|почему|что|как|кто|откуда|ли|котор\w+|как\w+)\b|\W*$)?",
    ),
    (
        r"(?:\w{0,6}?我们|咱们)?(?:就|先)?用",
        r"(?:来|去)?(?:(?P<found>找|看|排查|定位)|搜索|搜|检查|确认|查)(?P<sure>一下|看|出|它|这|那|为什么|哪|是否|怎么|是不是|\W*$)?",
    ),
    (
        r"(?:を使|で)",
        r"\w{0,30}?(?P<found>探す|見る|見つける|調べる|確認する|確かめる)(?P<sure>ために)",
    ),
)  # fmt: skip
_LOOKS = tuple(
    (
        regex(rf"{_LEAD}(?:{use})\s*(?P<tool>.{{1,60}}?)[,\s]*{aim}", re.IGNORECASE),
        regex(rf"{_LEAD}{aim}.{{0,80}}?(?:{use})\s*(?P<tool>\S*)", re.IGNORECASE),
    )
    for use, aim in _TONGUES
)
# What goes on after this look, or is weighed against something else.
_LASTING = regex(
    r"\b(?:always|never|from\s+now\s+on|going\s+forward|whenever|permanently|instead\s+of|rather\s+than|every\s*time|nightly|daily|weekly|in\s+(?:ci|production)|"
    r"(?:(?:on|in|at|for|with|by|before|after|during)\s+(?:every|each)|en\s+cada|a\s+cada|antes\s+de\s+cada|después\s+de\s+cada|em\s+cada|(?:bei|vor|nach|in|mit)\s+jede\w+|"
    r"à\s+chaque|avant\s+chaque|après\s+chaque|a\s+ogni|prima\s+di\s+ogni|dopo\s+ogni|ad\s+ogni|(?:при|перед|после|на)\s+кажд\w+)|"
    r"(?:every|each|cada|jede\w?|chaque|ogni|кажд\w+)\s+(?:time|day|night|week|month|release|vez|d[ií]a|noche|noite|semana|tag|nacht|woche|fois|jour|nuit|semaine|volta|"
    r"giorno|notte|settimana|раз|день|ночь|неделю)|siempre|a\s+partir\s+de\s+(?:ahora|agora)|en\s+(?:lugar|vez)\s+de|immer|ab\s+(?:jetzt|sofort)|künftig|statt|anstatt|"
    r"anstelle|toujours|désormais|dorénavant|au\s+lieu\s+d|plutôt\s+que|sempre|em\s+vez\s+de|de\s+agora\s+em\s+diante|d['’]ora\s+in\s+poi|invece\s+di|всегда|"
    r"отныне|впредь|вместо)\b|总是|以后|每次|每天|代替|いつも|今後|毎回|毎日|代わりに",
    re.IGNORECASE,
)


def is_look(text: str) -> bool:
    """Whether a statement takes up a tool for one look at something, and for no longer."""
    text = text[:_MOST]
    found = (pattern.match(text) for patterns in _LOOKS for pattern in patterns)
    return any(one is not None and _ends(one) for one in found) and _LASTING.search(text) is None


def _ends(look: re.Match[str]) -> bool:
    """Whether the look ends with what it finds. A product's name is one that stays, unless the look is plainly one."""
    groups = look.groupdict()
    sure = groups["sure"] is not None or groups.get("also") is not None
    return sure and (groups["found"] is not None or not groups["tool"][:1].isupper())


_LONGEST = 400
# What may stand before: the speaker of a turn, a list mark, a courtesy.
_STANDING_LEAD = regex(
    r"(?:#{1,6}[^\n]*\n+|\*\*[^*\n]{1,40}\*\*[ \t]*|[^\W\d_][\w'’. -]{0,40}[:：](?=\s)|\s+|[-*+]\s|\d+[.)]\s|"
    r"(?:hey|hi|hello|bonjour|bonsoir|salut|hola|hallo|moin|guten\s+(?:tag|morgen|abend)|olá|ciao|buongiorno|привет|claude|please|so|then|anyway|btw|oh|yeah|yes|(?:right|great|nice|perfect|well)(?=[,.:!])|also|and|ok(?:ay)?|note|remember|rule|por\s+favor|además|bitte|s'il\s+te\s+pla[iî]t|请|"
    r"пожалуйста)\b[,:：]?(?:\s+(?:that|to|que))?)+",
    re.IGNORECASE,
)
# Said of every time that something is asked for; "every time I run it, it fails" is no instruction.
_ON_REQUEST = (
    r"(?:when(?:ever)?|(?:every|each|any)\s*time(?:\s+that)?)(?:\s+\w+)?\s+i\s+(?:ask|say|mention|request|want|need)\b|"
    r"(?:cuando|cada\s+vez\s+que)\s+(?:te\s+)?(?:pida|pregunte|diga)\b|"
    r"(?:wenn|jedes\s+mal,?\s+wenn)\s+ich\s+(?:dich\s+|nach\s+)?(?:frage|bitte|sage)\b|"
    r"(?:quand|chaque\s+fois\s+que)\s+je\s+(?:te\s+)?(?:demande|dis)\b"
)
_FROM_NOW = (
    r"(?:from\s+now\s+on|going\s+forward|de\s+ahora\s+en\s+adelante|a\s+partir\s+de\s+ahora|en\s+adelante|"
    r"ab\s+(?:jetzt|sofort)|künftig|désormais|dorénavant|à\s+partir\s+de\s+maintenant|d['’]ora\s+in\s+poi|"
    r"a\s+partir\s+de\s+agora|отныне|впредь|bundan\s+sonra)\b|从现在(?:开始|起)|以后(?:都|请|要|不)"
)
# "Always" and "never" at the start, but not of what was or is so: "never seen before", "immer noch", "siempre me da …".
_OPENINGS = (
    r"always(?!\s*[@(.!]|\s+(?:been|was|had|the\s+same|on\s+my\s+mind))\b",
    r"never(?!\s+(?:mind|ever|\w+(?:ed|en)\b|had|been|got|knew|thought|heard|saw|met))\b",
    r"(?:don['’]?t|do\s+not)\s+ever\b|in\s+(?:the\s+)?future\s*,",
    r"(?:usa|responde|escribe|haz|utiliza|pon)\s+siempre\b",
    r"siempre(?!\s+(?:me|te|se|lo|la|que|es|ha|he|da|pasa)\b)\b",
    r"(?:nunca|jamás)(?!\s+(?:me|te|se|he|ha|había|más\s+he)\b)\b",
    r"immer(?!\s+(?:noch|wieder|mehr|diese[rs]?)\b)\b|niemals\b",
    r"toujours(?!\s+(?:pas|le|la|les|rien|en|aussi|un|une)\b)\b|(?:ne\s+|n['’])\w+\s+jamais\b",
    r"sempre\b|всегда\b|никогда\s+не\s+\w+й(?:те)?\b|her\s+zaman\b",
    r"总是|始终|永远(?:不要|都|用|别)|每次都(?=[要请用先])",
)
_OPENS = regex("|".join(_OPENINGS), re.IGNORECASE)
_ANYWHERE = regex(rf"(?<!\w)(?:{_FROM_NOW}|{_ON_REQUEST})", re.IGNORECASE)
_END = regex(r"[.!?](?=[\s\"'”’)]|$)|[。！？]|\n")


def open_of(text: str) -> str:
    """What was said without what may stand before it."""
    lead = _STANDING_LEAD.match(text)
    return text[lead.end() :] if lead is not None else text


def is_standing(text: str) -> bool:
    """Whether the first sentence of what was said tells how to act from now on; a question never does."""
    opening = open_of(text)
    end = _END.search(opening, 0, _LONGEST)
    sentence = opening[: end.end()] if end is not None else opening[:_LONGEST]
    if sentence.rstrip().endswith(("?", "？")):
        return False
    return _OPENS.match(sentence) is not None or _ANYWHERE.search(sentence) is not None


_MARK = regex(r"^\s*(?:(?:[-*+]|\d+[.)]|#{1,6}|>|\[ \])\s+)+")
# Of lower case: patterns that ignore case take twice the time.
_DECIDED = regex(
    r"\b(?:(?:we|i|you|they|team|it\s+was)\s+(?:have\s+|has\s+|had\s+|'ve\s+)?(?:decided|agreed|chose|settled)\b|"
    r"decision\s*(?::|is\b|was\b)|(?:we|we'll|let's|i'd)\s+(?:will\s+)?(?:go|went|stick|stay|going)\s+with\b|"
    r"(?:we'll|we\s+will)\s+(?:use|adopt|switch\s+to|standardi[sz]e\s+on|keep\s+using)\b|"
    r"(?:chose|choose|picked|prefer(?:red)?|selected)\b.{3,80}\b(?:over|instead\s+of|rather\s+than|because)\b|"
    r"from\s+now\s+on\b|"
    r"decidi(?:mos|ó|eron)\b|(?:hemos|se\s+ha|han)\s+decidido\b|decisión\s*(?::|es\b|fue\b)|"
    r"(?:vamos|nos\s+quedamos)\s+con\b|usaremos\b|acordamos\b|elegimos\b|a\s+partir\s+de\s+ahora\b)"
)
# Each of them holds one of these.
_DECIDING = (
    "decided", "agreed", "chose", "settled", "decision", "go with", "went with", "stick with", "stay with",
    "going with", "we'll use", "we will use", "adopt", "switch to", "standardi", "keep using",
    "choose", "picked", "prefer", "selected", "from now on", "decidi", "decisión", "vamos con",
    "quedamos con", "usaremos", "acordamos", "elegimos", "a partir de ahora",
)  # fmt: skip
_NEXT_STEP = regex(
    r"\b(?:let\s+me|i'?ll|i\s+will|i'?m\s+going\s+to|i\s+am\s+going\s+to|voy\s+a|déjame)\b", re.IGNORECASE
)
# Of lower case.
_OPEN = regex(
    r"\b(?:open\s+question|still\s+(?:need|have)\s+to|not\s+(?:yet\s+)?(?:decided|clear)|to\s+be\s+decided|"
    r"pendiente|por\s+decidir|falta\s+decidir)\b",
)
_POLITE = regex(
    r"^(?:would\s+you\s+like|do\s+you\s+want|shall\s+i|should\s+i\s+(?:proceed|continue|go)|want\s+me\s+to|"
    r"(?:is\s+there\s+)?anything\s+else|does\s+that|can\s+i\s+help|quieres\s+que)",
    re.IGNORECASE,
)
_FAILED = regex(
    r"\b(?:fail(?:s|ed|ing|ures?)?|br(?:eaks|oke|oken)|crash(?:es|ed|ing)?|errors?|bugs?|outages?|time[sd]?[\s-]?outs?|timed\s+out|"
    r"(?:does|do|did)(?:n't|\s+not)\s+(?:work|start|build|compile)|stopped\s+working|regressions?|flaky|leaks?|"
    r"fall(?:a|an|ó|aron|aba)|fallos?|errores|rot[oa]s?|se\s+(?:cae|cayó|rompe|rompió)|no\s+(?:funciona|arranca|compila))\b",
    re.IGNORECASE,
)
# Decisions of another session, repeated: they may have changed since.
_RECALLED = regex(
    r"\b(?:we|you|they|i)(?:\s+had|['’]d)\s+(?:already\s+)?(?:decided|agreed|chosen|settled)\b|\b(?:last\s+time|previously|earlier)\b"
)
_QUOTED_CODE = regex(r"`[^`]*`")
# "No failure", "without a single error".
_NONE = regex(r"\b(?:no|not|never|without|zero|nor|0|sin|ning[uú]n\w*|nunca)\s+(?:\w+\s+){0,2}\Z", re.IGNORECASE)
# Of what no sentence holds.
_CODE = regex(r"[={};]|</?\w")
_WORD = regex(r"\w+")
_TELLING_CHARS = 4
_DECISION_CHARS = (20, 500)
_QUESTION_CHARS = (15, 300)


def decisions(texts: Iterable[str], limit: int = 15) -> list[str]:
    """Sentences that decide something, the latest last, each once."""
    return _keep(chain.from_iterable(map(_decisions_of, texts)), limit)


@lru_cache(maxsize=512)
def _decisions_of(text: str) -> tuple[str, ...]:
    """Kept for a while: the replies of a session are read again for each of its hand-offs."""
    low = text.lower()
    plain = " ".join(low.split())
    # Few hold one: the others need no sentences, and most of them no pattern.
    if not any(word in plain for word in _DECIDING) or _DECIDED.search(low) is None:
        return ()
    return tuple(s for s in _sentences([text]) if _is_decision(s))


def open_questions(texts: Iterable[str], unanswered: Iterable[str] = (), limit: int = 10) -> list[str]:
    """What ``texts`` call undecided and what ``unanswered`` ones ask, the latest last, each once."""
    texts = list(texts)
    sentences_here = list(_sentences(texts)) if any(map(_calls_open, texts)) else []
    open_ones = (at for at, s in enumerate(sentences_here) if _may_be_open(s) and _OPEN.search(s.lower()))
    left = (sentences_here[at] for at in open_ones if not _is_settled(sentences_here[at], sentences_here[at + 1 :]))
    asking = (text for text in unanswered if "?" in text or "？" in text)
    asked = (s for s in _sentences(asking) if _may_be_open(s) and s.endswith(("?", "？")) and not _CODE.search(s))
    return _keep(chain(left, asked), limit)


def problems(texts: Iterable[str], limit: int = 15) -> list[str]:
    """Sentences that tell what failed, the latest last, each once. What is quoted as code tells nothing."""
    low, high = _QUESTION_CHARS
    failures = (s for s in _sentences(text for text in texts if _FAILED.search(text)) if _tells_failure(s))
    return _keep((s for s in failures if low <= len(s) <= high and not s.endswith(("?", "？"))), limit)


def _tells_failure(sentence: str) -> bool:
    words = _QUOTED_CODE.sub(" ", sentence)
    return any(_NONE.search(words[: found.start()]) is None for found in _FAILED.finditer(words))


def telling_words(sentence: str) -> frozenset[str]:
    """The longer words of a sentence: they name its subject."""
    return frozenset(word for word in _WORD.findall(sentence.casefold()) if len(word) >= _TELLING_CHARS)


@lru_cache(maxsize=512)
def _calls_open(text: str) -> bool:
    """Kept for a while, as above."""
    return _OPEN.search(text.lower()) is not None


def says_something(text: str) -> bool:
    """Whether some sentence of it is neither a question nor what somebody is about to do next."""
    return any(not s.endswith(("?", "？")) and _NEXT_STEP.search(s) is None for s in _sentences([text]))


def _is_settled(sentence: str, later: Iterable[str]) -> bool:
    """Whether a decision about the same thing comes later: one with half of its longer words."""
    about = telling_words(_OPEN.sub(" ", sentence.lower()))
    decided = (telling_words(other) for other in later if _is_decision(other) and _OPEN.search(other.lower()) is None)
    return bool(about) and any(2 * len(about & other) >= len(about) for other in decided)


def _is_decision(sentence: str) -> bool:
    low, high = _DECISION_CHARS
    if not low <= len(sentence) <= high or sentence.endswith(("?", "？", ":", "：")) or "?" in sentence:
        return False
    found = _DECIDED.search(sentence.lower())
    step = _NEXT_STEP.search(sentence.lower())
    if is_look(sentence) or _RECALLED.search(sentence.lower()) is not None:
        return False
    return found is not None and (step is None or step.start() > found.start())


def _may_be_open(sentence: str) -> bool:
    low, high = _QUESTION_CHARS
    return low <= len(sentence) <= high and _POLITE.search(sentence) is None and not sentence.endswith((":", "："))


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for part in split_sentences(without_code(text)):
            sentence = " ".join(_MARK.sub("", part).replace("**", "").split())
            if sentence:
                yield sentence


def _keep(sentences: Iterable[str], limit: int) -> list[str]:
    """The last ``limit``, each at its latest place."""
    found: dict[str, str] = {}
    for sentence in sentences:
        key = sentence.casefold()[:80]
        found.pop(key, None)
        found[key] = sentence
    return list(found.values())[-limit:]
