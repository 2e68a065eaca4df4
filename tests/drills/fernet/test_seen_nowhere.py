"""While rows are encrypted anew nobody who looks sees a key or what is in a row, and nothing of it is left anywhere."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hostmuster.secrets.kinds.fernet import generate
from hostmuster.secrets.store import Store
from tests.drills.fernet.encrypted import MIGRATING, PATIENCE_S, Encrypted
from tests.lab.backends.backends import HOSTS
from tests.lab.failures.typing_operator import holds
from tests.lab.failures.watcher import Watcher

PLAIN = ["/usr/bin/python3", "-I", "-B", "/opt/workload"]
SAMPLE = """cd /var/lib/hostmuster; until [ -e /run/sampled ]; do
[ ! -d migrations ] || find migrations -mindepth 1 -printf '%y %m %u:%g %f\\n'; echo round; sleep 0.02
done 2>/dev/null | sort | uniq -c; rm /run/sampled"""
PLACES = "/etc /home /root /tmp /var/tmp /dev/shm /run /var/log /var/lib/hostmuster"
WHERE_THEY_BELONG = "--exclude-dir=generations --exclude-dir=credentials"


def test_no_key_and_no_row_is_seen_or_left_anywhere_but_where_it_belongs(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    encrypted.declare(
        env={},
        files={"AI_SECRET_ENCRYPTION_KEY_NEXT_FILE": "next"},
        **{act: [*PLAIN, act.replace("_", "-")] for act in ("dump", "migrate", "prove", "put_back")},
    )
    old, new = encrypted.key, generate("ai-key")
    monkeypatch.setenv("HOME", str(encrypted.fleet.home))
    store = Store.read(encrypted.fleet.folder / "secrets" / f"{encrypted.fleet.name}.yml")
    store.succeed("ai-key", lambda one: one.prepared(new))  # so that it is known whom to look for
    values = [old, new.text(), *encrypted.value.values()]
    watcher = Watcher(values, readers=("/opt/workload", "workload.service"))
    watcher.start()
    with ThreadPoolExecutor(1) as pool:
        sampled = pool.submit(encrypted.on, MIGRATING, SAMPLE, PATIENCE_S)
        done = encrypted.fleet.run("secrets.rotate", "ai-key")
        encrypted.on(MIGRATING, "touch /run/sampled")
    told = watcher.stop()
    assert done.exit == 0, done.errors
    assert told == set()

    seen = {line.strip().partition(" ")[2] for line in sampled.result().splitlines()}
    folders, files = {"d 700 root:root ai-key"}, {line for line in seen if line.startswith("f ")}
    assert {line for line in seen if line.startswith("d ")} == folders
    assert {"f 400 root:root next", "f 600 root:root rows"} <= files
    assert all(line.split()[1] in ("400", "600") and line.split()[2] == "root:root" for line in files)
    words = " ".join(f"-e '{value}'" for value in [*values[:2], "value of row"])
    look = f"grep -rlF -D skip {WHERE_THEY_BELONG} {words} {PLACES}; journalctl -q | grep -F {words}; true"
    assert {host: encrypted.on(host, look, PATIENCE_S) for host in HOSTS} == dict.fromkeys(HOSTS, "")
    for value in values[:2]:
        assert value not in done.output + done.errors
        assert holds(encrypted.fleet.folder, value) == []
        for folder in ("/tmp", "/var/tmp", "/dev/shm"):  # looked into, not written to
            lying = [path for path in Path(folder).glob("*") if path.is_file() and value.encode() in path.read_bytes()]
            assert lying == []
    encrypted.declare()
    encrypted.at_rest(new.text())
