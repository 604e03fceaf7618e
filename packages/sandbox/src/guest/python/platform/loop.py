"""An event loop for `asyncio` that waits for answers of the host instead of sockets."""
import asyncio
import threading
from time import sleep as engine_sleep

from ..faults import PROGRAM_FILE, NeverSettles

#: Interval in which the loop checks for work from other threads, which cannot wake it.
THREAD_POLL_SECONDS = 0.001
#: Resolution of the clock. A timer of the loop is due after its time, not at it.
CLOCK_SECONDS = 0.001
#: Turns of the loop without a wait, after which it waits for an answer.
MAX_SPINS = 100


class BridgeSelector:
    """The selector of the event loop. A wait for a time is a `sleep` request to the host."""

    def __init__(self, bridge, loop):
        self._bridge = bridge
        self._loop = loop
        #: Unanswered `sleep` requests, by the time of the loop at which they are due.
        self._alarms = {}
        self._spins = 0

    def select(self, seconds):
        if threading.active_count() > 1:
            self._poll(seconds)
        elif seconds == 0:
            self._spin()
        else:
            self._wait(seconds)
        self._loop.looks_at_timers = True
        return ()

    def _wait(self, seconds):
        self._spins = 0
        if seconds is not None:
            self._wake_in(seconds)
        elif self._is_idle():
            raise NeverSettles
        self._receive(None)

    def _spin(self):
        """Other callbacks are ready. A program that only yields until an answer arrives gets one after a number of turns."""
        self._spins += 1
        if self._spins > MAX_SPINS and not self._is_idle():
            self._wait(None)

    def _poll(self, seconds):
        """Waits without the lock of the bridge, which other threads need."""
        self._receive(0)
        engine_sleep(THREAD_POLL_SECONDS if seconds is None else min(seconds, THREAD_POLL_SECONDS))

    def _receive(self, seconds):
        self._bridge.pump(seconds)
        settled = [due for due, answer in self._alarms.items() if answer._settled]
        if settled:
            self._loop.reach(max(settled))
            self._alarms = {due: answer for due, answer in self._alarms.items() if not answer._settled}

    def _is_idle(self):
        """Returns whether the program waits for no answer. Left alarms of finished waits do not count."""
        return self._bridge.waiting <= len(self._alarms)

    def _wake_in(self, seconds):
        due = self._loop.now + seconds
        if all(alarm > due for alarm in self._alarms):
            self._alarms[due] = self._bridge.request("sleep", "sleep", seconds * 1_000)

    def close(self):
        pass


class GuestLoop(asyncio.BaseEventLoop):
    """The event loop of a guest. It has no network."""

    #: The main task of the last started loop, which shows where a program waits.
    main = None

    def __init__(self, bridge):
        super().__init__()
        self._clock = bridge.clock
        self._now = 0.0
        #: The host has answered the waits until this time. In a dry run, it is ahead of the clock.
        self._reached = 0.0
        #: Set after each wait: the loop itself reads the time next, to find the timers that are due.
        self.looks_at_timers = False
        self._selector = BridgeSelector(bridge, self)

    @property
    def now(self):
        """The last reading."""
        return self._now

    def time(self):
        """Returns seconds. Without timers, the loop's own readings do not read the clock: each reading is recorded."""
        if self.looks_at_timers:
            self.looks_at_timers = False
            if not self._scheduled:
                return self._now
        self._now = max(self._clock.now() / 1_000, self._reached)
        return self._now

    def reach(self, due):
        """Notes that a wait until this time has ended."""
        self._reached = max(self._reached, due + CLOCK_SECONDS)

    def run_until_complete(self, future):
        task = GuestLoop.main = asyncio.ensure_future(future, loop=self)
        return super().run_until_complete(task)

    def _process_events(self, _events):
        pass

    def _write_to_self(self):
        pass


def is_waiting(frame):
    """Returns whether the running frame is the wait of a loop."""
    while frame is not None and frame.f_code.co_filename != PROGRAM_FILE:
        if frame.f_code is BridgeSelector._receive.__code__:
            return True
        frame = frame.f_back
    return False


def install_loop(bridge):
    """Makes `asyncio.run` and other functions that create a loop use `GuestLoop`."""
    base = getattr(asyncio.events, "BaseDefaultEventLoopPolicy", None) or asyncio.events._BaseDefaultEventLoopPolicy
    set_policy = getattr(asyncio.events, "_set_event_loop_policy", asyncio.events.set_event_loop_policy)

    class GuestPolicy(base):
        def new_event_loop(self):
            return GuestLoop(bridge)

    set_policy(GuestPolicy())
