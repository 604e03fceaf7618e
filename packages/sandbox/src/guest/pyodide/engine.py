"""The engine of Python programs in Pyodide: a channel whose reads cannot be told to wait for a time only."""
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

#: Identifies requests of the engine's own, which the runtime's, counted from 1, do not reach.
OWN_REQUESTS = 0x8000_0000
#: In a snapshot there is no descriptor yet.
NOT_OPEN = 0
#: An alarm that is this much later than wanted will do.
ALARM_SLACK_SECONDS = 0.002
#: How the process ends that has told its program's outcome, and the one that lost its host.
TOLD = 77
HOST_GONE = 78

exit_process = os._exit


class WasmChannel(Channel):
    """To wait for a time, the host is asked to answer after it: the first frame that comes ends the wait."""

    def __init__(self):
        super().__init__(NOT_OPEN, NOT_OPEN)
        self._last = OWN_REQUESTS
        #: When each alarm that has not rung yet is due.
        self._alarms = {}
        self._deadline = math.inf
        self._ring = None
        self._took = False

    def open(self, descriptor):
        self._read = self._write = descriptor

    def ring_at(self, seconds, ring):
        """Calls `ring` when that time is over and the program waits then."""
        self._deadline = monotonic() + seconds
        self._ring = ring

    def receive(self, seconds):
        # After a frame the runtime asks for more: what came together with that one, which is taken without a wait.
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
        """The next frame that is the runtime's, past the alarms before it."""
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
    status = TOLD
    try:
        channel.open(descriptor)
        run = json.loads(payload)
        watch_clock(run["timeoutMs"] / 1_000)
        refuse_exit()
        guest.execute(run)
        channel.flush()
    except Exception as error:  # noqa: BLE001 - a defect of the runtime is told like one of the program
        failure = {"name": "InternalError", "message": f"The guest runtime failed: {error!r}", "stack": ""}
        channel.send(DONE, FAILED, json.dumps(failure))
        channel.flush()
    except HostGone:
        status = HOST_GONE
    finally:
        exit_process(status)


def watch_clock(seconds):
    """SIGALRM comes at the deadline. A program that waits for the host does not hear it, and is woken by an answer."""

    def ring(_signal, frame):
        if not channel.writing:
            guest.time_over(frame)
            channel.flush()
            exit_process(TOLD)

    signal.signal(signal.SIGALRM, ring)
    channel.ring_at(seconds, ring)


def refuse_exit():
    """`os._exit` would lose the program's outcome."""

    def end(status):
        guest.exited(status, sys._getframe(1))
        channel.flush()
        exit_process(TOLD)

    os._exit = end


channel = WasmChannel()
guest = Guest(channel.send, channel.receive)
# What has run once runs faster.
compile_program("1")
# The ways out of Python: who imports them is told that they are not there, who gets at them in another way is ended by the
# gate.
sys.modules["_pyodide_core"] = sys.modules["_ctypes"] = None
gc.collect()
gc.freeze()
