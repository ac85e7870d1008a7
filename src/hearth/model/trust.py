"""Whose words a document holds, as it is stored and as people set and read it.

``human`` is the person's own, ``team`` what people write whom they work with, ``agent`` what an agent wrote down,
``external`` everything else: data, whatever it says of itself.
"""

from __future__ import annotations

MINE, TEAM, AGENT, EXTERNAL = "human", "team", "agent", "external"
TRUST = (MINE, TEAM, AGENT, EXTERNAL)
"""From most to least trusted."""
SETTINGS = {"mine": MINE, "team": TEAM, "agent": AGENT, "external": EXTERNAL}
"""What a collection's setting is called -> the label of its documents."""
NAMES = {label: name for name, label in SETTINGS.items()}


BINDING = ("preference", "correction", "antipattern", "principle", "handoff", "commitment")
"""Types that rule, hand off or commit: nothing external is of one, whatever it says of itself."""


def find_lower(*levels: str | None) -> str:
    """The least trusted of those given."""
    return max((level for level in levels if level), key=TRUST.index, default=MINE)


def name_voice(trust: str, author: str = "") -> str:
    """How a heading says whose words follow; nothing of the person's own."""
    by = f" ({author})" if author else ""
    voices = {MINE: "", TEAM: f"by your team{by}", AGENT: "by agent", EXTERNAL: f"external{by}"}
    return voices[trust]


def is_foreign(trust: str) -> bool:
    """Whether somebody else wrote it: neither the person, nor an agent that worked for them."""
    return trust in (TEAM, EXTERNAL)
