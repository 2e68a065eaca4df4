"""The programs of the machine that the lab runs, each with the Debian package it comes from."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from hostmuster.errors import HostmusterError, Refused

PACKAGES: Mapping[str, str] = {
    "systemd-nspawn": "systemd-container",
    "debootstrap": "debootstrap",
    "apt-cacher-ng": "apt-cacher-ng",
    "chronyd": "chrony",
    "nft": "nftables",
    "ip": "iproute2",
    "mkfs.ext4": "e2fsprogs",
    "losetup": "mount",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "setpriv": "util-linux",
    "systemd-socket-activate": "systemd",
    "wget": "wget",
}

SBIN = "/usr/local/sbin:/usr/sbin:/sbin"


def path() -> str:
    """PATH with the sbin folders: a root shell made by `su` has none, and the lab's programs lie there."""
    return f"{os.environ.get('PATH', '/usr/bin:/bin')}:{SBIN}"


def require() -> None:
    """Refuse, before anything is touched, when the lab cannot work here (no root, or a program is missing)."""
    if os.geteuid() != 0:
        raise Refused(
            "the lab needs root: it mounts disks and makes network namespaces",
            where="lab",
            remedy="run it as root, on a Debian 12 machine that may be used for tests",
        )
    missing = sorted({package for name, package in PACKAGES.items() if shutil.which(name, path=path()) is None})
    if missing:
        raise Refused(
            f"programs the lab needs are not installed here (Debian packages: {', '.join(missing)})",
            where="lab",
            remedy=f"apt-get install --no-install-recommends {' '.join(missing)}",
        )


def run(*argv: str, stdin: str | None = None, timeout_s: float = 120.0) -> str:
    """Run a program and return what it printed; raises HostmusterError with its last lines if it fails."""
    done = attempt(argv, stdin=stdin, timeout_s=timeout_s)
    if done.returncode != 0:
        said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise HostmusterError(f"`{' '.join(argv)}` ended with {done.returncode}: {said}", where="lab")
    return done.stdout


def attempt(
    argv: Sequence[str], *, stdin: str | None = None, timeout_s: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """Run a program whose failure is an answer too. Raises HostmusterError when it hangs."""
    # An empty input, not ours: a program that asks must get its end of file and not the user's terminal.
    environment = {**os.environ, "PATH": path(), "LC_ALL": "C.UTF-8"}
    try:
        return subprocess.run(
            argv,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
            env=environment,
            input=stdin or "",
        )
    except subprocess.TimeoutExpired as hung:
        raise HostmusterError(f"`{' '.join(argv)}` did not end within {timeout_s:.0f} s", where="lab") from hung
