"""The floor of one process: pyinfra's own API (gevent) connects to every host and runs one program there. No more.

Started as a script, so that nothing of hostmuster is imported: its standard input is one JSON document.
"""

from gevent import monkey

monkey.patch_all()

import json  # noqa: E402
import sys  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402
from pyinfra.api.command import StringCommand  # noqa: E402
from pyinfra.api.config import Config  # noqa: E402
from pyinfra.api.inventory import Inventory  # noqa: E402
from pyinfra.api.state import State  # noqa: E402


def run(host: Any, command: str, given: str) -> bool:
    """Connects, runs the command with its standard input; whether it ended well and said so."""
    host.connect(raise_exceptions=True)
    done, output = host.connector.run_shell_command(StringCommand(command), _stdin=given)
    return bool(done) and output.stdout_lines[-1] == "done"


def main() -> int:
    """0 when every host gave a whole answer."""
    job = json.load(sys.stdin)
    hosts = [(name, data) for name, data in job["hosts"]]
    state: Any = State(inventory=Inventory((hosts, {})), config=Config())  # type: ignore[no-untyped-call]
    asked = [gevent.spawn(run, host, job["command"], job["stdin"]) for host in state.inventory]
    gevent.joinall(asked, raise_error=True)
    return 0 if all(one.value for one in asked) else 1


if __name__ == "__main__":
    sys.exit(main())
