"""Problems that the person says are solved: what was wrong, what the assistant found, and the words that say so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hearth.extract.rules.privacy import heard
from hearth.extract.rules.units import sentences
from hearth.lazy import regex
from hearth.model.capture.extraction import MAX_QUOTE, MAX_STATEMENT, Category, Evidence, ExtractedMemory
from hearth.model.host.transcript import Turn

_CONFIDENCE = 0.80
_BACK = 8
"""Turns in which the problem was told."""
_HEAD = 160
"""Characters of a prompt in which it is said that it is solved."""
_MOST = 400
"""Characters of a prompt that says so: longer ones ask for something."""
_LONGEST = 220
_SHORTEST = 20
_SOLVED = regex(
    r"\b(?:that|this|it|which)(?:['’]s|\s+(?:has|did|is|was))?\s+(?:(?:totally|indeed|just|actually|really)\s+)?"
    r"(?:fixed(?:\s+(?:it|that|now))?|solved(?:\s+it)?|did\s+(?:it|the\s+trick)|the\s+trick|worked|was\s+(?:it|the\s+(?:problem|issue|cause|culprit)))(?!\s+(?:by|for\s+me\s+to|on|in|before|until|as|when))|"
    r"\b(?:that|this|it)\s+was\s+(?:it|the\s+(?:problem|issue|cause|culprit))\b|"
    r"\bit\s+(?:works|runs)(?=\s*(?:$|[,.!]|fine\b|perfectly\b|great\b))|\bworks\s+like\s+a\s+charm\b|(?:^|,\s+|\b(?:it|everything)\s+)(?!(?:was|has|does|this|its|yes|always|needs|wants|asks|crashes|fails|breaks|hangs|leaks|freezes)\b)[a-z]{3,}s\s+(?:up\s+)?(?:now|again)\b|"
    r"\b(?:bingo|nailed\s+it|sorted(?!\s+(?:by|in|the))|(?:all\s+)?good\s+now|back\s+online|up\s+(?:again|and\s+running)|clean\s+now)\b|"
    r"\b(?:is|are|it['’]s|they['’]re)\s+(?:all\s+)?(?:back|fixed|solved|gone|solid|green|passing|working|stable|fast)(?=\s*(?:$|[,.!]|now\b|again\b))|"
    r"\bnow\s+(?:it|everything|all\s+of\s+it)\s+(?:works|runs|passes|builds|compiles|loads|starts|boots|connects)\b|"
    r"\b(?:problem|issue|bug)\s+(?:is\s+)?(?:solved|gone|fixed|resolved)\b|\bno\s+more\s+(?:errors?|crashes|timeouts?|duplicates|warnings?|leaks?)\b|\bsolid\s+now\b|"
    r"\b(?:läuft|geht|funktioniert|klappt|startet|baut)\s+(?:jetzt|wieder|nun)\b|\b(?:jetzt|nun)\s+(?:läuft|geht|funktioniert|klappt|ist\s+alles\s+wieder)\b|"
    r"\b(?:das|genau\s+das|daran)\s+(?:war['’]?s|war\s+es|lag['’]?s|lag\s+es)\b|\b(?:behoben|hat\s+geklappt)\b|"
    r"\b(?:ya|ahora(?:\s+ya)?)\s+(?:funciona|arranca|carga|anda|compila|no\s+(?:se\s+cae|falla|da\s+error))\b|\b(?:era\s+eso|eso\s+era|aguantó|(?:está\s+)?arreglado|solucionado|funcionó|resuelto)\b|"
    r"\b(?:ça|cela)\s+(?:marche|fonctionne|passe|compile|a\s+marché|tourne)(?=\s+(?:maintenant|de\s+nouveau|à\s+nouveau|enfin))|\bc['’]était\s+(?:ça|bien\s+ça)\b|\b(?:réglé|résolu)\b|"
    r"\b(?:agora|já)\s+(?:funciona|vai|está\s+funcionando|roda|carrega|abre|só)\b|\b(?:era\s+isso|resolvido|resolveu|funcionou|deu\s+certo)\b|"
    r"\b(?:adesso|ora)\s+(?:funziona|va|parte|compila|carica)\b|\b(?:era\s+(?:quello|questo)|risolto|ha\s+funzionato)\b|"
    r"\b(?:теперь|снова|всё)\s+(?:работает|запускается|собирается)\b|\b(?:заработало|помогло|решено|починилось)\b|"
    r"(?:解决了|搞定了?|修好了|正常了|可以用了|没问题了)|(?:直りました|直った|動きました|動くように|動いた|解決しました|解決した)",
    re.IGNORECASE,
)
_NOT_YET = regex(
    r"\b(?:not|never|still|if|would|will|should|could|hope|until|unless|almost|nope|\w+n['’]t|nicht|kein\w*|noch|wenn|falls|no\s+(?:funciona|era)|todavía|aún|si|pas|encore|"
    r"não\s+(?:funciona|era)|ainda|non|ancora|se|не|ещё|если)\b|[?？]|(?:不|没有|还|まだ|ない)",
    re.IGNORECASE,
)
_WRONG = regex(
    r"\b(?:crash(?:es|ed|ing|loop\w*)?|fail(?:s|ed|ing|ures?)?|br(?:eaks|oken?|oke)|(?:an?|the|this|these|same|weird|strange|with|of|get(?:s|ting)?|gives?|throws?|shows?)\s+(?:\S+\s+){0,2}?(?:errors?|exceptions?)|(?-i:[A-Z]\w*Error)|errors?\s*:|hangs?|hung|freez(?:es|ing)|frozen|leak(?:s|ing)?|"
    r"time[sd]?\s?outs?|times?\s+out|timed\s+out|stopped\s+\w+ing|(?:do|does|did|is|are|was|were|wo|will|ca|can)(?:n['’]?t|\s*not)\s+(?:work|show|load|connect|start|come|appear|build|compil|boot|run|pass|play|print|sync|open|clos|sav|fit|match|log|access|reach|install|updat|render|receiv|arriv|respond|find|detect|recogni[sz])(?:e|s|ing|ed)?\b|dead|wrong|missing|twice|"
    r"duplicat\w+|double[sd]?|flaky|flicker\w*|slow(?:ly)?|stuck|undefined|segfaults?|empty|blank|too\s+(?:slow|much|many|long)|bugs?|falls?\s+through|disappear\w*|out\s+of\s+(?:memory|disk|space)|pager|"
    r"geht\s+nicht|funktioniert\s+nicht|klappt\s+nicht|stürzt|fehler\w*|hängt|langsam|kaputt|leer|doppelt|so\s+lang(?:e)?|"
    r"no\s+(?:funciona|arranca|carga|compila|sale|va)|se\s+(?:cae|cuelga|rompe)|falla(?:n)?|lent[oa]|errores?|"
    r"ne\s+(?:marche|fonctionne|démarre|charge|passe)(?:nt)?\s+(?:pas|plus)|plante|erreurs?|lente?|bloqu\w+|"
    r"não\s+(?:funciona|abre|carrega|roda|sai)|erros?|cai(?:ndo)?|trava(?:ndo)?|lent[oa]|duplicando|quebr\w+|"
    r"non\s+(?:funziona|parte|carica|va)|errori?|si\s+blocca|crasha|rott[oa])\b|"
    r"\b(?:не\s+(?:работает|запускается|собирается)|ошибк\w+|падает|зависает|тормозит)\b|"
    r"报错|错误|崩溃|失败|不行|卡住|太慢|打不开|エラー|動かない|動きません|落ちる|落ちます|失敗|遅い",
    re.IGNORECASE,
)
# What names a cause or a remedy.
_FINDING = regex(
    r"`|\b(?:because|since|due\s+to|caused?|needs?|missing|instead|sets?|should|must|try|us(?:e|es|ing)|add(?:ed)?|move[ds]?|change[ds]?|replace[ds]?|"
    r"weil|da|statt|mit|muss|porque|falta|usa|usar|añad\w+|parce\s+que|car|il\s+faut|utilise[rz]?|sem|chame|perché|serve|manca)\b|因为|需要|なので|必要",
    re.IGNORECASE,
)


def tells_trouble(text: str) -> bool:
    """Whether a sentence says that something goes wrong."""
    return _WRONG.search(text) is not None


def find_solutions(turns: Sequence[Turn], since: int = 0) -> Iterator[ExtractedMemory]:
    """Of the prompts after the ordinal ``since``: one for each problem that one of them says is solved."""
    for at, turn in enumerate(turns):
        if turn.ordinal <= since or at == 0 or not turns[at - 1].replies:
            continue
        quote = _find_confirmation(turn)
        told = _find_problem(turns[max(0, at - _BACK) : at]) if quote else None
        if told is None:
            continue
        problem, replies = told
        found = _find_remedy(replies)
        if found is None:
            continue
        text = f"Problem: “{problem}” Found by the assistant: “{found}” Confirmed by the user: “{quote}”"
        evidence = Evidence(turn.ordinal, quote[:MAX_QUOTE])
        yield ExtractedMemory(Category.PROBLEM, text[:MAX_STATEMENT], _CONFIDENCE, evidence, reason="sentence:solved")


def _find_confirmation(turn: Turn) -> str:
    """The sentence that says so."""
    for prompt in turn.prompts:
        if len(prompt.text) > _MOST or _SOLVED.search(prompt.text[:_HEAD]) is None:
            continue
        for sentence in sentences(heard(prompt.text)[:_HEAD]):
            if _SOLVED.search(sentence) and not _NOT_YET.search(sentence):
                return sentence
    return ""


def _find_problem(earlier: Sequence[Turn]) -> tuple[str, list[str]] | None:
    """The last problem that is not yet said to be solved, with what was answered since."""
    replies: list[str] = []
    for turn in reversed(earlier):
        replies = [*turn.replies, *replies]
        if _find_confirmation(turn):
            return None
        said = (one for prompt in turn.prompts for one in sentences(heard(prompt.text)))
        wrong = next((one for one in said if _SHORTEST <= len(one) <= _LONGEST and _WRONG.search(one)), None)
        if wrong is not None:
            return wrong, replies
    return None


def _find_remedy(replies: Sequence[str]) -> str | None:
    """The sentences, two at most, with which one of the replies begins to say what is wrong or what helps."""
    for reply in replies:
        said = [one for one in sentences(reply) if not one.endswith(("?", "？", ":")) and len(one) <= _LONGEST]
        for at, sentence in enumerate(said):
            if len(sentence) >= _SHORTEST and _FINDING.search(sentence):
                return " ".join(" ".join(said[at : at + 2]).split())
    return None
