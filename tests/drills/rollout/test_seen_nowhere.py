"""While a rollout is cut off and goes on, nobody who looks sees a secret value, and none is left anywhere."""

from __future__ import annotations

import secrets
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.drills.rollout.change import Change
from tests.lab.failures.typing_operator import holds
from tests.lab.failures.watcher import Watcher
from tests.lab.secrets.sharers import HOSTS, UNIT, Sharers

# Every file of a generation, and of a transaction that brings one, from before it lies there.
SAMPLE = """cd /var/lib/hostmuster; until [ -e /run/sampled ]; do
stat -c '%F %a %U:%G' . generations; find generations -type f -printf '%y %m %u:%g\\n'
find generations -type d -printf '%y %m %u:%g\\n'; find change -perm /077 ! -type l -printf 'open to others: %p %m\\n'
echo round; sleep 0.02; done 2>/dev/null | sort | uniq -c; rm /run/sampled"""
RIGHT = {"directory 700 root:root", "d 700 root:root", "f 400 root:root", "round"}
PLACES = "/etc /home /root /tmp /var/tmp /dev/shm /run /var/log /var/lib/hostmuster"
WHERE_THEY_BELONG = "--exclude-dir=generations --exclude-dir=credentials"


def test_no_value_is_seen_or_left_anywhere_but_where_it_belongs(sharers: Sharers, tmp_path: Path) -> None:
    token = f"token{secrets.token_hex(12)}"
    repository = Repository(tmp_path / "repository")
    repository.commit(sharers.fleet.folder)
    change = Change(sharers, token, tmp_path / "clone")
    ring = change.ring()
    # In the middle of a key's text, where no two are alike.
    values = [token, *(key.private.text().splitlines()[10] for key in ring.keys)]
    watcher = Watcher(values, readers=(UNIT,))
    watcher.start()
    with ThreadPoolExecutor(len(HOSTS)) as pool:
        sampled = [pool.submit(sharers.on, host, SAMPLE, 180) for host in HOSTS]
        change.orphaned(change.begun({"server-2": "written.1"}))
        done = change.completed()
        for host in HOSTS:
            sharers.on(host, "touch /run/sampled")
    seen = {line for one in sampled for line in one.result().splitlines()}

    assert watcher.stop() == set()
    assert {line.strip().partition(" ")[2] for line in seen} == RIGHT
    assert min(int(line.split()[0]) for line in seen if line.endswith("round")) > 20
    words = " ".join(f"-e '{value}'" for value in values)
    look = f"grep -rlF -D skip {WHERE_THEY_BELONG} {words} {PLACES}; journalctl -q | grep -F {words}; true"
    assert {host: sharers.on(host, look) for host in HOSTS} == dict.fromkeys(HOSTS, "")
    repository.commit(sharers.fleet.folder)
    history = repository.history()
    assert history.count("\ncommit ") + 1 == 2
    assert "api-token" in history
    for value in values:
        assert value not in history
        assert value not in done.output + done.errors
        assert holds(sharers.fleet.folder, value) == holds(change.clone.folder, value) == []
        for folder in ("/tmp", "/var/tmp", "/dev/shm"):  # looked into, not written to
            lying = [path for path in Path(folder).glob("*") if path.is_file() and value.encode() in path.read_bytes()]
            assert lying == []


class Repository:
    """A project's own history, as its operators keep it: the fleet file, the pins, the store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self._git("init", "-q")

    def commit(self, project: Path) -> None:
        """The project as it is now."""
        for part in ("inventory", "secrets"):
            shutil.copytree(project / part, self._folder / part, dirs_exist_ok=True)
        self._git("add", "-A")
        self._git("-c", "user.name=ada", "-c", "user.email=ada@example.net", "commit", "-q", "-m", "as it is")

    def history(self) -> str:
        """Every commit with all its lines."""
        return self._git("log", "-p", "--all", "--text")

    def _git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self._folder, capture_output=True, text=True, check=True)
        return done.stdout
