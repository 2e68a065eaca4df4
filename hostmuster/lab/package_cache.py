"""The package cache: one apt-cacher-ng of our own, shared by all labs of the machine and by image builds.

One process, because two on one cache folder corrupt it. It listens on a loopback address for builds and on a socket
in the file system for labs; each lab passes its bridge's port 3142 on to that socket, so that guests never touch the
machine's own network. Debian's service of the same program is not used and does no harm: its port is another one.
"""

from __future__ import annotations

import shutil
import socket
import time
from pathlib import Path

from hostmuster.errors import HostmusterError
from hostmuster.lab.cgroup import ControlGroup
from hostmuster.lab.folder import CACHE, STATE
from hostmuster.lab.mirror import Mirror

PORT = 3142  # on a lab's bridge
BUILD_ADDRESS = "127.213.0.1"
BUILD_PORT = 31420  # apt-cacher-ng of the machine itself may hold 3142 on every address
USER = "apt-cacher-ng"
LIMIT_BYTES = 6 * 1024**3


def folder() -> Path:
    """Where its packages are kept between labs."""
    return CACHE / "apt"


def control_group() -> ControlGroup:
    """The group it runs in, with its door; no lab can have this name."""
    return ControlGroup.named("_packages")


def passing(listen: str, to: str) -> list[str]:
    """The command that listens at an address or socket file and passes every connection on to another one.

    It begins again should it end: a lab without its way to packages would otherwise stay so until its end.
    """
    proxy = ["systemd-socket-activate", f"--listen={listen}", "/lib/systemd/systemd-socket-proxyd", to]
    return ["sh", "-c", 'while :; do "$@"; echo "$1 ended with $?"; sleep 0.2; done', "sh", *proxy]


def run_folder() -> Path:
    """Its configuration, log and socket."""
    return CACHE / "apt-run"


def socket_file() -> Path:
    """The socket on which labs reach it."""
    return run_folder() / "socket"


def proxy_for_builds() -> str:
    """The http proxy that image builds use."""
    return f"http://{BUILD_ADDRESS}:{BUILD_PORT}"


def ensure(mirror: Mirror) -> None:
    """Start it unless it runs. The caller holds the machine's lock."""
    if control_group().processes() and answers():
        return
    stop()
    if folder().is_dir() and size(folder()) > LIMIT_BYTES:
        shutil.rmtree(folder())
    for place in (folder(), run_folder()):
        place.mkdir(mode=0o755, parents=True, exist_ok=True)
        shutil.chown(place, USER, USER)
    CACHE.chmod(0o755)
    socket_file().unlink(missing_ok=True)
    (run_folder() / "acng.conf").write_text(configuration(mirror))
    as_user = ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"]
    log = STATE / ".package-cache.log"
    ControlGroup.named("_packages", "cache").start([*as_user, "apt-cacher-ng", "-c", str(run_folder())], log)
    # The cache's own socket speaks something of its own; this one speaks HTTP.
    door = passing(str(socket_file()), f"{BUILD_ADDRESS}:{BUILD_PORT}")
    ControlGroup.named("_packages", "door").start(door, log)
    wait(log)


def wait(log: Path, seconds: float = 15.0) -> None:
    """Until it answers; raises HostmusterError with its own last words when it does not."""
    end = time.monotonic() + seconds
    while not answers():
        if time.monotonic() > end:
            raise HostmusterError(
                f"the package cache does not answer: {log.read_text()[-400:]}",
                where=f"{BUILD_ADDRESS}:{BUILD_PORT}",
                remedy=f"see {log} and {run_folder()}",
            )
        time.sleep(0.05)


def configuration(mirror: Mirror) -> str:
    """acng.conf: none of Debian's remaps, so that no mirror is named but the machine's own."""
    lines = {
        "CacheDir": folder(),
        "LogDir": run_folder(),
        "SupportDir": "/usr/lib/apt-cacher-ng",
        "BindAddress": f"{BUILD_ADDRESS}:{BUILD_PORT}",
        "Port": BUILD_PORT,
        "SocketPath": run_folder() / "own-socket",
        "PidFile": run_folder() / "pid",
        "Foreground": 1,
        "AllowUserPorts": 0,  # a mirror may stand on any port
        "VerboseLog": 0,
        "ExThreshold": 14,
        **({"Proxy": mirror.upstream_proxy} if mirror.upstream_proxy else {}),
    }
    return "".join(f"{key}: {value}\n" for key, value in lines.items())


def answers() -> bool:
    """Whether it accepts a connection on the address for builds and on the socket for labs."""
    try:
        socket.create_connection((BUILD_ADDRESS, BUILD_PORT), timeout=1).close()
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(2)
            probe.connect(str(socket_file()))
    except OSError:
        return False
    return True


def size(place: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(file.lstat().st_size for file in place.rglob("*"))


def stop() -> None:
    """End it; what it has cached stays."""
    control_group().kill()
