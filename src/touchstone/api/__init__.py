"""Touchstone from Python: what `import touchstone` offers, for notebooks, scripts and training loops.

`sources` names a benchmark without opening it, `running` plays it with a function as the agent, `results` is what comes back,
`stepping` lets the caller make the moves. Databases and worker processes live only while a run or an environment does.
"""
