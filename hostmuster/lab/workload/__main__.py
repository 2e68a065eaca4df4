"""Start the workload, as a module of its package or as a folder copied anywhere."""

import runpy
import sys
from pathlib import Path

if __package__:
    from .command import main

    sys.exit(main(sys.argv[1:]))

# Started as a folder: there is no package yet, and the folder's modules must not stand in for others.
folder = Path(__file__).resolve().parent
sys.path[0] = str(folder.parent)
runpy.run_module(folder.name, run_name="__main__", alter_sys=True)
