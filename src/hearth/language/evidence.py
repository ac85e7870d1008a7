"""The evidence check: whether a statement says no more than the words that it rests on.  Every model's statement goes
through it: a memory with its quote, a sentence about several statements, a page of a night. Names, numbers,
negations and directions must stand in the words, in their order; nobody else's deed becomes the user's; and a
circumstance that the words have ("on Windows", "if", "until Friday") is not dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

from hearth.core.lazy import regex
from hearth.language.clauses import CIRCUMSTANCES, TABLE, Clause, Token, find_disguised, languages_of, read_clauses
from hearth.language.wording import VERBS, can_speak, circumstances, level, name_topics, other_orders, settle
from hearth.text.language import background_share
from hearth.text.lines import split_sentences
from hearth.text.similarity import flatten
from hearth.text.time_expressions import date_words
from hearth.text.words import cues

_ISO = regex(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_POLARITY = ("negation", "aversion", "ending")
_COUNTED = frozenset(("en", "de", "zh"))
"""Languages in which two negations cancel each other."""
_VERBAL = frozenset(("frame", "auxiliary", "word", "term", *_POLARITY))
_POSSESSIVE = regex(r"(?:['’]s|的|の)\Z")
_MOST_CLAUSES = 4
_DAYS = 14
"""So far ahead a day of the week may lie that is worked out."""
UNSAID = "it says something that its quote does not"


def find_fault(
    statement: str, quote: str, said_on: date | None = None, *, is_accepted: bool = False, nearby: str = ""
) -> str | None:
    """What the statement says beyond the quoted words, ``None`` where nothing.

    ``said_on`` is the day by which dates are worked out. Of a proposal that was accepted (``is_accepted``) a question
    or a "could" is no doubt. ``nearby`` is what the same person said just before: a topic of it may stand for "it".
    """
    fault = _find_fault(statement, quote, said_on, is_accepted)
    if fault is not None and can_speak(statement, quote):
        fault = _find_fault(statement, quote, said_on, is_accepted, is_speaker=True)
    if fault is None or not nearby:
        return fault
    named = name_topics(statement, quote, nearby)
    is_borne = any(_find_fault(statement, one, said_on, is_accepted) is None for one in named)
    return None if is_borne else fault


def _find_fault(
    statement: str, quote: str, said_on: date | None, is_accepted: bool, is_speaker: bool = False
) -> str | None:
    if strange := [word for word in find_disguised(statement) if word not in quote]:
        return f"it writes {strange[0][:40]} with letters that look like others"
    dates = _ISO.findall(statement)
    if unfit := [one for one in dates if one not in quote and not fits_date(one, quote, said_on)]:
        return f"the date {unfit[0]} does not follow from its quote"
    languages = languages_of(statement, quote)
    statement, quote = level(statement, quote)
    quoted_clauses = read_clauses(quote, languages)
    stated = settle(read_clauses(_ISO.sub(" ", statement), languages), quoted_clauses, said_on, is_speaker=is_speaker)
    if not any(clause.content or clause.count(*_POLARITY) for clause in stated):
        return None if dates else UNSAID
    windows = list(_windows(quoted_clauses))
    is_doubtful = is_accepted or _is_doubtful(stated)

    def find(clause: Clause, of_user: bool, near: Sequence[list[Clause]]) -> str | None:
        faults = []
        for window in near:
            fault = _Match(clause, window, languages, bool(dates), of_user).find_fault()
            if fault is None and not is_doubtful and _is_doubtful(window):
                fault = "its quote only considers it"
            if fault is None:
                return None
            faults.append(fault)
        return next((fault for fault in faults if fault != UNSAID), UNSAID)

    fault, is_of_user = None, False
    for clause in stated:
        is_of_user = _is_of_user(clause, is_of_user)
        if clause.content or clause.count(*_POLARITY):
            fault = fault or find(clause, is_of_user, windows)
    if fault is None or len(stated) == 1:
        return fault
    # "His sister, Lena, lives in Graz": one thing in several clauses.
    whole = Clause(0, [token for clause in stated for token in clause.tokens])
    return fault if find(whole, _is_of_user(stated[0], False), _singles(quoted_clauses)) is not None else None


def find_context(text: str, quote: str) -> str:
    """The whole sentences that hold the quote, so that a quote can't be cut out of what it means; empty where the text
    does not hold it."""
    wanted = flatten(quote)
    if not wanted or wanted not in flatten(text):
        return ""
    sentences = split_sentences(text)
    for size in range(1, len(sentences) + 1):
        for at in range(len(sentences) - size + 1):
            joined = "\n".join(sentences[at : at + size])
            if wanted in flatten(joined):
                return joined
    return text


def has_span(text: str, span: str, least: int = 1) -> bool:
    """Whether the text holds the words of a span of at least so many characters, case and white space aside."""
    return len(span.strip()) >= least and flatten(span) in flatten(text)


def is_hedged(text: str) -> bool:
    """Whether it only considers, wishes or asks."""
    return _is_doubtful(read_clauses(text, languages_of("", text)))


class _Match:
    """A clause of a statement beside clauses of its evidence."""

    def __init__(
        self, clause: Clause, window: Sequence[Clause], languages: tuple[str, ...], is_dated: bool, is_of_user: bool
    ) -> None:
        self._clause, self._window, self._languages = clause, window, languages
        self._is_dated, self._is_of_user = is_dated, is_of_user
        opener = next((token for token in clause.tokens if token.kind != "filler"), None)
        self._is_of_users = opener is not None and opener.kind == "user"  # "the user's editor", too
        self._tokens = [token for one in window for token in one.tokens]

    def find_fault(self) -> str | None:
        taken = self._align()
        if taken is None:
            return UNSAID
        skipped = [token for at, token in enumerate(self._tokens) if token.is_content and at not in taken]
        if len(self._window) > 1 and (self._has_gap(taken) or self._is_too_wide(taken)):
            return UNSAID
        if self._is_mere_subject(taken) or self._is_other_group(taken):
            return UNSAID
        return (
            self._find_polarity()
            or self._find_marks()
            or self._find_tense(taken)
            or self._find_person(taken)
            or self._find_dropped(skipped)
        )

    def _align(self) -> frozenset[int] | None:
        """The places of the evidence that hold the words of the clause in their order, a circumstance moved to the
        beginning or the end at most."""
        content = self._clause.content
        found = _find_in_order(content, self._tokens)
        if found is not None:
            return found
        for order in other_orders(content, self._clause, self._tokens, is_of_user=self._is_of_user):
            if (found := _find_in_order(order, self._tokens)) is not None:
                return found
        for start, end in circumstances(content):
            block, rest = content[start:end], [*content[:start], *content[end:]]
            if not rest:
                continue
            for order in ([*block, *rest], [*rest, *block]):
                found = _find_in_order(order, self._tokens, is_moved=True)
                if found is not None:
                    return found
        return None

    def _has_gap(self, taken: frozenset[int]) -> bool:
        """Whether what is said across clauses leaves out words between."""
        if not taken:
            return True
        start = len(self._window[0].tokens) if self._window[0].is_subject else min(taken)
        if self._window[0].is_subject:
            subject = next((at for at, token in enumerate(self._tokens[:start]) if token.is_content), None)
            if subject is not None and subject not in taken:
                return True
        return any(self._tokens[at].is_content and at not in taken for at in range(start, max(taken)))

    def _is_mere_subject(self, taken: frozenset[int]) -> bool:
        """Whether a choice of the user rests on what only does something else in the evidence: "Jira was down"."""
        if (
            not self._is_of_user
            or self._is_dated
            or not taken
            or any(one.count("first", "own", "user", "group") for one in self._window)
        ):
            return False
        rest = self._tokens[max(taken) + 1 :]
        verb = next((at for at, token in enumerate(rest) if token.kind == "auxiliary"), None)
        return verb == 0 and not any(token.kind == "auxiliary" for token in self._clause.tokens)

    def _is_too_wide(self, taken: frozenset[int]) -> bool:
        """Whether the first or the last clause bears nothing."""
        last = self._window[-1]
        is_idle = max(taken) < len(self._tokens) - len(last.tokens) and not last.count(*_POLARITY)
        return is_idle or min(taken) >= len(self._window[0].tokens)

    def _is_other_group(self, taken: frozenset[int]) -> bool:
        """Whether the group is another in the evidence: "the old project", "every team"."""
        pairs = [(self._tokens[at - 1], at - 1) for at in taken if at and self._tokens[at].kind == "group"]
        return any(one.kind in ("universal", "other") or (one.is_content and at not in taken) for one, at in pairs)

    def _find_tense(self, taken: frozenset[int]) -> str | None:
        """What is still to come in the evidence is not said to be done."""
        future = cues(TABLE, "future")
        if self._clause.count("hedge") or any(future.fullmatch(token.text) for token in self._clause.tokens):
            return None
        if not any(future.fullmatch(token.text) for token in self._tokens):
            return None
        known = {self._tokens[at].text.casefold() for at in taken}
        words = [token for token in self._clause.tokens if token.kind != "filler"]
        is_done = any(
            before.kind == "user"
            and token.is_content
            and token.text.endswith("ed")
            and token.text.casefold() not in known
            for before, token in pairwise(words)
        )
        return "it states as done what its quote states as planned" if is_done else None

    def _find_polarity(self) -> str | None:
        stated = self._clause.count(*_POLARITY)
        polarity = sum(one.count(*_POLARITY) for one in self._window)
        is_same = bool(stated) == bool(polarity)
        if set(self._languages) <= _COUNTED and is_same:
            is_same = stated % 2 == polarity % 2
        return None if is_same else "it and its quote differ in negation"

    def _find_marks(self) -> str | None:
        def has(kind: str) -> tuple[bool, bool]:
            return bool(self._clause.count(kind)), any(one.count(kind) for one in self._window)

        for kind in ("more", "less", "past", "before", "after"):
            stated, said = has(kind)
            if stated != said and not (kind in ("before", "after") and self._is_dated):
                return f"it and its quote differ in “{kind}”"
        stated, said = has("universal")
        if stated and not said:
            return "it generalises: its quote says it only of some"
        stated, said = has("limit")
        return "it drops a limit that its quote states" if said and not stated else None

    def _find_person(self, taken: frozenset[int]) -> str | None:
        """Somebody else who does, has or says it in the evidence, and whom the statement leaves out."""
        first, last = (min(taken), max(taken)) if taken else (len(self._tokens), len(self._tokens))
        is_own = False
        left: list[Token] = []
        for at, token in enumerate(self._tokens[:last]):
            if at < first and token.kind == "first":
                is_own, left = True, []
            elif at in taken:
                is_own = is_own or at == first
            elif at < first and token.kind == "other" and self._is_of_users:
                return "it attributes to the user what its quote says of someone else"
            elif token.kind == "person" and at + 1 in taken and self._tokens[at + 1].kind == "name":
                continue  # "my sister Ada"
            elif token.role not in CIRCUMSTANCES and self._is_left_out(token):
                return "it omits the person its quote is about"
            elif at < first and self._is_of_user and not is_own:
                if token.kind == "other":
                    return "it attributes to the user what its quote says of someone else"
                if token.is_content and not token.role:
                    left.append(token)
                elif token.kind in ("frame", "auxiliary") and left:
                    return "it omits what its quote is about"
        return "it omits what its quote is about" if len(left) > 1 and not _is_spaceless(left) else None

    def _is_left_out(self, token: Token) -> bool:
        """Whether it is a person, or in a statement about the user anybody with a name."""
        is_named = token.kind == "name" and not token.role and token.text[:1].isupper()
        return token.kind == "person" or (is_named and self._is_of_user)

    def _find_dropped(self, skipped: Sequence[Token]) -> str | None:
        has_condition = self._clause.count("condition") > 0
        if not has_condition and not self._is_dated and any(one.count("condition") for one in self._window):
            return "it omits a condition"
        for token in skipped:
            if token.is_first and token.role in CIRCUMSTANCES and not (self._is_dated and _is_time(token)):
                return f"it omits “{token.text[:40]}”"
        return None


def _find_in_order(
    wanted: Sequence[Token], tokens: Sequence[Token], *, is_moved: bool = False
) -> frozenset[int] | None:
    found, at = set(), 0
    for token in wanted:
        while at < len(tokens) and not (
            tokens[at].is_content
            and token.matches(tokens[at])
            and (not is_moved or (token.role in CIRCUMSTANCES) == (tokens[at].role in CIRCUMSTANCES))
        ):
            at += 1
        if at == len(tokens):
            return None
        found.add(at)
        at += 1
    return frozenset(found)


def _windows(clauses: Sequence[Clause]) -> Iterator[list[Clause]]:
    """Single clauses first, then neighbours; a clause without a subject of its own is read with the one before it."""
    for size in range(1, min(_MOST_CLAUSES, len(clauses)) + 1):
        for at in range(len(clauses) - size + 1):
            if size > 1 or not at or not _is_governed(clauses[at], clauses[at - 1]):
                yield list(clauses[at : at + size])
    for at, clause in enumerate(clauses):
        opener = next((token for token in clause.tokens if token.kind not in ("filler", "universal", "limit")), None)
        if (
            at
            and opener is not None
            and opener.kind in _VERBAL
            and not opener.is_time
            and clauses[at - 1].sentence == clause.sentence
        ):
            yield [Clause(clause.sentence, _subject(clauses[at - 1]), is_subject=True), clause]


def _is_governed(clause: Clause, before: Clause) -> bool:
    """Whether it is only a name, of which the clause before says what was done: "we looked at Temporal and Airflow"."""
    if before.sentence != clause.sentence or any(token.kind not in ("name", "filler") for token in clause.tokens):
        return False
    content = [token for token in before.tokens if token.kind != "filler"]
    return any(one.kind == "first" and two.kind in VERBS for one, two in pairwise(content))


def _subject(clause: Clause) -> list[Token]:
    """What stands before the verb, as far as that can be told."""
    end = next(
        (at for at, token in enumerate(clause.tokens) if token.role or token.kind in ("frame", "auxiliary")), None
    )
    return clause.tokens[:end]


def _singles(clauses: Sequence[Clause]) -> list[list[Clause]]:
    return [[clause] for clause in clauses]


def _is_of_user(clause: Clause, before: bool) -> bool:
    for token in clause.tokens:
        if token.kind in ("user", "first"):
            return _POSSESSIVE.search(token.text) is None
        if token.is_content or token.kind in ("other", "own"):
            return False
    return before


def _is_doubtful(window: Sequence[Clause]) -> bool:
    return any(clause.count("hedge") or clause.is_question for clause in window)


def _is_time(token: Token) -> bool:
    return token.kind in ("number", "term")


def _is_spaceless(tokens: Iterable[Token]) -> bool:
    return all(len(token.text) == 1 for token in tokens)


def fits_date(written: str, quote: str, said_on: date | None) -> bool:
    """Whether the quote names that day: by its number, or by words that mean it on the day when it was said."""
    try:
        day = date.fromisoformat(written)
    except ValueError:
        return False
    tokens = [token for clause in read_clauses(quote, languages_of("", quote)) for token in clause.tokens]
    keys = {token.key for token in tokens if token.kind in ("number", "term")}
    months = {key for key in keys if key.startswith("month-")}
    years = {key for key in keys if len(key) == 4 and key.isdigit()}
    if str(day.day) in keys:
        return months <= {f"month-{day.month}"} and (not years or str(day.year) in years)
    if said_on is None:
        return f"day-{day.isoweekday()}" in keys
    if f"day-{day.isoweekday()}" in keys and abs((day - said_on).days) <= _DAYS:
        return True
    noon = int((said_on - date(1970, 1, 1)) / timedelta(milliseconds=1)) + 43_200_000
    return written in date_words(quote, noon, "UTC")


_SAMPLE_CHARS = 4_000
_DENIALS = ("negation", "aversion")
_MOSTLY = 0.75
_RARE = 0.0008


class Sources:
    """What prose may rest on, read once for each pair of languages."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = "\n".join(texts)
        self._read: dict[tuple[str, ...], tuple[list[Clause], dict[str, Token]]] = {}

    def find_fault(self, text: str, share: float) -> str | None:
        """What of the text the sources don't bear, ``None`` where they bear it all.

        Names, numbers and persons must stand in them, those of one clause in the order of a clause of theirs; what is
        denied or granted must be so there; and that share of all words must occur.
        """
        if strange := [word for word in find_disguised(text) if word not in self._text]:
            return f"it writes {strange[0][:40]} with letters that look like others"
        languages = languages_of(text, self._text[:_SAMPLE_CHARS])
        clauses_here, known = self._clauses(languages)
        clauses = read_clauses(text, languages)
        content = [token for clause in clauses for token in clause.content]
        missing = [token for token in content if not _has(token, known)]
        invented = next((token for token in missing if _must_stand(token)), None)
        if invented is not None:
            kind = invented.kind if invented.kind in ("number", "name") else "word"
            return f"the {kind} {invented.text[:40]} is not in its sources"
        if not content or len(missing) > (1 - share) * len(content):
            return "it says something that its source does not"
        return next((fault for clause in clauses if (fault := _find_turned(clause, clauses_here)) is not None), None)

    def _clauses(self, languages: tuple[str, ...]) -> tuple[list[Clause], dict[str, Token]]:
        if languages not in self._read:
            clauses = read_clauses(self._text, languages)
            self._read[languages] = clauses, {token.key: token for clause in clauses for token in clause.content}
        return self._read[languages]


def _must_stand(token: Token) -> bool:
    if token.kind == "word" and token.text[:1].isupper():
        return background_share(token.key) < _RARE  # a name that opens a sentence
    return token.kind in ("name", "number", "person") or token.is_time


def _has(token: Token, known: dict[str, Token]) -> bool:
    if token.key in known:
        return True
    return token.kind == "word" and any(token.is_inflection_of(other) for other in known.values())


def _find_turned(clause: Clause, clauses: Sequence[Clause]) -> str | None:
    """What the clause turns round of those that hold most of its words."""
    content = clause.content
    keys = {token.key for token in content}
    if not keys:
        return None
    shared = [len(keys & {token.key for token in one.content}) for one in clauses]
    most = max(shared, default=0)
    if most >= max(1, _MOSTLY * len(keys)):
        best = [one for one, count in zip(clauses, shared, strict=True) if count == most]
        if all(bool(clause.count(*_DENIALS)) != bool(one.count(*_DENIALS)) for one in best):
            return "it and its source differ in negation"
    names = [token for token in content if token.kind == "name"]
    for first, second in pairwise(names):
        orders = [_is_in_order(first, second, one) for one in clauses]
        if False in orders and True not in orders:
            return f"it swaps {first.text[:30]} and {second.text[:30]}"
    return None


def _is_in_order(first: Token, second: Token, clause: Clause) -> bool | None:
    """``None`` where the clause lacks one of them."""
    places = [[at for at, one in enumerate(clause.content) if one.key == token.key] for token in (first, second)]
    if first.key == second.key or not all(places):
        return None
    return min(places[0]) < max(places[1])
