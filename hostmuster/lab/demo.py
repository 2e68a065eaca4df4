"""`make demo`: four real hosts boot, are made as declared, verified, broken on purpose and put right.

It types the commands a person would type, in the repository's own project, and shows what they print.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from hostmuster.lab.folder import LabFolder
from hostmuster.lab.lab import Lab
from hostmuster.project import Project
from hostmuster.secrets.place import store_path

FLEET = "lab"
COMMAND = str(Path(sys.executable).with_name("hostmuster"))


@dataclass(frozen=True)
class Scene:
    """A headline, the words of a hostmuster command, and the exit code it must end with."""

    says: str
    words: tuple[str, ...]
    exit: int = 0


BEGIN = (
    Scene("Four hosts boot: systemd, sshd, their own addresses and disks", ("lab.up",)),
    Scene("First contact as root, once: the automation user is made and proved", ("bootstrap",)),
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
    Scene("What is not as declared", ("check",), exit=2),
    Scene("Put right; what runs is restarted one host after the other", ("apply",)),
    Scene("Once more: nothing is left to do, and all of it is proved", ("apply",)),
)


def main() -> int:
    """Runs the scenes; the lab goes down at the end, however it ends (not with --keep). The exit code: 0 or 1."""
    console = Console(highlight=False)
    keep = "--keep" in sys.argv[1:]
    if LabFolder(FLEET).read() is not None:
        console.print(f"the lab {FLEET} is up, and somebody may be at work in it: hostmuster lab.down first")
        return 1
    try:
        if not store_path(Project.find(), FLEET).exists():
            play(console, Scene("The fleet's secrets: an SSH CA and the automation key, encrypted", ("secrets.init",)))
        for scene in BEGIN:
            play(console, scene)
        sabotage(console)
        for scene in END:
            play(console, scene)
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
    if code != scene.exit:
        raise UnexpectedEnd(f"hostmuster {' '.join(scene.words)} ended with {code}, not {scene.exit}")


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
