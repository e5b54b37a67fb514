"""A worker: a process that has imported what is slow to import, and forks a child for each job.

Over a socket it is sent one byte with three descriptors: the job as a JSON file, and where the child's output and errors go. It
answers two lines: the child's process id, and its return code. Children are leaders of their own sessions; who asked ends them.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

Perform = Callable[[dict[str, Any]], int]
"""Does one job in a child and gives its return code."""


def main(arguments: Sequence[str]) -> int:
    """worker KIND DESCRIPTOR. The module of that name prepares itself and gives what performs a job."""
    _, kind, descriptor = arguments
    with socket.socket(fileno=int(descriptor)) as channel:
        try:
            perform: Perform = import_module(f".{kind}", __package__).prepare()
        except BaseException as error:
            channel.sendall(f"failed {type(error).__name__}: {error}".replace("\n", " ").encode() + b"\n")
            return 1
        channel.sendall(b"ready\n")
        while _next_job(channel, perform):
            pass
    return 0


def _next_job(channel: socket.socket, perform: Perform) -> bool:
    signal, descriptors, _, _ = socket.recv_fds(channel, 1, 3)
    if not signal:
        return False
    pid = os.fork()
    if pid == 0:
        channel.close()
        _child(perform, *descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    channel.sendall(f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    channel.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    return True


def _child(perform: Perform, job: int, output: int, error: int) -> None:
    """Never returns: the worker's own ending is not the child's."""
    code = 1
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(error, 2)
        os.close(output)
        os.close(error)
        with os.fdopen(job, "rb") as file:
            file.seek(0)
            given = json.load(file)
        code = perform(given)
        _settle()
    except BaseException as failure:
        print(f"{type(failure).__name__}: {failure}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def _settle() -> None:
    """As a program ends: its threads first, then what it has printed."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    sys.stdout.flush()
    sys.stderr.flush()
