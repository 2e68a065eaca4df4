"""The addresses of a lab, and the machines that may have them."""

from __future__ import annotations

import pytest

from hostmuster.errors import Refused
from hostmuster.lab.folder import LabFolder
from hostmuster.lab.host import GuestHost
from hostmuster.lab.machine import Machine, checked
from hostmuster.lab.subnet import Subnet


def test_the_default_labs_addresses_are_those_of_its_fleet_file() -> None:
    net = Subnet(0)
    assert (net.v4, net.bridge, net.at(11)) == ("10.213.0.0/24", "10.213.0.1", "10.213.0.11")
    assert Subnet.holding("10.213.7.11") == Subnet(7)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("10.213.1.11", "not in this lab's network"),
        ("192.0.2.11", "not in this lab's network"),
        ("10.213.0.1", "kept for the lab itself"),
        ("10.213.0.10", "kept for the lab itself"),
        ("10.213.0.255", "kept for the lab itself"),
        ("nonsense", "not in this lab's network"),
        ("fd00:213::11", "not in this lab's network"),
    ],
)
def test_an_address_the_lab_cannot_give_is_refused(address: str, told: str) -> None:
    with pytest.raises(Refused, match=told):
        Subnet(0).number(address)


@pytest.mark.parametrize("address", ["192.0.2.11", "10.214.0.11", "nonsense"])
def test_an_address_of_no_lab_is_refused(address: str) -> None:
    with pytest.raises(Refused, match="no address of a lab"):
        Subnet.holding(address)


@pytest.mark.parametrize(
    "machines",
    [
        [Machine("a", "10.213.0.11"), Machine("a", "10.213.0.12")],
        [Machine("a", "10.213.0.11"), Machine("b", "10.213.0.11")],
    ],
    ids=["one name", "one address"],
)
def test_two_machines_that_are_alike_are_refused(machines: list[Machine]) -> None:
    with pytest.raises(Refused, match="one name or one address"):
        checked(machines, Subnet(0))


def test_a_lab_of_no_hosts_is_refused() -> None:
    with pytest.raises(Refused, match="at least one host"):
        checked([], Subnet(0))


def test_the_longest_interface_name_has_room() -> None:
    host = GuestHost(Machine("a" * 63, "10.213.255.254"), LabFolder("lab"), Subnet(255))
    assert len(f"vb-{host.machine_name}") <= 15
    assert len(f"void-{host.machine_name}") <= 15
    assert len(Subnet(255).link) <= 15


@pytest.mark.parametrize("name", ["", "Lab", "../lab", "_packages", "-x", "a" * 41, "a b", "lab\n"])
def test_what_is_no_name_for_a_lab_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="no name for a lab"):
        LabFolder(name)
