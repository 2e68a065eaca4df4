"""In a project's folder that may only be read, what only looks at hosts works, and says that it is not recorded."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from hostmuster.engine.job import Command, Job
from hostmuster.project import Project
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.place import store_path
from hostmuster.tasks.engine import ENGINE
from tests.items.project import REPOSITORY, fleet

AS_ANYBODY = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
"""Root writes wherever it likes; without these capabilities (capabilities(7)) modes count for it, too."""


def run(root: Path, command: Command) -> tuple[int, list[dict[str, object]]]:
    """The engine's exit code and what it said, with the folder's mode as it is."""
    job = Job(command=command, project=root, fleet="unit", limit=(), holder="test").model_dump_json()
    environ = os.environ | {"HOME": str(root.parent / "home")}
    ended = subprocess.run([*AS_ANYBODY, *ENGINE], input=job, capture_output=True, text=True, check=False, env=environ)
    assert ended.stderr == ""
    return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()]


def test_check_works_and_says_so_once_while_apply_is_told_what_it_cannot_write(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (tmp_path / "home").mkdir()
    root.mkdir()
    fleet(root, {})
    (root / "deploys").symlink_to(REPOSITORY / "deploys")
    found_store(store_path(Project(root), "unit"), "unit", (), {}, tmp_path / "home")
    root.chmod(0o555)
    try:
        code, events = run(root, "check")
        refused, told = run(root, "apply")
    finally:
        root.chmod(0o755)
    warned = [event["text"] for event in events if event["event"] == "warning"]
    assert [text for text in warned if "recorded" in str(text)] == [
        f"nothing of this run is recorded: {root}/reports cannot be written"
    ]
    assert (code, events[-1]["event"]) == (0, "result")
    assert (refused, told[-1]["event"]) == (1, "error")
    assert str(told[-1]["text"]).startswith(f"{root}/reports")
    assert not (root / "reports").exists()
