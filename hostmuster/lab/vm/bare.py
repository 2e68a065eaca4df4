"""The image of a virtual machine: the lab's own, with the kernel that Debian's cloud images have, and AppArmor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hostmuster.lab import image
from hostmuster.lab.mirror import Mirror
from hostmuster.lab.recipe import recipe

PACKAGES = ("linux-image-cloud-amd64", "apparmor")
# The profiles that Debian's package brings: an emulated processor compiles them for ten seconds at the first boot.
EMPTIED = ("lsb_release", "nvidia_modprobe")


def ensure(mirror: Mirror, say: Callable[[str], None]) -> Path:
    """The image of a bare virtual machine of Debian 12, built on the lab's own the first time (a minute)."""
    host = recipe("bookworm", mirror)
    emptied = ((f"/etc/apparmor.d/{name}", "# not in the lab\n") for name in EMPTIED)
    machine = replace(host, packages=(*host.packages, *PACKAGES), files=(*host.files, *emptied))
    return image.ensure(machine, mirror, say, base=image.ensure(host, mirror, say))
