"""Nothing enters service until every required line before it holds; a host that serves already is let be."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.effects import Judged
from hostmuster.engine.gate import Gate
from hostmuster.engine.plan import HostPlan, plan_host
from hostmuster.item import Answer, Effect, Item, Seen
from hostmuster.model.fleet import Host
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.resources.resource import Observation
from hostmuster.resources.unit import SHOW, Unit

HOLDS = Effect("it holds", ("true",), lambda _: Seen(True, "yes"))
COSTLY = Effect("it holds everywhere", ("true",), lambda _: Seen(True, "yes"), cost="deep")
OF_SERVICE = Effect("it runs", ("true",), lambda _: Seen(True, "yes"), of_service=True)
MAY_WAIT = Effect("somebody logged in", ("true",), lambda _: Seen(None, "nobody yet"), may_wait=True)
CLOCK = Compiled(Item("clock"), "", (Unit("chrony.service"),), (HOLDS, COSTLY, OF_SERVICE, MAY_WAIT))
UNITS = Compiled(Item("units", serves=True), "", (Unit("web.service"),), (OF_SERVICE,), before=(CLOCK,))
STATUS = Compiled(Item("status"), "", (Unit("status.timer"),), ())


def host(tmp_path: Path, **declared: object) -> Host:
    (tmp_path / "inventory").mkdir()
    body = {"fleet": "f", "roles": {"r": {}}, "hosts": {"h": {"address": "192.0.2.1", "debian": 12, "roles": ["r"]}}}
    (tmp_path / "inventory" / "f.yml").write_text(yaml.safe_dump(body | declared))
    return load_fleet(Project(tmp_path), "f", {"clock": None, "units": None}).hosts["h"]


def plan(*, web: str, enabled: str) -> HostPlan:
    shown = f"LoadState=loaded\nUnitFileState={enabled}\nActiveState={web}"
    seen = Observation({(SHOW.name, "web.service"): shown})
    return plan_host("h", (CLOCK, UNITS, STATUS), seen, 1, frozenset({"clock", "units", "status"}), Path())


def names(gate: Gate) -> list[str]:
    return [effect.name for _, effect in gate.conditions]


def judged(effect: Effect, ok: bool | None) -> Judged:
    return Judged("clock", effect, effect.judge(Answer(0, "")) if ok else Seen(ok, "no"))


def test_what_serves_and_all_behind_it_waits_on_a_host_that_never_served(tmp_path: Path) -> None:
    gate = Gate((CLOCK, UNITS, STATUS), host(tmp_path))
    held = gate.holds_back(plan(web="inactive", enabled="disabled"))
    assert [part.item for part in held] == ["units", "status"]
    assert gate.admit([judged(HOLDS, True), judged(MAY_WAIT, None)], held)
    assert gate.holds_back(plan(web="inactive", enabled="disabled")) == ()


@pytest.mark.parametrize(("web", "enabled"), [("active", "disabled"), ("failed", "enabled")])
def test_a_host_that_serves_already_is_not_held_back(tmp_path: Path, web: str, enabled: str) -> None:
    assert Gate((CLOCK, UNITS, STATUS), host(tmp_path)).holds_back(plan(web=web, enabled=enabled)) == ()


def test_the_service_itself_is_no_condition_and_costly_proofs_are_one_where_asked_for(tmp_path: Path) -> None:
    alone = host(tmp_path)
    assert names(Gate((CLOCK, UNITS), alone)) == ["it holds", "somebody logged in"]
    assert names(Gate((CLOCK, UNITS), alone, deep=True)) == ["it holds", "it holds everywhere", "somebody logged in"]


def test_one_item_alone_is_held_back_by_the_lines_that_were_left_out(tmp_path: Path) -> None:
    assert names(Gate((UNITS,), host(tmp_path))) == ["it holds", "somebody logged in"]


@pytest.mark.parametrize("ok", [False, None])
def test_it_stays_shut_and_names_the_line(tmp_path: Path, ok: bool | None) -> None:
    gate = Gate((CLOCK, UNITS), host(tmp_path))
    waiting = gate.holds_back(plan(web="inactive", enabled="disabled"))
    assert not gate.admit([judged(HOLDS, ok)], waiting)
    assert gate.reason == "nothing enters service until clock holds: it holds: no"
    asked = gate.askable([("clock", OF_SERVICE), ("status", HOLDS), ("clock", HOLDS)])
    seen = [effect.judge(Answer(0, "")) for _, effect in asked]
    assert seen == [Seen(None, gate.reason), Seen(None, gate.reason), Seen(True, "yes")], "not begun is no failure"


def test_a_line_that_the_fleet_does_not_require_is_no_condition(tmp_path: Path) -> None:
    assert names(Gate((CLOCK, UNITS), host(tmp_path, not_required=["clock"]), deep=True)) == []
