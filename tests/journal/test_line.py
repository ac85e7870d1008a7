from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.journal import Event
from hearth.journal.line import AT_END, BadLine, decode, encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
    max_leaves=8,
)
EVENTS = st.builds(
    Event,
    id=st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=26, max_size=26),
    hlc=st.integers(0, 2**62 - 1),
    at=st.integers(0, 2**53 - 1),
    machine=st.text(),
    kind=st.text(),
    doc=st.none() | st.text(),
    path=st.none() | st.text(),
    body_hash=st.none() | st.text(),
    data=st.dictionaries(st.text(), JSON, max_size=4),
)
EVENT = Event("0" * 26, 7, 8, "aaaaaaaaaa", "pin", "doc", "päth.md", "ff", {"reason": "because"})


def seal(fields: dict[str, Any]) -> bytes:
    line = json.dumps(fields, separators=(",", ":")).encode()
    return line[:-1] + b',"sum":"%08x"}' % zlib.crc32(line)


def fields(**changes: Any) -> dict[str, Any]:
    line = json.loads(encode(EVENT))
    del line["sum"]
    return {name: value for name, value in {**line, **changes}.items() if value is not ...}


@given(EVENTS)
def test_decoding_undoes_encoding(event: Event) -> None:
    line = encode(event)
    assert decode(line) == decode(line + b"\n") == decode(line + b"\r\n") == event
    assert line.isascii()
    assert b"\n" not in line


@given(EVENTS, st.data())
def test_a_changed_byte_never_goes_unnoticed(event: Event, data: st.DataObject) -> None:
    line = bytearray(encode(event))
    index = data.draw(st.integers(0, len(line) - 1))
    line[index] ^= data.draw(st.integers(1, 255))
    if line.rstrip(b"\r\n") != encode(event):
        with pytest.raises(BadLine):
            decode(bytes(line))


@given(st.binary(max_size=200))
def test_noise_is_a_bad_line(noise: bytes) -> None:
    with pytest.raises(BadLine):
        decode(noise)


def test_the_line_is_as_documented() -> None:
    assert encode(EVENT) == (
        b'{"v":1,"id":"00000000000000000000000000","hlc":7,"at":8,"machine":"aaaaaaaaaa","kind":"pin","doc":"doc",'
        b'"path":"p\\u00e4th.md","body_hash":"ff","data":{"reason":"because"},"sum":"1786413d"}'
    )


def test_absent_fields_are_left_out() -> None:
    written = json.loads(encode(Event("0" * 26, 1, 2, "m", "pin")))
    assert written.keys() == {"v", "id", "hlc", "at", "machine", "kind", "sum"}


def test_a_path_that_is_no_valid_text_survives() -> None:
    event = Event("0" * 26, 1, 2, "m", "pin", path="caf\udce9.md")
    assert decode(encode(event)) == event


def test_unknown_kinds_and_members_decode() -> None:
    assert decode(seal(fields(kind="unheard-of", extra=[1, {"a": 2}]))).kind == "unheard-of"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not JSON"),
        (b'{"v":1', "not JSON"),
        (b'{"v":1,"data":{"weight":1e999}}', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "not one JSON object"),
        (encode(EVENT) + encode(EVENT), "not one JSON object"),
        (seal(fields(data={"n": float("nan")})), "not JSON"),
        (encode(EVENT).replace(b"because", b"becausf"), "bad checksum"),
        (json.dumps(fields()).encode(), "field sum is missing"),
        (seal(fields(v=...)), "field v is missing"),
        (seal(fields(v="1")), "field v is ill-typed"),
        (seal(fields(v=2)), "version 2 is newer than this program; update Hearth"),
        (seal(fields(id=...)), "field id is missing"),
        (seal(fields(id="short")), "field id is ill-typed"),
        (seal(fields(hlc=True)), "field hlc is ill-typed"),
        (seal(fields(hlc=2**63)), "field hlc is ill-typed"),
        (seal(fields(at=-1)), "field at is ill-typed"),
        (seal(fields(at=AT_END)), "field at is ill-typed"),
        (seal(fields(machine=None)), "field machine is ill-typed"),
        (seal(fields(kind=...)), "field kind is missing"),
        (seal(fields(doc=3)), "field doc is ill-typed"),
        (seal(fields(path=[])), "field path is ill-typed"),
        (seal(fields(data=[])), "field data is ill-typed"),
    ],
)
def test_a_bad_line_says_why(line: bytes, reason: str) -> None:
    with pytest.raises(BadLine) as caught:
        decode(line)
    assert str(caught.value) == reason
