"""`inv TASK` in this folder is `hostmuster TASK`: the same tasks, the same exit codes."""

import sys
from pathlib import Path

from hostmuster.tasks import namespace
from hostmuster.tasks.program import main

__all__ = ["namespace"]

if Path(sys.argv[0]).name in ("inv", "invoke"):
    # invoke's own program would end with 1 where ours refuses with 3.
    main(["hostmuster", *sys.argv[1:]])
    raise SystemExit(0)
