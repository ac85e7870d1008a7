"""Which names say that their value is a secret."""

from __future__ import annotations

import pytest

from hearth.guard.secrets.pair_names import naming


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("spring.datasource.hikari.password", "password"),
        ("GF_SECURITY_ADMIN_PASSWORD", "password"),
        ("requirepass", "password"),
        ("mysqlPwd", "password"),
        ("wachtwoord", "password"),
        ("clientSecret", "secret"),
        ("bot_token", "token"),
        ("api key", "key"),
        ("passwordsaltmain", "salt"),
        ("license_key", "license"),
        ("access_community_string", "password"),
    ],
)
def test_a_name_is_read_by_its_last_word_that_means_anything(name: str, kind: str) -> None:
    said = naming(name)
    assert said is not None
    assert said.kind == kind
    assert said.sure


@pytest.mark.parametrize(
    "name",
    [
        "password_field", "tokenizer", "max_tokens", "keyboard", "primary_key", "foreign_key", "secret_name",
        "passive", "author", "compass", "key_name", "password_reset_url", "nextPageToken", "publicKeyToken",
        "show_password", "authority", "hotkey",
    ],
)  # fmt: skip
def test_what_goes_on_to_say_something_else_is_no_secret(name: str) -> None:
    assert naming(name) is None
