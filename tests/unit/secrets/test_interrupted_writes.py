"""Whatever ends a writer, the store is whole; and of two writers neither is lost."""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

from .conftest import ROOT, Operator

KILLS = 30
ENDLESS_WRITER = """
import sys
from pathlib import Path
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret
store = Store.read(Path(sys.argv[1]))
number = int(store.value("counter").text())
while True:
    number += 1
    store = store.set("counter", Secret(str(number)))
    if number % 2:
        store = store.rekey()
    print(number, flush=True)
"""


def test_killed_at_any_moment_the_store_is_whole_and_holds_every_acknowledged_value(store: Store) -> None:
    store = store.set("counter", Secret("100000"))
    rng = random.Random(7)  # noqa: S311 - moments, no secrets
    half_written = 0
    for kill in range(10 * KILLS):
        if kill >= KILLS and half_written:
            break
        writer = subprocess.Popen(
            [sys.executable, "-c", ENDLESS_WRITER, store.path], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        acknowledged = int(writer.stdout.readline())
        time.sleep(rng.uniform(0, 0.06))
        writer.send_signal(signal.SIGKILL)
        rest = writer.communicate()[0].split()
        acknowledged = max(acknowledged, *(int(line) for line in rest)) if rest else acknowledged
        half_written += len(list(store.path.parent.glob(".*.part")))
        now = int(Store.read(store.path).value("counter").text())
        assert acknowledged <= now <= acknowledged + 1
    assert half_written > 0, "no kill hit a write; the test showed nothing"
    Store.read(store.path).set("counter", Secret("the end"))
    assert [path.name for path in store.path.parent.iterdir()] == [store.path.name]


def test_a_full_disk_leaves_the_store_as_it_was_and_says_so(operator: Operator, store: Store) -> None:
    before = store.path.read_bytes()

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    command = [sys.executable, "-B", "-m", "hostmuster.tasks.program", "secrets.set", "db-password"]
    answer = subprocess.run(
        command,
        cwd=operator.project,
        env=operator.environ,
        input=b"a much better password",
        capture_output=True,
        preexec_fn=no_room,
        check=False,
    )
    assert answer.returncode == 1
    assert b"is as it was: File too large" in answer.stderr
    assert b"better" not in answer.stderr + answer.stdout
    assert store.path.read_bytes() == before
    assert [path.name for path in store.path.parent.iterdir()] == [store.path.name]


def test_no_decrypted_value_is_ever_on_disk(store: Store) -> None:
    """Also not in what a killed writer leaves: its half-written file is ciphertext."""
    store = store.set("counter", Secret("100000")).set("marked", Secret("find-me-on-disk"))
    for _ in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", ENDLESS_WRITER, store.path], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.kill()
        writer.communicate()
    seen = [path for path in store.path.parents[2].rglob("*") if path.is_file()]
    assert store.path in seen
    assert not [path for path in seen if b"find-me-on-disk" in path.read_bytes()]


def test_of_many_writers_at_once_none_is_lost(operator: Operator, store: Store) -> None:
    names = [f"writer-{number}" for number in range(8)]
    command = [sys.executable, "-m", "hostmuster.tasks.program", "secrets.set"]
    writers = [
        subprocess.Popen(
            [*command, name], cwd=operator.project, env=operator.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for name in names
    ]
    for name, writer in zip(names, writers, strict=True):
        assert writer.stdin is not None
        writer.stdin.write(f"value of {name}".encode())
        writer.stdin.close()
    assert [writer.wait(60) for writer in writers] == [0] * len(names)
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.close()
    now = Store.read(store.path)
    assert [now.value(name).text() for name in names] == [f"value of {name}" for name in names]


def test_a_killed_holder_frees_the_lock(store: Store, tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from pathlib import Path; from hostmuster.secrets.durable import only_writer\n"
            "with only_writer(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)",
            store.path.parent,
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    holder.kill()
    holder.communicate()
    assert store.set("db-password", Secret("a new one")).value("db-password").text() == "a new one"
