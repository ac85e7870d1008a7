"""English: what injected text says to an assistant."""

from __future__ import annotations

Row = tuple[str, float, str, str]

_UNLESS_NOT = r"(?<!\bnot.)(?<!n.t.)(?<!\bnever.)"
_DROP = _UNLESS_NOT + (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|es|ing)|overwrite|bypass|discard|abandon|neglect|"
    r"dismiss|set aside|pay no attention to|throw (?:out|away)|do not (?:follow|obey|comply with|adhere to|listen "
    r"to)|don t (?:follow|obey|comply with|listen to)|stop (?:following|obeying)|cancel|void|erase|supersedes?|no "
    r"longer follow)"
)
_DROPS = (
    "ignor|disregard|forget|overrid|overwrite|bypass|discard|abandon|neglect|dismiss|set aside|no attention|throw|"
    "follow"
)
_DROPS += "|obey|comply|adhere|listen|cancel|void|erase|supersede"
_ORDERS = r"(?:instructions?|prompts?|directives?|directions?|guidelines?|programming|orders?|guardrails?|commands?)"
_ORDER = "instruction|prompt|directive|direction|guideline|programming|order|guardrail|command"
_LIMITS = (
    r"(?:rules?|constraints?|restrictions?|training|messages?|context|polic(?:y|ies)|limitations?|task|safeguards?)"
)
_LIMIT = "rule|constraint|restriction|training|message|context|polic|limitation|task|safeguard"
_EARLIER = r"(?:previous|previously|prior|preceding|above|earlier|foregoing|original|initial|existing|former|past)"
_YOUR = r"(?:your|system|those|developer|operator s|safety)"
_OVERRIDE: tuple[Row, ...] = (
    (
        "override",
        0.8,
        f"{_DROPS}&{_ORDER}",
        rf"{_DROP} ~4 (?:{_EARLIER}|{_YOUR}) ~3 {_ORDERS}",
    ),
    (
        "override",
        0.6,
        f"{_DROPS}&{_ORDER}",
        rf"{_DROP} (?:all|any|every) (?:of )?(?:the )?(?:instructions?|prompts|directives)",
    ),
    (
        "override",
        0.7,
        f"{_DROPS}&{_ORDER}",
        rf"{_DROP} ~4 (?:instructions|prompts?|directives|directions|guidelines) ~3 "
        r"(?:above|before|previously|earlier|so far|until now|prior|(?:you (?:were|have been|had been|received|got|"
        r"have)))",
    ),
    (
        "override",
        0.6,
        f"{_DROPS}&{_LIMIT}",
        rf"{_UNLESS_NOT}(?:ignore|disregard|forget|bypass|override|set aside) ~2 (?:{_EARLIER}|your) ~3 {_LIMITS}|"
        rf"{_UNLESS_NOT}(?:ignore|disregard|forget|bypass|set aside) ~2 (?:rules?|constraints?|restrictions?|"
        rf"polic(?:y|ies)|limitations?) ~3 (?:above|earlier|before|so far|you (?:were|received|got))",
    ),
    (
        "override",
        0.7,
        "told|instructed|asked|given|taught|programmed",
        rf"{_UNLESS_NOT}(?:forget|disregard|ignore) (?:everything|anything|whatever|all|what) ~4 (?:told|instructed|"
        rf"asked|given|"
        r"taught|programmed)",
    ),
    (
        "override",
        0.6,
        "forget|disregard|ignore",
        rf"{_UNLESS_NOT}(?:forget|disregard|ignore) (?:everything|anything|whatever|all) (?:~3 )?(?:above|(?:before|"
        rf"prior to) "
        r"this|(?:you (?:know|learned|have learned|were))|(?:up to|until) (?:now|here|this point)|so far)",
    ),
    (
        "override",
        0.7,
        f"void|obsolete|cancel|replaced|superseded|revoked|overridden|null|irrelevant|invalid|no longer|not apply|"
        f"only a test&{_ORDER}",
        rf"(?:{_EARLIER}|your|all) ~2 (?:instructions|prompts?|directives|guidelines|orders) ~2 (?:(?:are|is|were"
        r"|was|have been|has been) )?(?:now |all |hereby )?(?:void|obsolete|cancell?ed|replaced|superseded|revoked|"
        r"overridden|null|irrelevant|invalid|no longer (?:apply|applies|valid|in effect|relevant|binding)|do(?:es)? "
        r"not apply|only a test)",
    ),
    (
        "override",
        0.45,
        f"new|real|actual|true|updated|revised|only&{_ORDER}|task|job|goal|purpose|objective|mission",
        r"(?:your|my|the|these are(?: your)?|here are(?: your)?) (?:new|real|actual|true|updated|revised|only) "
        r"(?:system |primary |secret )?(?:instructions?|task|job|goal|purpose|objective|mission|directives?|orders|"
        r"prompt) (?:are|is|follow|follows|now|for you)",
    ),
    (
        "override",
        0.3,
        f"new|updated|revised&{_ORDER}|task",
        r"(?:new|updated|revised) (?:system )?(?:instructions?|directives?|orders|prompt|task)",
    ),
    (
        "override",
        0.45,
        "overrid|override",
        r"(?:system|admin|administrator|security|priority|developer|emergency) override|override (?:all "
        r")?(?:security|safety|safeguards|protocols?|restrictions|filters)",
    ),
)
_FREE = (
    r"(?:dan|stan|dude|aim|unrestricted|unfiltered|uncensored|jailbroken|evil|unethical|amoral|rogue|hacker|do "
    r"anything now|unlimited|(?:without|no|free (?:from|of)|not bound by|no longer bound by|ignores?|not follow|"
    r"doesn t follow|breaks?) ~2 (?:restrictions?|rules?|limits?|limitations|filters?|guidelines|policies|"
    r"censorship|constraints|morals|ethics|safety))"
)
_ROLE: tuple[Row, ...] = (
    (
        "role",
        0.6,
        "you are|you re|act as|pretend|roleplay|role play|behave as|simulate|respond as|play the|impersonate",
        rf"(?:you are (?:now|going to be|from now on)|you re now|act as|acting as|pretend|roleplay(?:ing)? as|role "
        rf"play as|behave as|simulate|respond as|play the (?:role|part) of|impersonate) ~6 {_FREE}",
    ),
    (
        "role",
        0.4,
        "you are|act as|pretend|respond as|you re",
        r"(?:you are now|you re now|act as|pretend (?:to be|you are)|respond as) ~3 (?:system|admin|administrator|"
        r"root|developer|superuser|operator|assistant|agent|bot|[a-z]{2,12}bot|[a-z]{2,12}gpt|ai|persona)",
    ),
    (
        "role",
        0.6,
        "no longer",
        r"you are no longer ~3 (?:bound|restricted|limited|required|an? ai|an? assistant|claude|chatgpt|subject)",
    ),
    (
        "role",
        0.6,
        " mode",
        r"(?:you are|you re|you have been) (?:now )?(?:in|put in|entering|switched to) ~1 (?:developer|debug|god|"
        r"admin|dan|jailbreak|maintenance|unrestricted|root|sudo|override|unsafe) mode|(?:jailbreak|god|dan|"
        r"unrestricted|uncensored) mode ~2 (?:enabled|activated|on|engaged)|(?:enable|activate|enter|switch to) ~1 "
        r"(?:jailbreak|dan|unrestricted|uncensored) mode",
    ),
    (
        "role",
        0.25,
        " mode&enable|activate|enter|switch",
        r"(?:enable|activate|enter|switch (?:in)?to) ~1 (?:developer|debug|admin|god|root|maintenance) mode",
    ),
    (
        "role",
        0.5,
        "freed|jailbroken|unlocked|liberated|anything now|unchained",
        r"you (?:have|had|ve) been (?:freed|jailbroken|unlocked|liberated|unchained)|do anything now",
    ),
    (
        "role",
        0.45,
        "ethical|moral|safety|content",
        r"without ~2 (?:ethical|moral|safety|content) ~1 (?:restrictions?|filters?|guidelines|policies|limits?|"
        r"limitations|constraints|checks)|no (?:ethical|moral) (?:guidelines|limits|restrictions|boundaries|"
        r"concerns)",
    ),
    (
        "role",
        0.45,
        "from now on|henceforth|starting now|from this point",
        r"(?:from now on|henceforth|starting now|from this point (?:on|forward|onward)) ~1 you ~1 (?:will|must|"
        r"shall|are|have to|only|always|never|respond|obey)",
    ),
    (
        "authority",
        0.35,
        "anthropic|openai|administrator|developer|security team|it department|creator|owner",
        r"(?:message from|on behalf of|authori[sz]ed by|by order of|instructed by|this is) ~3 (?:anthropic|openai|"
        r"system administrator|your (?:developer|creator|administrator|owner)s?|security team|it department)",
    ),
    (
        "authority",
        0.3,
        "the user&authori|approved|consented|permission|access",
        r"the user (?:has )?(?:already )?(?:authori[sz]ed|pre approved|approved|consented|given (?:full "
        r")?permission|granted (?:you )?(?:full )?(?:access|permission))",
    ),
)
_TELL = (
    r"(?:reveal|print|output|show|display|repeat|tell|leak|dump|expose|disclose|recite|give|return|write (?:out|"
    r"down)|share|summari[sz]e|list|paste|send|include|copy|quote|translate|append|post|spell)"
)
_REVEAL: tuple[Row, ...] = (
    (
        "reveal",
        0.55,
        "prompt|instructions|directives|guidelines|configuration",
        rf"{_TELL} ~4 (?:your|its|the hidden|the secret|the initial|the original|hidden|secret) ~3 "
        r"(?:instructions|directives|guidelines|configuration|(?:system|initial|hidden|original|first|secret) prompts?)"
        r"|(?:reveal|print|output|show|display|leak|dump|expose|disclose|recite) ~2 (?:your|hidden|secret) prompts?",
    ),
    (
        "reveal",
        0.4,
        "system prompt|system message|system instructions|developer message|initial prompt",
        rf"{_TELL} ~5 (?:system prompt|system message|system instructions|developer message|initial prompt)",
    ),
    (
        "reveal",
        0.55,
        "repeat|print|output|recite&above|before|verbatim|so far|preceding",
        r"(?:repeat|print|output|recite) (?:back )?(?:everything|all|the words|the text|the message|every word|the "
        r"(?:entire )?conversation) ~3 (?:above|before|verbatim|so far|preceding)",
    ),
    (
        "reveal",
        0.5,
        "what&prompt|instruction|message",
        r"what (?:was|were|is|are) ~2 (?:your|the) ~1 (?:initial|original|system|hidden|first|secret) (?:prompts?|"
        r"instructions|message)",
    ),
)
_SECRETS = (
    r"(?:conversation|chat (?:history|log|transcript)|api keys?|keys?|passwords?|credentials?|secrets?|tokens?|"
    r"env(?:ironment)? (?:variables|file)|env|files?|database|user s ~1 (?:data|information|notes|name|messages?)|"
    r"(?:personal|confidential|private|sensitive|customer) (?:data|information|details|notes)|memory|memories|"
    r"source code|contents|everything you (?:know|have)|history|notes|transcript|id_rsa|cookies|data)"
)
_SECRET = (
    "conversation|chat|key|password|credential|secret|token|env|file|database|user|data|memor|source|content|"
    "everything|history|notes"
)
_SECRET += "|transcript|id_rsa|cookie"
_AWAY = (
    r"(?:https?|www|hxxps?|[^ \"]{1,60} (?:com|net|org|io|ru|example|evil|xyz|site|test|invalid|tk)|attacker|"
    r"webhook|(?:an? )?external|url|(?:remote |this |my |our |the following |another )?(?:server|endpoint|address|"
    r"url|email|site|link|host)|me at|pastebin|us at)"
)
_EXFILTRATE: tuple[Row, ...] = (
    (
        "exfiltrate",
        0.4,
        f"{_SECRET}&send|post|upload|mail|email|forward|transmit|exfiltrate|leak|submit|deliver|copy|append|embed|"
        f"encode|include|put",
        rf"(?:send|post|upload|e ?mail|mail|forward|transmit|exfiltrate|leak|submit|deliver|copy|append|embed|"
        rf"encode|include|put) ~7 {_SECRETS} ~7 (?:to|at|into|via|in|as a) ~2 {_AWAY}",
    ),
    (
        "exfiltrate",
        0.35,
        "id_rsa|ssh|credential|passwd|shadow| env |api key|private key|password|wallet|seed phrase|cookie|token|"
        "secret&read|open|cat|print|find|collect|gather|search|look up|fetch|retrieve|extract|steal|grab|locate|"
        "list|dump",
        r"(?:read|open|cat|print|find|collect|gather|search for|look up|fetch|retrieve|extract|steal|grab|locate|"
        r"list|dump) ~6 (?:id_rsa|ssh keys?|ssh|aws credentials|etc passwd|etc shadow|env|api keys?|private keys?|"
        r"passwords?|credentials|wallets?|seed phrase|cookies|access tokens?|secrets) ~8 (?:and|then) ~2 (?:send|"
        r"post|upload|e ?mail|mail|include|append|paste|put|encode|report|forward|submit|transmit|exfiltrate|share)",
    ),
    (
        "exfiltrate",
        0.3,
        "attacker|evil|exfil|malicious",
        r"(?:send|post|upload|e ?mail|forward|transmit|submit|fetch|visit|curl|call|request) ~9 [^ "
        r"\"]{0,20}(?:attacker|evil|exfil|malicious)[^ \"]{0,20}",
    ),
    (
        "exfiltrate",
        0.3,
        "image|link|url|markdown&render|include|insert|display|add|show|embed|output|create|end",
        r"(?:render|include|insert|display|add|show|embed|output|create|end) ~6 (?:image|link|url|markdown) ~9 "
        r"(?:conversation|secret|token|password|api key|query|parameter|user s|summary|chat|data)",
    ),
    (
        "run",
        0.3,
        "you must|you should|have to|need to|immediately|first|always|silently|now|please|before|assistant&command|"
        "code|script|shell|tool&run|execute|call|invoke|launch|use the",
        r"(?:you (?:must|should|have to|need to)|immediately|first|always|silently|now|please|before (?:you "
        r")?answering|assistant) ~2 (?:run|execute|call|invoke|launch|use the) ~4 (?:commands?|code|script|shell|"
        r"tool|bash|terminal)",
    ),
    (
        "run",
        0.35,
        "rm rf|curl|wget",
        r"rm rf (?:home|\$home|no preserve root|/)|(?:curl|wget) ~6 (?:ba|z)?sh",
    ),
    (
        "run",
        0.3,
        "delete|transfer|wire|disable|push|grant|approve|install&immediately|silently|now|then|and|must|should|"
        "please|instead",
        r"(?:immediately|silently|now|then|and|must|should|please|instead) (?:delete|transfer|wire|disable|force "
        r"push|grant|approve|install) ~4 (?:all|every|funds|money|tests?|files|branch|database|repositor(?:y|ies)|"
        r"security|firewall|access|packages?)",
    ),
)
_PEOPLE = r"(?:users?|humans?|operators?|anyone|anybody|owners?|person|them|developers?|admins?|administrators?|people)"
_PERSON = "user|human|operator|anyone|anybody|owner|person|them|developer|admin|people"
_CONCEAL: tuple[Row, ...] = (
    (
        "conceal",
        0.4,
        f"{_PERSON}&not|don t|dont|never|avoid|refrain|without|shouldn",
        r"(?:do not|don t|dont|never|must not|should not|shouldn t|avoid|refrain from|without) ~2 "
        rf"(?:tell|inform|mention|reveal|notify|alert|warn|disclose|telling|informing|mentioning|notifying|alerting|"
        rf"warning|revealing|disclosing|asking|ask) ~5 {_PEOPLE}",
    ),
    (
        "conceal",
        0.5,
        f"{_PERSON}&know|see|notice|aware|suspect|knowledge|consent",
        rf"(?:do not|don t|dont|never|without) ~1 (?:let|letting|make|making) ~2 {_PEOPLE} ~1 (?:know|see|notice|"
        rf"aware|suspect|find)|without (?:the )?{_PEOPLE}(?: s)? (?:knowledge|consent|noticing|knowing)",
    ),
    (
        "conceal",
        0.4,
        f"{_PERSON}&hide|hiding|conceal|secret|keep",
        rf"(?:hide|hiding|conceal|concealing|keep) ~4 (?:from|secret) ~2 {_PEOPLE}|keep this ~2 (?:secret|hidden|"
        rf"confidential)",
    ),
    (
        "conceal",
        0.25,
        "secretly|silently|covertly|quietly|discreetly",
        r"(?:secretly|silently|covertly|quietly|discreetly) (?:run|send|execute|upload|forward|add|include|post|"
        r"copy|delete|insert|install|read|call|append|transmit|change|recommend)",
    ),
    (
        "conceal",
        0.3,
        "nothing happened|normal|as usual|not mention|never mention|no mention|this message|this instruction|this note",
        r"(?:as if|pretend|like) nothing (?:has )?happened|act (?:normal|normally|naturally|as usual)|(?:do not|don "
        r"t|never|make no) mention (?:of )?(?:this|these|it|that)|(?:do not|don t|never) (?:reveal|disclose|"
        r"acknowledge|repeat) (?:this|these) (?:instructions?|message|note|prompt)",
    ),
)
_MODEL = (
    r"(?:ais?|llms?|language models?|large language models?|assistants?|chatbots?|agents?|claude|chatgpt|gpt|gemini|"
    r"copilot|bots?|models?)"
)
_MODELS = "ai|llm|language model|assistant|chatbot|agent|claude|gpt|gemini|copilot|bot|model"
_ADDRESSED: tuple[Row, ...] = (
    (
        "addressed",
        0.35,
        f"attention|dear|hey|hello|note to|notice|message|instruction|warning|listen|important|reminder&{_MODELS}",
        rf"(?:attention|dear|hey|hello|note (?:to|for)|notice (?:to|for)|message (?:to|for)|instructions? (?:to|"
        rf"for)|warning to|listen|important|reminder (?:to|for)) (?:(?:all|any|the|every|future|my|other|reading) "
        rf")?(?:ai )?{_MODEL}",
    ),
    (
        "addressed",
        0.45,
        "if you are|if you re",
        r"if you (?:are|re) (?:an? |the )?(?:ai|llm|language model|large language|assistant|chatbot|automated|ai "
        r"agent|machine|bot)",
    ),
    (
        "addressed",
        0.45,
        f"this|these&read|process|summar|analy|review|pars&{_MODELS}",
        rf"{_MODEL} (?:(?:that|who|which) (?:is |are )?)?(?:reading|reads?|processing|process(?:es)?|parsing|"
        r"summari[sz](?:ing|es)|analy[sz](?:ing|es)|reviewing|reviews) (?:this|these)",
    ),
    (
        "addressed",
        0.4,
        f"when&this|these&{_MODELS}|you",
        rf"when(?:ever)? (?:you|(?:the|an|a|any) ~1 {_MODEL}) ~1 (?:reads?|sees?|process(?:es)?|encounters?|"
        rf"summari[sz]es?|retrieves?|loads?|recalls?)"
        r" ~1 (?:this|these)",
    ),
    (
        "addressed",
        0.3,
        "the user&ask|mention|say|request|want",
        r"when(?:ever)? the user ~1 (?:asks?|mentions?|says|requests|types|wants) ~9 (?:you must|always|instead|"
        r"(?:you should )?(?:also )?(?:run|execute|send|recommend|call|upload|forward))",
    ),
    (
        "addressed",
        0.4,
        "obey|comply|mandatory|must follow",
        r"you ~1 (?:must|shall|will|have to|are required to) ~1 (?:obey|comply)|(?:must|shall) follow (?:these|this|"
        r"the following) (?:instructions?|orders?|commands?|directives?)",
    ),
    (
        "addressed",
        0.35,
        "end of",
        r"end of (?:the )?~1 (?:document|context|input|prompt|data|note|article|email|file|memory|instructions)s? "
        r"~1 (?:begin|start|new|system|now|user|real|begins|starts|the following)",
    ),
)
ROWS: tuple[Row, ...] = (*_OVERRIDE, *_ROLE, *_REVEAL, *_EXFILTRATE, *_CONCEAL, *_ADDRESSED)
