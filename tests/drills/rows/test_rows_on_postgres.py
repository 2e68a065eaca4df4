"""Encrypted rows in a PostgreSQL that two hosts share: written on one, read on the other, encrypted anew (H19, K6)."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from cryptography.fernet import Fernet

from hostmuster.lab.lab import Lab
from tests.lab.backends.backends import HOSTS, Backends, BackendsFleet, two_hosts
from tests.lab.backends.postgres import postgres_on

NAMES = ("openai", "anthropic", "mistral")


@dataclass(frozen=True)
class Shared:
    """The backends, and what their acts on rows are given."""

    backends: Backends
    database_url: str

    def act(self, word: str, stdin: str = "", **keys: str) -> tuple[int, str]:
        """An act on the first host, as root; its variables go by a file that is gone afterwards."""
        lab, lines = self.backends.lab, {"DATABASE_URL": self.database_url, **keys}
        text = "".join(f"{name}='{value}'\n" for name, value in lines.items())
        assert lab.run(HOSTS[0], "umask 077; cat >/run/rows.env", stdin=text.encode()).ok
        script = f"set -a; . /run/rows.env; rm /run/rows.env; exec python3 -I -B /opt/workload {word}"
        done = lab.run(HOSTS[0], script, stdin=stdin.encode())
        return done.status, done.stdout or done.stderr


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Two backends with rows in one database, which is the first host's."""
    name = f"test-{os.getpid()}-rows"
    fleet = BackendsFleet(tmp_path_factory.mktemp("rows") / "project", name)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=2 << 30) as lab:
        url = postgres_on(lab, HOSTS[0])
        backends = Backends(fleet, lab)
        backends.made(url)
        for one in NAMES:
            body = json.dumps({"name": one, "value": f"key of {one}"})
            assert backends.ask(HOSTS[0], "/rows", body)[0] == 201
        yield Shared(backends, url)


def test_what_one_host_wrote_the_other_reads(shared: Shared) -> None:
    for name in NAMES:
        status, told = shared.backends.ask(HOSTS[1], f"/rows?name={name}")
        assert (status, told["value"]) == (200, f"key of {name}")


def test_rows_are_encrypted_anew_with_one_that_is_just_being_written_and_put_back(shared: Shared) -> None:
    lab = shared.backends.lab
    old = shared.backends.fleet.hostmuster("secrets.show", "ai-key", "--reveal").output.strip()
    keys = {"AI_SECRET_ENCRYPTION_KEY": old, "AI_SECRET_ENCRYPTION_KEY_NEXT": Fernet.generate_key().decode()}
    for host in HOSTS:
        assert lab.run(host, "systemctl stop workload").ok
    code, dump = shared.act("dump")
    assert (code, len(json.loads(dump)["rows"])) == (0, 3)
    late = "BEGIN; INSERT INTO secret_rows SELECT 'late', min(value) FROM secret_rows; SELECT pg_sleep(5); COMMIT;"
    psql = "cd /tmp; runuser -u postgres -- psql -qAt -d app"
    writer = threading.Thread(target=lab.run, args=(HOSTS[0], f'{psql} -c "{late}"'))
    writer.start()
    sleeps = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    assert lab.run(HOSTS[0], f'until [ "$({psql} -c "{sleeps}")" = 1 ]; do sleep 0.1; done').ok
    assert shared.act("migrate", **keys) == (0, '{"rows": 4, "encrypted_anew": 4}\n')
    writer.join()
    assert shared.act("prove", **keys) == (0, '{"rows": 4, "opened": 4}\n')
    code, told = shared.act("prove", AI_SECRET_ENCRYPTION_KEY=old)
    assert (code, told) == (1, "4 of 4 rows do not open, 'anthropic' the first of them\n")
    lab.run(HOSTS[1], "systemctl start workload")
    assert shared.backends.gave_up(HOSTS[1]) == "78"
    assert shared.act("put-back", stdin=dump) == (0, '{"rows": 3}\n')
    for host in HOSTS:
        assert lab.run(host, "systemctl reset-failed workload; systemctl start workload").ok
    assert shared.act("prove", AI_SECRET_ENCRYPTION_KEY=old) == (0, '{"rows": 3, "opened": 3}\n')
    assert not lab.run(HOSTS[0], "journalctl -q --no-pager | grep -e 'key of ' -e 'app:'").ok
