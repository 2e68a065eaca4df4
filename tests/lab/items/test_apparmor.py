"""Hosts whose kernel has no AppArmor: the files are in place on both releases, and nothing is said to hold."""

from __future__ import annotations

from typing import Any

from tests.lab.items.site import Site
from tests.lab.pair import NEW, OLD

PROFILES: dict[str, Any] = {
    "docker-workload": {"template": "docker-workload.j2", "refused": ["true"]},
    "host-workload": {
        "template": "host-workload.j2",
        "attaches": "/usr/local/bin/agent",
        "values": {"writes": ["/srv/work"]},
    },
}
WHY = ("this kernel has no AppArmor", "this host is a container: AppArmor is its machine's affair")


def test_the_line_says_not_run_with_the_reason_and_never_ok(site: Site) -> None:
    site.declare(apparmor={"profiles": PROFILES})
    first = site.apply()
    assert (first.exit, first.item(OLD, "apparmor")["status"]) == (0, "changed")
    for done in (site.apply(), site.fleet.run("verify", "--deep")):
        assert done.exit == 0
        for host in (OLD, NEW):
            item = done.item(host, "apparmor")
            assert item["status"] == "not_run"
            assert item["differences"] == []
            assert [one["ok"] for one in item["effects"]] == [None] * len(item["effects"])
            assert {one["seen"] for one in item["effects"]} <= {*WHY}
            assert item["reason"].startswith("the profiles are loaded: this ")
    shown = site.fleet.hostmuster("verify")
    assert any(why in shown.output for why in WHY), shown.output


def test_the_hosts_own_parser_has_the_last_word_where_ours_is_of_another_release(site: Site) -> None:
    wrong = "profile app {\n  include <abstractions/nope>\n}\n"
    site.fleet.host_settings = {NEW: {"apparmor": {"profiles": {"app": {"text": wrong}}}}}
    site.declare()
    done = site.fleet.run("apply")
    site.fleet.host_settings = {}
    site.declare()
    assert done.exit == 1
    assert "Could not open 'abstractions/nope'" in done.item(NEW, "apparmor")["reason"]
    assert site.lab.run(NEW, "test -e /etc/apparmor.d/app").status == 1
