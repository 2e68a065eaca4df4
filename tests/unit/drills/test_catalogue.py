"""Which drills a fleet file gives ground for, and which of its hosts would be the target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from hostmuster.drills.catalogue import DRILLS, named
from hostmuster.drills.faults.fault import Beside, NoGround, OnHost
from hostmuster.drills.ground import causes, ground
from hostmuster.errors import InputError, Refused
from hostmuster.model.fleet import Fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project

SERVICE = {"unit": "workload.service", "ready": "http://{address}:8080/health/ready"}


def fleet(folder: Path, *, lab: bool = True, servers: int = 2, **drills: Any) -> Fleet:
    (folder / "inventory").mkdir(exist_ok=True)
    hosts = {
        f"server-{n}": {"address": f"192.0.2.{n}", "debian": 12, "roles": ["server"]} for n in range(1, servers + 1)
    }
    body = {"fleet": "east", "lab": lab, "roles": {"server": {}}, "hosts": hosts, "drills": drills}
    (folder / "inventory" / "east.yml").write_text(yaml.safe_dump(body, sort_keys=False))
    return load_fleet(Project(folder), "east", None)


def test_every_drill_has_a_name_of_its_own_and_says_what_it_shows() -> None:
    assert all(name == drill.name and drill.text.endswith(".") and drill.requirement for name, drill in DRILLS.items())


def test_a_name_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(Refused) as refused:
        named("serverhost")
    assert "server-host" in refused.value.remedy


def test_one_server_alone_is_no_ground_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoGround, match="has 1 host"):
        ground(named("server-host"), fleet(tmp_path, servers=1), None)


def test_the_target_is_the_first_of_its_role_or_the_one_that_is_named(tmp_path: Path) -> None:
    made = fleet(tmp_path)
    assert ground(named("server-host"), made, None).target.name == "server-1"
    assert ground(named("server-host"), made, "server-2").target.name == "server-2"
    with pytest.raises(Refused, match="no host is named"):
        ground(named("server-host"), made, "server-9")


def test_a_real_host_loses_its_power_by_the_fleets_own_hook_or_not_at_all(tmp_path: Path) -> None:
    drill = named("server-host")
    with pytest.raises(NoGround, match=r"drills\.power"):
        causes(drill, ground(drill, fleet(tmp_path, lab=False), None))
    power = {"off": ["ipmi", "{host}", "off"], "on": ["ipmi", "{address}", "on"]}
    ((cause,), _) = causes(drill, ground(drill, fleet(tmp_path, lab=False, power=power), None))
    assert isinstance(cause, Beside)
    assert (cause.cause, cause.undo) == (("ipmi", "server-1", "off"), ("ipmi", "192.0.2.1", "on"))


def test_a_real_host_is_cut_off_from_the_others_by_rules_that_let_ssh_in_from_elsewhere(tmp_path: Path) -> None:
    drill = named("cut-host")
    ((cause,), _) = causes(drill, ground(drill, fleet(tmp_path, lab=False), None))
    assert isinstance(cause, OnHost)
    assert not cause.silences
    assert "192.0.2.2" in str(cause.steps)
    assert "192.0.2.1 " not in str(cause.steps)


def test_faults_that_a_fleet_gives_no_ground_for_are_told_and_the_others_held(tmp_path: Path) -> None:
    drill = named("server-process")
    made = fleet(tmp_path, lab=False, services={"server": SERVICE})
    found, not_run = causes(drill, ground(drill, made, None))
    assert [cause.says for cause in found] == ["SIGTERM to workload.service", "SIGKILL to workload.service"]
    assert not_run == ["out of memory: out of memory is caused in a lab alone, from outside the host"]
    with pytest.raises(NoGround, match="names no unit for the role server"):
        causes(drill, ground(drill, fleet(tmp_path), None))


@pytest.mark.parametrize(
    ("drills", "says"),
    [
        ({"power": {"off": ["poweroff"], "on": ["poweron", "{host}"]}}, "names no host"),
        ({"services": {"server": {"unit": "workload"}}}, "not a unit's name"),
        ({"client": {"through": ["ftp://x"]}}, "no address of HTTP"),
        ({"targets": {"host": {"outage_s": -1, "back_s": 1}}}, "greater than 0"),
    ],
)
def test_a_mistake_in_the_section_is_named(tmp_path: Path, drills: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as refused:
        fleet(tmp_path, **drills)
    assert says in str(refused.value)
