"""sshd's drop-ins (sshd_config(5)), read by `sshd -t`."""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read_alone, version_of

remedy = "correct the item's settings, or the template"
programs = "sshd and ssh-keygen, in a namespace of its own"

_TEST = 'mount -t tmpfs none /run && mkdir -m 0755 /run/sshd && exec sshd -t -h "$0" -f "$1"'
"""sshd tests nothing without a host key, nor without its folder, which only its service makes."""
_ONLY_THE_HOST_HAS = "No such file or directory"
_ADDS_UP = frozenset(
    (
        "acceptenv", "allowgroups", "allowusers", "denygroups", "denyusers", "hostcertificate", "hostkey",
        "include", "listenaddress", "match", "permitlisten", "permitopen", "port", "setenv", "subsystem",
    )
)  # fmt: skip


def version() -> str | None:
    """sshd's, by its file."""
    return version_of("sshd", "ssh-keygen", alone=True)


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call an artefact, with a host key that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="hostmuster-lint-") as folder:
        key = str(Path(folder) / "key")
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True, capture_output=True)
        heard = {artefact: read_alone(artefact, "sh", "-c", _TEST, key) for artefact in artefacts}
    return {
        artefact: [line for line in said.lines if _ONLY_THE_HOST_HAS not in line] for artefact, said in heard.items()
    }


def traps(artefact: Artefact) -> Iterator[str]:
    """The first value of an option counts; sshd says nothing of a second one."""
    lines = [line.split() for line in artefact.content.decode("utf-8", "replace").splitlines()]
    words = [line[0].lower() for line in lines if line and not line[0].startswith("#")]
    before_blocks = words[: words.index("match")] if "match" in words else words
    for word, times in Counter(before_blocks).items():
        if times > 1 and word not in _ADDS_UP:
            yield f"{word} is there {times} times, and only the first counts"
