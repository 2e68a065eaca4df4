"""A member that leaves is stopped, forgotten and refused, whatever it kept; it comes back through the gate."""

from __future__ import annotations

import re
import subprocess
from typing import Any

from tests.lab.onboard.site import NEW, OLD, THIRD, Site
from tests.lab.onboard.terminal import answered

IDENTITY = "/etc/ssh/hostmuster/identity"
OPTIONS = (
    "-o BatchMode=yes -o ConnectTimeout=5 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -F /dev/null"
)
NOWHERE = {"clock": {"servers": ["203.0.113.9"], "deadline_s": 1}}
"""A time server that no host reaches: a required line that fails."""


def lines(document: Any) -> dict[str, str]:
    return {line["item"]: line["status"] for line in document["checklist"]}


def seen(document: Any, item: str) -> str:
    (line,) = [line for line in document["checklist"] if line["item"] == item]
    return str(line["seen"])


def logs_in(site: Site, key: str, to: str) -> str:
    """What a member says to whoever has this key and the certificate beside it."""
    address = site.lab.hosts[to].machine.address
    ssh = f"ssh {OPTIONS} -o IdentitiesOnly=yes -i {key} -o CertificateFile={key}-cert.pub service@{address} id -un"
    done = site.lab.run(THIRD, ssh)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def listens(site: Site, host: str) -> bool:
    return bool(site.lab.run(host, "ss -Hltn sport = :8080").stdout.strip())


def client(site: Site, host: str, path: str) -> subprocess.Popen[str]:
    """A request from this machine, as a client makes it."""
    address = site.lab.hosts[host].machine.address
    argv = ["curl", "-s", "-m", "20", "-o", "/dev/null", "-w", "%{http_code}", f"http://{address}:8080{path}"]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


def onboard(site: Site, host: str) -> Any:
    return site.fleet.run("onboard", host, "--fingerprint", site.fingerprint(host))


def test_who_may_not_leave_is_refused_and_nothing_is_touched(members: Site) -> None:
    before = members.pins()
    last = members.fleet.hostmuster("offboard", OLD)
    assert last.exit == 3
    assert "no other member has its role server" in last.errors
    assert members.fleet.hostmuster("offboard", "worker-9").exit == 3
    answers = members.fleet.hostmuster("offboard", THIRD, "--lost")
    assert answers.exit == 3
    assert "it answers" in answers.errors
    members.fleet.extra = {"lab": False}
    members.declare(OLD, NEW, THIRD)
    untyped = members.fleet.hostmuster("offboard", THIRD, "--yes")
    code, shown = answered(members.fleet, "offboard", THIRD, answer="worker-1", question="Type its name")
    assert code == 3
    assert f"{THIRD} will stop workload.service" in shown
    members.fleet.extra = {}
    members.declare(OLD, NEW, THIRD)
    assert untyped.exit == 3
    assert f"--confirm {THIRD}" in untyped.errors
    assert members.pins() == before
    assert listens(members, THIRD)


def test_a_member_leaves_with_what_it_was_doing_done_and_can_come_in_nowhere(members: Site) -> None:
    site = members
    site.lab.run(THIRD, f"cp -a {IDENTITY} /root/kept && chown -R root /root/kept")
    assert logs_in(site, "/root/kept/id_ed25519", OLD) == "service", "what it kept opens a member until it leaves"
    # Requests of two seconds by two clients, a second apart: while one of them asks anew, the other's is under way.
    url = f"http://{site.lab.hosts[THIRD].machine.address}:8080/work?seconds=2"
    asks = f"while curl -sf -o /dev/null '{url}'; do :; done"
    working = subprocess.Popen(["sh", "-c", f"{asks} & sleep 1; {asks}; wait"])
    done = site.fleet.run("offboard", THIRD)
    assert done.exit == 0, done.errors
    assert set(lines(done.document).values()) == {"ok"}
    assert set(lines(done.document)) == {"service", OLD, NEW, "refused", "secrets", "login"}
    working.wait(20)
    assert re.search("workload.service ended: [12] drained, 0 stopped, 0 killed", seen(done.document, "service"))
    assert client(site, THIRD, "/health/live").communicate()[0] == "000"
    assert not listens(site, THIRD)
    for gone in (IDENTITY, "/etc/workload/service.env", "/etc/sudoers.d/hostmuster", "/var/lib/hostmuster-login"):
        assert not site.lab.run(THIRD, f"ls -d {gone}").ok
    assert not site.lab.run(THIRD, "id hostmuster").ok
    for member in (OLD, NEW):
        assert "Permission denied" in logs_in(site, "/root/kept/id_ed25519", member)
        assert not site.lab.run(member, f"getent -s files hosts {THIRD}").ok
        address = site.lab.hosts[THIRD].machine.address
        options = "-o BatchMode=yes -o GlobalKnownHostsFile=/etc/ssh/hostmuster/known_hosts"
        known = site.lab.run(member, f"ssh {options} {address} true")
        assert "REVOKED" in known.stderr
        assert address not in site.lab.run(member, "cat /etc/hosts /etc/hostmuster/firewall/v4.rules").stdout


def test_it_is_left_out_of_every_command_until_its_entry_is_deleted(members: Site) -> None:
    checked = members.fleet.run("check")
    assert checked.exit == 0, checked.errors
    assert set(checked.document["hosts"]) == {OLD, NEW}
    assert (
        f"{THIRD} was offboarded and is left out: delete its entry (inventory/{members.fleet.name}.yml:"
        in checked.errors
    )
    named = members.fleet.hostmuster("apply", "--limit", THIRD)
    assert named.exit == 3
    assert f"hostmuster onboard {THIRD}" in named.errors
    knew = members.fleet.run("secrets.exposed", THIRD)
    assert [one["secret"] for one in knew.document["exposed"]] == [f"{members.fleet.name}:service@{THIRD}"]


def test_nothing_enters_service_before_every_required_line_holds(members: Site) -> None:
    site = members
    began = site.lab.run(THIRD, "date +%s").stdout.strip()
    site.fleet.host_settings = {THIRD: NOWHERE}
    site.declare(OLD, NEW, THIRD)
    assert site.fleet.hostmuster("onboard", THIRD, "--yes").exit == 3, "its key is to be confirmed once more"
    shut = onboard(site, THIRD)
    assert shut.exit == 1
    assert lines(shut.document)["clock"] == "failed"
    assert lines(shut.document)["units"] == "not_run"
    assert "nothing enters service until clock holds" in seen(shut.document, "units")
    applied = site.fleet.run("apply", "--limit", THIRD, "--item", "units")
    assert applied.exit == 1
    assert applied.item(THIRD, "units")["status"] == "skipped"
    started = f"journalctl -o cat --since @{began} UNIT=workload.service | grep -c ^Started"
    assert site.lab.run(THIRD, started).stdout.strip() == "0"
    assert not listens(site, THIRD)
    site.fleet.host_settings = {}
    site.declare(OLD, NEW, THIRD)
    mended = onboard(site, THIRD)
    assert mended.exit == 0, mended.errors
    assert client(site, THIRD, "/health/ready").communicate()[0] == "200"


def test_one_that_came_back_is_let_in_and_what_it_had_before_is_not(members: Site) -> None:
    done = members.fleet.run("apply")
    assert done.exit == 0, done.errors
    assert logs_in(members, f"{IDENTITY}/id_ed25519", OLD) == "service"
    assert "Permission denied" in logs_in(members, "/root/kept/id_ed25519", OLD)
    told = members.lab.run(OLD, f"runuser -u service -- ssh -o BatchMode=yes {THIRD} id -un")
    assert told.stdout.strip() == "service", told.stderr
