"""Clocks on real hosts: skewed, doubled, found, swapped."""

from __future__ import annotations

from tests.lab.items.site import Site
from tests.lab.pair import NEW, OLD


def test_a_skewed_clock_is_named_with_its_offset(site: Site) -> None:
    site.declare()
    site.apply()
    sources = "/etc/chrony/sources.d/hostmuster.sources"
    site.shell(NEW, f"sed -i 's/$/ offset 5/' {sources} && systemctl restart chrony")
    done = site.fleet.run("verify")
    assert done.exit == 1
    clock = done.item(NEW, "clock")
    assert clock["status"] == "failed"
    assert f"s off {site.lab.subnet.bridge}, bound 0.1 s" in clock["reason"]
    offset = float(clock["reason"].split("synchronised: ")[1].split(" s off")[0])
    assert 4.9 < offset < 5.1
    assert done.item(OLD, "clock")["status"] == "ok"
    assert site.apply().item(NEW, "clock")["status"] == "changed"


def test_a_second_ntp_client_is_named(site: Site) -> None:
    by_hand = "chronyd -x -n 'server 192.0.2.1' 'bindcmdaddress /' 'cmdport 0' 'pidfile /run/second.pid'"
    site.shell(OLD, f"systemd-run --quiet --unit=second {by_hand}")
    done = site.fleet.run("verify")
    site.shell(OLD, "systemctl stop second")
    assert done.exit == 1
    assert "chrony, second run at once" in done.item(OLD, "clock")["reason"]
    assert done.item(NEW, "clock")["status"] == "ok"


def test_a_client_that_a_host_runs_is_accepted_and_left_alone(site: Site) -> None:
    site.declare()
    site.apply()
    before = site.shell(OLD, "systemctl show -p InvocationID chrony")
    site.declare(clock={"client": "found"})
    assert site.apply().statuses(OLD)["clock"] == "ok"
    assert site.shell(OLD, "systemctl show -p InvocationID chrony") == before


def test_timesyncd_is_taken_where_it_is_declared_and_chrony_again_after_it(site: Site) -> None:
    # Debian skips it in a guest that may not set its clock; with this it runs and measures.
    folder = "/etc/systemd/system/systemd-timesyncd.service.d"
    site.shell(NEW, f"mkdir -p {folder} && printf '[Unit]\\nConditionCapability=\\n' >{folder}/lab.conf")
    site.fleet.host_settings = {NEW: {"clock": {"client": "timesyncd", "minpoll": 4}}}
    site.declare()
    done = site.apply()
    seen = {one["name"]: one["seen"] for one in done.item(NEW, "clock")["effects"]}
    assert seen["exactly one NTP client"] == "systemd-timesyncd alone"
    assert seen["the clock is synchronised"].endswith(f" s off {site.lab.subnet.bridge}")
    assert set(site.apply().statuses(NEW).values()) == {"ok"}
    site.fleet.host_settings = {}
    site.declare()
    first, *_ = site.apply().item(NEW, "clock")["effects"]
    assert first["seen"] == "chrony alone"
