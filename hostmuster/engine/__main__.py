"""The engine as a process of its own: a job on standard input, JSON lines on standard output, an exit code.

pyinfra patches the process it runs in with gevent; here that is done first, and nowhere else.
"""

from gevent import get_hub, monkey

monkey.patch_all()

import logging  # noqa: E402
import sys  # noqa: E402

from hostmuster.engine.command import main  # noqa: E402

if __name__ == "__main__":
    # What a connection fails with is in our own error, by host; paramiko would add its traceback to it.
    logging.disable(logging.CRITICAL)
    # Ctrl-C ends the run in its own words, without the hub's traceback.
    get_hub().NOT_ERROR += (KeyboardInterrupt,)
    sys.exit(main(sys.stdin.read()))
