"""Packages, users, sysctls and units, each against what the real command prints."""

from __future__ import annotations

import pytest

from hostmuster.resources.hostname import Hostname
from hostmuster.resources.package import Package
from hostmuster.resources.retired import Retired
from hostmuster.resources.step import Keep, Owe, Run
from hostmuster.resources.sysctl import Sysctl
from hostmuster.resources.unit import Unit
from hostmuster.resources.user import User
from tests.unit.resources.seen import found, seen


@pytest.mark.parametrize(
    ("printed", "have"),
    [
        ("sudo|ii ", None),
        ("sudo|hi ", None),
        ("dpkg-query: no packages found matching sudo", "not installed"),
        ("sudo|rc ", "rc"),
        ("sudo|iF ", "iF"),
    ],
)
def test_a_package_is_installed_only_when_dpkg_has_it_configured(printed: str, have: str | None) -> None:
    assert found(Package("sudo"), package=printed) == ({"status": (have, "installed")} if have else {})


def test_a_missing_user_is_made_and_a_present_one_is_corrected() -> None:
    user = User("ops", home="/home/ops", shell="/bin/bash", groups=("adm",))
    made = [s.argv[0] for s in user.steps(seen(user, group="adm:x:4:")) if isinstance(s, Run)]
    assert made == ["groupadd", "useradd", "gpasswd"]
    there = seen(user, user="ops:x:1000:1000::/home/ops:/bin/sh", group="adm:x:4:root,ops")
    assert [s.argv for s in user.steps(there) if isinstance(s, Run)] == [
        ("usermod", "--home", "/home/ops", "--shell", "/bin/bash", "ops")
    ]
    assert Keep("/etc/shadow") in list(user.steps(there))


def test_a_user_in_a_group_of_a_longer_name_is_not_in_the_shorter_one() -> None:
    user = User("op", home="/home/op", shell="/bin/sh", groups=("adm",))
    assert found(user, user="op:x:1:1::/home/op:/bin/sh", group="adm:x:4:ops") == {"groups": ("not in adm", "in adm")}


def test_a_sysctl_is_set_now_and_at_boot_and_taken_back_to_what_it_was() -> None:
    sysctl = Sysctl("net.ipv4.tcp_rmem", "4096 131072 6291456")
    as_declared = "net.ipv4.tcp_rmem = 4096\t131072\t6291456"
    assert "value" not in found(sysctl, sysctl=as_declared)
    other = seen(sysctl, sysctl="net.ipv4.tcp_rmem = 1\t2\t3")
    runs = [s for s in sysctl.steps(other) if isinstance(s, Run)]
    assert runs[-1].undo == ("sysctl", "-q", "-w", "net.ipv4.tcp_rmem=1 2 3")


def unit(**now: str) -> str:
    fields = {
        "Id": "x.service",
        "LoadState": "loaded",
        "UnitFileState": "enabled",
        "ActiveState": "active",
        "NeedDaemonReload": "no",
        "DropInPaths": "",
    }
    return "\n".join(f"{name}={value}" for name, value in (fields | now).items())


@pytest.mark.parametrize(
    ("now", "differs"),
    [
        ({}, {}),
        ({"UnitFileState": "static"}, {}),
        ({"UnitFileState": "masked", "LoadState": "masked"}, {"mask": ("masked", "not masked")}),
        ({"UnitFileState": "masked-runtime", "LoadState": "masked"}, {"mask": ("masked", "not masked")}),
        ({"UnitFileState": "disabled"}, {"start at boot": ("disabled", "enabled")}),
        ({"ActiveState": "inactive"}, {"state": ("inactive", "active")}),
        ({"ActiveState": "failed"}, {"state": ("failed", "active")}),
        ({"NeedDaemonReload": "yes"}, {"definition": ("changed on disk, not loaded", "loaded")}),
        (
            {"DropInPaths": "/usr/lib/systemd/system/service.d/10-x.conf /etc/systemd/system/x.service.d/o.conf"},
            {"drop-in": ("/etc/systemd/system/x.service.d/o.conf", "none but ours")},
        ),
    ],
)
def test_a_unit_differs_in(now: dict[str, str], differs: dict[str, tuple[str, str]]) -> None:
    assert found(Unit("x.service", drop_ins=()), unit=unit(**now)) == differs


def test_a_unit_that_runs_is_never_restarted_by_its_item_but_owes_it() -> None:
    resource = Unit("x.service", drop_ins=())
    foreign = seen(resource, unit=unit(DropInPaths="/etc/systemd/system/x.service.d/o.conf"))
    steps = list(resource.steps(foreign))
    assert Owe("x.service", "restart") in steps
    assert not any(isinstance(s, Run) and {"restart", "try-restart", "start"} & set(s.argv) for s in steps)


def test_a_failed_unit_is_reset_before_it_is_started() -> None:
    resource = Unit("x.service")
    argvs = [s.argv[1] for s in resource.steps(seen(resource, unit=unit(ActiveState="failed"))) if isinstance(s, Run)]
    assert argvs == ["reset-failed", "start"]


def test_units_are_told_apart_by_their_order_since_an_alias_answers_with_another_id() -> None:
    probe = next(iter(Unit("ssh.service").questions())).probe
    printed = f"{unit(Id='ssh.service')}\n\n{unit(Id='chrony.service', ActiveState='inactive')}\n"
    split = probe.split(printed, ["sshd.service", "chronyd.service"])
    assert "ActiveState=inactive" in split["chronyd.service"]
    assert "Id=ssh.service" in split["sshd.service"]


def test_a_running_hostname_changed_by_hand_is_set_and_taken_back_to_what_it_was() -> None:
    name = Hostname("server-1")
    assert found(name, content="/proc/sys/kernel/hostname:server-1") == {}
    other = "/proc/sys/kernel/hostname:ip-10-0-0-5"
    assert found(name, content=other) == {"name": ("ip-10-0-0-5", "server-1")}
    assert list(name.steps(seen(name, content=other))) == [
        Run(("hostname", "server-1"), undo=("hostname", "ip-10-0-0-5"))
    ]


@pytest.mark.parametrize(("state", "undo"), [("active", ("systemctl", "start", "--", "x.service")), ("inactive", ())])
def test_what_retires_is_stopped_also_where_a_boot_may_be_about_to_start_it(state: str, undo: tuple[str, ...]) -> None:
    resource = Retired("x.service")
    now = seen(resource, unit=unit(Id="x.service", ActiveState=state, UnitFileState="enabled"))
    stop, disable = (step for step in resource.steps(now) if isinstance(step, Run))
    assert (stop.argv, stop.undo) == (("systemctl", "stop", "--", "x.service"), undo)
    assert disable.argv[1] == "disable"
