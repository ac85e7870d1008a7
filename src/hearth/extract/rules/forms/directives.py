"""What the form of a sentence alone tells: how to work from now on, what was agreed on, what somebody does.

Beside the cues, whose words say so ("we decided"), since people who work mostly just tell what to do ("use ruff, not
flake8"). Each form is so narrow that no other sense is likely.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hearth.extract.standing import open_of
from hearth.lazy import regex
from hearth.model.capture.extraction import Category

_MOST = 300
_NAME = r"(?-i:[A-ZÀ-ÞА-Я][\w'’-]+)(?:\s(?-i:[A-ZÀ-ÞА-Я][\w'’-]+))?"
_WHO = rf"(?:(?:my|our|mein|meine|mi|mon|ma|meu|minha|mio|mia)\s+\w+,?\s+)?{_NAME}"
_NOW = r"(?:now|currently|just|also|jetzt|nun|inzwischen|ahora|maintenant|désormais|agora|ora|adesso)"
_ROLE = (
    r"(?:lead|leader|manager|engineer|developer|designer|owner|director|head|architect|maintainer|intern|boss|admin|"
    r"administrator|tester|analyst|cto|ceo|cfo|chef(?:in)?|leiter(?:in)?|entwickler(?:in)?|jefe|jefa|responsable|"
    r"desarrollador|desarrolladora|directeur|directrice|chefe|gerente|direttore|capo)"
)
_FORMS = (
    # Bans, by their gerund, infinitive or imperative.
    (
        Category.PRINCIPLE,
        r"stop\s+(?!(?:worry|cry|think|overthink|be|feel|laugh|joke|apologi|blam|beat|try|wast|pretend|go)\w*ing\b)"
        r"\w+ing\s+\w+",
    ),
    (Category.PRINCIPLE, r"(?:nie|niemals)\s+(?:\S+\s+){1,12}?\w+en\b\W*$"),
    (Category.PRINCIPLE, r"(?!\w*te\b|habe\b|ich\b|wäre\b)\w+e\s+(?:bitte\s+)?(?:nie|niemals)\s+\w+"),
    (Category.PRINCIPLE, r"non\s+\w+(?:are|ere|ire|rre)\s+mai\s+\w+"),
    (
        Category.PRINCIPLE,
        r"no\s+(?:uses|utilices|hagas|pongas|añadas|agregues|escribas|toques|cambies|borres)\s+\w+|n['’](?:utilise[sz]?|ajoute[sz]?|"
        r"écris|écrivez)\s+(?:pas|jamais)\s+\w+|não\s+(?:use|faça|coloque|adicione|escreva|mexa|altere)\s+\w+|"
        r"keine?n?\s+(?:\S+\s+){1,8}?(?:verwenden|benutzen|nutzen|schreiben|einfügen|einbauen|machen)\W*$",
    ),
    (
        Category.PRINCIPLE,
        r"no\s+(?!(?:errors?|problems?|issues?|changes?|differences?|results?|luck|warnings?|ideas?|need|way|one|bugs|output|"
        r"match(?:es)?|worries|matter|rush|hurry|more|longer|idea|doubt|thanks)\b)(?:[\w-]+\s+){1,3}?(?:in|inside|within|for|at)\s+"
        r"(?:the|our|my|any|code|tests|comments|commits?|docs|production|prose)\b",
    ),
    (
        Category.PRINCIPLE,
        r"(?:don['’]?t|do\s+not)\s+(?:use|write|mention|say|add|put|mock|invent|log|import|commit)\s+"
        r"(?!(?:it|that|this|them|these|those|too|much|so|more|anything|yet)\b)(?!.*\b(?:this|that|here|yet|today|now)\b)\S+\s*\S*",
    ),
    # What holds for all of a kind.
    (
        Category.PRINCIPLE,
        r"(?:all|every|each)\s+(?!time\b|of\b|day\b|i\b|we\b|you\b)(?:(?!you\b|we\b|i\b)[\w-]+\s+){1,5}?(?:must|should|shall|has\s+to|have\s+to|needs?|gets?|goes|go|belongs?)\s+"
        r"(?!pass\b|work\b|be\s+(?:fine|ok|okay|good|there|done|in\s+place)\b)(?!.*\bnow\b)(?:\S+\s+)*?\S{3,}",
    ),
    (Category.PRINCIPLE, r"(?:keep|write|make|leave)\s+(?:everything|all\s+(?:the\s+)?\w+s)\s+(?!as\b)\S+\s+\S+"),
    (
        Category.PRINCIPLE,
        r"write\s+(?:all\s+)?(?:commit\s+messages|commits|comments|docs|docstrings|tests|code|prose|dialogue|everything)\s+(?:in|as|with)\s+\w+",
    ),
    (
        Category.PRINCIPLE,
        r"(?:[a-z]+s|code)\s+(?:go|goes|belong|belongs|live|stay)\s+(?:in|into|under|next\s+to|at|below)\s+.{3,80}?"
        r"(?:,\s*(?:not|never)\s|\s+only\b)",
    ),
    # What holds always: "trials must never be counted", "for units, always SI", "keep specs under two pages".
    (
        Category.PRINCIPLE,
        r"(?!(?:i|we|you|they|it|he|she|that|this|there|who|what|which)\b)(?:[\w'’-]+\s+){0,3}?[\w'’-]+s\s+(?:(?:must|may|shall)\s+(?:never|not|only|always)|"
        r"should\s+(?:never|always|only))\s+(?:be\s+)?\w{3,}",
    ),
    (
        Category.PRINCIPLE,
        r"(?:for|in|with|pour|dans|für|bei|para|en|per|nei|nelle)\s+(?!(?:my|our)\b|general\b)[^,;:]{2,60}[,:]\s*(?:always|never|only|toujours|"
        r"jamais|uniquement|immer|nie|niemals|nur|siempre|nunca|s[oó]lo|sempre|mai)\s+(?!\w+(?:ed|en)\b|had\b|been\b|was\b|mind\b)(?:\S{3,}|\S+\s+\S+)",
    ),
    (
        Category.PRINCIPLE,
        r"(?!(?:i|we|you|they|it|he|she|that|this|there|who|what|which)\b)(?-i:[a-zA-Z][a-z]{2,}(?<!ed|ng|rs))\s+(?:[\w'’-]+\s+){0,3}?(?:through|via|by|with|from)\s+"
        r"(?!(?:it|this|that|them)\b)(?:[\w'’-]+\s+){1,4}only\W*$",
    ),
    (
        Category.PRINCIPLE,
        r"keep\s+(?:the\s+|all\s+|our\s+|my\s+)?(?!(?:things|costs|expenses|kids|always|is|this)\b)(?:[\w-]+\s+){0,2}[\w-]{2,}s\s+(?:under|below|within|short|"
        r"small|brief|simple|at\s+most|to\s+(?:a|one|two|three|\d))\b(?!.*\bthis\b)",
    ),
    (
        Category.PRINCIPLE,
        r"only\s+(?:use|import|write|commit|deploy)\s+(?:\S+\s+){1,6}?(?:for|in|to|on|from|with)\s+\w+",
    ),
    (
        Category.PRINCIPLE,
        r"(?:(?:schreibe?|benenne?|nenn|formulier\w*)\s+(?:bitte\s+)?(?:die\s+|alle\s+|unsere\s+)?(?!mir\b|das\b|es\b)[\w-]+(?:n|s|e|r)\s+(?:auf|in|mit|als|ohne)|"
        r"(?:escribe|redacta|nombra)\s+(?:los|las|todos\s+los|todas\s+las)\s+\w+s\s+(?:en|con|sin)|"
        r"(?:écris|rédige|nomme)\s+(?:les|tous\s+les|toutes\s+les)\s+\w+s\s+(?:en|avec|sans|au)|"
        r"(?:scrivi)\s+(?:i|gli|le|tutti\s+i|tutte\s+le)\s+\w+\s+(?:in|con|senza)|(?:escreva)\s+(?:os|as|todos\s+os)\s+\w+s\s+(?:em|com|sem))\s+\S+",
    ),
    (
        Category.PRINCIPLE,
        r"(?:schreib|schreibe|antworte|verwende|benutze?|nutze|nimm|formuliere?)\s+(?:\S+\s+){0,4}?immer\s+\S+",
    ),
    (
        Category.PRINCIPLE,
        r"[^\W\d_]+s\s+(?:happen|run|go\s+out|are\s+(?:done|made|allowed|merged|shipped))\s+only\s+"
        r"(?:from|on|in|after|with|when|by)\s+\w+",
    ),
    # One thing and not the other.
    (
        Category.PRINCIPLE,
        r"(?:use|prefer|write|run|name|import)\s+[^,;]{2,60},\s*(?:not|never)\s+\S+(?:\s\S+){0,5}\W*$",
    ),
    # What never or only happens, whoever does it, and what nobody shall be given.
    (
        Category.PRINCIPLE,
        r"(?:nobody|no\s+one|no\s+[\w-]+|everyone|everybody)\s+(?:works?|gets?|has|may|can|goes|does|pays?|takes?|writes?|edits?|merges?|deploys?|pushes)\s+"
        r"(?=.*\b(?:more\s+than|less\s+than|before|after|without|only|unless|at\s+(?:least|most)|except|until)\b)\S+\s+\S+",
    ),
    (
        Category.PRINCIPLE,
        r"(?:[^,.;]{3,60},\s+(?:so\s+)?)?(?:please\s+)?(?:don['’]?t|do\s+not)\s+(?:give|put|schedule|book|send|show|use|write|plan|mix|start|end|change|delete|merge|push|deploy)\s+"
        r"(?=.*\b(?:in\s+a\s+row|any|more\s+than|without|unless|twice|the\s+same|before|after)\b)(?!(?:it|that|this|them|these)\b)\S+\s+\S+",
    ),
    (
        Category.PRINCIPLE,
        r"(?!(?:i|we|you|they|it|he|she|that|this|there|who|what|which|tests?)\b)(?:[\w'’-]+\s+){0,2}?[\w'’-]+s\s+are\s+(?:built|made|written|handled|stored|named|formatted|logged|"
        r"generated|signed|sorted|served|kept|raised|used|shown|booked|paid|counted)\s+(?=.*\b(?:only|never|always|not)\b)\S+\s+\S+",
    ),
    (
        Category.PRINCIPLE,
        r"(?!(?:i|we|you|they|it|he|she|that|this|there|here)\b)(?:[\w-]+\s+){1,3}(?:everywhere|throughout|in\s+all\s+[\w-]+s)(?:,?\s+please)?\W*$",
    ),
    (
        Category.DECISION,
        r"(?:(?:the|our)\s+)?(?!(?:it|that|this|he|she|everything)\b)(?:[\w-]+\s+){1,3}(?:stays|remains)\s+(?:frozen|closed|locked|open|private|public|read-only|off|on|disabled|enabled|"
        r"as\s+it\s+is|in|with|unchanged)\b",
    ),
    (
        Category.DECISION,
        r"(?:set|use|make|keep|put|call|write|take|store|name)\s+(?!(?:it|this|that|them)\b)[^,.;]{5,80}\s+(?:instead\s+of|rather\s+than)\s+\S+(?:\s\S+){0,8}\W*$",
    ),
    (
        Category.DECISION,
        r"let['’]s\s+(?:call|name|write|put|store|use|keep)\s+(?!(?:it|this|that|them|going)\b)(?:the|all|our|every)\s+[^,.;]{3,60}\s+(?:in|as|with|under|to)\s+\S+",
    ),
    # What was left out is what should have been.
    (
        Category.CORRECTION,
        r"[^,;.]{8,120}[,;]\s*(?:and\s+|but\s+)?you\s+(?:forgot|missed|left\s+out|overlooked)(?:\s+(?:that|it|this))?\W*$",
    ),
    (
        Category.CORRECTION,
        r"(?:ignore|forget|disregard)\s+what\s+i\s+said\s+(?:about|on)\s+[^,;.]{2,60}[,;:]\s*\S+\s+\S+",
    ),
    (
        Category.PRINCIPLE,
        r"(?:show|format|print|display|round|call|put|spell|express|sort|return|label|count|report|quote|cite|save|log)\s+"
        r"(?!(?:me|it|this|that|them|these|those|us)\b)(?:[\w-]+\s+){0,2}?[\w-]+s\b[^,;]{0,50},\s*(?:not|never)\s+\S+(?:\s\S+){0,3}"
        r"(?:,\s+(?:in|for|on|when|with)\s[^,]{3,60})?\W*$",
    ),
    # What is used, and why.
    (
        Category.DECISION,
        r"use\s+(?!(?:a|an|the|this|that|it|these|those|my|your)\b)[\w.+#/-]+(?:\s+[\w.+#/-]+)?(?:\s+(?:for|in)\s+(?:this|it|that)(?:\s+\w+)?|\s+instead)?,\s+"
        r"(?:(?:because|since|as|the)\s+)?[\w.+#/-]+(?:\s[\w.+#/-]+)?\s+(?:is|takes|has|does|needs|can|lacks|costs|breaks|isn['’]t|can['’]t|doesn['’]t)\s+\S+",
    ),
    (
        Category.DECISION,
        r"(?!(?:it|that|this|which)\b)[\w.+#/-]+(?:\s[\w.+#/-]+){0,4}\s+(?:is|are)\s+what\s+(?:i|we)\s+(?:use|run|deploy|write|ship|sell|teach|play)\b",
    ),
    # What is in, and what is out.
    (
        Category.DECISION,
        r"(?:(?:the\s+)?scope:\s+)?(?:v\d[\d.]*|version\s+\d\S*|(?:the|our)\s+(?:mvp|beta|prototype|demo|(?:first|next|initial)\s+(?:version|release|"
        r"edition)))\s+(?:ships|launches|comes|goes\s+(?:out|live)|includes|excludes|gets|(?:will|won['’]t|will\s+not)\s+(?:have|include|ship|"
        r"support|contain|cover))\s+\S+",
    ),
    (
        Category.DECISION,
        r"(?!(?:it|that|this|what|which|who|how|when)\b)[\w-]+(?:\s[\w-]+){0,3}?\s+(?:comes?|ships?|moves?|goes|waits?|slips?|lands?)\s+"
        r"(?:in|to|with|until|for)\s+(?:v\d|version\s+\d|phase\s+\d|the\s+(?:next|second|following)\s+(?:release|version|phase|sprint|edition))",
    ),
    (
        Category.DECISION,
        r"we(?:['’]re|\s+are)\s+not\s+(?:doing|using|adding|supporting|shipping|building|offering|including|renewing|buying|booking|hiring|"
        r"going\s+(?:with|for|to\s+(?:use|do|support|add|build|ship)))\s+(?!(?:it|that|this|them|anything|enough)\b)\S+\s+\S+",
    ),
    (
        Category.DECISION,
        r"(?:(?:then|so)\s+)?no\s+(?!(?:problem|worries|idea|need|luck|one|way|thanks|matter|rush|wait)\b)[^,;.]{2,40}[,;]\s*(?:then\s+)?(?:we|i|let['’]s)"
        r"(?:['’]ll|\s+will|\s+just)*\s+(?:buy|use|take|go|keep|book|rent|get|stay|stick|write|build|run|pay)\s+\S+",
    ),
    (
        Category.DECISION,
        rf"{_NAME}\s+(?:sounds|looks|is|seems)\s+(?:good|great|perfect|nice|lovely|fine|best)[,;]?\s+(?:so\s+)?(?:let['’]s|we['’]ll)\s+"
        r"(?:do|go|take|book|use|stay|pick|choose|have)\b\s+\S+\s+\S+",
    ),
    (
        Category.DECISION,
        r"we\s+(?:retire|phase\s+out|decommission|sunset|shut\s+down|deprecate|replace|migrate|switch|move)\s+(?:(?:the|our|to|from|away)\s+)?\S+\s+(?:\S+\s+)*?"
        r"(?:next|this|in|on|by|from|with|to|after|before)\s+\S+",
    ),
    (
        Category.DECISION,
        r"i\s+want\s+(?!(?:you|to|it|this|that|them|him|her|everyone|people)\b)(?=.*\b(?:only|no|never|always|exactly|at\s+(?:least|most)|\d))"
        r"(?:[\w'’-]+\s+){1,5}?to\s+(?:be|have|stay|use|run|cost|take|look|start|end|show|go|come)\s+\S+",
    ),
    (
        Category.DECISION,
        r"we\s+(?:always\s+)?(?:use|run|write|deploy|test|log|store|host|name|keep)\s+[^,;]{2,80}"
        r"(?:,\s*(?:not|never)\s+|\s+(?:instead\s+of|rather\s+than)\s+)\S+",
    ),
    (Category.CORRECTION, r"you\s+(?:got|have|had|\w+\s+got)\s+(?:that|it|this)\s+wrong[,:;]\s+\S+(?:\s\S+){2,}"),
    (Category.DECISION, r"(?:we|i)\s+tried\s+\S+\s.{3,120}\bnever\s+again\W*$"),
    # What is settled, by what it puts away or names.
    (
        Category.DECISION,
        r"(?!(?:i|that|this|what|which|who|how|where|when|why|so|yes|no|here|there|now|if|as|but|and|because|think|see|know)\b)"
        r"(?-i:[A-Z])\S*(?:\s\S+)?\s+it\s+is(?:\s+then)?[.!]*$",
    ),
    (
        Category.DECISION,
        r"we(?:['’]ll|\s+will|['’]re\s+going\s+to)\s+(?:use|go\s+with|stick\s+with|adopt)\s+(?!it\b|this\b|that\b|them\b)\S+",
    ),
    (
        Category.DECISION,
        r"(?:forget|scrap|scratch|ditch|skip|drop|nix)\s+(?:the\s+|our\s+|about\s+(?:the\s+)?)?(?:[\w-]+\s+){0,3}?[\w-]+[,;:]\s+"
        r"(?:we(?:['’]ll|\s+will)|let['’]s|just|an?|the|it['’]s|that['’]s)\s+\S+\s+\S+",
    ),
    (Category.DECISION, r"let['’]s\s+(?:decide|settle|fix)\s+(?:on\s+)?[^:]{2,40}:\s*\S+(?:\s\S+){2,}"),
    (
        Category.DECISION,
        r"(?:wir\s+bleiben\s+bei|wir\s+nehmen|on\s+(?:garde|prend|reste\s+sur|part\s+sur|utilise)|ficamos\s+com|restiamo\s+con|"
        r"teniamo)\s+\S+",
    ),
    (
        Category.DECISION,
        r"use\s+(?!(?:a|an|the|this|that|it|these|those|my|your)\b)[\w.+#/-]+(?:\s+(?:and|or)\s+[\w.+#/-]+)?\s+for\s+"
        r"(?:all\s+)?(?:[\w-]+\s+)?(?:[\w-]+(?:s|tion|ment|ing|ance|age))\W*$",
    ),
    # What is to be done together.
    (
        Category.DECISION,
        r"let['’]s\s+not\s+(?:use|add|keep|store|put|move|drop|switch|adopt|mock|commit|deploy|log|depend|rely|support)\s+\w+",
    ),
    (
        Category.DECISION,
        r"lass(?:t|en)?\s+(?:uns|sie\s+uns)\s+(?:\S+\s+){1,12}?"
        r"(?:nehmen|verwenden|benutzen|nutzen|einsetzen|umsteigen|wechseln)\b",
    ),
    (Category.DECISION, r"(?:usemos|utilicemos|vamos\s+a\s+(?:usar|utilizar)|cambiemos\s+a|pasemos\s+a)\s+\S+"),
    (Category.DECISION, r"(?:utilisons|prenons|adoptons|passons\s+à|partons\s+sur|on\s+part\s+sur)\s+\S+"),
    (Category.DECISION, r"(?:vamos\s+(?:usar|adotar|com\s+o)|adotemos|passemos\s+para)\s+\S+"),
    (Category.DECISION, r"(?:usiamo|adottiamo|passiamo\s+a)\s+\S+"),
    (Category.DECISION, r"давай(?:те)?\s+(?:использовать|возьм[её]м|перейд[её]м)\s+\S+"),
    (Category.DECISION, r"我们(?:就|以后|改)?(?:用|采用|改用)\S{2,}|\S{2,}(?:を使いましょう|にしましょう)"),
    # How to be spoken to.
    (
        Category.PREFERENCE,
        r"i(?:['’]d\s+like|\s+would\s+like|\s+want|\s+need|\s+prefer)\s+you\s+to\s+(?:always\s+)?"
        r"(?:answer|reply|respond|speak|talk|address|call|be|keep)\s+\w+",
    ),
    (
        Category.PREFERENCE,
        r"(?:answer|reply|respond|speak|talk|write)(?:\s+to)?(?:\s+me)?\s+in\s+(?:(?-i:[A-Z])[a-z]+(?:ish|ese|an|ch|ic|i|ch|n)|"
        r"(?:short|full|simple|plain|one)\s+\w+|bullet\s+points|prose)\b|"
        r"(?:antworte|sprich|schreib)\s+(?:mir\s+)?(?:bitte\s+)?auf\s+(?-i:[A-Z])\w+|(?:responde|contesta|háblame)\s+en\s+\w+|"
        r"(?:réponds|parle)(?:-moi)?\s+en\s+\w+|(?:responda|fale)\s+em\s+\w+|rispondi(?:mi)?\s+in\s+\w+",
    ),
    # What somebody always wants, and what nobody may go beyond.
    (
        Category.PREFERENCE,
        r"i\s+(?:always|only|generally|usually)\s+(?:want|like|expect|prefer)\s+(?!(?:to\s+(?:know|say|thank|be)|it|this|that|one)\b)\S+(?:\s\S+){2,}",
    ),
    (
        Category.PREFERENCE,
        r"(?:i|we)\s+(?:do\s+not|don['’]?t|never)\s+want\s+(?=.*\b(?:more|less|fewer|later|earlier|longer)\s+than\b)(?!.*\b(?:it|this|that)\b)\S+\s+\S+",
    ),
    # What is owed by a day.
    (
        Category.COMMITMENT,
        r"(?:i|we)(?:\s+(?:have|need)\s+to|\s+must|['’]ve\s+got\s+to)\s+(?:send|deliver|submit|hand\s+in|return|pay|file|present|finish|call|email|reply|publish|"
        r"ship|renew|book|give|turn\s+in|upload|release|report|sign|register|apply|write|prepare)\s+(?!(?:it|this|that|them|these)\b)(?:\S+\s+){1,12}?"
        r"(?:by|before|until|no\s+later\s+than)\s+(?:the\s+)?(?:end|close|eod|tomorrow|tonight|noon|next|\d|(?-i:[A-Z])[a-z]+day|"
        r"(?-i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
    ),
    (
        Category.COMMITMENT,
        r"(?:tengo\s+que|debo|tenemos\s+que|je\s+dois|nous\s+devons|devo|dobbiamo|tenho\s+(?:que|de)|temos\s+(?:que|de)|ich\s+muss|wir\s+müssen)\s+"
        r"(?!(?:ir|être|sein|essere)\b).*?\b(?:antes\s+d\w+|hasta|para\s+el|avant|d['’]ici|bis|vor\s+dem|entro|prima\s+d\w+|até)\s+\S+",
    ),
    (
        Category.COMMITMENT,
        r"bis\s+(?:zum\s+|ende\s+)?\S+(?:\s\S+){0,3}?\s+(?:muss|müssen)\s+(?:ich|wir)\s+\S+\s+\S+",
    ),
    # What is not to be forgotten.
    (Category.COMMITMENT, r"remind\s+me\s+(?:to|about|of|that)\s+\w+\s+\w+"),
    (
        Category.COMMITMENT,
        r"erinnere?\s+mich\s+(?:bitte\s+)?(?:daran|an)\b.{5,}|recuérdame\s+\w+\s+\w+|rappelle-moi\s+(?:de|d['’]|que)\s*\w+|"
        r"lembre-me\s+(?:de|que)\s+\w+|ricordami\s+(?:di|che)\s+\w+",
    ),
    # What has another value now.
    (
        Category.FACT,
        r"(?:the|our|my|der|die|das|unsere?|mein|meine|el|la|nuestr[oa]|mi|le|notre|mon|ma|o|a|nosso|nossa|il|lo|nostro)\s+"
        rf"(?:[\w'’-]+\s+){{1,6}}?(?:is|are|ist|sind|beträgt|liegt|es|son|est|sont|é|è|são|sono)\s+{_NOW}\s+(?:[^\s.]+\s+){{0,4}}?\d",
    ),
    # Who does what where.
    (
        Category.FACT,
        rf"{_WHO}\s+(?:{_NOW}\s+)?(?:(?:owns|maintains|manages|designs|edits|translates|reviews)\s+(?:the|our|all)\s+\w+|works\s+(?:{_NOW}\s+)?(?:at|as)|lives\s+(?:{_NOW}\s+)?in|reports\s+to|leads\s+(?:the|our)|"
        r"(?:has\s+)?joined\s+(?:the|our|(?-i:[A-Z]))|(?:has\s+)?left\s+(?:the|our)\s+(?:\w+\s+)?(?:team|company|project))\b",
    ),
    (Category.FACT, rf"{_WHO}\s+(?:arbeitet|wohnt|lebt)\s+(?:{_NOW}\s+)?(?:bei|als|in|für)\b"),
    (Category.FACT, rf"{_WHO}\s+(?:{_NOW}\s+)?(?:trabaja|vive)\s+(?:{_NOW}\s+)?(?:en|como|para)\b"),
    (Category.FACT, rf"{_WHO}\s+(?:travaille|habite)\s+(?:{_NOW}\s+)?(?:chez|comme|à|pour|dans)\b"),
    (
        Category.FACT,
        rf"{_WHO}\s+(?:{_NOW}\s+)?(?:trabalha|mora|lavora|abita|vive)\s+(?:{_NOW}\s+)?(?:n[ao]|em|como|a|in|come|per|da)\b",
    ),
    (
        Category.FACT,
        rf"{_WHO}\s+(?:is|ist|es|est|é|è)\s+(?:{_NOW}\s+)?(?:the|our|unsere?r?|der|die|el|la|nuestr[oa]|le|notre|nosso|nossa|o|il|nostro)"
        rf"\s+(?:(?:new|neuer?|nuev[oa]|nouveau|nouvelle|nov[oa]|nuov[oa])\s+)?(?:[\w-]+\s+){{0,3}}?(?:[\w-]*-)?{_ROLE}\b",
    ),
)
_PATTERNS = tuple((category, regex(pattern, re.IGNORECASE)) for category, pattern in _FORMS)
# Names of nobody: what sentences begin with, and what is said of things that run.
_NOBODY = regex(
    r"(?:(?:my|our)\s+)?(?:the|this|that|these|it|he|she|they|we|you|i|what|who|where|when|why|how|which|there|here|one|"
    r"everyone|everybody|someone|nobody|code|docker|linux|python|git|el|la|er|sie|es|das|il|elle|on|ele|ela|lui|lei)\b",
    re.IGNORECASE,
)
_HEDGED = regex(
    r"\b(?:maybe|perhaps|probably|might|if|think|guess|heard|suppose|wonder|imagine|pretend|for\s+now|this\s+time|just\s+once|"
    r"here|vielleicht|glaube|wenn|quizás|creo|(?-i:[Ss]i)|peut-être|crois|talvez|acho|se|forse|credo)\b|[?`{}=\n]",
    re.IGNORECASE,
)
# What to do about it, after what was told.
_ASIDE = regex(r",\s+(?:so|ask|tell|check|ping|talk|see|please|be\s+careful)\b[^,;.]*[.!]?\s*$", re.IGNORECASE)
_ASKED_OF_YOU = regex(
    r"(?:can|could|would|will)\s+you\s+(?:please\s+)?(?=.*\bfrom\s+now\s+on\b)(?P<what>[^?\n]{3,200})\?\s*$",
    re.IGNORECASE,
)
_BUT = regex(r"but\s+(?=each|every|all)", re.IGNORECASE)
# Its colon is not one after a speaker's name.
_LETS = regex(r"let['’]s\b", re.IGNORECASE)


@lru_cache(maxsize=512)
def find_directive(text: str) -> Category | None:
    """What a sentence is by its form; ``None`` for most. Kept for a while: it is asked more than once of a sentence."""
    said = text if _LETS.match(text) else _BUT.sub("", open_of(text[:_MOST]), count=1)
    if len(text) > _MOST or _HEDGED.search(_ASIDE.sub("", said)):
        return None
    for category, pattern in _PATTERNS:
        if pattern.match(said) and not (category is Category.FACT and _NOBODY.match(said)):
            return category
    return None


def find_request(text: str) -> str | None:
    """What a question asks for from now on, as an instruction: "Can you use uv from now on?"."""
    asked = _ASKED_OF_YOU.match(open_of(text[:_MOST]))
    return None if asked is None else f"{asked['what'][:1].upper()}{asked['what'][1:].strip()}."
