"""Settings of three levels: the last level wins, and each value knows the level, file and line it came from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostmuster.errors import Problem
from hostmuster.model.fleet import Fleet
from hostmuster.model.settings import DEFAULT, Origin
from tests.unit.model.mistake import Mistake, mistakes

LEVELS = """\
fleet: lab
settings:
  clock: {servers: [a, b], step_s: 2}
  workspace:
    folders:
      repos: {mode: "0750", owner: app}
roles:
  server:
    settings:
      clock: {servers: [c]}
  worker:
    settings:
      workspace: {folders: {repos: {owner: worker}}}
  spare:
    settings:
      clock:
        servers:
          - d
          - e
      workspace: {folders: {repos: {mode: "0700"}, cache: {}}}
hosts:
  h1: {address: 192.0.2.1, debian: 12, roles: [server]}
  h2:
    address: 192.0.2.2
    debian: 12
    roles: [worker, spare]
    settings:
      workspace:
        folders:
          repos: {env: {A: "1"}}
  h3: {address: 192.0.2.3, debian: 12, roles: [spare, worker, server], observe: [units]}
"""


@pytest.fixture
def fleet(load: Callable[..., Fleet]) -> Fleet:
    return load(LEVELS)


def test_lists_are_replaced_as_a_whole_and_mappings_merge(fleet: Fleet) -> None:
    h2 = fleet.hosts["h2"]
    assert h2.settings("clock").model_dump() == {
        "servers": ("d", "e"),
        "step_s": 2.0,
        "makestep": True,
        "zone": "UTC",
    }
    assert h2.settings("workspace").model_dump()["folders"] == {
        "repos": {"mode": "0700", "owner": "worker", "env": {"A": "1"}},
        "cache": {"mode": "0755", "owner": "root", "env": {}},
    }


def test_roles_win_in_the_hosts_own_order(fleet: Fleet) -> None:
    assert fleet.hosts["h3"].settings("clock").model_dump()["servers"] == ("c",)
    assert fleet.hosts["h1"].settings("clock").model_dump()["servers"] == ("c",)


@pytest.mark.parametrize(
    ("host", "path", "level", "line"),
    [
        ("h1", ("clock", "servers"), "role server", 10),
        ("h1", ("clock", "servers", 0), "role server", 10),
        ("h1", ("clock", "servers", 1), "default", 0),
        ("h1", ("clock", "step_s"), "fleet", 3),
        ("h1", ("clock", "makestep"), "default", 0),
        ("h1", ("workspace", "folders", "repos", "owner"), "fleet", 6),
        ("h2", ("workspace", "folders", "repos", "owner"), "role worker", 13),
        ("h2", ("workspace", "folders", "repos", "mode"), "role spare", 20),
        ("h2", ("workspace", "folders", "repos", "env", "A"), "host h2", 30),
        ("h2", ("workspace", "folders", "repos"), "host h2", 30),
        ("h2", ("clock", "servers", 1), "role spare", 19),
        ("h2", ("units",), "default", 0),
    ],
)
def test_each_value_knows_its_origin(fleet: Fleet, host: str, path: tuple[str, ...], level: str, line: int) -> None:
    file = "inventory/lab.yml" if line else ""
    assert fleet.hosts[host].origin(*path) == Origin(level, file, line)


def test_an_origin_reads_as_a_place() -> None:
    assert str(Origin("role server", "inventory/lab.yml", 10)) == "inventory/lab.yml:10 (role server)"
    assert str(DEFAULT) == "default"


def test_an_item_that_observes_at_any_level_does_not_enforce(load: Callable[..., Fleet]) -> None:
    text = LEVELS.replace("  worker:\n", "  worker:\n    observe: [clock]\n")
    fleet = load(text.replace("fleet: lab\n", "fleet: lab\nobserve: [workspace]\n"))
    enforced = {
        (name, item) for name, host in fleet.hosts.items() for item in ("clock", "workspace", "units")
        if host.enforces(item)
    }  # fmt: skip
    assert enforced == {("h1", "clock"), ("h1", "units"), ("h2", "units")}


MISTAKES = mistakes("settings")


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_wrong_setting_is_said_once_at_the_line_that_set_it(
    wrong: Callable[..., list[Problem]], mistake: Mistake
) -> None:
    (problem,) = wrong(mistake.made_in(LEVELS))
    assert mistake.is_told_by(problem), problem


def test_a_wrong_value_that_a_later_level_replaces_for_every_host_is_no_mistake(
    load: Callable[..., Fleet],
) -> None:
    text = LEVELS.replace("servers: [a, b]", "servers: none")
    assert load(text).hosts["h1"].settings("clock").model_dump()["servers"] == ("c",)


def test_a_setting_that_no_level_gives_is_asked_for_with_the_hosts_that_need_it(
    wrong: Callable[..., list[Problem]],
) -> None:
    text = LEVELS.replace("      clock: {servers: [c]}", "      clock: {}").replace("servers: [a, b], ", "")
    (problem,) = wrong(text.replace("roles: [spare, worker, server]", "roles: [spare, server]"))
    assert problem.where == "inventory/lab.yml:10"
    assert problem.what == "the key `servers` is missing in clock (set by role server)"
    assert problem.remedy == 'add `servers: ["ntp.example.net"]`'


def test_an_item_that_no_level_mentions_is_asked_for_once(wrong: Callable[..., list[Problem]], good: str) -> None:
    (problem,) = wrong(good.replace("  clock:\n    servers: [ntp.example.net]\n", "  {}\n"))
    assert problem.where == "inventory/lab.yml:2"
    assert problem.what == "the key `servers` is missing in clock (set at no level; needed by all hosts)"


def test_a_host_need_not_have_the_settings_of_an_item_for_other_roles(load: Callable[..., Fleet], good: str) -> None:
    text = good.replace("settings:\n  clock:\n    servers: [ntp.example.net]\n", "").replace(
        "worker: {}", "worker: {settings: {clock: {servers: [a]}}}"
    )
    fleet = load(text, for_roles={"clock": frozenset({"worker"})})
    assert fleet.hosts["worker-1"].settings("clock").model_dump()["servers"] == ("a",)
    with pytest.raises(KeyError):
        fleet.hosts["server-1"].settings("clock")


def test_what_is_said_of_an_item_must_be_right_also_where_the_item_is_for_other_roles(
    wrong: Callable[..., list[Problem]], good: str
) -> None:
    text = good.replace("server: {}", "server: {settings: {clock: {sevrers: [a]}}}")
    (problem,) = wrong(text, for_roles={"clock": frozenset({"worker"})})
    assert problem.where == "inventory/lab.yml:6"
    assert "unknown key `sevrers` in clock (set by role server)" in problem.what
