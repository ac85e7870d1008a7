"""What somebody tells of who they are: their name, their home, their work, their family, in nine languages.

Nothing is surer than that, so its form alone says it: it opens the sentence, and names what it tells.
"""

from __future__ import annotations

import re

from hearth.lazy import regex

_MOST = 240
_CAP = r"(?-i:[A-ZÀ-ÞА-ЯЁ])[\w'’-]*"
_WORD = r"[^\W\d_][\w'’-]+"
_HELLO = (
    r"(?:(?:hi|hello|hey|hola|buenas|hallo|guten\s+\w+|bonjour|salut|olá|oi|ciao|buongiorno|привет|здравствуйте|你好|您好|"
    r"こんにちは|はじめまして)[\s,.!，。！、]+(?:(?:there|zusammen|todos|a\s+tous)[\s,.!]+)?)?"
)
_FORMS = {
    "en": (
        rf"my\s+(?:full\s+|first\s+|last\s+|real\s+)?name(?:['’]s|\s+is)\s+{_CAP}|i(?:['’]m|\s+am)\s+(?:called|named)\s+{_CAP}|"
        rf"(?:please\s+)?call\s+me\s+{_CAP}|i\s+go\s+by\s+{_CAP}|i\s+live\s+(?:in|near|outside)\s+(?:the\s+)?{_CAP}|"
        rf"i(?:['’]m|\s+am)\s+(?:from|based\s+in)\s+(?:the\s+)?{_CAP}|i\s+was\s+born\s+in\s+{_CAP}|"
        rf"i\s+work\s+(?:as\s+an?\s+{_WORD}|(?:at|for)\s+(?:the\s+)?{_CAP})|i(?:['’]m|\s+am)\s+married\b|"
        r"i\s+have\s+(?:an?|one|two|three|four|five|\d+)\s+(?:\w+\s+)?(?:kids?|child(?:ren)?|sons?|daughters?|brothers?|sisters?|"
        r"grandchild(?:ren)?|dogs?|cats?)\b|"
        r"my\s+(?:\w+\s+)?(?:wife|husband|partner|son|daughter|mother|father|mom|mum|dad|brother|sister|dog|cat)"
        rf"(?:['’]s\s+name\s+is|\s+is\s+(?:called|named))\s+{_CAP}"
    ),
    "es": (
        rf"(?:yo\s+)?me\s+llamo\s+{_CAP}|mi\s+nombre\s+es\s+{_CAP}|(?:yo\s+)?vivo\s+(?:en|cerca\s+de)\s+(?:el\s+|la\s+)?{_CAP}|"
        rf"(?:yo\s+)?soy\s+de\s+{_CAP}|nací\s+en\s+{_CAP}|(?:trabajo\s+como|yo\s+trabajo\s+de)\s+(?:una?\s+)?{_WORD}|"
        rf"(?:trabajo\s+en|yo\s+trabajo\s+(?:en|para))\s+(?:el\s+|la\s+)?{_CAP}|estoy\s+casad[oa]\b|"
        r"tengo\s+(?:una?|dos|tres|cuatro|cinco|\d+)\s+(?:hij[oa]|herman[oa]|niet[oa]|perr[oa]|gat[oa])s?\b|"
        r"mi\s+(?:esposa|esposo|marido|mujer|pareja|hij[oa]|madre|padre|herman[oa]|perr[oa]|gat[oa])"
        rf"(?:\s+\w+)?\s+se\s+llama\s+{_CAP}"
    ),
    "de": (
        rf"ich\s+hei(?:ß|ss)e\s+{_CAP}|mein\s+name\s+ist\s+{_CAP}|ich\s+wohne\s+(?:in|bei|nahe)\s+(?:der\s+)?{_CAP}|"
        rf"ich\s+lebe\s+in\s+(?!(?:angst|frieden|armut|sorge|trennung|scheidung)\b){_CAP}|ich\s+komme\s+aus\s+(?:der\s+)?{_CAP}|"
        rf"ich\s+arbeite\s+(?:als|bei|für)\s+(?:der\s+)?{_CAP}|ich\s+bin\s+verheiratet\b|ich\s+bin\s+in\s+{_CAP}\s+geboren|"
        r"ich\s+habe\s+(?:einen?|zwei|drei|vier|fünf|\d+)\s+(?:kind(?:er)?|s[oö]hne?|t[oö]chter|br[uü]der|schwestern?|enkel|hunde?|"
        r"katzen?)\b|meine?\s+(?:frau|mann|partnerin|partner|sohn|tochter|mutter|vater|bruder|schwester|hund|katze)"
        rf"\s+hei(?:ß|ss)t\s+{_CAP}"
    ),
    "fr": (
        rf"je\s+m['’]appelle\s+{_CAP}|mon\s+(?:nom|prénom)\s+est\s+{_CAP}|"
        rf"(?:j['’]habite|je\s+vis)\s+(?:à|en|au|aux|près\s+de|près\s+d['’]|dans)\s*(?:le\s+|la\s+|l['’])?{_CAP}|"
        rf"je\s+viens\s+d(?:e\s+|u\s+|['’]){_CAP}|je\s+suis\s+née?\s+(?:à|en|au)\s+{_CAP}|"
        rf"je\s+travaille\s+(?:comme\s+(?:une?\s+)?{_WORD}|(?:chez|pour)\s+{_CAP})|je\s+suis\s+mariée?\b|"
        r"j['’]ai\s+(?:une?|deux|trois|quatre|cinq|\d+)\s+(?:enfants?|fils|filles?|frères?|sœurs?|chiens?|chats?)\b|"
        r"m(?:on|a)\s+(?:femme|mari|compagne|compagnon|fils|fille|mère|père|frère|sœur|chien|chat)"
        rf"\s+s['’]appelle\s+{_CAP}"
    ),
    "pt": (
        rf"(?:eu\s+)?me\s+chamo\s+{_CAP}|chamo-me\s+{_CAP}|(?:o\s+)?meu\s+nome\s+é\s+{_CAP}|"
        rf"(?:eu\s+)?(?:moro|vivo)\s+(?:em|no|na|nos|perto\s+d[eoa])\s+{_CAP}|(?:eu\s+)?sou\s+d[eoa]\s+{_CAP}|nasci\s+(?:em|no|na)\s+{_CAP}|"
        rf"(?:eu\s+)?trabalho\s+(?:como\s+(?:uma?\s+)?{_WORD}|(?:em|na|no)\s+{_CAP})|eu\s+trabalho\s+pa?ra\s+{_CAP}|sou\s+casad[oa]\b|"
        r"(?:eu\s+)?tenho\s+(?:uma?|dois|duas|três|quatro|cinco|\d+)\s+(?:filh[oa]s?|irmãos?|irmãs?|net[oa]s?|cachorr[oa]s?|gat[oa]s?)\b|"
        r"(?:[oa]\s+)?(?:meu|minha)\s+(?:esposa|esposo|marido|mulher|filh[oa]|mãe|pai|irmão|irmã|cachorr[oa]|gat[oa])"
        rf"\s+se\s+chama\s+{_CAP}"
    ),
    "it": (
        rf"(?:io\s+)?mi\s+chiamo\s+{_CAP}|il\s+mio\s+nome\s+è\s+{_CAP}|(?:io\s+)?(?:vivo|abito)\s+(?:a|in|ad|vicino\s+a)\s+{_CAP}|"
        rf"vengo\s+da(?:ll['’]|lla\s+|\s+){_CAP}|sono\s+di\s+{_CAP}|sono\s+nat[oa]\s+(?:a|in|ad)\s+{_CAP}|"
        rf"(?:io\s+)?lavoro\s+(?:come\s+(?:un[ao]?\s+)?{_WORD}|(?:alla|al|in)\s+{_CAP})|io\s+lavoro\s+(?:per|da)\s+{_CAP}|sono\s+sposat[oa]\b|"
        r"ho\s+(?:un[ao]?|due|tre|quattro|cinque|\d+)\s+(?:figli[oae]?|fratell[oi]|sorell[ae]|nipot[ei]|can[ei]|gatt[oaie])\b|"
        r"(?:la\s+|il\s+)?mi[oa]\s+(?:moglie|marito|compagn[oa]|figli[oa]|madre|padre|fratello|sorella|cane|gatto)"
        rf"\s+si\s+chiama\s+{_CAP}"
    ),
    "ru": (
        rf"меня\s+зовут\s+{_CAP}|мо[её]\s+имя\s+[—-]?\s*{_CAP}|я\s+живу\s+(?:в|под|около)\s+{_CAP}|я\s+(?:родом\s+)?из\s+{_CAP}|"
        rf"я\s+родил(?:ся|ась)\s+в\s+{_CAP}|я\s+работаю\s+(?:\w+(?:ом|ем|ём|ой|ей)(?!\w)|(?:в|на)\s+[«\"]?{_CAP})|я\s+(?:женат|замужем)(?!\w)|"
        r"у\s+меня\s+(?:есть\s+)?(?:один|одна|двое|два|две|трое|три|четверо|\d+)\s+(?:сын|доч|дет|брат|сест[её]?р|внук|соба|кош)\w*|"
        r"мо(?:ю|его)\s+(?:жену|мужа|сына|дочь|мать|маму|отца|папу|брата|сестру|собаку|кошку)"
        rf"\s+зовут\s+{_CAP}"
    ),
    "zh": (
        r"我(?:的名字)?叫(?![做你您他她它人了车过不外])[\w·]{1,12}|我的名字是\w{1,12}|我(?:现在)?住在\w{2,}|我来自\w{2,}|我在\w{2,20}工作|"
        r"我有(?:一|两|三|四|\d)个(?:孩子|儿子|女儿|哥哥|弟弟|姐姐|妹妹)|我(?:的)?(?:妻子|老婆|丈夫|老公|儿子|女儿|妈妈|爸爸|哥哥|弟弟|姐姐|妹妹)叫\w{1,12}"
    ),
    "ja": (
        r"(?:私は)?\w{1,12}と申します|(?:私は|僕は|俺は)\w{1,12}と(?:いい|言い)ます|(?:私|僕)の名前は\w{1,12}|(?:私は|僕は)?\w{2,16}に住んで(?:います|いる)|"
        r"(?:私は|僕は)?\w{2,16}(?:で|として)働いて(?:います|いる)|(?:私|僕)?(?:に)?(?:は)?(?:子供|子ども|息子|娘|兄弟|姉妹)が\w{1,4}人います"
    ),
}  # fmt: skip
_FORM = regex(
    rf"\W*{_HELLO}(?:" + "|".join(rf"(?P<{name}>{form})" for name, form in _FORMS.items()) + ")", re.IGNORECASE
)


def find_oneself(text: str) -> str | None:
    """The language in which a sentence tells the name, home, work or family of who says it; ``None`` where it tells
    none of these, or is a question."""
    if len(text) > _MOST or text.rstrip().endswith(("?", "？")):
        return None
    found = _FORM.match(text)
    return None if found is None else found.lastgroup
