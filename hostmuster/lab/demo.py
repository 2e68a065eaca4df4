"""`make demo`: seven real hosts boot, are made as declared, broken on purpose and put right; then a signing key turns
under load, and the host that clients come in by loses its power.

It types the commands a person would type, in the repository's own project, and shows what they print.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from rich.console import Console

from hostmuster.lab.folder import LabFolder
from hostmuster.lab.lab import Lab
from hostmuster.project import Project
from hostmuster.secrets.place import store_path
from hostmuster.secrets.store import Store

FLEET = "lab"
COMMAND = str(Path(sys.executable).with_name("hostmuster"))


@dataclass(frozen=True)
class Scene:
    """A headline, the words of a hostmuster command, and the exit codes it may end with."""

    says: str
    words: tuple[str, ...]
    exits: tuple[int, ...] = (0,)


FIGURES = "reports/demo-tokens.json"
SECRETS = {"database": "shared-credential", "token-key": "rsa-signing-ring"}
BEGIN = (
    Scene("Seven hosts boot: systemd, sshd, their own addresses and disks", ("lab.up",)),
    Scene("First contact as root, once: the automation user is made and proved", ("bootstrap",)),
    Scene("What services share, to all hosts at the same moment", ("secrets.rollout",)),
    Scene("The checklist, over SSH as that user with sudo", ("apply",)),
    Scene("What must be true, seen from outside the items", ("verify", "--deep")),
)
BREAK = (
    ("server-1", "systemctl stop workload && systemctl mask --now chrony"),
    ("server-2", "echo LOG_LEVEL=debug >> /etc/workload/service.env"),
    ("worker-1", "echo '192.0.2.9 server-1' > /etc/hosts"),
    ("worker-2", "chmod 0644 /etc/workload/service.env"),
)
END = (
    Scene("What is not as declared", ("check",), exits=(2,)),
    Scene("Put right; what runs is restarted one host after the other", ("apply",)),
    Scene("Once more: nothing is left to do, and all of it is proved", ("apply",)),
)
TURN = Scene(
    "A signing key turns, while each server is asked for a token 20 times a second and the other one verifies it",
    ("secrets.rotate", "token-key", "--through", "--figures", FIGURES),
)
# Refuted (2) where the machine has other work: seven hosts share its cores, and the promise is half a second.
LOSS = Scene(
    "The host that clients come in by loses its power, while one of them asks", ("drill.run", "ingress-host"), (0, 2)
)
PAGE = Scene("All of it on one page", ("report",))
SETTLES_S = 20
"""A host that came back looks at itself every 10 s (inventory/lab.yml); until then it tells what it saw at its boot."""


def main() -> int:
    """Runs the scenes; the lab goes down at the end, however it ends (not with --keep). The exit code: 0 or 1."""
    return shown(_demo, keep="--keep" in sys.argv[1:])


def _demo(console: Console) -> None:
    for scene in chain(secrets(), BEGIN):
        play(console, scene)
    sabotage(console)
    for scene in END:
        play(console, scene)
    with tokens(console):
        play(console, TURN)
    play(console, LOSS)
    time.sleep(SETTLES_S)
    play(console, PAGE)


def shown(acts: Callable[[Console], None], *, keep: bool = False) -> int:
    """Plays acts in the lab, which goes down at their end. The exit code: 0, or 1 where one did not end as it says."""
    console = Console(highlight=False)
    if LabFolder(FLEET).read() is not None:
        console.print(f"the lab {FLEET} is up, and somebody may be at work in it: hostmuster lab.down first")
        return 1
    try:
        acts(console)
    except UnexpectedEnd as error:
        console.print(f"[bold red]{error}[/]")
        return 1
    except KeyboardInterrupt:
        console.print("interrupted")
        return 1
    finally:
        if keep:
            console.print("\nThe lab stays up: hostmuster lab.status, lab.kill, lab.ssh HOST, lab.down")
        else:
            play(console, Scene("Nothing stays: no process, mount, interface or rule", ("lab.down",)))
    return 0


def secrets() -> Iterator[Scene]:
    """What the store lacks."""
    path = store_path(Project.find(), FLEET)
    if not path.exists():
        yield Scene("The fleet's secrets: an SSH CA and the automation key, encrypted", ("secrets.init",))
    # Asked after the scene above has made it.
    for name in SECRETS.keys() - Store.read(path).entries.keys():
        yield Scene("A secret that services share", ("secrets.set", name, "--kind", SECRETS[name], "--generate"))


@contextmanager
def tokens(console: Console) -> Iterator[None]:
    """A prober beside what happens meanwhile; what it saw, in one line."""
    servers = [host.machine for host in Lab.open(FLEET).hosts.values() if "server" in host.machine.roles]
    asked = [f"{one.name}=http://{one.address}:8080" for one in servers]
    Path(FIGURES).parent.mkdir(exist_ok=True)
    words = [sys.executable, "-m", "hostmuster.drills.probes.tokens", "--out", FIGURES, *asked]
    prober = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        prober.send_signal(signal.SIGTERM)
        prober.wait()
    seen = json.loads(Path(FIGURES).read_text())
    console.print(
        f"[bold]{sum(seen['verified'].values())} tokens verified by the other server, {seen['failed']} refused[/]"
    )


class UnexpectedEnd(Exception):
    """A command did not end as the demo says it does."""


def play(console: Console, scene: Scene) -> None:
    """Shows and runs one command. Raises UnexpectedEnd for another exit code than the scene's."""
    console.print(f"\n[bold]{scene.says}[/]\n[dim]$ hostmuster {' '.join(scene.words)}[/]")
    process = subprocess.Popen([COMMAND, *scene.words, "--fleet", FLEET])
    try:
        code = process.wait()
    except KeyboardInterrupt:
        # The terminal told the command too: it ends in order, and its own words come first.
        process.wait()
        raise
    if code not in scene.exits:
        wanted = " or ".join(map(str, scene.exits))
        raise UnexpectedEnd(f"hostmuster {' '.join(scene.words)} ended with {code}, not {wanted}")


def sabotage(console: Console) -> None:
    """Breaks something on every host behind hostmuster's back."""
    console.print("\n[bold]Broken on purpose, by hand, on every host[/]")
    lab = Lab.open(FLEET)
    for host, command in BREAK:
        console.print(f"[dim]{host}# {command}[/]")
        done = lab.run(host, command)
        if not done.ok:
            raise UnexpectedEnd(f"{host}: {command} failed: {done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
