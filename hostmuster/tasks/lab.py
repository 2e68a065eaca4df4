"""The tasks of the lab: real hosts on this machine, whose power and network can be taken away."""

# The lab itself is imported in the tasks' bodies: the other tasks, and --help, must not wait for what it imports.
from __future__ import annotations

import json as json_format
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from invoke import Collection, Context, Task, task

from hostmuster.project import Project
from hostmuster.tasks.job import positive
from hostmuster.tasks.refusal import told

if TYPE_CHECKING:
    from hostmuster.lab.lab import Lab

HELP = {
    "fleet": "the lab's fleet, inventory/NAME.yml (default: $HOSTMUSTER_FLEET, else lab)",
    "name": "the same as --fleet: a lab is called like its fleet",
    "project": "the project's folder (default: the nearest one upward that holds inventory/)",
    "host": "the host's name",
}


def lab_task(**help_texts: str) -> Callable[[Callable[..., None]], Task[Any]]:
    """Make a task whose options are the function's own."""

    def decorate(body: Callable[..., None]) -> Task[Any]:
        names = body.__code__.co_varnames[: body.__code__.co_argcount + body.__code__.co_kwonlyargcount]
        texts = {key: text for key, text in {**HELP, **help_texts}.items() if key in names}
        made: Task[Any] = task(auto_shortflags=False, help=texts)(body)
        return made

    return decorate


def chosen(fleet: str | None, name: str | None = None) -> str:
    """The fleet that is meant, whose lab has the same name."""
    return name or fleet or os.environ.get("HOSTMUSTER_FLEET") or "lab"


def project_of(folder: str | None) -> Project:
    """The project that is meant; Refused outside one."""
    return Project.find(Path(folder) if folder else None)


def say(text: str) -> None:
    """Progress, where it does not mix with results."""
    print(text, file=sys.stderr, flush=True)


def opened(fleet: str | None, name: str | None) -> Lab:
    """The lab that is meant; Refused when it is not up, or without root."""
    from hostmuster.lab import tool
    from hostmuster.lab.lab import Lab

    tool.require()
    return Lab.open(chosen(fleet, name))


@lab_task(hosts="run this many hosts: the first of the file, then more workers")
def up(
    _context: Context,
    hosts: str | None = None,
    fleet: str | None = None,
    name: str | None = None,
    project: str | None = None,
) -> None:
    """Bring the lab up: every host boots, its key is pinned, its sshd answers."""
    from hostmuster.lab import of_fleet

    count = positive("--hosts", hosts)
    began = time.monotonic()
    lab = of_fleet.up(project_of(project), chosen(fleet, name), count, say)
    say(f"{len(lab.hosts)} hosts answer after {time.monotonic() - began:.1f} s")
    for host in lab.hosts.values():
        print(f"{host.name}  {host.machine.address}  Debian {host.machine.debian}  {' '.join(host.machine.roles)}")


@lab_task()
def down(_context: Context, fleet: str | None = None, name: str | None = None, project: str | None = None) -> None:
    """Take the lab away: no process, mount, loop device, interface or rule of it stays."""
    from hostmuster.lab import of_fleet

    of_fleet.down(project_of(project), chosen(fleet, name))
    say(f"the lab {chosen(fleet, name)} is down")


@lab_task(json="one JSON document on standard output")
def status(
    _context: Context,
    fleet: str | None = None,
    name: str | None = None,
    json: bool = False,
    project: str | None = None,
) -> None:
    """Show the lab's hosts: running, cut off or without power."""
    from hostmuster.lab import of_fleet

    hosts = of_fleet.status(chosen(fleet, name))
    if not hosts:
        with told(as_json=json):  # else a mistyped name would be a lab that is down
            of_fleet.declared_lab(project_of(project), chosen(fleet, name))
    if json:
        print(json_format.dumps({"hosts": hosts}, indent=2))
        return
    for host, seen in hosts.items():
        print(f"{host}  {seen['address']}  {seen['state']}  {' '.join(seen['roles'])}")
    if not hosts:
        print(f"the lab {chosen(fleet, name)} is down")


@lab_task()
def kill(_context: Context, host: str, fleet: str | None = None, name: str | None = None) -> None:
    """Take a host's power: what it had not synced is lost."""
    opened(fleet, name).kill(host)


@lab_task()
def start(_context: Context, host: str, fleet: str | None = None, name: str | None = None) -> None:
    """Give a host its power back, with the disk it had."""
    opened(fleet, name).start(host)


@lab_task(from_="only from this other host")
def cut(
    _context: Context,
    host: str,
    from_: str | None = None,
    fleet: str | None = None,
    name: str | None = None,
) -> None:
    """Cut a host off the network, or only from one other host."""
    opened(fleet, name).cut(host, peer=from_)


@lab_task()
def heal(_context: Context, host: str, fleet: str | None = None, name: str | None = None) -> None:
    """Undo every cut of a host."""
    opened(fleet, name).heal(host)


@lab_task(command="run this shell command and pass its exit code on (default: a shell)")
def ssh(
    _context: Context,
    host: str,
    command: str | None = None,
    fleet: str | None = None,
    name: str | None = None,
) -> None:
    """A root shell on a host, whatever became of its network and its sshd."""
    argv = opened(fleet, name).host(host).entered(command)
    sys.stdout.flush()
    os.execvp(argv[0], argv)  # noqa: S606 - it becomes the shell: terminal, signals and exit code are the shell's own


COLLECTION = Collection("lab", up, down, status, kill, start, cut, heal, ssh)
