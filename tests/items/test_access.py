"""The access item: what it asks of a host, what it refuses, and how it judges what a host says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.effects.access import neighbour_answers, only_declared_keys, own_name
from hostmuster.engine.catalogue import Compiled, compile_fleet
from hostmuster.errors import InputError
from hostmuster.item import Answer
from hostmuster.resources.after_logins import AfterLogins
from hostmuster.resources.login import Login
from hostmuster.resources.roster import Roster
from tests.items.project import KEY, compiled, fleet, resource

ALICE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl alice"
LOGIN = Login("alice", "SHA256:" + "a" * 43, "/etc/ssh/hostmuster/keys/alice")


def access(folder: Path, settings: Mapping[str, Any], host: str = "server-1", **public: str) -> Compiled:
    """The item on one host; `public` adds keys of operators to the store."""
    made = fleet(folder, {"access": settings})
    keys = {f"operator/{name}.pub": key for name, key in public.items()}
    held = replace(made, public=MappingProxyType({**made.public, **keys}))
    held = replace(held, hosts={name: replace(one, fleet=held) for name, one in made.hosts.items()})
    (part,) = compile_fleet(held, CHECKLIST, only="access").hosts[host]
    return part


def text(part: Compiled, path: str) -> str:
    """A file's content."""
    content: bytes = resource(part, f"file {path}").content
    return content.decode()


def test_names_come_first_and_what_narrows_access_comes_last(tmp_path: Path) -> None:
    part = compiled(tmp_path, "access", {})
    assert part.resources[0].id == "file /etc/hosts"
    assert isinstance(part.resources[-1], AfterLogins)


def test_every_host_of_the_fleet_has_its_line_and_further_ones_are_declared(tmp_path: Path) -> None:
    settings = {"domain": "example.org", "extra_hosts": {"2001:db8::5": ["db", "db.example.org"]}}
    assert text(access(tmp_path, settings), "/etc/hosts").splitlines()[-3:] == [
        "192.0.2.11 server-1.example.org server-1",
        "192.0.2.12 worker-1.example.org worker-1",
        "2001:db8::5 db db.example.org",
    ]


def test_the_ca_is_named_for_the_service_user_alone(tmp_path: Path) -> None:
    lines = text(
        access(tmp_path, {"service": "codex"}), "/etc/ssh/sshd_config.d/01-hostmuster-access.conf"
    ).splitlines()
    block = lines.index("Match User codex")
    assert [n for n, line in enumerate(lines) if "TrustedUserCAKeys" in line] == [block + 1]
    assert lines[block + 3].startswith("Match Group hostmuster-operators")


def test_hosts_are_known_by_the_ca_under_their_names_and_addresses_only(tmp_path: Path) -> None:
    assert text(access(tmp_path, {}), "/etc/ssh/hostmuster/known_hosts") == (
        f"@cert-authority server-1,192.0.2.11 {KEY}\n@cert-authority worker-1,192.0.2.12 {KEY}\n"
    )


def test_an_operator_gets_a_user_a_key_and_sudo_as_declared(tmp_path: Path) -> None:
    operators = {
        "alice": {"keys": ["operator/alice"]},
        "bob": {"keys": ["operator/alice"], "sudo": "password"},
        "carol": {"keys": ["operator/alice"], "sudo": "never"},
    }
    part = access(tmp_path, {"operators": operators}, alice=ALICE)
    assert resource(part, "keys of alice").keys == (ALICE,)
    assert [resource(part, f"user {name}").groups for name in operators] == [(), ("sudo",), ()]
    rules = text(part, "/etc/sudoers.d/hostmuster-operators")
    assert [line.split()[0] for line in rules.splitlines()[1:]] == ["alice"]
    assert Roster("hostmuster-operators", ("alice", "bob", "carol")) in part.resources
    users = [login.user for login in part.resources[-1].logins]  # type: ignore[attr-defined]  # AfterLogins
    assert users == ["hostmuster", "alice", "bob", "carol"]


def test_every_key_that_the_store_lacks_is_named_at_once_with_what_to_type(tmp_path: Path) -> None:
    operators = {name: {"keys": [f"operator/{name}"]} for name in ("alice", "bob")}
    with pytest.raises(InputError) as caught:
        access(tmp_path, {"operators": operators})
    assert [problem.what for problem in caught.value.problems] == [
        "the store has no public key `operator/alice`",
        "the store has no public key `operator/bob`",
    ]
    assert all("unit.yml:" in problem.where for problem in caught.value.problems)
    assert caught.value.problems[1].remedy == "hostmuster secrets.set operator/bob --fleet unit < bob.pub"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"operators": {"root": {"keys": ["operator/a"]}}}, "`root` is a user of Debian's own"),
        ({"operators": {"alice": {"keys": []}}}, "keys"),
        ({"sshd": {"PermitRootLogin": "yes"}}, "declared by this item itself"),
        ({"sshd": {"Match": "User x"}}, "declared by this item itself"),
        ({"sshd": {"AllowUsers": "a\nPermitRootLogin yes"}}, "more than one line"),
        ({"sshd": {"Max Auth": "3"}}, "no option of sshd"),
        ({"revoked": ["SHA256:short"]}, "no key's fingerprint"),
        ({"extra_hosts": {"db": ["10.0.0.5"]}}, "no IP address"),
        ({"extra_hosts": {"192.0.2.9": ["a b"]}}, "no DNS name"),
        ({"certificate_days": 30, "renew_days": 30}, "renew_days is not below certificate_days"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_settings_are_refused_before_any_host_is_touched(
    tmp_path: Path, settings: Mapping[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, {"access": settings})
    assert said in str(caught.value)


def test_an_operator_that_is_also_the_service_user_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        access(tmp_path, {"operators": {"service": {"keys": ["operator/alice"]}}}, alice=ALICE)
    assert "user service is declared twice" in str(caught.value)


LOOSE = "passwordauthentication yes\nkbdinteractiveauthentication no\npermitrootlogin prohibit-password\n"
TIGHT = "passwordauthentication no\nkbdinteractiveauthentication no\npermitrootlogin no\nnarrowed\n"
REMEMBERED = f"alice {LOGIN.fingerprint}\n"


@pytest.mark.parametrize(
    ("output", "ok", "said"),
    [
        (LOOSE, None, f"nothing is narrowed until these have logged in: alice's key {LOGIN.fingerprint}"),
        (LOOSE + REMEMBERED, None, "the next apply narrows"),
        (TIGHT + REMEMBERED, True, "root stays out"),
        (TIGHT, None, "narrowed; not logged in yet: alice's key"),
        (TIGHT.replace("permitrootlogin no", "permitrootlogin yes") + REMEMBERED, False, "permitrootlogin yes"),
        ("narrowed\n", False, "another file"),
    ],
)
def test_narrowing_is_not_run_until_proved_and_failed_when_sshd_says_otherwise(
    output: str, ok: bool | None, said: str
) -> None:
    seen = only_declared_keys([LOGIN], at_once=False, root_login="off").judge(Answer(0, output))
    assert (seen.ok, said in seen.seen) == (ok, True)


@pytest.mark.parametrize(
    ("status", "output", "ok", "said"),
    [
        (0, "service\n", True, "worker-1 answers service"),
        (255, "ssh: connect to host worker-1 port 22: No route to host", False, "worker-1 is down or cut off"),
        (255, "ssh: connect to host worker-1 port 22: Connection refused", False, "worker-1 is down or cut off"),
        (255, "service@worker-1: Permission denied (publickey).", False, "worker-1 refuses service's certificate"),
        (255, "Host key verification failed.", False, "worker-1: Host key verification failed."),
        (1, "", False, "worker-1: exit 1 without a word"),
        (0, "root\n", False, "worker-1: root"),
    ],
)
def test_a_neighbour_that_does_not_answer_is_a_named_error(
    tmp_path: Path, status: int, output: str, ok: bool, said: str
) -> None:
    (effect,) = neighbour_answers(fleet(tmp_path, {}).hosts["server-1"], "service")
    seen = effect.judge(Answer(status, output))
    assert (effect.cost, seen.ok, said in seen.seen) == ("deep", ok, True)


def test_a_name_that_needs_dns_says_how_to_declare_it() -> None:
    assert (
        own_name().judge(Answer(0, "192.0.2.11  STREAM server-1\n192.0.2.11  DGRAM")).seen == "server-1 is 192.0.2.11"
    )
    seen = own_name().judge(Answer(2, "ip-10-0-0-5\n"))
    assert (seen.ok, "extra_hosts" in seen.seen) == (False, True)
