"""Playing episodes, one or many, and keeping what came of them.

`stage` and `play` execute one episode and know nothing of files. `directory` is the run directory. `batch` plays many
episodes at once and decides when a run must stop.
"""
