"""A network namespace with the real packet filter, gone with the command that runs in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hostmuster.firewall.rendering import OWN

LOAD = Path(__file__).parents[3] / "hostmuster" / "firewall" / "load.sh"


def inside(script: str, *words: str) -> str:
    """What a shell says in a namespace of its own; `load TEXT4 TEXT6` loads a rule set, as a host does."""
    load = f'load() {{ sh {LOAD} - "$1" "$2"; }}\nset -e\n'
    argv = ["unshare", "-n", "-m", "--", "sh", "-c", load + script, "sh", *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def text(*rules: str, jump: str = "INPUT HOSTMUSTER-IN") -> str:
    """A rule set of one chain."""
    chain = jump.split()[1]
    lines = [f"# own {' '.join(OWN)}", f"# jump {jump}", "*filter", f":{chain} - [0:0]"]
    return "\n".join([*lines, *(f"-A {chain} {rule}" for rule in rules), "COMMIT"])


NOTHING = f"# own {' '.join(OWN)}\n*filter\nCOMMIT"
"""A rule set that is not there."""
