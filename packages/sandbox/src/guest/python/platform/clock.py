"""The clock of a program. Every reading is reported to the host, so that a replay of the program reads the same times."""
import datetime
import gc
import sys
import time
from collections import deque
from time import time_ns as engine_ns

#: Different readings that are held until the next frame.
MAX_HELD = 2_000
_MS_NS = 1_000_000


class Clock:
    """Times are whole milliseconds since the epoch. They never go back."""

    def __init__(self, report):
        #: Called when too many readings are held.
        self._report = report
        self._recorded = deque()
        self._held = []
        self._offset = 0
        self._last = 0

    def start(self, epoch_ms, recorded=()):
        """Sets the time, and the readings of a recorded run, which come first."""
        self._offset = epoch_ms - engine_ns() // _MS_NS
        self._recorded = deque(zip(recorded[::2], recorded[1::2]))
        self._held = []
        self._last = 0

    def now(self):
        if self._recorded:
            self._last, count = self._recorded.popleft()
            if count > 1:
                self._recorded.appendleft((self._last, count - 1))
            return self._last
        self._last = max(self._last, engine_ns() // _MS_NS + self._offset)
        if self._held and self._held[-2] == self._last:
            self._held[-1] += 1
        else:
            self._held += (self._last, 1)
            if len(self._held) >= 2 * MAX_HELD:
                self._report()
        return self._last

    def take(self):
        """Returns the readings since the last frame: a time, and how often it was read."""
        held, self._held = self._held, []
        return held


def install_clock(clock, sleep):
    """Makes every reading of the current time use the clock, and `time.sleep` wait for the host."""
    started = clock.now()

    def since_start():
        return clock.now() - started

    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, lambda: since_start() / 1_000)
        setattr(time, f"{name}_ns", lambda: since_start() * _MS_NS)
    time.time = lambda: clock.now() / 1_000
    time.time_ns = lambda: clock.now() * _MS_NS
    time.clock_gettime = lambda which: time.time() if which == time.CLOCK_REALTIME else time.monotonic()
    time.clock_gettime_ns = lambda which: time.time_ns() if which == time.CLOCK_REALTIME else time.monotonic_ns()
    for name in ("gmtime", "localtime", "ctime"):
        setattr(time, name, with_now(getattr(time, name)))
    strftime, asctime = time.strftime, time.asctime
    time.strftime = lambda form, moment=None: strftime(form, time.localtime() if moment is None else moment)
    time.asctime = lambda moment=None: asctime(time.localtime() if moment is None else moment)
    time.sleep = sleep
    install_dates()


def with_now(read):
    return lambda moment=None: read(time.time() if moment is None else moment)


def install_dates():
    """Replaces the methods of `datetime` that read the clock. The types themselves stay: other modules hold them."""

    def today(cls):
        return cls.fromtimestamp(time.time())

    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

    def utcnow(cls):
        return cls.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None)

    replace_method(datetime.date, "today", today)
    replace_method(datetime.datetime, "now", now)
    replace_method(datetime.datetime, "utcnow", utcnow)


def replace_method(kind, name, function):
    """Replaces a class method of a type that Python code cannot change: its dictionary is behind a read-only view."""
    gc.get_referents(kind.__dict__)[0][name] = classmethod(function)
    # Types remember the methods that they have found.
    getattr(sys, "_clear_internal_caches", sys._clear_type_cache)()
