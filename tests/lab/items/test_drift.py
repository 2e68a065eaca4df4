"""The whole checklist on Debian 12 and 13: made again, drifted by hand, mended, or named why not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploys.checklist import CHECKLIST
from tests.lab.fleet_on_lab import Finished
from tests.lab.items.drifts import MENDED, NAMED
from tests.lab.items.site import Site
from tests.lab.pair import HOSTS, NEW, OLD


@pytest.fixture(scope="module")
def drifted(site: Site) -> Iterator[tuple[Finished, Finished, Finished]]:
    """Every drift put in by hand on both hosts, then a check, an apply and a check."""
    site.declare()
    site.apply()
    for host in HOSTS:
        for drift in MENDED.values():
            site.shell(host, drift.by_hand)
    yield site.fleet.run("check"), site.fleet.run("apply"), site.fleet.run("check")


def test_the_second_apply_changes_nothing_and_says_so(site: Site) -> None:
    done = site.apply()
    for host in HOSTS:
        assert set(done.statuses(host).values()) == {"ok"}
        assert list(done.statuses(host)) == [m.ITEM.name for m in CHECKLIST if m.ITEM.name in done.statuses(host)]
        assert {"access", "clock", "egress", "workspace", "env_files", "units", "firewall"} <= {*done.statuses(host)}
        assert done.document["execs"][host] <= 2
    assert "0 changed" in done.errors


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("case", MENDED)
def test_drift_is_found_and_mended(
    drifted: tuple[Finished, Finished, Finished], site: Site, case: str, host: str
) -> None:
    check, apply, again = drifted
    drift = MENDED[case]
    assert check.exit == 2
    assert any(drift.seen in said for said in check.item(host, drift.item)["differences"])
    assert apply.exit == 0, apply.errors
    assert apply.item(host, drift.item)["status"] == "changed"
    assert again.exit == 0, again.errors
    site.shell(host, drift.mended)


def test_a_host_that_is_called_otherwise_until_its_next_boot_is_seen_and_mended(site: Site) -> None:
    site.declare()
    site.apply()
    site.shell(NEW, "hostname ip-10-0-0-5")
    check = site.fleet.run("check")
    assert check.item(NEW, "access")["differences"] == [f"running hostname: name is ip-10-0-0-5, declared {NEW}"]
    site.apply()
    assert site.shell(NEW, "hostname").strip() == NEW


@pytest.mark.parametrize("case", NAMED)
def test_what_cannot_be_mended_is_named_and_the_rest_stays_as_it_was(site: Site, case: str) -> None:
    drift = NAMED[case]
    site.declare()
    site.apply()
    site.shell(NEW, drift.by_hand)
    before = site.shell(NEW, "systemctl show -p InvocationID workload chrony")
    done = site.fleet.run("apply")
    assert done.exit == 1
    item = done.item(NEW, drift.item)
    assert item["status"] == "failed"
    assert drift.seen in item["reason"]
    assert set(done.statuses(OLD).values()) == {"ok"}
    assert site.shell(NEW, "systemctl show -p InvocationID workload chrony") == before
    site.shell(NEW, drift.mended)
    assert site.apply().item(NEW, drift.item)["status"] == "changed"


def test_a_hosts_own_state_is_no_drift(site: Site) -> None:
    site.declare()
    site.apply()
    for host in HOSTS:
        site.shell(host, f"echo '{{\"{host}\": 1}}' >/srv/service/home/host-state.json")
        site.shell(host, "touch /srv/service/repos/somebodys /srv/service/tenants/somebodys")
    assert site.fleet.run("check").exit == 0
    site.apply()
    assert site.shell(NEW, "cat /srv/service/home/host-state.json").strip() == f'{{"{NEW}": 1}}'
