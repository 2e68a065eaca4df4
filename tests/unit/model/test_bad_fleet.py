"""What is YAML but no fleet is refused: every mistake at once, each with its line and what to write instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostmuster.errors import Problem, Refused
from hostmuster.model.fleet import Fleet, load_fleet
from hostmuster.project import Project

Wrong = Callable[..., list[Problem]]

# what was in the good file, what is there instead, the line, what is said, the remedy
ROWS = {
    "an unknown key of a host": (
        "    debian: 13",
        "    debian: 13\n    adress: x",
        13,
        "unknown key `adress` in hosts.worker-1",
        "did you mean `address`?",
    ),
    "an unknown key of a role": ("server: {}", "server: {setings: {}}", 6, "`setings`", "`settings`?"),
    "an unknown key of the fleet": ("fleet: lab\n", "fleet: lab\nhost: {}\n", 2, "`host`", "`hosts`?"),
    "a key that nothing resembles": (
        "server: {}",
        "server: {zzz: 1}",
        6,
        "unknown key `zzz` in roles.server",
        "remove it; known here: not_required, observe, settings",
    ),
    "a key that is missing": (
        "    debian: 13\n",
        "",
        10,
        "the key `debian` is missing in hosts.worker-1",
        "add `debian: 12`",
    ),
    "an underscore in a name": (
        "worker-1:",
        "worker_1:",
        10,
        "the host name `worker_1` is not a host name's label (RFC 1123)",
        "`worker-1`",
    ),
    "capitals in a name": ("worker-1:", "Worker-1:", 10, "`Worker-1`", "`worker-1`"),
    "a dot in a name": (
        "worker-1:",
        "worker.example.net:",
        10,
        "RFC 1123",
        "no capitals, underscores or dots",
    ),
    "a hyphen at the end": ("worker-1:", "worker-:", 10, "`worker-`", "`worker`"),
    "a name of 64 characters": ("worker-1:", f"{64 * 'w'}:", 10, "has 64 characters", "at most 63"),
    "an underscore in a role": ("  worker: {}", "  wor_ker: {}", 7, "the role name `wor_ker`", "`wor-ker`"),
    "a duplicate address": (
        "address: 192.0.2.12",
        "address: 192.0.2.11",
        11,
        "the host worker-1 has the address 192.0.2.11 port 22 of server-1 (line 9)",
        "its own port",
    ),
    "the name of every host": (
        "worker-1:",
        "localhost:",
        10,
        "`localhost` is what every host calls itself",
        "worker-1",
    ),
    "loopback": (
        "address: 192.0.2.12",
        "address: 127.0.0.1",
        11,
        "the host worker-1 has the address 127.0.0.1, by which every host reaches itself",
        "by which the others reach it",
    ),
    "an IPv6 literal": (
        "192.0.2.12",
        '"2001:DB8::0001"',
        11,
        "IPv6 address, which is not supported yet",
        "IPv4",
    ),
    "an IPv6 literal without quotes": ("192.0.2.12", "2001:db8::1", 11, "`2001:db8::1` is an IPv6", "IPv4"),
    "an IPv4 address mapped into IPv6": ("192.0.2.12", "::ffff:10.0.0.1", 11, "is an IPv6 address", "IPv4"),
    "a leading zero in an address": ("192.0.2.12", "010.0.0.1", 11, "leading zero", "10.0.0.1 if that is"),
    "a leading zero at the end": ("192.0.2.12", "10.0.0.010", 11, "leading zero", "10.0.0.10 if that is"),
    "a short address": ("192.0.2.12", "10.1", 11, "`10.1` is a short form of an address", "all four numbers"),
    "a short address in quotes": ("192.0.2.12", '"10.1"', 11, "`10.1` is a short form", "all four numbers"),
    "an address with a prefix": (
        "192.0.2.12",
        "10.0.0.1/24",
        11,
        "a network",
        "leave the prefix away: 10.0.0.1",
    ),
    "an address with a port": (
        "192.0.2.12",
        "10.0.0.1:22",
        11,
        "holds a port",
        "address: 10.0.0.1 and port: 22",
    ),
    "a number over 255": ("192.0.2.12", "10.0.0.256", 11, "a number over 255", "0 to 255"),
    "a name as an address": ("192.0.2.12", "worker.example.net", 11, "not an IPv4 address", "four numbers"),
    "digits of another script": ("192.0.2.12", "10.0.0.\u0663", 11, "not an IPv4 address", "four numbers"),
    "an address of many": ("192.0.2.12", "224.0.0.1", 11, "no single host's address", "IPv4"),
    "no address": ("address: 192.0.2.12", "address:", 11, "nothing is not an IPv4 address", "IPv4"),
    "a port out of range": (
        "debian: 13",
        "debian: 13\n    port: 65536",
        13,
        "less than or equal",
        "example 8080",
    ),
    "a port of 0": (
        "debian: 13",
        "debian: 13\n    port: 0",
        13,
        "greater than or equal to 1",
        "example 8080",
    ),
    "a port in quotes": (
        "debian: 13",
        'debian: 13\n    port: "22"',
        13,
        'hosts.worker-1.port: a whole number is expected, found the text "22"',
        "write it without quotes",
    ),
    "a switch as a port": (
        "debian: 13",
        "debian: 13\n    port: true",
        13,
        "a whole number is expected",
        "8080",
    ),
    "an unknown Debian": ("debian: 13", "debian: 11", 12, "the number 11 is none of", "write 12 or 13"),
    "a Debian in quotes": ("debian: 13", 'debian: "13"', 12, 'the text "13" is none of', "write 12 or 13"),
    "a role as a word": ("roles: [worker]", "roles: worker", 13, "a list is expected", "brackets: [worker]"),
    "no role": ("roles: [worker]", "roles: []", 13, "at least 1 item", "write for example"),
    "a role nobody declared": (
        "roles: [worker]",
        "roles: [wroker]",
        13,
        "the host worker-1 has the role `wroker`, which is not declared",
        "did you mean `worker`?",
    ),
    "a role nobody has": (
        "  worker: {}",
        "  worker: {}\n  spare: {}",
        8,
        "no host has the role `spare`",
        "give it to a host (roles: [...]), or remove it",
    ),
    "a role held twice": ("[worker]", "[worker, worker]", 13, "has the role `worker` twice", "name it once"),
    "a role without a value": (
        "  worker: {}",
        "  worker:",
        7,
        "a mapping (`key: value`) is expected",
        "write {}",
    ),
    "a host without a value": (
        "server-1: {address: 192.0.2.11, debian: 12, roles: [server]}",
        "server-1:",
        9,
        "found nothing",
        "write {}",
    ),
    "another fleet's name": (
        "fleet: lab",
        "fleet: live",
        1,
        "the fleet is called `live`, its file lab.yml",
        "write `fleet: lab`",
    ),
    "a number as the fleet's name": (
        "fleet: lab",
        "fleet: 1.10",
        1,
        "text is expected, found the number 1.1",
        'quote it: "1.10"',
    ),
    "a switch as the fleet's name": (
        "fleet: lab",
        "fleet: true",
        1,
        "text is expected, found true",
        '"true"',
    ),
    "text as a switch": (
        "fleet: lab\n",
        'fleet: lab\nlab: "true"\n',
        2,
        "true or false is expected",
        "without quotes",
    ),
    "y as a switch": (
        "fleet: lab\n",
        "fleet: lab\nlab: y\n",
        2,
        "true or false is expected",
        "true or false",
    ),
    "1 as a switch": (
        "fleet: lab\n",
        "fleet: lab\nlab: 1\n",
        2,
        "true or false is expected",
        "true or false",
    ),
    "root as the automation user": (
        "fleet: lab\n",
        "fleet: lab\nuser: root\n",
        2,
        "root cannot be",
        "ordinary user",
    ),
    "a user name with a capital": (
        "fleet: lab\n",
        "fleet: lab\nuser: Ops\n",
        2,
        "`Ops` is not a user's",
        "a-z",
    ),
    "a number as user": ("fleet: lab\n", "fleet: lab\nuser: 1000\n", 2, "found the number 1000", '"1000"'),
    "a confirmation that never comes": (
        "fleet: lab\n",
        "fleet: lab\nconfirm_s: 0\n",
        2,
        "greater than",
        "change",
    ),
    "settings of no item": (
        "  clock:",
        "  clok:",
        3,
        "`clok`, which is no item of the checklist",
        "`clock`?",
    ),
    "settings of an item that has none": (
        "  clock:\n    servers: [ntp.example.net]",
        "  clock: {servers: [a]}\n  units: {x: 1}",
        4,
        "unknown key `x` in units",
        "remove it",
    ),
    "an item's settings as a word": (
        "  clock:\n    servers: [ntp.example.net]",
        "  clock: yes please",
        3,
        "settings.clock: a mapping (`key: value`) is expected",
        "mapping",
    ),
    "observe names no item": (
        "fleet: lab\n",
        "fleet: lab\nobserve: [clocks]\n",
        2,
        "observe of the fleet names `clocks`",
        "did you mean `clock`?",
    ),
    "observe of a host names no item": (
        "    debian: 13",
        "    debian: 13\n    observe: [uints]",
        13,
        "observe of the host worker-1 names `uints`",
        "did you mean `units`?",
    ),
}


@pytest.mark.parametrize(("was", "now", "line", "what", "remedy"), ROWS.values(), ids=ROWS.keys())
def test_it_is_refused_with_its_line_and_what_to_write(
    good: str, wrong: Wrong, was: str, now: str, line: int, what: str, remedy: str
) -> None:
    assert was in good
    said = wrong(good.replace(was, now, 1))
    here = [problem for problem in said if problem.where == f"inventory/lab.yml:{line}"]
    assert any(what in problem.what and remedy in problem.remedy for problem in here), said


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
