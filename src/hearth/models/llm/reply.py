"""A model's reply read as a value: JSON, wherever in the text it stands, that fits its class."""

from __future__ import annotations

import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from hearth.errors import BadReply
from hearth.lazy import regex
from hearth.models.llm.provider import MAX_REPLY_CHARS

T = TypeVar("T", bound=BaseModel)

# What a model thinks aloud, closed or not at its end.
_THOUGHTS = regex(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENINGS = 20
"""Braces at which a value may begin."""
_FAULTS = 4
_SHOWN = 120
_DECODER = json.JSONDecoder()


def read(text: str, schema: type[T]) -> T:
    """Raises ``BadReply`` in words that help the model to do better: they quote nothing of the reply."""
    if len(text) > MAX_REPLY_CHARS:
        raise BadReply(f"the reply has {len(text):,} characters, over the limit of {MAX_REPLY_CHARS:,}; be brief")
    value = _value(_THOUGHTS.sub("", text))
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        told = [f"{'.'.join(map(str, fault['loc'])) or 'the reply'}: {fault['msg'][:_SHOWN]}" for fault in faults]
    # Raised out here, so that what it was made from does not come along.
    more = f"; and {len(told) - _FAULTS} more" if len(told) > _FAULTS else ""
    raise BadReply(f"the reply does not fit the schema: {'; '.join(told[:_FAULTS])}{more}")


def _value(text: str) -> object:
    """The first JSON object in the text."""
    at = -1
    problem = "there is no JSON object in the reply"
    for _ in range(_OPENINGS):
        at = text.find("{", at + 1)
        if at < 0:
            break
        try:
            found, _end = _DECODER.raw_decode(text, at)
        except RecursionError:
            problem = "the JSON is nested too deeply"
        except ValueError:
            problem = "the JSON breaks off or is not valid"
        else:
            return found
    raise BadReply(problem)
