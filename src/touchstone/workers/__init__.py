"""Processes that can be killed.

Whatever may run away (SQL, comparisons of large results, untrusted code) runs here and not in the event loop. A small
zygote process is started once and forks a worker in a few milliseconds; a worker serves one call at a time over a socket.
A call names an ordinary importable function of one argument, a msgspec struct, which returns another:

    table = await pool.call(query, Query(database, sql))

`call` takes any free worker. `lease` gives one worker to one holder, for work that keeps state in the process.
Values cross as MessagePack, never as pickle: a worker that was taken over cannot make its parent run anything.
"""
