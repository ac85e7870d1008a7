"""Layer 2: what a person says, sentence by sentence: decisions, preferences, promises, facts, corrections, rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo

from hearth.extract.rules.context import add_context, find_context, name_replaced
from hearth.extract.rules.due import due_at
from hearth.extract.rules.forms.asides import tells_aside
from hearth.extract.rules.forms.assertions import find_assertion
from hearth.extract.rules.forms.deeds import find_deed
from hearth.extract.rules.forms.directives import find_directive, find_request
from hearth.extract.rules.forms.lists import find_listed
from hearth.extract.rules.forms.looks import is_look
from hearth.extract.rules.forms.oneself import find_oneself
from hearth.extract.rules.privacy import heard
from hearth.extract.rules.proposals import accepted
from hearth.extract.rules.sentences.cues import language_of
from hearth.extract.rules.sentences.judging import LIKELY, Embed, Judged, judge
from hearth.extract.rules.solutions import tells_trouble
from hearth.extract.rules.statements import state
from hearth.extract.rules.units import Unit
from hearth.extract.standing import is_standing
from hearth.lazy import regex
from hearth.model.capture.extraction import MAX_QUOTE, MAX_STATEMENT, Category, Evidence, ExtractedMemory, Owner
from hearth.model.host.transcript import TranscriptEntry, Turn

_STANDING = 0.95
_ACCEPTED = 0.80
_FORMED = 0.90
# What somebody will not do but learn, have or be.
_COMES = regex(r"(?:['’]ll|\bwill)\s+(?:see|be|know|have|need|get|find\s+out|hear|turn)\b", re.IGNORECASE)
# What begins with what shall be instead.
_REMEDY = regex(
    r"(?:please\s+|just\s+|so\s+)*(?:make|use|do|put|keep|take|set|change|move|leave|try|go\s+with|write|call|it\s+(?:should|must|has\s+to)|"
    r"it['’]s|they\s+(?:should|must)|mach|nimm|benutze?|usa|utiliza|pon|mets|utilise|prends|use|coloque|metti)\b\s+\S+\s+\S+",
    re.IGNORECASE,
)
# What a class must be sure of to be kept.
_LEAST = {"decision": 0.40, "preference": 0.40, "commitment": 0.40, "fact": 0.40, "correction": 0.50, "principle": 0.50}
_SURE = 0.70
_SCARCELY = 0.10
_SURE_ENOUGH = {
    "decision": 0.50,
    "preference": 0.50,
    "commitment": 0.60,
    "fact": 0.40,
    "correction": 0.45,
    "principle": 0.45,
}
_PLAIN = 120
"""Characters of a sentence of which the model alone is believed."""
_LOOSE = frozenset({"maybe", "idle", "world", "think", "pron", "ask"})
# What was done, and what is to do: a day alone tells neither.
_DONE = regex(
    r"\b(?:done|finished|was|were|had|did|got|went|came|took|gave|sent|paid|bought|met|made|wrote|picked|called|ordered|booked|"
    r"received|arrived|signed|delivered|fixed|moved|renewed|cancelled|returned)\b",
    re.IGNORECASE,
)
_OWED = regex(
    r"\b(?:still|need|needs|must|have\s+to|has\s+to|gotta|got\s+to|should|will|gonna|going\s+to|remind|due|by|before|until|till|"
    r"haven['’]t|hasn['’]t|not\s+yet|to\s+be)\b|['’]ll\b",
    re.IGNORECASE,
)
_ADDRESSED = regex(r"\byou(?:r|rs|rself)?\b", re.IGNORECASE)
_CERTAIN = 0.97
_TELLING = 30
"""Characters that a short answer does not have."""
_COMFORT = regex(
    r"^(?:\W|always|never)*\b(?:always|never)\s+(?:\w+ing|happy|up|down|glad|ready|here|there|a|the|so|been|in|something)\b|"
    r"\b(?:you['’](?:re|ve|ll)|yourself|keep\s+\w+ing|believ\w+|dreams?|proud|here\s+(?:for|to)|quit|give\s+up|fun|nice|great|"
    r"remember\s+(?:that|this|why)|your\s+(?:heart|passion|dreams?|best|family))\b",
    re.IGNORECASE,
)
_PLAINLY = 0.60
_FEELING = regex(
    r"\b(?:excited|happy|proud|worried|feeling|felt|feels|grateful|thankful|struggling|confused|nervous|stuck|amazing|awesome|"
    r"incredible|inspiring|wonderful|beautiful|memories|pic|pics|photo|picture|here['’]s|not\s+sure|blast|lucky|blessed|"
    r"passionate|overwhelmed|errors?|issues?|trouble|problem\s+with)\b",
    re.IGNORECASE,
)
_KEEPING = regex(
    r"\b(?:i|we)(?:['’]ll|\s+will)\s+(?:also|just|still)\b|\bkeep\s+(?:\w+ing|you|an?\s+eye|that|it|this|up|on|in)\b|\b(?:pay\s+off|be\s+(?:there|great|fun|amazing|ready|able)|never\s+forget|"
    r"remember|miss|love|enjoy|share\s+more)\b",
    re.IGNORECASE,
)
_POINTLESS = regex(
    r"(?<!n['’]t\s)\b(?:with|do|use|for|chose|picked|go\s+with)\s+(?:it|them|this|that|those|these)\b(?!\s+\w+\s+(?:for|of|in|to|because))|"
    r"\blet['’]s\s+(?:keep|make|do|continue)\b",
    re.IGNORECASE,
)
_REPLY = regex(
    r"(?:no|nope)\b[,.!]?\s*(?:i\b|not\b|but\b|it['’]s\s+(?:ok|fine|all)|thanks|worries|problem|that['’]?s\s+(?:all|it|ok|fine))",
    re.IGNORECASE,
)
_NAMED = regex(r"(?<=[a-zà-ÿ,:] )[A-ZÀ-Þ][\w'’-]+(?<!I['’]m)(?<!I['’]ve)(?<!I['’]ll)(?<!I['’]d)(?<!\bI)")
# Who somebody is, which no date or figure has to make definite.
_FIGURE = r"(?:[^\s,.;]+\s+){0,6}?[^\s,;]*\d"
_DAY_NAMED = r"(?-i:[A-Z][a-z]{2,8})\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+20\d\d)?(?:\s+at\s+\S+(?:\s+[ap]\.?m)?)?"
_EVENT = (
    r"(?:deadline|due\s+date|meeting|call|appointment|interview|exam|flight|session|presentation|launch|release|review|"
    r"submission|delivery|wedding|trip|visit|hearing|viva|defen[cs]e)"
)
_STATE_TOLD = regex(
    rf"\b(?:(?:has|have|had|is|was|['’]s|['’]ve|i|we)\s+(?:(?:now|recently|just|only|already|currently|further|been)\s+)*"
    rf"(?:reached|increased|decreased|improved|grown|dropped|risen|fallen|rescheduled|moved|adjusted|extended|postponed|raised|"
    rf"lowered|changed|secured|completed|finished|scored|booked|scheduled|added|spent|got)\s+{_FIGURE}|"
    rf"(?:improved|increased|decreased|grew|dropped|rose|fell|rescheduled|extended|adjusted|moved)\s+(?:to|from|by)\s+{_FIGURE}|"
    rf"(?:new|my|our|the)\s+(?:\w+\s+){{0,3}}?(?:deadline|target|quota|limit|budget|goal|salary|price|rate)\s+(?:is|of|was)\s+{_FIGURE}|"
    rf"(?:have|having)\s+(?:a|an|the)\s+(?:\w+\s+){{0,2}}?(?:deadline|meeting|appointment|interview|call|session|flight)\s+{_FIGURE}|"
    rf"(?:my|our|the\s+new)\s+(?:new\s+)?{_DAY_NAMED}\s+(?:[\w-]+\s+){{0,2}}?{_EVENT}\b|"
    rf"(?:targeting|aiming\s+for|(?:goals?|target|quota)\s+of)\s+[^\s,;]*\d\S*\s+(?:\S+\s+){{0,2}}?(?:per|an?|each|every)\s+\w+|"
    rf"i(?:['’]ve|\s+have)\s+(?:got\s+)?[\d,.]*\d\s+(?!(?:questions?|minutes?|hours?|days?|weeks?|things?)\b)(?:[\w-]+\s+){{1,2}}to\s+\w+|"
    rf"my\s+(?:\w+\s+){{1,3}}?(?:has|have|is|are)\s+{_FIGURE}|"
    rf"my\s+(?:\w+\s+){{0,2}}?(?:scores?|marks?|grades?|accuracy)\s+of\s+{_FIGURE}|"
    rf"(?:trying|want|need|aiming|have|plan|planning)\s+to\s+(?:keep|stay|remain|hold)\s+(?:[^\s,.;]+\s+){{0,6}}?(?:under|below|within|above|"
    rf"at\s+(?:most|least))\s+{_FIGURE})",
    re.IGNORECASE,
)
# A goal, a condition, a question: nothing that is so.
_UNREAL = regex(
    r"\b(?:if|whether|would|could|should|won['’]t|might|maybe|perhaps|suppose|imagine|example|let['’]s\s+say|how\s+(?:can|does?|is|are|should|would|to|long|many|much)|(?:i|we)\s+can\b(?!['’]t)|"
    r"what|why|when\s+i|probability\s+(?:of|that)|you|your|errors?)\b|[?`{}=]",
    re.IGNORECASE,
)
# What may come, and what a list or a task takes as given.
_UNSURE = regex(
    r"\b(?:won['’]t|might|may\s+not|would|could|should|if|wonder(?:ing)?|from\s+scratch)\b|^\*\*|\b(?:sides?|triangle|angles?|probability|dice?|coin|deck)\b.*\d",
    re.IGNORECASE,
)
_FIRST_PERSON = regex(r"(?:and\s+|but\s+|so\s+)?(?:i|we)(?:['’](?:ll|ve|m|re|d))?\b", re.IGNORECASE)
_HEARSAY = regex(r"\b(?:could|might|would|heard|read|consider\w*|next\s+step)\b", re.IGNORECASE)
_EXPLICIT = regex(r"\b(?:decid\w+|chose|chosen|decision|agreed|settled)\b", re.IGNORECASE)
# By what a commitment is asked for: "I'll send it" holds no such word.
_PROMISE = {"en": "promise", "es": "promesa", "de": "Versprechen", "fr": "promesse", "pt": "promessa", "it": "promessa",
            "ru": "обещание", "zh": "承诺", "ja": "約束"}  # fmt: skip
_STATE = 0.75
_DATED = 0.85
_IDENTITY = regex(
    r"\b(?:my\s+name\s+is|call\s+me|allergic|i\s+live\s+in|i\s+work\s+(?:as|at|for|in)|vegan|vegetarian|"
    r"me\s+llamo|vivo\s+en|trabajo\s+(?:como|en)|al[eé]rgic[oa]|ich\s+heiße|ich\s+wohne|ich\s+arbeite|allergisch|je\s+m['’]appelle|"
    r"j['’]habite|je\s+travaille|allergique|me\s+chamo|meu\s+nome\s+é|moro\s+em|trabalho\s+(?:como|em)|mi\s+chiamo|vivo\s+a|"
    r"lavoro\s+(?:come|in)|меня\s+зовут|я\s+живу|я\s+работаю|аллергия)\b|我叫|我住|过敏|アレルギー|に住んで|と申します",
    re.IGNORECASE,
)
_RELATION = regex(
    r"\b(?:my|the\s+user['’]s)\s+(?:\w+\s+)?(wife|husband|partner|son|daughter|kids?|children|mother|father|mom|dad|brother|"
    r"sister|boss|manager|friend|colleague|landlord|doctor)\b",
    re.IGNORECASE,
)
_SEVERAL = frozenset({"son", "daughter", "brother", "sister", "friend", "colleague", "doctor"})
_CALLED = regex(r"(?:,|\s+(?:is\s+)?(?:called|named))?\s+([A-ZÀ-Þ][\w'’-]+)")
_SKILL = regex(
    r"\bI\s+(?:speak|know\s+how\s+to|can\s+(?:play|speak|program)|am\s+fluent|play\s+the)\b|\bfluent\s+in\b",
    re.IGNORECASE,
)


def spoken(turns: Sequence[Turn], embed: Embed | None, since: int = 0, zone: tzinfo = UTC) -> list[ExtractedMemory]:
    """Of the prompts after the ordinal ``since``. Without ``embed`` cues and form decide alone."""
    found: list[ExtractedMemory] = []
    before: Turn | None = None
    for turn in turns:
        if turn.ordinal > since:
            found += _of_turn(turn, before, embed, zone)
        before = turn
    return found


def _of_turn(turn: Turn, before: Turn | None, embed: Embed | None, zone: tzinfo) -> Iterator[ExtractedMemory]:
    for prompt in turn.prompts:
        text = heard(prompt.text)
        if not text:
            continue
        said = _day(prompt, zone)
        proposal = accepted(text, before.replies[-1]) if before is not None and before.replies else None
        if proposal is not None:
            quote = text.split("\n")[0][:MAX_QUOTE]
            told = f"The user accepted the assistant's proposal: “{proposal}”"
            evidence = Evidence(turn.ordinal, quote)
            yield ExtractedMemory(Category.DECISION, told, _ACCEPTED, evidence, reason="sentence:accepted")
        language = language_of(text)
        listed = find_listed(text)
        answered = before is not None and bool(before.replies)
        kept: list[ExtractedMemory] = []
        for item in judge(text, language, embed):
            kind = listed.get(item.unit.sentence)
            if kind is None and is_look(item.unit.text):
                continue
            if kind is None:
                found = _memory(item, turn.ordinal, language, said, answered)
            else:
                found = _of_list(item, turn.ordinal, kind, language, said)
            if kept and kind is None and _puts_right(kept[-1], item):
                kept[-1] = _with_remedy(kept[-1], item)
                continue
            if found is None or (kind is None and kept and _continues(kept[-1], found, item)):
                continue
            if kept and _tells_again(kept[-1], found):
                kept.pop()
            kept.append(_explain(found, item.unit, before))
        yield from kept


def _explain(memory: ExtractedMemory, unit: Unit, before: Turn | None) -> ExtractedMemory:
    """A decision with the sentence that it goes back to."""
    if memory.category is not Category.DECISION or not memory.standalone:
        return memory
    earlier = () if before is None else [heard(prompt.text) for prompt in before.prompts]
    return replace(memory, text=add_context(memory.text, find_context(unit.text, unit.before, earlier)))


def _tells_again(last: ExtractedMemory, found: ExtractedMemory) -> bool:
    """Whether what was just taken, for the same or for something unsure, is told again with what follows."""
    if found.standalone:
        return False
    if found.category is last.category:
        return last.text in found.text
    return _is_unsure(last) and last.evidence.quote.rstrip(".") in found.text


def _is_unsure(memory: ExtractedMemory) -> bool:
    """Whether only its form tells it."""
    return memory.reason == "sentence:form" and memory.confidence < _SURE


def _puts_right(last: ExtractedMemory, item: Judged) -> bool:
    """Whether it says what shall be instead of what the sentence before, just taken, called wrong."""
    said = last.category is Category.CORRECTION and last.evidence.quote == item.unit.before[:MAX_QUOTE]
    return said and not item.unit.asked and _REMEDY.match(item.unit.text) is not None


def _with_remedy(last: ExtractedMemory, item: Judged) -> ExtractedMemory:
    told = " ".join(item.unit.text.split())
    end = "" if told.endswith((".", "!", "。")) else "."
    return replace(last, text=f"{last.text} {told[:1].upper()}{told[1:]}{end}"[:MAX_STATEMENT])


def _continues(last: ExtractedMemory, found: ExtractedMemory, item: Judged) -> bool:
    """Whether it only adds to what was just taken: the same kind of thing, without a word that says so anew, or what
    makes no sense without the sentence before, which stands by itself."""
    if not found.standalone and last.standalone and last.evidence.quote == item.unit.before[:MAX_QUOTE]:
        return found.category is not last.category and not _is_unsure(last)
    return found.category is last.category and found.category is not Category.FACT and found.confidence < _CERTAIN


def _memory(item: Judged, turn: int, language: str, said: date | None, answered: bool) -> ExtractedMemory | None:
    text = item.unit.text
    evidence = Evidence(turn, text[:MAX_QUOTE])
    if item.label != "decision" and "decide" not in item.held and not item.unit.asked and _is_rule(text):
        stated = state(text, item.unit.before, language, Category.PRINCIPLE, None)
        return ExtractedMemory(Category.PRINCIPLE, stated.text, _STANDING, evidence, reason="sentence:standing")
    if item.unit.asked:
        return _of_question(item, turn, language, said)
    if (own := find_oneself(text)) is not None:
        return _tell_oneself(replace(item, label="fact"), own, evidence, said)
    if item.label == "fact" and find_directive(text) is Category.COMMITMENT:
        item = replace(item, label="commitment")
    reason = "sentence:cue"
    unprompted = item.label == "correction" and not answered
    if unprompted or item.chance < _LEAST[item.label] or not _keeps(item):
        formed = find_directive(text) or find_assertion(text, item.unit.before)
        if formed is None and language != "en" and _rules_plainly(item):
            formed = Category.PRINCIPLE
        if formed is None and item.label == "decision" and _is_rule(text):  # else it was one above
            formed = Category.PRINCIPLE
        if formed is not None:
            label, chance = formed.value, _FORMED
        elif _promises_for_a_day(item, said):
            label, chance = Category.COMMITMENT.value, _STATE
        elif _tells_state(text):
            label, chance = "fact", _STATE
        elif (deed := find_deed(text, language)) is not None:
            text, label, chance = deed, "fact", _STATE
        elif tells_aside(text):
            label, chance = "fact", _STATE
        elif not unprompted and _tells_plainly(item):
            done = item.label == "commitment" and _DONE.search(text) is not None and _OWED.search(text) is None
            label, chance = "fact" if done else item.label, item.chance
            if label == "fact" and tells_trouble(text):
                return None  # until it is solved
        else:
            return None
        item, reason = replace(item, label=label, chance=chance), "sentence:form"
    category = _category(item)
    told = name_replaced(text, item.unit.before) if category is Category.DECISION and language == "en" else text
    stated = state(told, item.unit.before, language, category, said)
    explained = answered or (reason == "sentence:form" and bool(item.unit.before))
    if not stated.standalone and (category is not Category.DECISION or len(text) < _TELLING) and not explained:
        return None
    memory = ExtractedMemory(
        category,
        stated.text,
        round(min(item.chance, _CERTAIN), 2),
        evidence,
        subject=_subject(text) if category is Category.RELATIONSHIP else None,
        standalone=stated.standalone,
        reason=reason,
    )
    if category is Category.COMMITMENT:
        owner: Owner = "user" if item.held & {"me", "we"} or not item.held & {"pron"} else "other"
        tag = _PROMISE.get(language, _PROMISE["en"])
        memory = replace(memory, owner=owner, tags=(tag,), due_at=due_at(text, said) if said is not None else None)
    return memory


def _tell_oneself(item: Judged, language: str, evidence: Evidence, said: date | None) -> ExtractedMemory:
    text, category = item.unit.text, _category(item)
    stated = state(text, "", language, category, said)
    subject = _subject(text) if category is Category.RELATIONSHIP else None
    return ExtractedMemory(category, stated.text, _STANDING, evidence, subject=subject, reason="sentence:oneself")


def _of_question(item: Judged, turn: int, language: str, said: date | None) -> ExtractedMemory | None:
    """What is asked for from now on, or what a question tells in passing that its speaker did."""
    evidence = Evidence(turn, item.unit.text[:MAX_QUOTE])
    request = find_request(item.unit.text)
    if request is not None:
        return ExtractedMemory(Category.PRINCIPLE, request, _FORMED, evidence, reason="sentence:form")
    deed = find_deed(item.unit.text, language, asked=True)
    if deed is None:
        return None
    stated = state(deed, "", language, Category.FACT, said)
    if not stated.standalone:
        return None
    return ExtractedMemory(Category.FACT, stated.text, _STATE, evidence, reason="sentence:form")


def _of_list(item: Judged, turn: int, kind: Category, language: str, said: date | None) -> ExtractedMemory:
    stated = state(item.unit.text, "", language, kind, said)
    evidence = Evidence(turn, item.unit.text[:MAX_QUOTE])
    return ExtractedMemory(kind, stated.text, _FORMED, evidence, reason="sentence:list")


def _is_rule(text: str) -> bool:
    """Whether it tells how to act from now on, and is said of something to do: no comfort, no praise."""
    about_me = _FIRST_PERSON.match(text) is not None
    return is_standing(text) and not about_me and not _COMFORT.search(text) and not text.endswith("!")


def _rules_plainly(item: Judged) -> bool:
    """Whether it says "always" or "never" of something, in the middle of a sentence that tells nothing else."""
    loose = item.held & {"me", "we", "idle", "maybe", "think", "world", "ask"}
    sure = item.label == "principle" and item.chance >= _PLAINLY
    return sure and "always" in item.held and not loose and not item.unit.text.endswith("!")


def _keeps(item: Judged) -> bool:
    """Whether it is worth keeping, whatever it is: something definite that is no courtesy, wish or question."""
    held, text = item.held, item.unit.text
    if "ask" in held and not held & {"prefer", "decide", "promise", "confirm"}:
        return False
    if item.label == "fact":
        sure = item.chance >= _CERTAIN and "day" in held and not held & _LOOSE
        plain = not _FEELING.search(text) and not re.search(r"\byou(?:r|rself)?\b", text, re.IGNORECASE)
        return (sure or _is_definite(held, text) or _is_dated(item)) and plain and not _UNSURE.search(text)
    if item.label == "commitment":
        return _binds(held, text)
    if item.label == "decision":
        decided = "decide" in held or ("adopt" in held and not held & {"idle", "think"})
        heard_of = _HEARSAY.search(text) is not None and not _EXPLICIT.search(text)
        return decided and not _POINTLESS.search(text) and not heard_of
    if item.label == "preference":
        plain = not _FEELING.search(text) and "make sure" not in text
        return "prefer" in held and plain and find_directive(text) is not Category.FACT
    if item.label == "correction":
        return "correct" in held and "idle" not in held and len(text) >= _TELLING and not _REPLY.match(text)
    # Said of every time, and first thing.
    return "always" in held and not held & {"me", "we", "idle"} and _is_rule(text)


def _tells_state(text: str) -> bool:
    """Whether a wish or a worry tells in passing how something stands now: a figure reached, a date moved."""
    text = text.rstrip("?？")  # what a question takes for granted
    figure = any(map(str.isdecimal, text))  # few have one, which the patterns need
    return figure and _STATE_TOLD.search(text) is not None and not _UNREAL.search(text)


def _is_sure(item: Judged) -> bool:
    """Of the class, or of its being no small talk while the class is likely."""
    return item.chance >= _SURE or (item.idle <= _SCARCELY and item.chance >= _SURE_ENOUGH[item.label])


def _tells_plainly(item: Judged) -> bool:
    """Whether the model is sure of it without a word that says so."""
    label, text = item.label, item.unit.text
    plain = len(text) <= _PLAIN and not text.endswith("!") and not _FEELING.search(text) and not _UNSURE.search(text)
    if not _is_sure(item) or not plain or "maybe" in item.held or not item.unit.sentence.startswith(text):
        return False
    if label == "principle":
        return not item.held & {"me", "we"} and not _COMFORT.search(text)
    if label == "preference":
        return "make sure" not in text
    return not item.held & {"ask", "think"} and not _ADDRESSED.search(text) and not _POINTLESS.search(text)


def _binds(held: frozenset[str], text: str) -> bool:
    """Whether somebody binds themselves to something that can be done."""
    if _KEEPING.search(text) or text.endswith("!"):
        return False
    if "promise" in held:
        return "maybe" not in held or "due" in held
    vague = held & {"idle", "maybe", "ask", "think"} or re.search(r"\byou\b", text)
    return "will" in held and not vague and len(text.split()) > 3


def _promises_for_a_day(item: Judged, said: date | None) -> bool:
    """Whether somebody says what they will do on a day that has a date, which the model takes for something told."""
    held, text = item.held, item.unit.text
    told = item.label in ("commitment", "fact", "decision") and item.chance >= LIKELY
    if said is None or not told or "will" not in held or not held & {"me", "we"} or _COMES.search(text):
        return False
    return any(map(str.isdigit, text)) and due_at(text, said) is not None and _binds(held, text)


def _is_dated(item: Judged) -> bool:
    """What the speaker does at a time that they name."""
    return item.chance >= _DATED and item.held >= {"me", "day"} and not item.held & _LOOSE


def _is_definite(held: frozenset[str], text: str) -> bool:
    if held & {"maybe", "idle", "world", "think"} and not held & {"confirm"}:
        return False
    exact = any(character.isdigit() for character in text) or "day" in held
    named = _NAMED.search(text) is not None
    if "pron" in held:
        return False
    if _IDENTITY.search(text):
        return True
    if held & {"confirm", "self", "have"}:
        return exact or named
    return "due" in held and "me" in held and exact


def _category(item: Judged) -> Category:
    if item.label == "fact":
        if _RELATION.search(item.unit.text):
            return Category.RELATIONSHIP
        if _SKILL.search(item.unit.text):
            return Category.SKILL
    return Category(item.label)


def _subject(text: str) -> str | None:
    """Whom it is about; one of several by their name, where it follows."""
    found = _RELATION.search(text)
    if found is None:
        return None
    name = _CALLED.match(text[found.end() :]) if found[1].lower() in _SEVERAL else None
    return f"The user's {found[1].lower()}{f' {name[1]}' if name is not None else ''}"


def _day(prompt: TranscriptEntry, zone: tzinfo) -> date | None:
    return None if prompt.at is None else datetime.fromtimestamp(prompt.at / 1000, zone).date()
