"""What the form of a sentence alone tells of a thing: what is being made, what something is, where it runs, who did it.

People who work tell such things without a word that says so ("the staging server is at 10.0.3.7"). A form holds a
definite subject, a verb of lasting state, and something exact: a name, a figure, a path. What only the moment can mean
(an output, an error, a page that is blank) is left alone.
"""

from __future__ import annotations

import re

from hearth.extract.standing import open_of
from hearth.lazy import regex
from hearth.model.capture.extraction import Category

_MOST = 240
_CAP = r"(?-i:[A-ZÀ-ÞА-Я])"
_NAME = rf"{_CAP}[\w'’&.+#-]*(?:\s{_CAP}[\w'’&.+#-]*){{0,4}}"
# Something exact: a name, a figure, a quoted title, code, a path, a domain.
_EXACT = rf"(?:[\"'“‘«„][^\"'”’»“]{{2,}}|`[^`]+`|{_CAP}[\w'’-]|[^\s,;]*\d|[\w.-]+/[\w./-]+|\w+[._]\w{{2,}})"
_THE = (
    r"(?:the|our|my|his|her|their|der|die|das|unsere?|meine?|el|la|los|las|nuestr[oa]s?|mi|mis|le|les|l['’]|notre|nos|mon|"
    r"ma|mes|nosso|nossa|meu|minha|il|lo|gli|nostr[oaie]|mi[oae])"
)
_NOUNS = r"(?:[\w'’-]+\s+){1,4}?"
_NOW = r"(?:(?:now|currently|also|actually|still|jetzt|nun|ahora|maintenant|agora|ora|adesso)\s+)?"
_COUNT = r"(?:\d|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)"
_ARTICLE = r"(?:an?|the|ein(?:e[nmrs]?)?|une?|una|uno|um|uma)"
_CLOSE = (
    r"(?:wife|husband|partner|cat|dog|son|daughter|kids?|children|mother|father|mom|mum|dad|brother|sister|boss|manager|landlord|"
    r"doctor|frau|mann|partnerin|sohn|tochter|kinder|mutter|vater|bruder|schwester|chefin?|esposa|marido|mujer|hij[oa]|madre|"
    r"padre|herman[oa]|femme|mari|fils|fille|mère|père|frère|sœur|esposo|filh[oa]|mãe|pai|irmã|irmão|moglie|marito|figli[oa]|"
    r"fratello|sorella)"
)
_MAKING = (
    r"(?:writing|building|developing|designing|creating|making|translating|composing|editing|renovating|organi[sz]ing|"
    r"planning|preparing|maintaining|running|researching|working\s+on|schreibe|baue|entwickle|plane|arbeite\s+an|"
    r"escribiendo|desarrollando|construyendo|trabajando\s+en|preparando|écris|développe|construis|prépare|travaille\s+sur|"
    r"escrevendo|desenvolvendo|construindo|trabalhando\s+em|scrivendo|sviluppando|costruendo|lavorando\s+a|verfasse|"
    r"übersetze|redactando|traduciendo|rédige|traduis|redigindo|traduzindo|redigendo|traducendo)"
)
_WE_ARE = (
    r"(?:i(?:['’]m|\s+am)|we(?:['’]re|\s+are)|ich|wir|(?:yo\s+)?estoy|estamos|je|nous|on|j['’]|(?:eu\s+)?estou|"
    r"(?:io\s+)?sto|stiamo)"
)
_IS = r"(?:is|are|ist|sind|es|son|est|sont|é|è|são|sono|heißt|heißen|se\s+llama|s['’]appelle|se\s+chama|si\s+chiama)"
_AT = r"(?:at|on|in|under|behind|within|inside|auf|unter|hinter|en|sur|sous|dans|em|su|sotto|:)"
_RUNS = (
    r"(?:lives?|sits?|resides?|runs?|listens?|is\s+(?:hosted|deployed|stored|kept|written|built|managed|served)|"
    r"are\s+(?:hosted|deployed|stored|kept|written|built|managed|served)|läuft|laufen|liegt|liegen|corre|corren|está|están|"
    r"tourne|tournent|se\s+trouve|roda|rodam|fica|gira|girano|si\s+trova)"
)
_DONE_BY = (
    r"(?:(?:is|are|was|were)\s+(?:handled|owned|maintained|written|built|designed|managed|done|made|paid|run|generated|"
    r"approved|reviewed|translated|published|edited|sponsored|funded|sent|processed|delivered|charged|backed\s+up)\s+(?:by|through|via|with)|(?:logs?\s+in|talks?|connects?|authenticates?|"
    r"deploys?|syncs?)\s+(?:through|via|with|to|by))"
)
_FORMS = (
    # What is worked on, said where it is.
    (
        Category.FACT,
        r"this\s+(?:repo(?:sitory)?|project|app|codebase|service|package|library|(?:web)?site|book|novel|paper|thesis|vault|game|"
        r"course|blog|folder)\s+(?:is|uses|runs|contains|holds|covers|targets|supports|belongs)\s+(?:\S+\s+){2,}",
    ),
    # What is being made; named or told of at some length.
    (
        Category.FACT,
        rf"{_WE_ARE}\s+{_NOW}{_MAKING}\s+(?:{_ARTICLE}|my|our|meine?[nm]?|unsere?[nm]?|mi|mon|ma|meu|minha)\s+"
        rf"(?:[^\s.]+\s+){{1,14}}?{_EXACT}",
    ),
    (
        Category.FACT,
        rf"{_WE_ARE}\s+{_NOW}{_MAKING}\s+(?:le|la|les|der|die|das|den|el|los|il|o|os)\s+(?:[^\s.]+\s+){{1,8}}?{_EXACT}",
    ),
    (Category.FACT, rf"{_WE_ARE}\s+{_NOW}{_MAKING}\s+{_NAME},\s+{_ARTICLE}\s+(?:[^\s.]+\s+){{1,14}}?[^\s.]{{3,}}"),
    (
        Category.FACT,
        rf"{_WE_ARE}\s+{_NOW}{_MAKING}\s+(?:chapter|part|volume|episode|section|scene|issue|unit|lesson|kapitel|capítulo|chapitre|capitolo)\s+\d+\S*\s+\S+",
    ),
    (
        Category.FACT,
        rf"{_THE}\s+{_NOUNS}(?:is|are)\s+(?:told|written|set|drawn|filmed|recorded|played|taught|sold|billed|published|rendered)\s+(?:in|from|as|on|with|by|at)\s+"
        r"(?!(?:it|this|that)\b)\S+\s+\S+",
    ),
    # What comes again and again.
    (
        Category.FACT,
        r"(?:i|we|(?:the|our|my)\s+(?:[\w-]+\s+){1,3}?|[\w-]+s\s+)(?:\s*(?:usually|always|only)\s+)?(?!\s*(?:was|were|went|had|did|spent|got|made|took|saw|need|want|"
        r"try|tried|would|could|should|can|love|like|enjoy|feel)\b)\s*[a-z]+(?<!ed)\s+(?!(?:it|them|this|that|him|her)\b)(?:\S+\s+){0,10}?(?:(?:every|each)\s+(?:single\s+|second\s+|other\s+|third\s+)?(?:day|week|month|quarter|"
        r"year|morning|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?|(?:once|twice)\s+an?\s+(?:day|week|month|quarter|year)|\d+\s+a\s+(?:week|month|year)|"
        r"of\s+(?:each|every)\s+(?:week|month|quarter|year))\b",
    ),
    (Category.FACT, rf"{_NAME}\s+only\s+[a-z]{{2,}}s\s+\S+"),
    # What goes where, and who is it now.
    (
        Category.FACT,
        r"(?!(?:it|that|this|he|she|they)\b)(?:[\w-]+\s+){1,3}"
        r"(?:go|goes)\s+(?:to|in|into|under|on)\s+[^\s,;]*\d",
    ),
    (
        Category.FACT,
        rf"(?!(?:it|that|this|he|she|there)\b)(?-i:[a-z][\w-]{{2,}})\s+"
        rf"{_IS}\s+(?:at|on|in|with|bei|unter|chez|en|em)\s+{_EXACT}",
    ),
    (
        Category.FACT,
        rf"[^\s,]+(?:\s[^\s,]+){{0,5}}\s+{_IS}\s+{_NOW}(?:(?:Mrs?|Ms|Dr|Frau|Herr|Mme|M|Sra?)\.?\s+)?{_NAME},?\s+(?:and\s+)?(?:no\s+longer|nicht\s+mehr|ya\s+no|et\s+plus|"
        r"não\s+mais|non\s+più)\s+\S+",
    ),
    # Where the speakers go, and when.
    (
        Category.FACT,
        rf"(?:(?:my|our)\s+\w+(?:\s+{_NAME})?\s+and\s+i|i|we)(?:['’](?:m|re)|\s+(?:am|are))\s+(?:going|flying|travell?ing|driving|moving|"
        rf"sailing|cycling)\s+(?:back\s+)?to\s+(?:the\s+)?{_NAME}\s+(?:[^\s.]+\s+){{0,8}}?[^\s.]*\d",
    ),
    # What somebody can't have, or must heed.
    (
        Category.FACT,
        rf"(?:i(?:['’]m|\s+am)|we(?:['’]re|\s+are)|my\s+\w+(?:\s+{_NAME})?\s+is|{_NAME}\s+is)\s+(?:\w+\s+)?(?:vegans?|vegetarians?|pescatarians?|allergic|"
        r"lactose|gluten|c(?:o)?eliac|diabetic|asthmatic|left-handed|colou?r-?\s?blind|dyslexic|deaf|blind)\b",
    ),
    # What something is, or is called.
    (Category.FACT, rf"{_THE}\s+{_NOUNS}{_IS}\s+{_NOW}(?:(?:called|named)\s+)?{_EXACT}"),
    (
        Category.FACT,
        rf"(?!(?:that|it|there|here|what|he|she|who|let|how|where)['’]){_NAME}['’]s\s+{_NOUNS}{_IS}\s+{_NOW}"
        rf"(?:(?:called|named)\s+)?{_EXACT}",
    ),
    (Category.FACT, rf"{_THE}\s+{_NOUNS}(?:will|shall)\s+(?:be|cost|take|have)\s+{_EXACT}"),
    (
        Category.FACT,
        rf"{_THE}\s+{_NOUNS}(?:has|have|contains?|covers?|consists?\s+of|hat|tiene|a|tem|ha)\s+{_NOW}(?:about\s+)?"
        rf"{_COUNT}",
    ),
    (
        Category.FACT,
        rf"{_THE}\s+{_NOUNS}(?:pays?|costs?|earns?|takes?|weighs?|lasts?|holds?|opens?|starts?|ends?|closes?|begins?)\s+"
        rf"(?:(?:about|at|in|on|for|up\s+to)\s+)?{_EXACT}",
    ),
    (
        Category.FACT,
        rf"{_THE}\s+{_NOUNS}(?:(?:is|are)\s+about|deals?\s+with|handelt\s+von|trata\s+(?:sobre|de)|porte\s+sur|parle\s+de|"
        rf"fala\s+(?:sobre|de)|parla\s+di)\s+(?:\S+\s+){{2,}}",
    ),
    (
        Category.FACT,
        r"(?!(?:it|that|this|there|here|what|who|which|where|when|how|why|he|she|they|we|i|you|one|all|both|everything|nothing|"
        r"something|das|dies|es|er|sie|wir|was|wer|wo|eso|esto|ça|isso|ciò)\b)[^\W\d_]{3,}\s+"
        rf"(?:is|are|ist|sind|es|son|est|sont|é|è)\s+{_NOW}(?:(?:the|our|der|die|das|unser|el|la|le|o|a|il)\s+\w+\s+|(?:[^\s,.;]+\s+){{0,1}})"
        r"(?:[^\s,.;]+\s+)?[^\s,;]*\d",
    ),
    (
        Category.FACT,
        rf"{_THE}\s+{_NOUNS}(?:went|goes|rose|fell|dropped|grew|jumped|moved|slipped|got\s+(?:raised|cut|moved))"
        rf"(?:\s+(?:up|down|back))?\s+(?:to|from|by|on)\s+{_EXACT}",
    ),
    # Who somebody close is.
    (
        Category.FACT,
        rf"(?:my|our|meine?|unsere?|mi|nuestr[oa]|mon|ma|notre|meu|minha|mio|mia)\s+(?:\w+\s+)?{_CLOSE}(?:,?\s+{_NAME},?)?\s+"
        r"(?:is|has|works?|lives?|likes?|loves?|hates?|wants?|needs?|prefers?|can(?:['’]?t|not)|eats?|speaks?|teaches|stud(?:ies|y)|"
        r"turns?|goes|moved|died|was\s+born|got|had|broke|started|graduated|passed|ist|hat|arbeitet|wohnt|isst|mag|es|tiene|vive|trabaja|est|habite|travaille|é|tem|mora|è|abita|lavora)\s+\S+",
    ),
    (
        Category.FACT,
        rf"(?:[^,.;?]{{3,60}},\s+(?:and\s+)?)?(?:my|our)\s+(?:\w+\s+)?{_CLOSE},?\s+{_NAME},?\s+(?!(?:says|thinks|asks|feels)\b)[a-z]{{2,}}s\s+\S+",
    ),
    # Who has which part, named between commas.
    (
        Category.FACT,
        rf"(?:my|our|meine?|unsere?|mi|nuestr[oa]|mon|ma|notre|meu|minha|nosso|nossa|il\s+mio|la\s+mia)\s+[\w-]+(?:\s[\w-]+)?,\s+{_NAME},\s+\S+\s+\S+",
    ),
    # Where all of a kind are.
    (
        Category.FACT,
        r"(?:all|every|each)\s+(?:(?:of\s+)?(?:the|our|my)\s+)?(?:[\w-]+\s+){1,3}?(?:sits?|lives?|runs?|goes|go|is|are)\s+(?:hosted\s+|deployed\s+|stored\s+|kept\s+)?"
        r"(?:behind|through|inside|under|on)\s+(?:(?:the|our|a)\s+)?(?!(?:it|this|that|time|fire|hold|track|top|way)\b)\S{2,}",
    ),
    # Where it is, on what it runs, by whom it is done.
    (Category.FACT, rf"{_THE}\s+{_NOUNS}(?:{_IS}\s+{_NOW})?{_AT}\s+(?:[^\s.,;]+\s+){{0,2}}?{_EXACT}"),
    (Category.FACT, rf"(?:{_THE}\s+)?{_NOUNS}{_RUNS}\s+{_NOW}{_AT}\s+(?:[^\s.,;]+\s+){{0,3}}?{_EXACT}"),
    (Category.FACT, rf"(?:{_THE}\s+)?{_NOUNS}{_DONE_BY}\s+(?:{_THE}\s+)?{_EXACT}"),
    # What they want for whom one works.
    (
        Category.FACT,
        r"(?:the|our|my)\s+(?:\w+\s+)?(?:customers?|clients?|boss|manager|editor|publisher|professor|supervisor|teacher|landlord|landlady|team|"
        r"users|stakeholders|management|board|jury|reviewers?|advis[eo]r|accountant|lawyer|agent|investors?|director|principal|auditors?|bank|"
        rf"insurance|agency|department)(?:\s+(?:(?:Mrs?|Ms|Dr|Prof)\.?\s+)?{_NAME})?\s+(?:wants?|needs?|expects?|requires?|insists?\s+on|asked\s+for|refuses?)"
        r"\s+(?:\S+\s+){2,}",
    ),
    # What was found out.
    (
        Category.FACT,
        r"(?:so\s+)?(?:it\s+)?(?:turns|turned)\s+out\s+(?:that\s+)?(?:the|our|my|his|her|their)\s+(?:\S+\s+){3,}",
    ),
    (
        Category.FACT,
        r"(?:the|our)\s+(?:\w+\s+){0,2}(?:bug|cause|culprit|reason|crash|leak|slowdown|outage|regression)\s+"
        r"(?:was|came\s+from|turned\s+out\s+to\s+be)\s+(?:\S+\s+){2,}",
    ),
    (
        Category.FACT,
        r"(?:the|our)\s+(?:\w+\s+){1,4}?(?:breaks?|fails?|crash(?:es)?|hangs?|leaks?|(?:does|do)n['’]t\s+work)\s+(?:\S+\s+){1,6}?"
        r"(?:because|since|when|unless)\s+(?:\S+\s+){2,}",
    ),
    # Who the speakers are, and what they do.
    (
        Category.FACT,
        rf"(?:i(?:['’]m|\s+am)|ich\s+bin|(?:yo\s+)?soy|je\s+suis|(?:eu\s+)?sou|(?:io\s+)?sono)\s+{_NAME},\s+\S+(?:\s\S+){{1,}}",
    ),
    (
        Category.FACT,
        r"i\s+(?:usually|always|normally|never|typically|generally)\s+(?:work|start|write|code|sleep|eat|travel|answer|read|check|"
        r"commute|train|run|cook|teach|publish|post|bill|invoice)\s+(?:\S+\s+){2,}",
    ),

    (
        Category.FACT,
        r"we(?:['’]re|\s+are)\s+(?:a|an|two|three|four|five)\s+(?:[\w-]+\s+){0,2}?(?:team|company|startup|studio|agency|family|couple|"
        r"group|school|clinic|practice|developers?|engineers?|founders?|people)\b",
    ),
    (
        Category.FACT,
        r"i(?:['’]m|\s+am)\s+an?\s+(?:[\w-]+\s+){0,2}?(?:nurse|student|doctor|lawyer|chef|cook|pilot|coach|judge|vet|parent|"
        r"(?:develop|teach|design|engin|research|manag|writ|paint|danc|programm|photograph|lectur|farm|bak|garden|paramed|"
        r"account|consult|journal|scient|biolog|chem|phys|econom|music|guitar|pian|violin|librar|electric|technic|historic|"
        r"architect|translat|edit|produc|direct|act|therap|psycholog|dent|pharmac)\w*)\b(?=[\s,.]*(?:$|[,.]|and\b|at\b|in\b|for\b|"
        r"with\b|from\b|by\b|who\b|working\b))",
    ),
    # What has another value than was thought.
    (
        Category.CORRECTION,
        rf"(?:{_THE}\s+{_NOUNS}|{_NAME}\s+)(?:should|must|has\s+to|needs\s+to)\s+be\s+(?:[^\s,]+\s+){{0,4}}?[^\s,]+,?\s+(?:and\s+)?not\s+{_EXACT}",
    ),
)  # fmt: skip
_PATTERNS = tuple((category, regex(pattern, re.IGNORECASE)) for category, pattern in _FORMS)
# What is so at the moment alone, what is judged, and what nobody can be sure of.
_MOMENT = regex(
    r"\b(?:output|result|error|errors|response|exit|status|message|traceback|exception|warning|line|lines|cursor|download|progress|page|text|selection|"
    r"commit|diff|test|tests|attached|above|below|following|first|second|last|next|previous|best|worst|main\s+(?:problem|issue|thing)|"
    r"problem|issue|thing|point|question|answer|idea|probability|chance|ausgabe|ergebnis|fehler|salida|erreur|erro|errore)\b",
    re.IGNORECASE,
)
_UNSURE = regex(
    r"\b(?:maybe|perhaps|probably|might|could|would|if|think|guess|suppose|imagine|wonder|seems?|looks?\s+like|feels?|hope|wish|"
    r"like\s+(?:a|an|the)|too\s+\w+|very|(?:is|are|was|were)\s+so\s+\w+|really|great|nice|amazing|awesome|beautiful|fun|you|your|at\s+\d+\s*(?:%|percent)|vielleicht|glaube|"
    r"wenn|quizás|creo|peut-être|crois|talvez|acho|forse|credo)\b|[?{}=\n!]",
    re.IGNORECASE,
)
_SUBJECT_WORDS = 6
_IT = regex(rf"it(?:['’]s|\s+(?:is|uses|runs|has|targets|supports))\s+(?:[^\s.]+\s+){{0,6}}?{_EXACT}", re.IGNORECASE)
_MIND = regex(
    r"\b(?:changed\s+my\s+mind|on\s+second\s+thought|change\s+of\s+plans?|new\s+plan|hab(?:e)?\s+es\s+mir\s+anders\s+überlegt|"
    r"he\s+cambiado\s+de\s+(?:idea|opinión)|cambié\s+de\s+(?:idea|opinión)|j['’]ai\s+changé\s+d['’]avis|mudei\s+de\s+ideia|"
    r"ho\s+cambiato\s+idea)\b",
    re.IGNORECASE,
)


def find_assertion(text: str, before: str = "") -> Category | None:
    """What a sentence tells by its form; ``None`` for most. ``before`` is what was said right before it: who changed
    their mind tells then what holds now."""
    said = open_of(text[:_MOST])
    if len(text) > _MOST:
        return None
    if _MIND.search(before) and len(said.split()) > 3 and not said.endswith("?"):
        return Category.DECISION
    of_it = _IT.match(said) is not None and _PATTERNS[0][1].match(before) is not None
    found = next((category for category, pattern in _PATTERNS if pattern.match(said)), None)
    # Few have such a form: what else speaks against it is looked for in these alone.
    if (found is None and not of_it) or _UNSURE.search(said):
        return None
    if of_it:
        return Category.FACT
    return None if _MOMENT.search(" ".join(said.split()[:_SUBJECT_WORDS])) else found
