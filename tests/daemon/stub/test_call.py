"""The stub's side of the socket."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.daemon.oddities import LONGEST, shorten
from hearth.daemon.stub import call
from hearth.daemon.stub.start import newer

VALUES = st.one_of(st.text(), st.integers(0, 10**9), st.dictionaries(st.text(), st.text(), max_size=4))
Answer = Callable[[socket.socket], None]


@pytest.fixture
def place() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="h", dir="/tmp") as folder:
        yield f"{folder}/s"


@pytest.fixture
def listen(place: str) -> Iterator[Callable[[Answer], str]]:
    """Serves one caller by a function."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen(1)
    threads = []

    def serve(answer: Answer) -> str:
        def run() -> None:
            connection, _ = listener.accept()
            with connection:
                answer(connection)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return place

    yield serve
    for thread in threads:
        thread.join(10)
    listener.close()


def output(path: str, seconds: float = 5.0, uid: int | None = None, request: bytes = b"{}\n") -> str:
    return call.hook_output(path, os.getuid() if uid is None else uid, request, time.monotonic() + seconds)


def saying(*parts: bytes) -> Answer:
    def answer(connection: socket.socket) -> None:
        for number, part in enumerate(parts):
            connection.sendall(part)
            if number == 0:
                connection.recv(65536)

    return answer


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_a_request_is_the_json_of_its_fields(fields: dict[str, str | int | dict[str, str]]) -> None:
    line = call.encoded(fields)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert json.loads(line) == fields


def test_an_output_comes_back_as_it_was(listen: Callable[[Answer], str]) -> None:
    text = 'line\nquote " backslash \\ \x00 ü 東京 \U0001f600 \ud800 {"output": "x"}'
    path = listen(saying(b".", json.dumps({"output": text}).encode() + b"\n"))
    assert output(path) == text


def test_a_long_output_and_a_long_request_pass(listen: Callable[[Answer], str]) -> None:
    received = []

    def answer(connection: socket.socket) -> None:
        connection.sendall(b".")
        data = b""
        while not data.endswith(b"\n"):
            data += connection.recv(65536)
        received.append(len(data))
        connection.sendall(json.dumps({"output": "y" * 500_000}).encode() + b"\n")

    assert output(listen(answer), request=b"x" * 900_000 + b"\n") == "y" * 500_000
    assert received == [900_001]


def test_nobody_there_is_absent(place: str) -> None:
    with pytest.raises(call.Absent):
        output(place)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(place)
    with pytest.raises(call.Absent):
        output(place)
    with pytest.raises(call.Absent):
        output(f"{place}/below/a/file")


def test_no_first_byte_is_silence_after_a_moment(place: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen(1)
        for _ in range(5):  # the last ones find the queue of connections full
            with pytest.raises(call.Silent):
                output(place, 3_600)


def test_another_user_is_silence_and_is_sent_nothing(listen: Callable[[Answer], str]) -> None:
    received = []

    def answer(connection: socket.socket) -> None:
        try:
            connection.sendall(b".")
            received.append(connection.recv(65536))
        except OSError:
            received.append(b"")

    with pytest.raises(call.Silent):
        output(listen(answer), uid=os.getuid() + 1)


@pytest.mark.parametrize("reply", [b'.{"busy": true}\n', b".", b'.{"output": "cut', b". \n"])
def test_busy_is_busy_and_so_is_half_a_reply(listen: Callable[[Answer], str], reply: bytes) -> None:
    with pytest.raises((call.Busy, call.CallerRefused)):
        output(listen(saying(reply)))


def test_busy_may_be_said_without_reading_the_request(listen: Callable[[Answer], str]) -> None:
    path = listen(lambda connection: connection.sendall(b'.{"busy": true}\n'))
    with pytest.raises(call.Busy):
        output(path, request=b"x" * 1_000_000 + b"\n")


def test_no_reply_by_the_deadline_is_busy(listen: Callable[[Answer], str]) -> None:
    go = threading.Event()

    def answer(connection: socket.socket) -> None:
        connection.sendall(b".")
        go.wait(10)

    path = listen(answer)
    with pytest.raises(call.Busy):
        output(path, 0.1)
    go.set()


def test_a_refusal_carries_the_reply(listen: Callable[[Answer], str]) -> None:
    with pytest.raises(call.CallerRefused, match="version"):
        output(listen(saying(b".", b'{"refused": "version", "version": "9"}\n')))


def test_only_variables_of_hosts_and_settings_are_passed_on_and_no_keys() -> None:
    given_ = {"HEARTH_PROFILE": "deep", "CLAUDE_PROJECT_DIR": "/p", "PATH": "/bin", "AWS_SECRET_ACCESS_KEY": "x",
              "HEARTH_API_TOKEN": "t", "CLAUDE_API_KEY": "k", "CODEX_HOME": "x" * 5_000}  # fmt: skip
    assert call.environment(given_) == {"HEARTH_PROFILE": "deep", "CLAUDE_PROJECT_DIR": "/p"}


def test_texts_are_cut_and_names_are_not() -> None:
    event = {"session_id": "s", "prompt": "x" * 100_000, "tool_input": {"edits": [{"new": "y" * 100_000}]}, "n": 1}
    cut = json.loads(shorten(json.dumps(event)))
    assert cut["session_id"] == "s" and cut["n"] == 1
    assert cut["prompt"] == "x" * LONGEST
    assert cut["tool_input"]["edits"][0]["new"] == "y" * LONGEST
    assert shorten("no json") == "no json"
    assert shorten("[" * 100_000) == "[" * 100_000


def test_the_source_names_no_slow_module() -> None:
    source = Path(call.__file__).read_text(encoding="utf-8")
    assert "import socket\n" not in source and "import json\n" not in source


def test_a_later_installation_of_the_same_version_is_newer() -> None:
    version, _, written = call.build().rpartition(".")
    assert newer(f"{version}.{int(written) + 1}", call.build())
    assert not newer(call.build(), f"{version}.{int(written) + 1}")


@pytest.mark.parametrize(
    "line",
    ['{"said": [["out", "a\\u00e9\\n\\"b"], ["err", ""]], "code": 0}', "[1, -2.5e3, null, true]", ' {"a": {}} ', '"x"'],
)
def test_a_reply_is_read_as_json(line: str) -> None:
    assert call.parse(line.strip()) == json.loads(line)


@pytest.mark.parametrize("line", ["", "nothing", '{"a": 1', '{"a": 1} {}', "[1,]", '"\n"', "{'a': 1}"])
def test_a_reply_that_is_no_json_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        call.parse(line)
