"""What is YAML but no fleet is refused: every mistake at once, each with its line and what to write instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostmuster.errors import Problem, Refused
from hostmuster.model.fleet import Fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from tests.unit.model.mistake import Mistake, mistakes

Wrong = Callable[..., list[Problem]]

MISTAKES = mistakes("fleet")


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_it_is_refused_with_its_line_and_what_to_write(good: str, wrong: Wrong, mistake: Mistake) -> None:
    said = wrong(mistake.made_in(good))
    assert any(mistake.is_told_by(problem) for problem in said), said


@pytest.mark.parametrize("hosts", ["hosts: {}\n", "hosts:\n"])
def test_an_empty_fleet_is_refused(good: str, wrong: Wrong, hosts: str) -> None:
    (problem,) = wrong(good[: good.index("hosts:")] + hosts)
    assert (problem.where, problem.what) == ("inventory/lab.yml:8", "the fleet has no hosts")
    assert "hosts: {worker-1: {address: 192.0.2.11, debian: 12, roles: [worker]}}" in problem.remedy


def test_all_mistakes_of_a_file_are_said_at_once_and_in_its_order(wrong: Wrong) -> None:
    said = wrong("""\
fleet: lab
lab: yes
settings:
  clock: {servers: ntp.example.net, stepp_s: 1}
  egress: {}
roles: {server: {}, spare: {}}
hosts:
  server_1: {address: 10.1, debian: 12, roles: [server]}
  server-2: {address: 192.0.2.12, debian: 12, roles: [server], port: 70000}
  server-2: {}
  server-3: {address: 192.0.2.12, debian: 12, roles: [serve], port: 70000}
""")
    assert [problem.where.rpartition(":")[2] for problem in said] == [
        "2", "4", "4", "5", "6", "8", "8", "9", "10", "11", "11", "11",
    ]  # fmt: skip
    assert all(problem.remedy for problem in said)


def test_a_value_that_was_refused_as_yaml_is_not_complained_about_again(good: str, wrong: Wrong) -> None:
    (problem,) = wrong(good.replace("debian: 13", "debian: 013"))
    assert "leading zero" in problem.what


def test_one_address_with_two_ports_is_two_hosts(good: str, load: Callable[..., Fleet]) -> None:
    text = good.replace("192.0.2.11,", "127.0.0.1, port: 2201,").replace("192.0.2.12", "127.0.0.1\n    port: 2202")
    assert [(host.address, host.port) for host in load(text).hosts.values()] == [
        ("127.0.0.1", 2201),
        ("127.0.0.1", 2202),
    ]


def test_a_host_alone_may_be_the_machine_itself(good: str, load: Callable[..., Fleet]) -> None:
    alone = good.partition("  worker-1:")[0].replace("  worker: {}\n", "").replace("192.0.2.11", "127.0.0.1")
    assert [host.address for host in load(alone).hosts.values()] == ["127.0.0.1"]


@pytest.mark.parametrize("name", ["../etc/passwd", "", "Lab", "lab.yml", "a b", "x" * 64])
def test_a_fleet_name_that_could_be_a_path_is_refused(project: Project, name: str) -> None:
    with pytest.raises(Refused, match="fleet name") as caught:
        load_fleet(project, name, {})
    assert caught.value.exit_code == 3


def test_a_fleet_that_does_not_exist_is_refused_and_the_others_are_named(
    project: Project, good: str, load: Callable[..., Fleet]
) -> None:
    load(good)
    with pytest.raises(Refused, match="there is no fleet `live`") as caught:
        load_fleet(project, "live", {})
    assert "name one of: lab" in caught.value.remedy
    assert caught.value.exit_code == 3


def test_a_folder_in_a_fleet_files_place_is_refused(project: Project) -> None:
    project.fleet_file("lab").mkdir()
    with pytest.raises(Refused, match="mistake") as caught:
        load_fleet(project, "lab", {})
    assert "this is not a regular file" in str(caught.value)
