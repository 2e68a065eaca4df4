"""Bare hosts become members in one command each; who they are is confirmed by a person, and nobody else changes."""

from __future__ import annotations

from tests.lab.failures.trial import ended
from tests.lab.fleet_on_lab import Finished
from tests.lab.onboard.site import NEW, OLD, THIRD, Site
from tests.lab.onboard.terminal import answered

ITEMS = {"access", "clock", "workspace", "env_files", "units"}
"""What every host has; a project may declare more."""
PEERS = (
    "/etc/hosts",
    "/etc/ssh/hostmuster/known_hosts",
    "/etc/ssh/ssh_config.d/00-hostmuster.conf",
    "/etc/hostmuster/monitor/checks",
)
"""What a host knows of the others; nothing else there changes by one more."""
ALLOWLISTS = (
    "/etc/hostmuster/egress/load",
    "chain HOSTMUSTER-EGRESS",
    "/etc/hostmuster/firewall/v4.rules",
    "rules firewall",
)
"""Nor any list but those of who may be reached, and by whom."""
BETWEEN = {"access", "firewall", "monitor"}
"""What is proved between hosts, so that it waits for one that has not heard of the new host yet."""


def assert_whole(done: Finished) -> None:
    """Every line of the checklist is there with its text and what was seen, and none failed."""
    assert done.exit == 0, done.errors
    lines = done.document["checklist"]
    (host,) = done.document["hosts"].values()
    assert [line["item"] for line in lines] == list(host["items"])
    assert {line["item"] for line in lines} >= ITEMS
    assert {line["status"] for line in lines} <= {"ok", "not_run"}
    assert {line["item"] for line in lines if line["status"] == "not_run"} <= BETWEEN
    assert all(line["text"] and line["seen"] for line in lines)


def test_a_key_that_nobody_confirmed_is_never_pinned(site: Site) -> None:
    seen = site.fingerprint(OLD)
    for words in (("--yes",), ("--json", "--replace")):
        done = site.fleet.hostmuster("onboard", OLD, *words)
        assert done.exit == 3
        assert seen in done.errors
        assert f"--fingerprint {seen}" in done.errors, "the command to type"
    other = site.fleet.hostmuster("onboard", OLD, "--fingerprint", site.fingerprint(NEW))
    assert other.exit == 3
    assert site.fleet.hostmuster("onboard", OLD, "--fingerprint", "MD5:00:11").exit == 3
    code, shown = answered(site.fleet, "onboard", OLD, answer="y")
    assert code == 3
    assert f"ssh-ed25519 {seen}" in shown
    assert site.pins() == ""
    assert not site.lab.run(OLD, "id hostmuster").ok


def test_two_bare_hosts_onboard_at_once_in_one_command_each(site: Site) -> None:
    runs = [site.start(host, "--fingerprint", site.fingerprint(host)) for host in (OLD, NEW)]
    for run in runs:
        assert_whole(ended(run, 240))
    assert len(site.pins().splitlines()) == 2


def test_one_more_host_changes_nothing_on_the_others_but_peers(site: Site) -> None:
    site.declare(OLD, NEW, THIRD)
    foreign = f"# ours\n@cert-authority *.example.org {site.pins().splitlines()[0].partition(' ')[2]}\n"
    site.fleet.known_hosts.write_text(foreign + site.pins())
    code, shown = answered(site.fleet, "onboard", THIRD, answer="yes")
    assert code == 0, shown
    assert all(item in shown for item in ITEMS)
    assert all(f"{host} differs now" in shown for host in (OLD, NEW))
    assert site.pins().startswith(foreign)
    again = site.fleet.run("onboard", THIRD, "--yes")
    assert_whole(again)
    assert set(again.document["others"]) == {OLD, NEW}
    for differences in again.document["others"].values():
        assert {said.split(": ")[0].removeprefix("file ") for said in differences} == {*PEERS, *ALLOWLISTS}


def test_a_rebuilt_host_is_refused_until_it_is_to_be_replaced(site: Site) -> None:
    was = site.fingerprint(THIRD)
    site.lab.run(THIRD, "rm /etc/ssh/ssh_host_ed25519_key* && ssh-keygen -A && systemctl restart ssh")
    new = site.fingerprint(THIRD)
    before = site.pins()
    for words in (("--yes",), ("--fingerprint", new)):
        refused = site.fleet.hostmuster("onboard", THIRD, *words)
        assert refused.exit == 3
        assert was in refused.errors
        assert new in refused.errors
    assert site.fleet.hostmuster("onboard", THIRD, "--replace", "--fingerprint", was).exit == 3
    assert site.pins() == before
    assert_whole(site.fleet.run("onboard", THIRD, "--replace", "--fingerprint", new))
    assert site.pins().splitlines()[:4] == before.splitlines()[:4], "foreign lines and the others' pins"
    assert len(site.pins().splitlines()) == 5
