"""Slack's export: a folder a channel, a file a day. A thread is a conversation, else a channel's day."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hearth.core import instants
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Kind
from hearth.importers.formats import Conversation, EntryList, Format, Found, Head, Reading, SourceFile, share
from hearth.importers.formats_chats import stream_items
from hearth.transcripts.actions import dict_of, text_of

# What programs put into a channel.
_SPOKEN = frozenset({None, "", "thread_broadcast", "me_message", "file_share", "file_comment"})
_LINK = regex(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")
_NAMES = ("display_name", "real_name", "name")


def _probe(head: Head) -> float:
    return share(one.get("type") == "message" and "ts" in one for one in head.items)


@dataclass(frozen=True, slots=True)
class People:
    """Who is who in an export, by id."""

    names: Mapping[str, str]

    def find(self, message: Mapping[str, Any]) -> str:
        identity = text_of(message.get("user"))
        profile = dict_of(message.get("user_profile"))
        return self.names.get(identity) or _name(profile) or text_of(message.get("username")) or identity

    def resolve(self, text: str) -> str:
        """A text with names in place of ids, and links as people read them."""

        def show(mark: str, target: str, label: str) -> str:
            if mark == "@":
                return f"@{self.names.get(target) or label or target}"
            if mark == "#":
                return f"#{label or target}"
            return f"@{target}" if mark == "!" else f"{label} ({target})" if label and label != target else target

        return html.unescape(_LINK.sub(lambda one: show(one[1], one[2], one[3] or ""), text))


def _name(profile: Mapping[str, Any]) -> str:
    return next((name for key in _NAMES if (name := text_of(profile.get(key)).strip())), "")


def _read(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    """The files of one channel."""
    channel = files[0].folder
    people = _find_people(files[0], reading)
    threads: dict[str, list[dict[str, Any]]] = {}
    for file in files:
        for message in stream_items(file, reading):
            if message.get("type") != "message" or "ts" not in message:
                continue
            if message.get("subtype") not in _SPOKEN or message.get("bot_id") or message.get("hidden"):
                reading.report.skip("written by a program")
                continue
            threads.setdefault(_find_thread(message, reading), []).append(message)
    for name, messages in threads.items():
        talk = EntryList()
        for message in sorted(messages, key=lambda one: _moment(one) or 0):
            speaker = people.find(message)
            is_me = reading.is_me(speaker, text_of(message.get("user")))
            kind = Kind.USER if is_me else Kind.ASSISTANT
            text = people.resolve(text_of(message.get("text")))
            reading.report.lack_place("files", message.get("files"))
            reading.report.lack_place("reactions", message.get("reactions"))
            talk.add(
                kind, text, reading.instant(_moment(message)), uid=text_of(message.get("client_msg_id")), by=speaker
            )
        yield Conversation("slack", f"{channel}/{name}", talk.entries, f"#{channel}", speakers=talk.speakers)


def _moment(message: Mapping[str, Any]) -> float | None:
    text = text_of(message.get("ts"))
    return float(text) if text.replace(".", "", 1).isdigit() and len(text) < 25 else None


def _find_thread(message: Mapping[str, Any], reading: Reading) -> str:
    """The thread's first message, else the UTC day."""
    thread = text_of(message.get("thread_ts"))
    if thread and (message.get("reply_count") or thread != message.get("ts") or message.get("replies")):
        return thread
    at = _moment(message)
    return "undated" if at is None or not 0 <= at < 1e11 else instants.show_date(round(at * 1000))


def _find_people(file: SourceFile, reading: Reading) -> People:
    found: dict[str, str] = {}
    for path in ("../users.json", "users.json"):
        listing = file.beside(path)
        if listing is None:
            continue
        if listing.name in reading.listings:  # every channel of an export has the same
            return People(reading.listings[listing.name])
        for user in stream_items(listing, reading):
            name = _name(dict_of(user.get("profile"))) or _name(user)
            if name and (identity := text_of(user.get("id"))):
                found[identity] = name
        reading.listings[listing.name] = found
        break
    return People(found)


FORMATS = (Format("slack", "Slack", _probe, _read, gathers=True),)
