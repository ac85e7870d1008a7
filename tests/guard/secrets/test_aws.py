"""Secret keys of AWS that no name stands beside. Samples are put together from pieces."""

from __future__ import annotations

import random
import string

import pytest

from hearth.guard.secrets.redaction import redact

_RANDOM = random.Random(20240701)
BASE64 = string.ascii_letters + string.digits + "+/"
ID = "AK" + "IA" + "Q7ZJ4XK2M5PN6RTV"
WITH_WORDS = "wJalr" + "XUtnFEMI/K7MDENG/" + "bPxRfiCYq8Zt2LmVx9"


def _key() -> str:
    """Random, with what random keys may lack."""
    return "".join([*_RANDOM.choices(BASE64, k=18), "/aZ7", *_RANDOM.choices(BASE64, k=18)])


KEYS = [WITH_WORDS, "/" + WITH_WORDS[1:], WITH_WORDS[:-1] + "/", *(_key() for _ in range(12))]
BESIDE_AN_ID = [
    "{id}:{key}",
    "{id}/{key}",
    "{id},{key}",
    "{id};{key}",
    "{id} {key}",
    "s3://{id}:{key}@bucket/folder",
    "Access key ID,Secret access key\r\n{id},{key}\r\n",
    "\ufeffUser Name,Password,Access key ID,Secret access key,Console login link\nci,,{id},{key},https://x.y/console",
    "ACCESSKEY\t{id}\t2024-05-01T10:00:00Z\t{key}\tActive\tci",
    "| {id} | {key} |",
    "{id}\n{key}",
    "{id}\r\n{key}\r\n",
    "{key}\n{id}",
    "keys for ci:\n\n- {id}\n\n- {key}\n",
    "> {id}\n>\n> {key}\n",
    '"{id}\\n{key}\\n"',
    "id {id} is new\nuse {key} with it",
]
AFTER_A_WORD = [
    "secret {key} here",
    "the secret is {key}.",
    "secret: `{key}`",
    "clave {key} aquí",
    "la clave secreta es {key}",
    "contraseña {key} aquí",
    "key {key} here",
    "key = {key}",
    "key - {key}",
    '{{"key": "{key}"}}',
    "the secret:\n{key}\n",
]


@pytest.mark.parametrize("template", BESIDE_AN_ID + AFTER_A_WORD)
def test_a_secret_key_is_hidden_from_its_first_character_to_its_last(template: str) -> None:
    for key in KEYS:
        text = template.format(id=ID, key=key)
        redacted = redact(text)
        assert not any(key[at : at + 5] in redacted.text for at in range(36)), (key, redacted.text)
        assert redact(redacted.text).text == redacted.text
        assert redacted.text.count("\n") == text.count("\n")


@pytest.mark.parametrize("slash", ["\\/", "%2F", "%2f"])
def test_escaped_slashes_are_part_of_a_key(slash: str) -> None:
    key = WITH_WORDS.replace("/", slash)
    for text in (f'"{ID}", "{key}"', f"s3://{ID}:{key}@bucket", f"{ID}{slash}{key}", f"{ID}%3A{key}"):
        assert "bPxRfi" not in redact(text).text
        assert "XUtnFEMI" not in redact(text).text


def test_keys_of_many_ids_are_all_hidden() -> None:
    rows = [("AK" + "IA" + "".join(_RANDOM.choices("ABCDEFGH234567", k=16)), _key()) for _ in range(60)]
    text = "\n".join(",".join(row) for row in rows)
    assert not any(key[:12] in redact(text).text for _, key in rows)


SHA = "9f8e7d6c5b4a39281706f5e4d3c2b1a011223344"
ORDINARY = [
    SHA,
    SHA.upper(),
    SHA[:20] + SHA[20:].upper(),
    f"sha256:{SHA}{SHA[:24]}",
    "sha512-" + "q8W2e7R4t1Y6u3I9o5P0a8S2" * 3 + "q8W2e7R4t1Y6u3==",
    "sha1-" + "q8W2e7R4t1Y6u3I9o5P0a8S2abc=",
    "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "/Users/Maria/Projects/Hearth/Notes/Daily1",
    "GoogleCloudDialogflowV2KnowledgeBaseName",
    "20240501/us-east-1/s3/aws4_request",
    WITH_WORDS[:-1],
    WITH_WORDS + "a",
]


@pytest.mark.parametrize("value", ORDINARY)
@pytest.mark.parametrize("template", ["key {}", "secret {} here", "commit {}", "{id}\n{}", "{}\n{id}", "{id} {}"])
def test_hashes_images_paths_and_names_stay_beside_ids_and_words(template: str, value: str) -> None:
    text = template.format(value, id=ID)
    assert redact(text).text == text.replace(ID, "[redacted:aws-key]")


def test_a_key_without_an_id_or_a_word_near_it_stays() -> None:
    for text in (f"see {WITH_WORDS}", f"{ID}\nnext\n{WITH_WORDS}", f"public key {WITH_WORDS}"):
        assert WITH_WORDS in redact(text).text
