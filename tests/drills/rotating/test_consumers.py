"""Somebody who verifies by a cached copy of the keys: published and revoked are proved there, too (K4, K5)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.drills.rotating.signers import ISSUER, Signers
from tests.lab.fleet_on_lab import machines_of

RUNTIME, CACHE_PORT, CACHE_S = "worker-1", 8099, 4
UNIT = "runtime.service"
# Keeps what it read for so many seconds, as a verifier's own cache does.
PROGRAM = """
import http.server, json, sys, time, urllib.request
url, kept_s, port = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
copy, since = b"", 0.0
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global copy, since
        if not copy or time.monotonic() - since > kept_s:
            copy, since = urllib.request.urlopen(url, timeout=5).read(), time.monotonic()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(copy)
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


class Runtime:
    """The service with the cache, on one of the hosts."""

    def __init__(self, signers: Signers) -> None:
        self.signers = signers
        source = signers.urls["server-1"] + "/.well-known/jwks.json"
        self._start = f'systemd-run --quiet --unit={UNIT} python3 -c "$(cat)" {source}'

    def caches(self, seconds: int) -> None:
        """Started anew, with an empty cache that it fills at the first question and keeps for so long."""
        lab = self.signers.lab
        lab.run(RUNTIME, f"systemctl stop {UNIT} 2>/dev/null; systemctl reset-failed {UNIT} 2>/dev/null")
        started = lab.run(RUNTIME, f"{self._start} {seconds} {CACHE_PORT}", stdin=PROGRAM.encode())
        assert started.ok, started.stderr
        ready = (
            f"for i in $(seq 100); do curl -sf -o /dev/null 127.0.0.1:{CACHE_PORT}/ && exit; sleep 0.1; done; exit 1"
        )
        assert lab.run(RUNTIME, ready).ok

    def stop(self) -> None:
        """Gone."""
        self.signers.lab.run(RUNTIME, f"systemctl stop {UNIT}")


@pytest.fixture
def runtime(signers: Signers) -> Iterator[Runtime]:
    """Declared on its host alone, which signs as well."""
    signers.declare()
    way = {"url": f"http://127.0.0.1:{CACHE_PORT}/", "cache_s": CACHE_S}
    signers.fleet.host_settings = {
        RUNTIME: {"secrets": {"issuers": {"signing": {**ISSUER, "consumers": {"runtime": way}}}}}
    }
    signers.fleet.declare(machines_of(signers.lab))
    here = Runtime(signers)
    yield here
    here.stop()
    signers.fleet.host_settings = {}
    signers.declare()
    assert signers.fleet.run("secrets.rotate", "signing", "--through").exit == 0


def test_a_key_signs_only_once_a_cached_copy_knows_it(runtime: Runtime) -> None:
    signers = runtime.signers
    runtime.caches(CACHE_S - 2)
    done = signers.fleet.run("secrets.rotate", "signing")
    assert done.exit == 0, done.errors
    assert "known to runtime on worker-1" in [step["step"] for step in done.document["steps"]]
    runtime.stop()
    blind = signers.fleet.run("secrets.promote", "signing")
    assert (blind.exit, "runtime on worker-1 is not seen to verify it" in blind.errors) == (3, True)
    runtime.caches(CACHE_S - 2)
    assert signers.fleet.run("secrets.promote", "signing").exit == 0


def test_a_copy_that_is_never_read_anew_keeps_a_revocation_open_until_it_is(runtime: Runtime) -> None:
    signers = runtime.signers
    runtime.caches(10_000)
    open_still = signers.fleet.run("secrets.revoke", "signing")
    assert open_still.exit == 1
    assert "runtime on worker-1: after 4 s it still does not know the keys as they are published" in open_still.errors
    assert signers.ring().revoked
    runtime.caches(10_000)
    done = signers.fleet.run("secrets.revoke", "signing")
    assert done.exit == 0, done.errors
    assert not signers.ring().revoked
