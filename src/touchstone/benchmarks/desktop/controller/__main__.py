"""Started as a folder: the folder becomes a package, whatever its name and place."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.path[0] = str(HERE.parent)
    role = import_module(f"{HERE.name}.{'fork_server' if sys.argv[1:2] == ['worker'] else 'server'}")
    sys.exit(role.main(sys.argv[1:]))
