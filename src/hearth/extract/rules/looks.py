"""Tools taken up for one look: "let's use grep to find it" settles nothing, "let's use SQLite to keep it" does.

What a tool is used for tells which: a look ends with what it finds, and is mostly at something definite ("the line",
"why it hangs"); a search that people are offered, and a check at every commit, go on.
"""

from __future__ import annotations

import re

from hearth.lazy import regex

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
    said = look.groupdict()
    sure = said["sure"] is not None or said.get("also") is not None
    return sure and (said["found"] is not None or not said["tool"][:1].isupper())
