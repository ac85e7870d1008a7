"""A value from a language model: asked, checked, asked again with what was wrong, within a deadline and a budget."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from hearth.core.errors import BadReply, Unavailable
from hearth.core.files import locked, make_folder, unavailable, write_atomically
from hearth.core.lazy import dataclass, regex
from hearth.models.http.protocol import RefusedInput
from hearth.models.served_llm import MAX_REPLY_CHARS, Completion, CompletionProvider, CompletionRequest
from hearth.text.lines import estimate_tokens

_VERSION = 1
_DAYS = 31
_LOCK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class DayUsage:
    calls: int = 0
    tokens: int = 0


class OverBudget(Unavailable):
    """The day's tokens are spent."""

    code = "over_budget"


@dataclass(frozen=True, slots=True)
class UsageLedger:
    """One file for all processes and vaults of this machine; ``most`` is tokens a day, ``None`` for no limit, ``today``
    gives the local date (``YYYY-MM-DD``). A file that can't be understood counts as none.

    Raises ``Unavailable`` where it can't be written: what can't be counted is not spent."""

    path: Path
    most: int | None
    today: Callable[[], str]

    def begin(self) -> None:
        """Counts a call, before it is made. Raises ``OverBudget`` where the day's tokens are spent."""
        with self._changed() as days:
            day, used = self._of_today(days)
            if self.most is not None and used.tokens >= self.most:
                raise OverBudget(
                    f"the language model has used {used.tokens:,} tokens today, and llm.tokens_per_day is "
                    f"{self.most:,}; it is asked again tomorrow"
                )
            days[day] = DayUsage(used.calls + 1, used.tokens)

    def add(self, tokens: int) -> None:
        """Counts what a call took."""
        with self._changed() as days:
            day, used = self._of_today(days)
            days[day] = DayUsage(used.calls, used.tokens + max(0, tokens))

    def used(self) -> DayUsage:
        """Of today."""
        return self._of_today(self._read())[1]

    def _of_today(self, days: dict[str, DayUsage]) -> tuple[str, DayUsage]:
        day = self.today()
        return day, days.get(day, DayUsage())

    @contextmanager
    def _changed(self) -> Iterator[dict[str, DayUsage]]:
        make_folder(self.path.parent)
        with locked(self.path.with_suffix(".lock"), wait=_LOCK_SECONDS):
            days = self._read()
            yield days
            kept = sorted(days)[-_DAYS:]
            rows = {day: {"calls": days[day].calls, "tokens": days[day].tokens} for day in kept}
            try:
                write_atomically(self.path, json.dumps({"version": _VERSION, "days": rows}, indent=1).encode())
            except OSError as error:
                raise unavailable(f"can't write {self.path}", error) from error

    def _read(self) -> dict[str, DayUsage]:
        try:
            data = json.loads(self.path.read_bytes())
            rows: dict[str, Any] = data["days"] if data["version"] == _VERSION else {}
            return {str(day): DayUsage(int(row["calls"]), int(row["tokens"])) for day, row in rows.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}


_KEPT = frozenset({"$defs", "$ref", "type", "properties", "items", "enum", "anyOf", "const"})


def strict_schema(cls: type[BaseModel]) -> dict[str, Any]:
    """Lengths and defaults are left out: servers refuse them, and the reply is checked against the class anyway."""
    found: dict[str, Any] = _strict(cls.model_json_schema())
    return found


def _strict(node: Any) -> Any:
    if not isinstance(node, Mapping):
        return node
    kept = {key: value for key, value in node.items() if key in _KEPT}
    if "$ref" in kept:
        return {"$ref": kept["$ref"]}
    for table in ("$defs", "properties"):
        if table in kept:
            kept[table] = {name: _strict(inner) for name, inner in kept[table].items()}
    if "items" in kept:
        kept["items"] = _strict(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [_strict(inner) for inner in kept["anyOf"]]
    if "properties" in kept:
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    return kept


# A model's thinking aloud, whether or not it closes the tag.
_THOUGHTS = regex(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENINGS = 20
"""Braces at which a value may begin."""
_FAULTS = 4
_SHOWN = 120
_DECODER = json.JSONDecoder()


def read(text: str, schema: type[T]) -> T:
    """Reads a value from a reply. Raises ``BadReply`` with a message that helps the model to do better and quotes
    nothing of the reply."""
    if len(text) > MAX_REPLY_CHARS:
        raise BadReply(f"the reply has {len(text):,} characters, over the limit of {MAX_REPLY_CHARS:,}; shorten it")
    value = _value(_THOUGHTS.sub("", text))
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        wrong = [f"{'.'.join(map(str, fault['loc'])) or 'the reply'}: {fault['msg'][:_SHOWN]}" for fault in faults]
    # Raised here, so that the error does not carry the one that quotes the reply.
    more = f"; and {len(wrong) - _FAULTS} more" if len(wrong) > _FAULTS else ""
    raise BadReply(f"the reply does not fit the schema: {'; '.join(wrong[:_FAULTS])}{more}")


def _value(text: str) -> object:
    """The first JSON object in the text."""
    at = -1
    problem = "the reply has no JSON object"
    for _ in range(_OPENINGS):
        at = text.find("{", at + 1)
        if at < 0:
            break
        try:
            found, _end = _DECODER.raw_decode(text, at)
        except RecursionError:
            problem = "the JSON is nested too deeply"
        except ValueError:
            problem = "the JSON is truncated or invalid"
        else:
            return found
    raise BadReply(problem)


T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 3
_NO_THINK = "/no_think"


class StructuredLlm:
    """Implements ``ports.Llm``. ``seconds`` is the deadline of a call with its repetitions; ``no_think`` asks models
    that think aloud not to. Thread-safe."""

    def __init__(
        self,
        provider: CompletionProvider,
        usage: UsageLedger,
        *,
        seconds: float,
        no_think: bool = False,
        attempts: int = ATTEMPTS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.usage = usage
        self._attempts = attempts
        self._provider = provider
        self._seconds = seconds
        self._no_think = no_think
        self._now = now

    @property
    def name(self) -> str:
        return self._provider.name

    def limit(self, seconds: float, attempts: int) -> StructuredLlm:
        """The same model, asked for a shorter time and less often. Closing either closes both."""
        shorter, fewer = min(seconds, self._seconds), min(attempts, self._attempts)
        return StructuredLlm(
            self._provider, self.usage, seconds=shorter, no_think=self._no_think, attempts=fewer, now=self._now
        )

    def complete(self, prompt: str, schema: type[T]) -> T:
        """The reply as a value of ``schema``. Raises ``Unavailable`` (not to be had now, the budget included) or
        ``BadReply`` (several answers, none of which fits)."""
        until = self._now() + self._seconds
        shape = strict_schema(schema)
        fault = ""
        tried = 0
        while tried < self._attempts and (left := until - self._now()) > 0:
            tried += 1
            try:
                return read(self._ask(CompletionRequest(self._word(prompt, fault), shape, left)), schema)
            except RefusedInput:
                raise
            except BadReply as error:
                fault = error.said
            except Unavailable:
                if not fault:
                    raise
                break
        late = "" if tried == self._attempts else f" within {self._seconds:g} s"
        times = "1 reply" if tried == 1 else f"{tried} replies"
        raise BadReply(f"{self.name} gave no usable answer in {times}{late}; the last: {fault}")

    def close(self) -> None:
        self._provider.close()

    def _ask(self, request: CompletionRequest) -> str:
        self.usage.begin()
        spent = estimate_tokens(request.prompt)
        try:
            done = self._provider.ask(request)
            spent = _cost(done, spent)
        finally:
            self.usage.add(spent)
        return done.text

    def _word(self, prompt: str, fault: str) -> str:
        if fault:
            prompt += f"\n\nYour previous reply could not be used: {fault}. Reply again, with one JSON object alone."
        return f"{prompt}\n{_NO_THINK}" if self._no_think and _NO_THINK not in prompt[-200:] else prompt


def _cost(done: Completion, asked: int) -> int:
    """Tokens, as the provider counts them, else by their usual length."""
    read = asked if done.read is None else done.read
    written = estimate_tokens(done.text) if done.written is None else done.written
    return read + written
