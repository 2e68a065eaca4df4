"""The disk of a virtual machine: an ext4 file system in a sparse file, filled from an image and a seed."""

from __future__ import annotations

from pathlib import Path

from hostmuster.lab import tool

SIZE = "2G"

# A tree of the two, where nobody else sees the mount; it goes with the process.
FILL = """\
set -eu
seed=$1 image=$2 tree=$3 disk=$4 size=$5
mkdir -p "$tree"
mount -t overlay overlay -o "lowerdir=$seed:$image" "$tree"
mke2fs -q -F -t ext4 -m 0 -E lazy_itable_init=1,nodiscard -d "$tree" "$disk.new" "$size"
"""


def make(file: Path, image: Path, seed: Path) -> None:
    """A new disk with the image's files and the seed's over them, in some seconds."""
    beside = file.with_suffix(".img.new")
    beside.unlink(missing_ok=True)
    words = (seed, image, file.with_name("tree"), file, SIZE)
    tool.run("unshare", "--mount", "sh", "-c", FILL, "sh", *map(str, words))
    beside.replace(file)
