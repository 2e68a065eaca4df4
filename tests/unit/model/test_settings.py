"""Settings of three levels: the last level wins, and each value knows the level, file and line it came from."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from hostmuster.errors import Problem
from hostmuster.model.document import Document, parse
from hostmuster.model.fleet import Fleet
from hostmuster.model.settings import DEFAULT, Layer, Origin, merge

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


ROWS = {
    "a wrong value names the level that set it": (
        "clock: {servers: [c]}",
        "clock: {servers: c}",
        10,
        'settings.clock.servers: a list is expected, found the text "c" (set by role server)',
        "brackets: [c]",
    ),
    "a wrong value of the fleet": (
        "step_s: 2}",
        "step_s: -2}",
        3,
        "settings.clock.step_s: the number -2 should be greater than 0 (set at fleet level)",
        "change",
    ),
    "an unknown setting": (
        "step_s: 2}",
        "stepp_s: 2}",
        3,
        "unknown key `stepp_s` in clock",
        "did you mean `step_s`?",
    ),
    "an unknown setting in a mapping of models": (
        'repos: {env: {A: "1"}}',
        'repos: {enw: {A: "1"}}',
        30,
        "unknown key `enw` in workspace.folders.repos",
        "did you mean `env`?",
    ),
    "a number where text is expected": (
        'A: "1"',
        "A: 1.10",
        30,
        "settings.workspace.folders.repos.env.A: text is expected, found the number 1.1",
        'quote it: "1.10"',
    ),
    "a mode as a number": (
        'mode: "0750"',
        "mode: 750",
        6,
        "settings.workspace.folders.repos.mode: the file mode 750 is a number",
        '"0750"',
    ),
    "a mode with too few digits": ('mode: "0750"', 'mode: "750"', 6, "`750` is not a file mode", '"0750"'),
    "a line of a list": (
        "          - e",
        "          - 7",
        19,
        "settings.clock.servers[1]: text is expected",
        '"7"',
    ),
    "a path with a space": (
        'repos: {env: {A: "1"}}\n',
        'repos: {}\n        root: "/srv/my app"\n',
        31,
        "a space in the path '/srv/my app'",
        "without blanks",
    ),
    "a path with a line break": (
        'repos: {env: {A: "1"}}\n',
        'repos: {}\n        root: "/srv/a\\nb"\n',
        31,
        "a line break in the path",
        "without blanks",
    ),
    "a variable's name with a hyphen": (
        'A: "1"',
        'A-B: "1"',
        30,
        "settings.workspace.folders.repos.env.A-B: `A-B` is not a variable's name",
        "letters",
    ),
    "an owner with a space": (
        "owner: app",
        "owner: the app",
        6,
        "`the app` is not a user's or group's name",
        "a-z",
    ),
    "nothing where a value is expected": (
        "step_s: 2}",
        "step_s: }",
        3,
        "a number is expected, found nothing",
        "write",
    ),
}


@pytest.mark.parametrize(("was", "now", "line", "what", "remedy"), ROWS.values(), ids=ROWS.keys())
def test_a_wrong_setting_is_said_once_at_the_line_that_set_it(
    wrong: Callable[..., list[Problem]], was: str, now: str, line: int, what: str, remedy: str
) -> None:
    assert was in LEVELS
    (problem,) = wrong(LEVELS.replace(was, now, 1))
    assert problem.where == f"inventory/lab.yml:{line}"
    assert what in problem.what
    assert remedy in problem.remedy


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


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(["", "x"]))
trees = st.recursive(
    scalars | st.lists(scalars, max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
settings = st.dictionaries(st.sampled_from("abc"), trees, max_size=3)


def last_wins(below: JsonValue, above: JsonValue) -> JsonValue:
    """The rule, said once more in one line each."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return {key: last_wins(below[key], above[key]) if key in below and key in above
            else above.get(key, below.get(key)) for key in [*below, *above]}  # fmt: skip


def layer(level: str, data: dict[str, JsonValue]) -> Layer:
    return Layer(level, data, Document(f"{level}.yml", data, {(): 1}, {}), ())


@given(st.lists(settings, min_size=1, max_size=4))
def test_merging_is_last_wins_and_every_leaf_names_a_level_that_said_exactly_it(
    levels: list[dict[str, JsonValue]],
) -> None:
    named = {str(number): data for number, data in enumerate(levels)}
    before = repr(named)
    merged = merge([layer(level, data) for level, data in named.items()])
    expected: JsonValue = {}
    for data in levels:
        expected = last_wins(expected, data)
    assert merged.data == expected
    assert repr(named) == before, "the levels themselves stay as they were"
    for path, origin in merged.origins.items():
        here: JsonValue = merged.data  # type: ignore[assignment]
        said: JsonValue = named[origin.level]
        for part in path:
            here, said = here[part], said[part]  # type: ignore[index]
        assert here == said or isinstance(here, dict)


@given(settings, settings, settings)
def test_merging_step_by_step_is_merging_at_once(
    a: dict[str, JsonValue], b: dict[str, JsonValue], c: dict[str, JsonValue]
) -> None:
    first = dict(merge([layer("a", a), layer("b", b)]).data)
    assert merge([layer("ab", first), layer("c", c)]).data == merge([layer("a", a), layer("b", b), layer("c", c)]).data


def test_the_place_of_a_merged_value_is_the_line_in_its_own_file() -> None:
    read = parse("settings:\n  clock:\n    step_s: 2\n", "inventory/x.yml")
    merged = merge([Layer("fleet", {"clock": {"step_s": 2}}, read, ("settings",))])
    assert merged.origin(("clock", "step_s")) == Origin("fleet", "inventory/x.yml", 3)
    assert merged.nearest(("clock", "nothing")) == Origin("fleet", "inventory/x.yml", 2)
