"""What a rotation halted is started by nobody else: an apply that would is refused with host, services and secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploys.items.secrets import Secrets
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.plan import HostPlan, plan_host
from hostmuster.engine.standing_still import require_left_halted
from hostmuster.errors import Refused, RefusedByHosts
from hostmuster.item import Item
from hostmuster.model.fleet import Host
from hostmuster.model.inventory import load_fleet
from hostmuster.onhost.answers import State
from hostmuster.project import Project
from hostmuster.resources.file import File
from hostmuster.resources.resource import Observation
from hostmuster.resources.unit import SHOW, Unit

FLEET = """
fleet: f
roles: {web: {}}
settings:
  secrets:
    readers:
      web: {unit: web.service, env: {KEY: api-key}, files: {ring.json: signing}}
hosts:
  a: {address: 192.0.2.1, debian: 12, roles: [web]}
"""
STATE = "schema 1\nrevision 0\napplied \n"
HALTED = State.parse(f"{STATE}halted web.service")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "f.yml").write_text(FLEET)
    return load_fleet(Project(tmp_path), "f", {"secrets": Secrets}).hosts["a"]


def plan(*, active: bool, enabled: bool) -> HostPlan:
    shown = f"LoadState=loaded\nUnitFileState={'enabled' if enabled else 'disabled'}\n"
    shown += f"ActiveState={'active' if active else 'inactive'}"
    seen = Observation({(SHOW.name, "web.service"): shown})
    units = Compiled(Item("units"), "", (File("/etc/x", b"", restarts=("web.service",)), Unit("web.service")), ())
    return plan_host("a", [units], seen, 1, frozenset({"units"}), Path())


@pytest.mark.parametrize("active", [True, False])
def test_what_was_halted_is_not_started_now_nor_at_boot(host: Host, active: bool) -> None:
    with pytest.raises(Refused) as refused:
        require_left_halted([(host, plan(active=active, enabled=False), HALTED)])
    assert str(refused.value).startswith("a: halted to replace or revoke a secret (api-key, signing), ")
    assert "web.service" in refused.value.what
    assert "secrets.rotate NAME or secrets.revoke NAME" in refused.value.remedy


def test_each_host_is_named(host: Host) -> None:
    stopped = plan(active=False, enabled=False)
    with pytest.raises(RefusedByHosts, match="2 hosts refused"):
        require_left_halted([(host, stopped, HALTED), (host, stopped, HALTED)])


def test_what_starts_nothing_that_was_halted_goes_on(host: Host) -> None:
    require_left_halted([(host, plan(active=True, enabled=True), HALTED)])
    require_left_halted([(host, plan(active=False, enabled=False), State.parse(STATE))])
    require_left_halted([(host, plan(active=False, enabled=False), State.parse(f"{STATE}halted other.service"))])
