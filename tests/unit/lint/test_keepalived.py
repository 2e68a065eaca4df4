"""Members of one virtual router must agree: what only both of their files together can have wrong."""

from __future__ import annotations

import pytest

from hostmuster.engine.lint import lint
from hostmuster.lint import keepalived
from hostmuster.lint.linter import Artefact
from hostmuster.resources.file import File
from tests.unit.cases import CASES

PATH = "/etc/keepalived/keepalived.conf"
PASSWORD = 'authentication {\nauth_type PASS\nauth_pass "abcd"\n}'
(CASE,) = (case for case in CASES if case.id == "ka-split-brain")


def member(number: int) -> Artefact:
    """One of two."""
    text = CASE.artefact(PASSWORD).decode()
    if number == 2:
        text = text.replace(".1\n", ".one\n").replace(".2\n", ".1\n").replace(".one\n", ".2\n")
    return Artefact(PATH, text.encode())


def other(text: str, instead: str) -> Artefact:
    """The second member, with another text in one place."""
    second = member(2).content.decode()
    assert text in second
    return Artefact(PATH, second.replace(text, instead).encode())


def test_members_that_agree_pass() -> None:
    pair = {"a": member(1), "b": other("priority 100", "priority 50")}
    for artefact in pair.values():
        assert keepalived.parse([artefact])[artefact] == ()
        assert list(keepalived.traps(artefact)) == []
    assert list(keepalived.between(pair)) == []


@pytest.mark.parametrize(
    ("text", "instead", "complaint"),
    [
        ('"abcd"', '"abce"', "auth_pass is not that of b: both would hold the address"),
        ("virtual_router_id 51", "virtual_router_id 52", "virtual_router_id is 51, and 52 on b"),
        ("192.0.2.9/24", "192.0.2.8/24", "virtual_router_id 51 is also b's, for other addresses"),
        ("192.0.2.1\n", "192.0.2.7\n", "a (192.0.2.1) is missing from unicast_peer"),
    ],
)
def test_members_that_disagree_are_named(text: str, instead: str, complaint: str) -> None:
    found = list(keepalived.between({"a": member(1), "b": other(text, instead)}))
    assert any(complaint in said for _, said in found), found


@pytest.mark.parametrize(
    ("weight", "priority", "refused"),
    [(-60, 100, False), (-60, 50, False), (-60, 40, True), (2, 99, False), (2, 50, True)],
)
def test_a_weight_must_outweigh_the_gap_between_the_priorities(weight: int, priority: int, refused: bool) -> None:
    script = b'script "/usr/local/bin/check"'
    pair = {
        host: Artefact(PATH, one.content.replace(script, b"%s\nweight %d" % (script, weight)))
        for host, one in (("a", member(1)), ("b", other("priority 100", f"priority {priority}")))
    }
    found = [said for _, said in keepalived.between(pair)]
    assert [said.startswith(f"one: weight {weight} of check does not outweigh") for said in found] == [True] * refused


def test_a_host_among_its_own_peers_is_refused_as_is_one_that_does_not_say_which_it_is() -> None:
    itself = Artefact(PATH, member(1).content.replace(b"192.0.2.2\n", b"192.0.2.1\n192.0.2.2\n"))
    assert "one: the host itself (192.0.2.1) is among unicast_peer" in list(keepalived.traps(itself))
    nobody = Artefact(PATH, member(1).content.replace(b"unicast_src_ip 192.0.2.1\n", b"\n"))
    assert any("without unicast_src_ip" in said for said in keepalived.traps(nobody))


def test_a_script_that_nobody_defines_is_refused() -> None:
    unknown = Artefact(PATH, member(1).content.replace(b"    check\n", b"    nope\n"))
    assert any("track script nope not found" in line for line in keepalived.parse([unknown])[unknown])


def test_the_compile_stage_compares_hosts() -> None:
    files = [("a", "ingress", member(1)), ("b", "ingress", other('"abcd"', '"abce"'))]
    problems = list(lint((host, item, File(PATH, one.content, lint="keepalived")) for host, item, one in files))
    assert [problem.where for problem in problems] == [f"a, ingress, {PATH}"]
