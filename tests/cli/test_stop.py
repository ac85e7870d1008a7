"""The first Ctrl-C lets work end where nothing is half done, the second one stops it at once."""

from __future__ import annotations

import os
import signal

import pytest

from hearth.cli.session import note_stop


def test_the_first_press_is_noted_and_the_second_one_stops() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), note_stop() as is_stopped:
        assert not is_stopped()
        os.kill(os.getpid(), signal.SIGINT)
        assert is_stopped()
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
