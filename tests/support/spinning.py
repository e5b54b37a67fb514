"""A program that wants a core all the time, for as long as whoever started it lives: a test run that is killed leaves none."""

SPIN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
