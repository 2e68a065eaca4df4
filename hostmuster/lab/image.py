"""An image: the read-only tree that all hosts of one Debian release stand on, built once for a recipe."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from hostmuster.errors import HostmusterError
from hostmuster.lab import package_cache, tool
from hostmuster.lab.folder import CACHE, STATE, lock
from hostmuster.lab.mirror import Mirror
from hostmuster.lab.recipe import Recipe

KEEP = 4

# After debootstrap: our files, the newest packages, and away with all that must not be the same on two hosts.
FINISH = """\
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
rm -f /etc/apt/sources.list
apt-get -qq -o Acquire::http::Proxy="$PROXY" update
apt-get -qq -y -o Acquire::http::Proxy="$PROXY" -o Dpkg::Use-Pty=0 --no-install-recommends \\
    -o Dpkg::Options::=--force-confold install $PACKAGES
apt-get -qq -y -o Acquire::http::Proxy="$PROXY" -o Dpkg::Use-Pty=0 dist-upgrade
apt-get clean
systemctl --root=/ -q enable systemd-networkd.service ssh.service
for unit in $UNITS_OFF; do systemctl --root=/ -q disable "$unit" 2>/dev/null || true; done
rm -f /etc/ssh/ssh_host_* /etc/machine-id /var/lib/dbus/machine-id /etc/hostname /etc/resolv.conf
rm -f /var/cache/apt/*.bin /var/log/*.log /var/log/apt/* /root/.bash_history
: > /etc/machine-id
: > /etc/resolv.conf
"""


def folder() -> Path:
    """Where finished images are kept."""
    return CACHE / "images"


def ensure(recipe: Recipe, mirror: Mirror, say: Callable[[str], None], base: Path | None = None) -> Path:
    """The image of this recipe, built if it is not there (a minute or two); two builders wait for each other.

    `base` is an image that has a part of its packages already: a copy of it is completed.
    """
    finished = folder() / recipe.name
    if finished.is_dir():
        return finished
    with lock(f"image-{recipe.suite}"):
        if not finished.is_dir():
            say(f"building the {recipe.suite} image, once: about two minutes")
            build(recipe, mirror, finished, base)
    return finished


def build(recipe: Recipe, mirror: Mirror, finished: Path, base: Path | None = None) -> None:
    """Build beside the final place and rename: an image that has its name is whole. The caller holds its lock."""
    sweep(recipe.suite)
    folder().mkdir(parents=True, exist_ok=True)
    tree = folder() / f".building-{recipe.suite}"
    log = folder() / f"{recipe.suite}.log"
    with log.open("wb") as sink:
        begun = debootstrap(recipe, mirror, tree) if base is None else ["cp", "-a", str(base), str(tree)]
        apart(begun, sink.fileno(), log)
        for path, content in recipe.files:
            file = tree / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        apart(finishing(recipe, tree), sink.fileno(), log)
    tree.rename(finished)
    # The tree must survive the machine: hosts on a half-written base would be a riddle.
    os.sync()
    prune(recipe.suite, finished)


def debootstrap(recipe: Recipe, mirror: Mirror, tree: Path) -> list[str]:
    """The command that makes the bare tree."""
    proxy = f"http_proxy={package_cache.proxy_for_builds()}"
    packages = f"--include={','.join(recipe.packages)}"
    return ["env", proxy, "debootstrap", "--variant=minbase", packages, recipe.suite, str(tree), mirror.main]


def finishing(recipe: Recipe, tree: Path) -> list[str]:
    """The command that completes it, inside it."""
    given = [f"PROXY={package_cache.proxy_for_builds()}", f"UNITS_OFF={' '.join(recipe.units_off)}"]
    # No initial RAM disk for a kernel: half a minute, and the machines here need none.
    given += [f"PACKAGES={' '.join(recipe.packages)}", "INITRD=No"]
    mounted = 'mount -t proc proc "$1/proc" && exec chroot "$@"'
    return ["env", *given, "sh", "-c", mounted, "sh", str(tree), "sh", "-c", FINISH]


def apart(argv: list[str], sink: int, log: Path) -> None:
    """Run a step of the build where its mounts and processes die with us, even by kill -9.

    setpriv asks the kernel to kill `unshare` when we die; with it dies the first process of the step's own process
    namespace, hence all of them; and its own mount namespace goes with the last one.
    """
    guard = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child"]
    done = subprocess.run(
        [*guard, *argv],
        stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, check=False,
        env={"PATH": tool.path(), "LC_ALL": "C.UTF-8", "HOME": "/root"},
    )  # fmt: skip
    if done.returncode != 0:
        said = "\n".join(log.read_text(errors="replace").strip().splitlines()[-6:])
        raise HostmusterError(f"the image could not be built: {said}", where=str(log))


def sweep(suite: str) -> None:
    """Take away what a killed build left. The caller holds the build's lock, so nobody builds there."""
    left = folder() / f".building-{suite}"
    if left.is_dir():
        shutil.rmtree(left)


def sweep_all() -> None:
    """Take away the leftovers of killed builds. The caller knows that no lab is up or coming up."""
    for left in folder().glob(".building-*"):
        with lock(f"image-{left.name.removeprefix('.building-')}"):
            sweep(left.name.removeprefix(".building-"))


def prune(suite: str, newest: Path) -> None:
    """Keep the last few images of a release, and every one that a lab stands on."""
    used = {newest, *(Path(file.read_text().strip()) for file in STATE.glob("*/hosts/*/image"))}
    images = sorted(folder().glob(f"{suite}-*/"), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in [image for image in images if image not in used][KEEP - 1 :]:
        shutil.rmtree(old)
