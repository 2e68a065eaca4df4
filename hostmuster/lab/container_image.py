"""The lab's container image: busybox, a page and nothing else, made without an engine or a registry.

Its archive is the same, byte for byte, whenever it is made of the same busybox, so its config digest is too.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hostmuster.errors import HostmusterError
from hostmuster.lab import tool
from hostmuster.lab.folder import CACHE, lock

APPLETS = ("sh", "httpd", "sleep", "cat", "ls", "wget", "hostname", "true", "env")
ARCHIVE = "build/lab-web.tar"
"""Where a lab's fleet file names it, in the project; git leaves that folder alone."""
_PACKAGE = "busybox-static"


def ensure(at: Path) -> Path:
    """Makes the archive at that path, unless it is there. Raises HostmusterError where busybox cannot be had."""
    if not at.is_file():
        _put(at, archive({"bin/busybox": busybox(), "www/index.html": b"the lab's image\n"}))
    return at


def archive(files: Mapping[str, bytes], reference: str | None = None) -> bytes:
    """As `docker save` writes it: one layer with these files and busybox's applets, tagged `reference` if any."""
    layer = _layer(files)
    diff_id = f"sha256:{hashlib.sha256(layer).hexdigest()}"
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": "1970-01-01T00:00:00Z",
            "config": {"Env": ["PATH=/bin"], "Cmd": ["httpd", "-f", "-p", "80", "-h", "/www"]},
            "rootfs": {"type": "layers", "diff_ids": [diff_id]},
            "history": [{"created": "1970-01-01T00:00:00Z"}],
        }
    ).encode()
    name = f"{hashlib.sha256(config).hexdigest()}.json"
    tags = [reference] if reference else None
    manifest = json.dumps([{"Config": name, "RepoTags": tags, "Layers": ["layer.tar"]}]).encode()
    return _tar({name: (config, 0o644), "layer.tar": (layer, 0o644), "manifest.json": (manifest, 0o644)})


def busybox() -> bytes:
    """Debian's static busybox, fetched once by this machine's own apt and kept with the lab's images."""
    kept = CACHE / "busybox"
    with lock("busybox"):
        if not kept.is_file():
            _put(kept, _fetched())
    return kept.read_bytes()


def _put(path: Path, body: bytes) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_bytes(body)
    beside.replace(path)


def _fetched() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        # As root apt would drop to a user who may not write there.
        download = ["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", _PACKAGE]
        if not _run(download, folder)[0]:
            _run(["apt-get", "-q", "update"], folder)
            done, said = _run(download, folder)
            if not done:
                raise HostmusterError(f"{_PACKAGE} cannot be fetched: {said}", remedy="see that apt-get works here")
        (package,) = Path(folder).glob("*.deb")
        done, said = _run(["dpkg-deb", "-x", str(package), f"{folder}/tree"], folder)
        if not done:
            raise HostmusterError(f"{package.name} cannot be unpacked: {said}")
        found = [path for path in Path(folder, "tree").rglob("busybox") if path.is_file() and path.parent.name == "bin"]
        return found[0].read_bytes()


def _run(argv: list[str], folder: str) -> tuple[bool, str]:
    env = {"PATH": tool.path(), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stderr.strip()[-500:]


def _layer(files: Mapping[str, bytes]) -> bytes:
    with_modes = {name: (body, 0o755 if name.startswith("bin/") else 0o644) for name, body in files.items()}
    return _tar(with_modes, {f"bin/{applet}": "busybox" for applet in APPLETS} if "bin/busybox" in files else {})


def _tar(files: Mapping[str, tuple[bytes, int]], links: Mapping[str, str] | None = None) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for folder in sorted({name.rpartition("/")[0] for name in files} - {""}):
            info = tarfile.TarInfo(folder)
            info.type, info.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(info)
        for name, (body, mode) in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(body), mode
            tar.addfile(info, io.BytesIO(body))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            tar.addfile(info)
    return made.getvalue()
