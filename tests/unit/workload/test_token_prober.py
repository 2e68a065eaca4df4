"""The prober of tokens on real replicas: nothing fails where nothing is wrong, and what is wrong is counted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hostmuster.drills.probes.tally import Tally
from hostmuster.drills.probes.verifier import Token, Verifier
from tests.unit.workload.process import Workload, free_port, running
from tests.unit.workload.test_signing import ring
from tests.waiting import await_that

Pems = tuple[str, str, str]


class Prober:
    """A process of its own, from when it would hear a SIGTERM to its document."""

    def __init__(self, replicas: Mapping[str, str], *words: str) -> None:
        asked = [f"{name}={url}" for name, url in replicas.items()]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hostmuster.drills.probes.tokens", *words, *asked], stdout=subprocess.PIPE, text=True
        )
        await_that(lambda: self.process.poll() is not None or self._hears, 60, "it has begun, or given up")

    @property
    def _hears(self) -> bool:
        """Whether it has a handler for SIGTERM: the last before it asks (SigCgt, proc_pid_status(5))."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> (signal.SIGTERM - 1) & 1)

    def ended(self, after_s: float = 0) -> tuple[int, Any]:
        """SIGTERM, where it is to go on only so long; its exit code and its document."""
        if after_s:
            time.sleep(after_s)
            self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=30)
        return self.process.returncode, json.loads(out)


def urls(**replicas: Workload) -> dict[str, str]:
    return {name: one.url for name, one in replicas.items()}


def test_where_all_have_one_ring_nothing_fails(opt: Path, pems: Pems) -> None:
    keys = ring(("key-2", pems[0]), ("key-1", pems[1]))
    with running(opt, **keys) as a, running(opt, **keys) as b:
        code, told = Prober(urls(a=a, b=b), "--seconds", "3").ended()
    assert (code, told["failed"], told["failures"], told["away"]) == (0, 0, {}, {})
    assert set(told["verified"]) == {"a by b", "b by a"}
    for name in ("a", "b"):
        # Twenty a second where the machine is not too busy to ask; what was not asked is told.
        asked = told["issued"][name] + told["missed"].get(f"a token of {name}", 0)
        assert 50 <= asked <= 65
        assert told["issued"][name] > 0


def test_a_replica_with_another_ring_is_counted_in_both_directions(opt: Path, pems: Pems) -> None:
    with running(opt, **ring(("key-1", pems[0]))) as a, running(opt, **ring(("key-2", pems[1]))) as wrong:
        code, told = Prober(urls(a=a, wrong=wrong)).ended(after_s=2)
    assert code == 1
    seen = told["failures"]["new token refused: unknown kid"]
    assert set(seen["by"]) == {"a by wrong", "wrong by a"}
    assert seen["count"] == sum(seen["by"].values()) >= 10
    assert told["failed"] == sum(kind["count"] for kind in told["failures"].values())
    assert told["began"] < seen["first"] < seen["last"]
    assert told["verified"] == {}


def test_a_key_that_goes_before_its_tokens_have_ended_is_seen(opt: Path, pems: Pems) -> None:
    before, after = ring(("key-2", pems[0]), ("key-1", pems[1])), ring(("key-2", pems[0]))
    with running(opt, **ring(("key-1", pems[1]), ("key-2", pems[0]))) as old, running(opt, **before) as other:
        prober = Prober(urls(old=old, other=other))
        time.sleep(2.5)
        other.stop()
        with running(opt, WORKLOAD_PORT=str(other.port), **after):
            code, told = prober.ended(after_s=2.5)
    assert code == 1
    assert "kept token refused: unknown kid" in told["failures"]
    assert "old by other" in told["failures"]["kept token refused: unknown kid"]["by"]


def test_a_replica_that_restarts_is_away_and_nothing_fails(opt: Path, pems: Pems) -> None:
    keys = ring(("key-1", pems[0]))
    with running(opt, **keys) as a, running(opt, **keys) as b:
        prober = Prober(urls(a=a, b=b))
        time.sleep(1.5)
        assert b.stop()[0] == 0
        time.sleep(0.5)
        with running(opt, WORKLOAD_PORT=str(b.port), **keys):
            code, told = prober.ended(after_s=2)
    assert (code, told["failures"]) == (0, {})
    assert told["away"]["b"]["count"] > 3
    assert "a" not in told["away"]


def test_a_token_that_ends_on_its_way_is_not_taken_for_refused(opt: Path, pems: Pems) -> None:
    with running(opt, WORKLOAD_TOKEN_S="4", **ring(("key-1", pems[0]))) as slow:
        _, told, _ = slow.ask("/token")
        token, tally = Token(told["token"], time.time(), told["exp"]), Tally()
        verifier = Verifier("other", "slow", slow.url, tally)
        verifier.start()
        time.sleep(token.ends - time.time() - 1.2)
        slow.process.send_signal(signal.SIGSTOP)
        verifier.give(token)
        time.sleep(1.5)
        slow.process.send_signal(signal.SIGCONT)
        verifier.end()
        verifier.join()
    seen = tally.told()
    assert (seen["failures"], seen["missed"]) == ({}, {"other by slow": 1})


def test_one_that_is_never_there_is_no_success() -> None:
    nobody = {name: f"http://127.0.0.1:{free_port()}" for name in ("a", "b")}
    code, told = Prober(nobody, "--seconds", "0.5").ended()
    assert (code, told["failed"]) == (1, 0)
    assert set(told["away"]) == {"a", "b"}
    assert told["verified"] == {}
