"""Whoever runs hostmuster, root or not, the parsers that need a namespace say the same."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import pytest

from hostmuster.engine.lint import LINTERS
from hostmuster.lint import parser
from hostmuster.resources.file import Grammar
from tests.unit.cases import CASES
from tests.unit.lint.saying import said

NOBODY = 65534
ENCLOSED: tuple[Grammar, ...] = ("iptables", "tinyproxy", "sshd", "nginx", "keepalived")
SAMPLES: dict[Grammar, tuple[str, bytes, bytes]] = {
    case.lint.grammar: (case.lint.path, case.artefact(case.passes[0]), case.artefact(case.refused[0].input))
    for case in CASES
    if case.lint and case.id in ("allow-bare-domain", "ng-upstream-dns", "ka-auth-pass")
} | {
    "sshd": ("/etc/ssh/sshd_config.d/x.conf", b"MaxAuthTries 4\n", b"MaxAuthTires 4\n"),
    "iptables": (
        "/etc/hostmuster/firewall/v4.rules",
        b"*filter\n:HOSTMUSTER-IN - [0:0]\nCOMMIT\n",
        b"*filter\n:HOSTMUSTER-IN - [0:0]\n-A HOSTMUSTER-IN -j NOPE\nCOMMIT\n",
    ),
}


def become_nobody() -> None:
    """The rest of the process is an ordinary user's."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    parser.enclosure.cache_clear()


@pytest.mark.parametrize("grammar", ENCLOSED)
def test_an_ordinary_user_hears_what_root_hears(grammar: Grammar) -> None:
    path, good, bad = SAMPLES[grammar]
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork"), become_nobody) as nobody:
        heard = [nobody.submit(said, grammar, path, content).result() for content in (good, bad)]
    assert heard == [said(grammar, path, content) for content in (good, bad)]
    assert heard[0] == []
    assert heard[1]


@pytest.mark.parametrize("grammar", ENCLOSED)
def test_where_nobody_may_make_a_namespace_the_parser_counts_as_missing(
    grammar: Grammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LINTERS[grammar].version() is not None
    monkeypatch.setattr(parser, "enclosure", lambda: None)
    assert LINTERS[grammar].version() is None
