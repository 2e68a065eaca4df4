"""A host's own journal: what an operator without our clone reads there after something went wrong."""

from __future__ import annotations

from tests.lab.failures.trial import BOOKWORM, Trial

JOURNAL = "/var/lib/hostmuster/journal/changes"


def test_a_host_tells_who_changed_what_and_what_was_taken_back(trial: Trial) -> None:
    trial.want(plain={"text": "journalled"})
    assert trial.apply().exit == 0
    changed = trial.on(BOOKWORM, f"grep ' changed plain ' {JOURNAL} | tail -n 1").split(" ")
    assert "@" in changed[1], "the holder"
    trial.want(plain={"text": "spoiled", "spoiled": True})
    assert trial.apply().exit == 1
    assert " took back plain " in trial.on(BOOKWORM, f"tail -n 1 {JOURNAL}")


def test_a_hosts_journal_is_bounded_and_the_oldest_goes_first(trial: Trial) -> None:
    trial.on(BOOKWORM, f"mkdir -p {JOURNAL.rpartition('/')[0]}; head -c 100000 /dev/zero | tr '\\0' x > {JOURNAL}")
    trial.want(plain={"text": "turned over"})
    assert trial.apply("--limit", BOOKWORM).exit == 0
    sizes = trial.on(BOOKWORM, f"stat -c %s {JOURNAL}.1 {JOURNAL} 2>/dev/null || true").split()
    assert int(sizes[0]) >= 100_000
    assert sum(map(int, sizes)) < 200_000
