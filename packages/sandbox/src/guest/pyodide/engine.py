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
from .protocol import DONE, FAILED, REQUEST
from .runtime import Guest
from .source import compile_program

#: Ids of the engine's own requests start here. The runtime counts from 1 and never reaches it.
OWN_REQUESTS = 0x8000_0000
#: A snapshot has no descriptor yet.
NOT_OPEN = 0
#: An existing alarm that is later by up to this time is reused.
ALARM_SLACK_SECONDS = 0.002
#: Exit codes: the outcome was reported; the host has closed the channel.
REPORTED = 77
HOST_GONE = 78

exit_process = os._exit


class WasmChannel(Channel):
    """A channel that waits for a time by a `sleep` request to the host: the first received frame ends the wait."""

    def __init__(self):
        super().__init__(NOT_OPEN, NOT_OPEN)
        self._last = OWN_REQUESTS
        #: Due time of each pending alarm.
        self._alarms = {}
        self._deadline = math.inf
        self._ring = None
        self._took = False

    def open(self, descriptor):
        self._read = self._write = descriptor

    def ring_at(self, seconds, ring):
        """Calls `ring` after this time if the program waits then."""
        self._deadline = monotonic() + seconds
        self._ring = ring

    def receive(self, seconds):
        # After a frame, the runtime asks for more frames of the same chunk, without a wait.
        more = self._took and seconds is not None and seconds <= 0
        frame = self._take_answer() or (None if more else self._wait(seconds))
        self._took = frame is not None
        return frame

    def _wait(self, seconds):
        self._wake_in(math.inf if seconds is None else max(0.0, seconds))
        while True:
            self.flush()
            self._fill()
            rung = len(self._alarms)
            frame = self._take_answer()
            if frame is not None:
                return frame
            if len(self._alarms) < rung:
                if seconds is not None:
                    return None
                self._wake_in(math.inf)

    def _take_answer(self):
        """Returns the next frame for the runtime. Handles the alarms before it."""
        while (frame := self._take()) is not None and frame[1] >= OWN_REQUESTS:
            self._alarms.pop(frame[1], None)
            if monotonic() >= self._deadline:
                self._ring(signal.SIGALRM, sys._getframe())
        return frame

    def _wake_in(self, seconds):
        now = monotonic()
        moment = min(now + seconds, self._deadline)
        if any(due <= moment + ALARM_SLACK_SECONDS for due in self._alarms.values()):
            return
        self._last += 1
        self._alarms[self._last] = moment
        self.send(REQUEST, self._last, f'["sleep",{max(0.0, moment - now) * 1_000}]')


def run_program(descriptor, payload):
    """Runs the program of a `run` frame. Does not return."""
    status = REPORTED
    try:
        channel.open(descriptor)
        run = json.loads(payload)
        watch_clock(run["timeoutMs"] / 1_000)
        refuse_exit()
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
    """Ends the program at the deadline by SIGALRM, or by an answer of the host if the program waits for the host."""

    def ring(_signal, frame):
        if not channel.writing:
            guest.time_over(frame)
            channel.flush()
            exit_process(REPORTED)

    signal.signal(signal.SIGALRM, ring)
    channel.ring_at(seconds, ring)


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
