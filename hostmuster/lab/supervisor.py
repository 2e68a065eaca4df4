"""The supervisor of one guest: mounts its disk where nobody else sees it, boots it, again when it reboots itself."""

from __future__ import annotations

from pathlib import Path

from hostmuster.lab.switch import BRIDGE

# nspawn exits with this when the guest rebooted itself (systemd-nspawn(1), "Exit status").
REBOOTED = 133

# The mounts live in a mount namespace of their own: they end with its last process, so no kill can leave them behind,
# and no other guest holds a copy that would keep a dead disk busy.
# barrier=0: a power loss here is one of the file system, above the loop device. fsync still writes the journal; it only
# does not make the machine's own disk flush for each of a hundred hosts.
SCRIPT = f"""\
set -eu
host=$1 image=$2 machine=$3 name=$4
mkdir -p /run/systemd
mount -t tmpfs tmpfs /run/systemd
mount -o loop,noinit_itable,barrier=0 "$host/disk.img" "$host/disk"
if [ ! -d "$host/disk/upper" ]; then
    rm -rf "$host/disk/seeding"
    cp -a "$host/seed" "$host/disk/seeding"
    mkdir -p "$host/disk/work" "$host/disk/docker"
    mv "$host/disk/seeding" "$host/disk/upper"
    sync -f "$host/disk"
fi
layers="lowerdir=$image,upperdir=$host/disk/upper,workdir=$host/disk/work"
mount -t overlay overlay -o "$layers,redirect_dir=on" "$host/root"
while :; do
    # The kernel takes the dead guest's interface away in the background: a quick boot would find the name taken.
    ip link delete "vb-$machine" 2>/dev/null || :
    bridge={BRIDGE}
    # A host that is cut off boots on a bridge of its own: it has a link, and nobody is there.
    if [ -e "$host/cut" ]; then
        bridge=void-$machine
        ip link add "$bridge" type bridge 2>/dev/null || :
        ip link set "$bridge" up
    fi
    status=0
    SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet -D "$host/root" --boot --register=no --keep-unit \\
        --machine="$machine" --hostname="$name" --network-bridge="$bridge" --private-users=no \\
        --capability=all --drop-capability=CAP_SYS_TIME --system-call-filter='@keyring bpf' \\
        --bind="$host/disk/docker:/var/lib/docker" \\
        --resolv-conf=off --timezone=off --link-journal=no || status=$?
    [ "$status" = {REBOOTED} ] || exit "$status"
done
"""


def command(namespace: Path, host: Path, image: Path, machine: str, name: str) -> list[str]:
    """The command that becomes the supervisor, in the switch's network and in a mount namespace of its own."""
    apart = ["nsenter", f"--net={namespace}", "--", "unshare", "--mount"]
    return [*apart, "sh", "-c", SCRIPT, "supervisor", str(host), str(image), machine, name]
