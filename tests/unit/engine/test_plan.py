"""The plan: pure, in the order of the checklist, and the same print for the same steps."""

from __future__ import annotations

from pathlib import Path

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.plan import HostPlan, plan_host
from hostmuster.item import Item
from hostmuster.resources.file import DAEMON_RELOAD, File
from hostmuster.resources.package import Package, installed
from hostmuster.resources.resource import Observation, Resource
from hostmuster.resources.roster import Roster
from hostmuster.resources.step import Run
from hostmuster.resources.unit import Unit
from hostmuster.ssh.sshd import TOLD

NOTHING_THERE = Observation({})
ROOT = Path(__file__).parent


def plan(*resources: Resource, enforced: bool = True) -> HostPlan:
    compiled = Compiled(Item("web"), "The web server runs.", resources, ())
    return plan_host("a", [compiled], NOTHING_THERE, 7, frozenset({"web"} if enforced else ()), ROOT)


def runs(of: HostPlan) -> list[tuple[str, ...]]:
    return [step.argv for step in of.items[0].steps if isinstance(step, Run)]


def test_package_lists_are_fetched_once_an_item() -> None:
    mended, updated, _ = installed("a")
    said = runs(plan(Package("a"), Package("b")))
    assert updated.argv[-1] == "update"
    assert said.count(updated.argv) == said.count(mended.argv) == 1


def test_systemd_loads_the_unit_files_once_and_before_the_first_start() -> None:
    units = plan(
        File("/etc/systemd/system/a.service", b"1"),
        File("/etc/systemd/system/b.service", b"2"),
        Unit("a.service"),
        Unit("b.service"),
    )
    said = runs(units)
    assert said.count(DAEMON_RELOAD.argv) == 1
    assert said.index(DAEMON_RELOAD.argv) < said.index(("systemctl", "start", "--", "a.service"))


def test_a_unit_file_after_a_start_is_loaded_again() -> None:
    said = runs(
        plan(
            File("/etc/systemd/system/a.service", b"1"),
            Unit("a.service"),
            File("/etc/systemd/system/b.service", b"2"),
        )
    )
    assert said.count(DAEMON_RELOAD.argv) == 2
    assert DAEMON_RELOAD.argv in said[said.index(("systemctl", "start", "--", "a.service")) :]


def test_what_it_will_restart_and_stop_is_said() -> None:
    stopping = Unit("old.service", active=False)
    assert plan(File("/etc/a", b"", restarts=("web.service",))).items[0].will == ("restart web.service",)
    assert plan(stopping).items[0].will == ()


def test_an_observed_item_is_compared_and_never_changed() -> None:
    observed = plan(File("/etc/a", b""), enforced=False)
    assert observed.items[0].differences
    assert observed.changes == ()


def test_a_risky_resource_arms_its_item_only_when_it_differs() -> None:
    assert plan(File("/etc/ssh/x", b"", risky=True)).items[0].armed
    assert not plan(File("/etc/a", b"")).items[0].armed


def test_the_print_follows_every_step_and_holds_no_content() -> None:
    one, same, other = (plan(File("/etc/a", content)).fingerprint for content in (b"x", b"x", b"y"))
    assert one == same != other
    assert plan(File("/etc/a", b"x", mode="0600")).fingerprint != one
    assert plan(File("/etc/a", b"x"), enforced=False).fingerprint != one


def test_a_plan_says_what_it_reloads_and_whose_sessions_it_ends() -> None:
    drop_in = File("/etc/ssh/sshd_config.d/a.conf", b"", told=TOLD)
    assert plan(drop_in).items[0].will == ("reload ssh.service",)
    former = Observation({("group", "ops"): "ops:x:900:bob"})
    compiled = Compiled(Item("access"), "", (Roster("ops", ()),), ())
    (part,) = plan_host("a", [compiled], former, 7, frozenset({"access"}), ROOT).items
    assert part.will == ("stop all that runs as bob",)


def test_units_are_enabled_all_at_once_when_all_else_is_done() -> None:
    said = plan(File("/etc/systemd/system/a.service", b"1"), Unit("a.service"), Unit("b.service")).items[0].steps
    enabled = ("systemctl", "enable", "--", "a.service", "b.service")
    assert isinstance(said[-1], Run)
    assert (said[-1].argv, said[-1].undo) == (enabled, ("systemctl", "disable", *enabled[2:]))
    assert sum(isinstance(step, Run) and step.argv[1] == "enable" for step in said) == 1
