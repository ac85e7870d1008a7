"""Logins that are handed on without a name; ⟦ and ⟧ stand around the password."""

from __future__ import annotations

import pytest
from tests.guard.secrets.marked import split_marked

from hearth.guard.secrets.redaction import redact

GIVEN = (
    "- Router: admin / ⟦fritz1234⟧",
    "4. Shared QA login: **qa@host.io** / **⟦pineapple-on-pizza⟧**",
    "<!-- demo login: demo / ⟦zeigmirwas⟧ -->",
    "chpasswd:\n  list: |\n    root:⟦Wolkenbruch!5⟧\n",
    "- nas: maria / ⟦Tr33house!9⟧",
    "Panel: https://panel.host.io (tesorero / ⟦Peseta$1868⟧)",
)


@pytest.mark.parametrize("text", GIVEN)
def test_a_password_beside_a_user_is_hidden(text: str) -> None:
    before, secret, after = split_marked(text)
    assert redact(before + secret + after).text == f"{before}[redacted:password]{after}"


def test_a_list_of_users_is_hidden() -> None:
    assert (
        redact('"marko" "kama"\n"guest" "q9Dunlin"\n').text
        == '"marko" "[redacted:password]"\n"guest" "[redacted:password]"\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "login with your account / SSO",
        "root / home / etc",
        "admin / editor / viewer",
        "Staging / Production",
        "the collection (Nick Scott / Unions21)",
        "#define SCALE (5.0f / 9.0f)",
        "`root:root` owns it, `node:internal` does not",
        "run `test:coverage` or `dev:server`",
        '"hund" "dog"\n"katze" "cat"\n',
    ],
)
def test_alternatives_owners_and_translations_survive(text: str) -> None:
    assert redact(text).text == text
