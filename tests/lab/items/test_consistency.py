"""Hosts of one role that have not alike what nobody declares are named by check, in its one look at each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.lab.fleet_on_lab import Finished, machines_of
from tests.lab.items.site import Site
from tests.lab.pair import HOSTS, NEW, OLD


@pytest.fixture
def pair(site: Site) -> Iterator[Site]:
    """Both hosts share a role and are as declared; their environment names code and data that no item writes."""
    site.declare()
    files = site.fleet.settings["env_files"]["files"]
    values = {"SERVICE_ROOT": "/srv/service", "CODE": "/opt/extra", "DATA": "/srv/extra"}
    site.declare(env_files={"files": files | {"shell": files["shell"] | {"values": values}}})
    site.fleet.declare([replace(machine, roles=(*machine.roles, "pair")) for machine in machines_of(site.lab)])
    site.apply()
    for host in HOSTS:
        site.shell(host, "mkdir -p /opt/extra/lib /srv/extra && echo 'A = 1' >/opt/extra/lib/a.py")
    yield site
    for host in HOSTS:
        site.shell(host, "rm -rf /opt/extra /srv/extra")
        site.shell(host, """sed -i 's/"applied":"[^"]*"/"applied":""/' /var/lib/hostmuster/host.json""")
    site.declare()
    site.apply()


def told(done: Finished) -> list[str]:
    """The findings between hosts."""
    return [finding["text"] for finding in done.document["findings"]]


def test_code_folders_and_revisions_that_differ_between_hosts_are_findings_by_name(pair: Site) -> None:
    alike = pair.fleet.run("check")
    assert (alike.exit, told(alike)) == (0, [])
    pair.shell(NEW, "echo 'A = 2' >/opt/extra/lib/a.py; rmdir /srv/extra; echo '{}' >/opt/extra/host-state.json")
    pair.shell(NEW, """sed -i 's/"applied":"[^"]*"/"applied":"0123456789ab"/' /var/lib/hostmuster/host.json""")
    before = pair.shell(NEW, "cat /var/lib/hostmuster/host.json")
    done = pair.fleet.run("check")
    assert done.exit == 2, done.errors
    assert {status for host in HOSTS for status in done.statuses(host).values()} == {"ok"}
    assert set(done.document["execs"].values()) == {1}
    revision, *paths = told(done)
    assert revision == f"revision applied last: none (1: {OLD}), 0123456789ab (1: {NEW})"
    assert [text.partition(" sha256")[0] for text in paths if "/opt" in text] == ["/opt/extra:"]
    assert [text for text in paths if "/srv" in text] == [
        f"/srv/extra: a directory (1: {OLD}), missing (1: {NEW})",
    ]
    assert len(paths) == 2  # packages are compared within one release of Debian
    assert "not alike among pair" in done.errors
    assert pair.shell(NEW, "cat /var/lib/hostmuster/host.json") == before
