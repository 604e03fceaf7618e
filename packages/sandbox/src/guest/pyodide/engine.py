"""The engine of Python programs in Pyodide. Reads from its channel have no timeout."""
import gc
import json
import math
import os
import signal
import sys
from time import monotonic

from . import preload  # noqa: F401 - to have it in the snapshot
from .frames import Channel, HostGone
from .packages import install_packages
from .program.source import compile_program
from .protocol import DONE, FAILED
from .runtime import Guest

#: A snapshot has no descriptor yet.
NOT_OPEN = 0
#: Exit codes: the outcome was reported; the host has closed the channel.
REPORTED = 77
HOST_GONE = 78

exit_process = os._exit


class WasmChannel(Channel):
    """A channel whose reads cannot be interrupted: at the deadline, a frame of the host ends a wait."""

    def __init__(self):
        super().__init__(NOT_OPEN, NOT_OPEN)

    def open(self, descriptor):
        self._read = self._write = descriptor

    def receive(self, seconds):
        """Returns the next frame. The program has no threads, so it never asks for a frame without a wait."""
        while (frame := self._take()) is None:
            self.flush()
            self._fill()
        return frame


def run_program(descriptor, payload):
    """Runs the program of a `run` frame. Does not return."""
    status = REPORTED
    try:
        channel.open(descriptor)
        run = json.loads(payload)
        watch_clock(run["timeoutMs"] / 1_000)
        refuse_exit()
        # A snapshot has no packages: they are files that come afterwards.
        install_packages()
        guest.execute(run)
        channel.flush()
    except Exception as error:  # noqa: BLE001 - a defect of the runtime is reported like an error of the program
        failure = {"name": "InternalError", "message": f"The guest runtime failed: {error!r}", "stack": ""}
        channel.send(DONE, FAILED, json.dumps(failure))
        channel.flush()
    except HostGone:
        status = HOST_GONE
    finally:
        exit_process(status)


def watch_clock(seconds):
    """Ends the program at the deadline: by SIGALRM while it computes, or by a frame of the host while it waits."""
    deadline = monotonic() + seconds

    def ring(_signal, frame):
        # The interpreter's alarm does not know the pauses: it rings from the first deadline on.
        if monotonic() >= deadline and not channel.writing:
            guest.time_over(frame)
            channel.flush()
            exit_process(REPORTED)

    def set_time(left):
        nonlocal deadline
        deadline = math.inf if left is None else monotonic() + left
        ring(signal.SIGALRM, sys._getframe())

    signal.signal(signal.SIGALRM, ring)
    channel.on_time = set_time


def refuse_exit():
    """Replaces `os._exit`, which would lose the program's outcome."""

    def end(status):
        guest.exited(status, sys._getframe(1))
        channel.flush()
        exit_process(REPORTED)

    os._exit = end


channel = WasmChannel()
guest = Guest(channel.send, channel.receive)
# The first run of this code is slow.
compile_program("1")
# Modules that lead out of Python: importing them fails. The import filter ends a program that reaches them in another way.
sys.modules["_pyodide_core"] = sys.modules["_ctypes"] = None
gc.collect()
gc.freeze()
