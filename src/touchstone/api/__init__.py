"""Touchstone from Python: what `import touchstone` offers, for notebooks, scripts and training loops.

`run` plays a benchmark, with a function as the agent if you like, `results` is what comes back, `gym` lets the caller make the
moves, `sync` waits for coroutines from ordinary code. Databases and worker processes live only while a run or an environment
does.
"""
