"""A host serves with the generation that its peers have, or waits and says why; nobody has to start it."""

from __future__ import annotations

from tests.lab.gate.gated import BY_ITSELF_S, Gated
from tests.lab.pair import HOSTS, NEW, OLD
from tests.lab.secrets.sharers import UNIT
from tests.waiting import await_that


def test_a_host_that_boots_alone_waits_and_serves_by_itself_once_a_peer_answers(gated: Gated) -> None:
    for host in HOSTS:
        gated.lab.kill(host)
    gated.back(OLD)
    gated.waits(OLD, f"none of its peers answers ({NEW}): it may be the one that is cut off")
    assert "none of its peers answers" in gated.listed().document["waits"][OLD]
    status = gated.fleet.run("status").document["hosts"][OLD]
    assert "none of its peers answers" in status["waits"]
    gated.back(NEW)
    gated.comes_by_itself(OLD, NEW)
    assert gated.why(OLD) == gated.why(NEW) == ""
    verify = gated.fleet.run("verify", "--deep")
    assert verify.exit == 0, verify.errors
    assert f"{NEW} has generation" in str(verify.item(OLD, "secrets"))


def test_a_crash_is_survived_while_no_peer_answers(gated: Gated) -> None:
    gated.lab.cut(NEW)
    process = f"systemctl show -p MainPID --value {UNIT}"
    before = gated.on(OLD, process)
    gated.on(OLD, f"systemctl kill -s KILL {UNIT}")
    # Until systemd has heard of its death it is active still.
    await_that(lambda: gated.on(OLD, process) != before, BY_ITSELF_S, "that process is gone")
    gated.comes_by_itself(OLD)
    gated.lab.heal(NEW)


def test_what_asks_peers_is_given_no_secret(gated: Gated) -> None:
    asking = "for p in $(pgrep -f '[h]ostmuster-generation'); do tr '\\0' '\\n' </proc/$p/environ; done | sort -u"
    gated.on(OLD, "rm -f /run/hostmuster-gate/open; systemctl stop hostmuster-gate.timer")
    gated.lab.cut(NEW)
    seen = gated.lab.run(OLD, f"systemctl restart --no-block {UNIT}; for n in $(seq 20); do sleep 0.1; {asking}; done")
    gated.lab.heal(NEW)
    gated.on(OLD, "systemctl start hostmuster-gate.timer")
    gated.comes_by_itself(OLD)
    assert "PATH=" in seen.stdout
    assert "API_TOKEN" not in seen.stdout
    assert "RUNTIME_RSA" not in seen.stdout
