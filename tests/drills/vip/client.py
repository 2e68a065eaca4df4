"""What a client at 50 requests a second sees of a shared address while something happens."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.lab.vip.shared import Shared

HZ = 50
EVIDENCE = Path(__file__).parents[3] / "build" / "virtual-ip.json"
"""The figures of the last run."""


def seen(shared: Shared, happens: Callable[[], object], seconds: float) -> Any:
    """The probe's document: it asks a plain nginx for so long, and after one second it `happens`."""
    return asked(["--get", str(HZ), "--post", "0", "--get-path", "/", f"http://{shared.v4}"], happens, seconds)


def asked(words: Sequence[str], happens: Callable[[], object], seconds: float) -> Any:
    """The same of a probe with other words."""
    ends = ["--timeout", "1", "--seconds", str(seconds)]
    command = [sys.executable, "-m", "hostmuster.drills.probes.traffic", *ends, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as probe:
        time.sleep(1.5)  # the interpreter's start, and a second of good answers
        happens()
        said, _ = probe.communicate()
    document = json.loads(said)
    assert document["ok"] > HZ / 2, document
    return document


def keep(name: str, figures: object) -> None:
    """Adds figures to the evidence, and prints them."""
    EVIDENCE.parent.mkdir(exist_ok=True)
    kept = json.loads(EVIDENCE.read_text()) if EVIDENCE.is_file() else {}
    EVIDENCE.write_text(json.dumps(kept | {name: figures}, indent=2) + "\n")
    print(f"{name}: {json.dumps(figures)}")
