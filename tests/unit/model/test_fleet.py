"""A fleet without mistakes: its hosts as declared, and the size a lab gives it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from hostmuster.errors import Refused
from hostmuster.model.fleet import Fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.model.lab_size import choose_size, chosen_size, forget_size
from hostmuster.project import Project

Load = Callable[..., Fleet]
REPOSITORY = Project(Path(__file__).resolve().parents[3])


def test_hosts_stand_in_the_files_order_with_all_that_was_declared(good: str, load: Load) -> None:
    fleet = load(good.replace("fleet: lab\n", "fleet: lab\nuser: ops\nsudo: password\nconfirm_s: 90\n"))
    assert [(h.name, h.address, h.port, h.debian, h.roles, h.user) for h in fleet.hosts.values()] == [
        ("server-1", "192.0.2.11", 22, 12, ("server",), "ops"),
        ("worker-1", "192.0.2.12", 22, 13, ("worker",), "ops"),
    ]
    assert (fleet.name, fleet.lab, fleet.sudo, fleet.confirm_s) == ("lab", False, "password", 90)
    assert [host.name for host in fleet.with_role("worker")] == ["worker-1"]
    assert fleet.with_role("nobody") == ()
    assert all(host.fleet is fleet for host in fleet.hosts.values())


def test_what_is_not_said_has_the_defaults_that_ask_for_least(good: str, load: Load) -> None:
    fleet = load(good)
    assert (fleet.lab, fleet.user, fleet.sudo, fleet.confirm_s) == (False, "hostmuster", "none", 60)
    assert all(host.enforces("clock") for host in fleet.hosts.values())


def test_public_values_are_the_callers_and_cannot_be_changed_afterwards(good: str, load: Load) -> None:
    given = {"ssh-ca.pub": "ssh-ed25519 AAAA"}
    fleet = load(good, public=given)
    given.clear()
    assert fleet.public == {"ssh-ca.pub": "ssh-ed25519 AAAA"}
    with pytest.raises(TypeError):
        fleet.public["x"] = "y"  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        fleet.hosts["server-1"].port = 23  # type: ignore[misc]


def test_a_smaller_lab_has_the_first_hosts_of_the_file(good: str, load: Load) -> None:
    assert list(load(good, count=1).hosts) == ["server-1"]


def test_a_larger_lab_has_more_hosts_like_the_last_one(good: str, load: Load) -> None:
    fleet = load(good, count=4)
    assert [(h.name, h.address, h.debian, h.roles) for h in fleet.hosts.values()][2:] == [
        ("worker-2", "192.0.2.13", 13, ("worker",)),
        ("worker-3", "192.0.2.14", 13, ("worker",)),
    ]
    assert fleet.hosts["worker-3"].settings("clock") == fleet.hosts["worker-1"].settings("clock")
    assert all(host.fleet is fleet for host in fleet.hosts.values())


def test_counting_on_steps_over_names_and_addresses_that_are_taken(good: str, load: Load) -> None:
    text = good.replace("server-1: {address: 192.0.2.11", "worker-2: {address: 192.0.2.14")
    assert [(host.name, host.address) for host in load(text, count=4).hosts.values()][2:] == [
        ("worker-3", "192.0.2.13"),
        ("worker-4", "192.0.2.15"),
    ]


def test_so_it_does_over_an_address_that_the_file_names_for_whatever(good: str, load: Load) -> None:
    text = good.replace("[ntp.example.net]", "[192.0.2.13, 'https://192.0.2.15:8443/a', 192.0.2.16/24, 192.0.2.170]")
    assert [host.address for host in load(text, count=4).hosts.values()][2:] == ["192.0.2.14", "192.0.2.17"]


def test_a_name_without_a_number_is_counted_from_two(good: str, load: Load) -> None:
    assert list(load(good.replace("worker-1:", "box:"), count=3).hosts) == ["server-1", "box", "box-2"]


@pytest.mark.parametrize("count", [0, -1, 300])
def test_a_size_that_no_lab_can_have_is_refused(good: str, load: Load, count: int) -> None:
    with pytest.raises(Refused) as caught:
        load(good, count=count)
    assert caught.value.exit_code == 3
    assert caught.value.remedy


def test_every_reader_of_a_lab_sees_the_size_it_was_brought_up_with(good: str, load: Load, project: Project) -> None:
    text = good.replace("fleet: lab\n", "fleet: lab\nlab: true\n")
    choose_size(project, "lab", 3)
    assert chosen_size(project, "lab") == 3
    assert list(load(text).hosts) == ["server-1", "worker-1", "worker-2"]
    assert list(load(text, count=1).hosts) == ["server-1"], "an explicit number goes first"
    assert list(load(good).hosts) == ["server-1", "worker-1"], "a real fleet is never resized"
    forget_size(project, "lab")
    assert list(load(text).hosts) == ["server-1", "worker-1"]


@pytest.mark.parametrize("written", ["", "x", "0", "-1", "1.5", "\u0663"])
def test_a_broken_record_of_the_size_is_refused(project: Project, written: str) -> None:
    (project.root / "inventory" / "lab.hosts").write_text(written, encoding="utf-8")
    with pytest.raises(Refused, match="no number of hosts") as caught:
        chosen_size(project, "lab")
    assert "lab.up" in caught.value.remedy


def test_the_labs_own_fleet_has_its_seven_hosts() -> None:
    fleet = load_fleet(REPOSITORY, "lab", schemas=None, count=7)
    assert fleet.lab
    assert [(h.name, h.address, h.debian, h.roles) for h in fleet.hosts.values()] == [
        ("server-1", "10.213.0.11", 12, ("server",)),
        ("server-2", "10.213.0.12", 12, ("server",)),
        ("worker-1", "10.213.0.13", 12, ("worker",)),
        ("worker-2", "10.213.0.14", 13, ("worker",)),
        ("ingress-1", "10.213.0.15", 12, ("ingress",)),
        ("ingress-2", "10.213.0.16", 13, ("ingress",)),
        ("database-1", "10.213.0.17", 12, ("database",)),
    ]


def test_a_lab_of_a_hundred_hosts_fits_its_network() -> None:
    hosts = load_fleet(REPOSITORY, "lab", schemas=None, count=100).hosts
    assert len({host.address for host in hosts.values()}) == len(hosts) == 100
    assert (hosts["worker-3"].address, hosts["worker-95"].address) == ("10.213.0.18", "10.213.0.111")
    assert hosts["worker-85"].address == "10.213.0.101", "the virtual IP has the one before"


def test_the_example_fleet_is_one() -> None:
    fleet = load_fleet(REPOSITORY, "example", schemas=None)
    assert not fleet.lab
    assert len(fleet.hosts) == 6
