"""A credential that backends and renderers share is replaced on all of them at once."""

from __future__ import annotations

from tests.drills.rotating.signers import HOSTS, Signers
from tests.drills.rotating.terminal import typed
from tests.lab.fleet_on_lab import machines_of


def test_backends_and_renderers_agree_on_the_new_credential_and_never_differ(signers: Signers) -> None:
    signers.declare()
    before = signers.fleet.hostmuster("secrets.show", "render", "--reveal").output
    done = signers.fleet.run("secrets.rotate", "render")
    assert done.exit == 0, done.errors
    print("swap:", {name: done.document.get(name) for name in ("outage_s", "skew_s", "seconds")})
    assert signers.fleet.hostmuster("secrets.show", "render", "--reveal").output != before
    for host in HOSTS:
        status, told = signers.ask(host, "/render", "page")
        assert status == 200, told
    stopped, switched, started = (
        next(step["at"] for step in done.document["steps"] if step["step"].startswith(word))
        for word in ("stopped", "generation", "started")
    )
    assert stopped < switched < started
    assert done.document["outage_s"] > 0
    assert done.document["skew_s"] < 0.1
    stands_still = nobody_runs_s(signers)
    print("between the last that ran with the old one and the first with the new one:", stands_still)
    assert stands_still > 0, "so long two sides differed"
    listed = signers.fleet.run("secrets.list").document
    assert listed["hosts"] == dict.fromkeys(HOSTS, done.document["generation"])
    assert signers.fleet.run("verify").exit == 0


def nobody_runs_s(signers: Signers) -> float:
    """From the end of the last process with the old value to the begin of the first with the new one, in systemd's
    words; the hosts of a lab share their clock. Below 0 would be how long two sides differed."""
    units = " + ".join(f"_PID=1 UNIT={unit}.service" for unit in ("workload", "workload-renderer"))
    spans = []
    for host in HOSTS:
        lines = signers.lab.run(host, f"journalctl -q -b -o short-monotonic --no-pager {units}").stdout.splitlines()
        at = {
            word: [float(line[1:].split("]")[0]) for line in lines if word in line] for word in ("Stopped ", "Started ")
        }
        # The last two of each are the two units'.
        spans.append((max(at["Stopped "][-2:]), min(at["Started "][-2:])))
    return min(began for _, began in spans) - max(ended for ended, _ in spans)


def test_where_it_is_no_lab_the_name_is_typed_before_anything_stops(signers: Signers) -> None:
    signers.declare()
    signers.fleet.extra["lab"] = False
    signers.fleet.declare(machines_of(signers.lab))
    try:
        for words in (("secrets.rotate", "render"), ("secrets.revoke", "signing", "--confirm", "render")):
            done = signers.fleet.run(*words)
            assert done.exit == 3
            assert "the secret's name is to be typed" in done.errors
        code, shown = typed(signers.fleet, ("renderer",), "secrets.rotate", "render")
        assert code == 3
        assert "server-1 will stop workload.service, workload-renderer.service." in shown
        assert "its name was not typed; nothing was touched" in shown
    finally:
        del signers.fleet.extra["lab"]
        signers.declare()
