"""HAProxy's own parser speaks, its warnings count, and a socket that steers it is nobody's but root's."""

from __future__ import annotations

import pytest

from tests.unit.lint.saying import said

PATH = "/etc/haproxy/hostmuster.cfg"
ADMIN = "global\n    stats socket /run/haproxy/admin.sock level admin{}\n"


def test_a_word_that_it_does_not_know_is_named_with_its_line() -> None:
    (line, *_) = said("haproxy", PATH, "global\n    no-such-word 1\n")
    assert line.startswith(f"[{PATH.rpartition('/')[2]}:2]") or "hostmuster.cfg:2" in line
    assert "no-such-word" in line


@pytest.mark.parametrize(
    ("mode", "refused"), [("", False), (" mode 600", False), (" mode 660", False), (" mode 666", True)]
)
def test_a_socket_by_which_everybody_could_take_servers_out_is_refused(mode: str, refused: bool) -> None:
    assert any("mode 600" in line for line in said("haproxy", PATH, ADMIN.format(mode))) == refused


def test_a_comment_is_none_of_its_words() -> None:
    text = "backend all\n    # server a localhost:80\n    option redispatch # of server b too\n"
    assert not any("localhost" in line for line in said("haproxy", PATH, text))
