from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hearth.core.document import Redacted
from hearth.guard.secrets.redaction import redact

_PIECES = (
    "password=", "token: ", '"api_key": "', "ghp" + "_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5A", "sk" + "-",
    "://u:", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "\n", "\r\n", "\r", " ",
    ":", "=", "@", "'", '"',
    "Authorization: Bearer ", "hunter" + "2x", "[redacted:token]", "[redacted:", "]", "İ", "ñ", "\u2028", ".", "`", "|",
    "AK" + "IA" + "Q7ZJ4XK2M5PN6RTV", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYq8Zt2LmVx9", "secret ",
    "ey" + "J", "\\n", "-u", "Cookie: a=", "\ud800",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(_PIECES) | st.text(max_size=8), max_size=25).map("".join)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("password=" + "x7" * 30 + "ghp" + "_" + "aB3dE5fG7h" * 4)
def test_redaction_is_idempotent_and_keeps_lines(text: str) -> None:
    redacted = redact(text)
    assert redact(redacted.text).text == redacted.text
    assert redacted.text.count("\n") == text.count("\n")


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_offsets_lead_back_to_the_original(text: str) -> None:
    redacted = redact(text)
    offsets = [redacted.original_offset(position) for position in range(len(redacted.text) + 1)]
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    position = done = 0
    for secret in redacted.secrets:
        assert done <= secret.start < secret.end
        kept = secret.start - done
        assert redacted.text[position : position + kept] == text[done : secret.start]
        assert offsets[position : position + kept] == list(range(done, secret.start))
        position += kept
        inside = offsets[position : position + len(secret.placeholder)]
        assert all(secret.start <= offset <= secret.end for offset in inside)
        position += len(secret.placeholder)
        assert offsets[position] == secret.end
        done = secret.end
    assert redacted.text[position:] == text[done:]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters()))
def test_any_text_at_all_is_accepted(text: str) -> None:
    assert redact(text).text.count("\n") == text.count("\n")


def test_text_without_secrets_comes_back_unchanged() -> None:
    assert redact("plain") == Redacted("plain", ())
