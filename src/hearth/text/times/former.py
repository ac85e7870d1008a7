"""Questions about what was so and is no longer: "what did we use before?"; in nine languages."""

from __future__ import annotations

import re
from functools import cache

# Behind these the question may end, or go on with what came instead.
_INSTEAD = r"(?=\s*(?:[?.!,;)]|\Z|we\s+(?:switched|moved|changed|migrated)|the\s+(?:switch|move|change|migration)))"
_FORMER = (
    r"(?:what|which|who|where|how)\b.{0,80}?\b(?:before|earlier)" + _INSTEAD,
    r"(?:what|which)\b.{0,40}?\b(?:did|had|have|were|was)\b.{0,60}?\bbefore\s+[^?]{2,60}\?",
    r"used\s+to\s+(?:be|have|use|run|do|live|work|call)|did\b.{0,30}?\buse\s+to\b",
    r"previously|formerly|originally|initially|back\s+then|at\s+first\b|until\s+then|in\s+the\s+past",
    r"(?:former|previous|old|earlier|original|prior)\s+(?:decision|choice|plan|version|value|setting|address|name|"
    r"job|role|employer|database|editor|tool|library|framework|provider|port|price|deadline|approach|answer|way)s?",
    r"(?:antes|anteriormente|previamente|originalmente|al\s+principio)(?=\s*(?:[?¿.!,]|\Z|de\s))"
    r"|qué\s+\w+\s+antes|sol[ií]a(?:mos|s|n)?\b",
    r"(?:anterior|antigu[oa]|vieja|viejo)\s+(?:decisi[óo]n|versi[óo]n|plan|direcci[óo]n|nombre|puerto|editor|base)|"
    r"(?:decisi[óo]n|versi[óo]n|plan|direcci[óo]n|nombre|puerto|editor)\s+(?:anterior|antigu[oa])",
    r"vorher|früher(?:e[nrms]?)?\b|zuvor|ehemal(?:s|ige[nrms]?)|ursprünglich(?:e[nrms]?)?|damals|bisherige[nrms]?|"
    r"vorige[nrms]?\s+(?:entscheidung|version|plan|adresse|datenbank)",
    r"auparavant|avant(?=\s*(?:[?.!,]|\Z))|précédemment|à\s+l['’]origine|autrefois|initialement|"
    r"(?:ancien(?:ne)?|précédente?)\s+(?:décision|version|plan|adresse|nom|port|éditeur|base)",
    r"prima(?=\s*(?:[?.!,]|\Z|di\s))|in\s+precedenza|precedentemente|originariamente|inizialmente|una\s+volta\b|"
    r"(?:vecchi[ao]|precedente)\s+(?:decisione|versione|piano|indirizzo|nome|porta|editor)",
    r"anteriormente|antigamente|originalmente|costumáva(?:mos|m)?|"
    r"(?:antig[oa]|anterior)\s+(?:decisão|versão|plano|endereço|nome|porta|editor)",
    r"voorheen|vroeger|eerder(?=\s*(?:[?.!,]|\Z))|oorspronkelijk|destijds|"
    r"(?:oude|vorige)\s+(?:beslissing|versie|plan|adres|naam|poort|editor)",
    r"раньше|ранее|прежде|прежн\w+|изначально|первоначально|до\s+этого",
    r"tidigare|förut|ursprungligen|på\s+den\s+tiden|(?:gamla|förra)\s+(?:beslutet|versionen|planen|adressen|namnet)",
)


@cache
def _former() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(_FORMER)})", re.IGNORECASE)


def asks_former(text: str) -> bool:
    """Whether what was replaced may be what is asked for."""
    return _former().search(text[:2_000]) is not None
