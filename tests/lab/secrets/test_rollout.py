"""One generation of secrets on all hosts: it comes to all of them at once, or to none."""

from __future__ import annotations

import shutil

from tests.lab.secrets.sharers import HOSTS, UNIT, Sharers, turned
from tests.waiting import await_that


def test_an_apply_writes_no_secrets_and_says_what_does(built: Sharers) -> None:
    done = built.fleet.run("apply")
    assert done.exit == 1
    for host in HOSTS:
        assert "hostmuster secrets.rollout" in done.item(host, "secrets")["reason"]
    assert built.generations() == [""] * 4


def test_all_services_run_with_one_generation_that_only_root_reads(sharers: Sharers) -> None:
    assert len(set(sharers.generations())) == 1
    assert sharers.tokens() == ["token-of-the-first-day"] * 4
    for host in HOSTS:
        access = sharers.on(host, "find -L /var/lib/hostmuster/current -printf '%y %m %u:%g\\n' | sort -u")
        assert access.splitlines() == ["d 700 root:root", "f 400 root:root"]
        assert sharers.on(host, f"head -n 1 /run/credentials/{UNIT}/signing-key") == "-----BEGIN PRIVATE KEY-----"


def test_a_second_rollout_changes_and_restarts_nothing(sharers: Sharers) -> None:
    before = sharers.generations(), sharers.started()
    done = sharers.rollout()
    assert done.exit == 0
    assert done.document["skew_s"] is None
    assert (sharers.generations(), sharers.started()) == before
    listed = sharers.fleet.run("secrets.list").document
    assert (listed["generation"], listed["hosts"]) == (
        done.document["generation"],
        dict.fromkeys(HOSTS, done.document["generation"]),
    )


def test_a_new_value_is_switched_everywhere_at_once_and_services_restart_one_after_another(sharers: Sharers) -> None:
    number = sharers.rollout().document["generation"]
    assert sharers.set("api-token", "token-of-another-day").exit == 0
    done = sharers.rollout()
    assert done.exit == 0, done.errors
    assert done.document["generation"] == number + 1
    assert {host: one["generation"] for host, one in done.document["hosts"].items()} == dict.fromkeys(HOSTS, number + 1)
    assert done.document["skew_s"] < 0.1
    assert sharers.tokens() == ["token-of-another-day"] * 4
    ask = f"systemctl show -p InactiveEnterTimestamp -p ActiveEnterTimestamp --timestamp=us+utc {UNIT}"
    spans = []
    for host in HOSTS:
        stopped, started = (
            line.partition("=")[2].split()[2] for line in sorted(sharers.on(host, ask).splitlines(), reverse=True)
        )
        spans.append((stopped, started))
    assert all(one[1] <= other[0] for one, other in zip(sorted(spans), sorted(spans)[1:], strict=False))
    assert sharers.fleet.run("verify").exit == 0


def test_a_host_that_is_down_keeps_every_host_from_it(sharers: Sharers) -> None:
    before, running = sharers.generations(), sharers.tokens()
    assert sharers.set("api-token", "token-that-waits").exit == 0
    sharers.lab.kill("worker-2")
    done, listed = sharers.rollout(), sharers.fleet.run("secrets.list").document
    sharers.lab.start("worker-2")
    assert done.exit == 3
    assert [host for host, number in listed["hosts"].items() if number is None] == ["worker-2"]
    assert "worker-2" in done.errors
    assert sharers.generations() == before
    await_that(lambda: sharers.tokens() == running, 60, "who has only just booted starts it, too")


def test_a_service_that_does_not_take_it_sends_all_hosts_back(sharers: Sharers) -> None:
    before, running = sharers.generations(), sharers.tokens()
    assert sharers.set("api-token", "token-that-is-refused").exit == 0
    done = sharers.rollout()
    assert done.exit == 1
    assert "taken back on all hosts" in done.errors
    assert (sharers.generations(), sharers.tokens()) == (before, running)
    assert sharers.set("api-token", "token-that-is-taken").exit == 0
    assert sharers.rollout().exit == 0
    assert sharers.tokens() == ["token-that-is-taken"] * 4


def test_a_rebuilt_host_is_onboarded_with_the_generation_that_the_others_have(sharers: Sharers) -> None:
    before, running = sharers.generations(), sharers.started()
    sharers.lab.reset("worker-2")
    done = sharers.fleet.run("onboard", "worker-2")
    assert done.exit == 0, done.errors
    assert sharers.generations() == before
    assert sharers.started()[:3] == running[:3]
    assert len(set(sharers.tokens())) == 1
    known = sharers.fleet.run("secrets.exposed", "worker-2").document
    assert {"api-token", "signing"} <= {one["secret"] for one in known["exposed"]}


def test_configuration_that_is_put_back_brings_no_old_secret_back(sharers: Sharers) -> None:
    template = sharers.fleet.folder / "templates" / "units" / "reader.service.j2"
    before = template.read_text()
    template.write_text(before.replace("Reads secrets", "Reads many secrets"))
    assert sharers.apply().exit == 0
    assert sharers.set("api-token", "token-after-the-change").exit == 0
    assert sharers.rollout().exit == 0
    generations = sharers.generations()
    template.write_text(before)
    done = sharers.apply()
    assert {done.item(host, "units")["status"] for host in HOSTS} == {"changed"}
    assert sharers.tokens() == ["token-after-the-change"] * 4
    assert sharers.generations() == generations


def test_two_states_that_may_not_serve_together_are_refused(sharers: Sharers) -> None:
    before = sharers.generations()
    store = sharers.fleet.folder / "secrets" / f"{sharers.fleet.name}.yml"
    shutil.copy(store, store.with_suffix(".was"))
    for change in ("published", "another"):
        ring = sharers.fleet.hostmuster("secrets.show", "signing", "--reveal").output
        assert sharers.set("signing", turned(ring, change)).exit == 0, change
    done = sharers.rollout()
    store.with_suffix(".was").replace(store)
    assert done.exit == 3
    assert "may not serve together: of the ring signing" in done.errors
    assert sharers.generations() == before
