"""Deterministic randomness and time: random numbers come from a seed, and the clock starts at a given time."""
import datetime
import os
import random
import time
import uuid

#: Below this difference the real clock is used: only a replayed run starts at another time.
MAX_DRIFT_MS = 1_000


def install_replay(seed, epoch_ms):
    random.seed(seed)
    source = random.Random(seed ^ 0x5EED)

    def urandom(size):
        return source.randbytes(size)

    os.urandom = random._urandom = urandom
    # The library's function would use a source of the operating system.
    uuid.uuid4 = lambda: uuid.UUID(bytes=urandom(16), version=4)
    offset_ms = epoch_ms - time.time() * 1_000
    if abs(offset_ms) > MAX_DRIFT_MS:
        shift_clock(offset_ms / 1_000)


def shift_clock(seconds):
    now, now_ns = time.time, time.time_ns
    time.time = lambda: now() + seconds
    time.time_ns = lambda: now_ns() + int(seconds * 1e9)
    for name in ("gmtime", "localtime", "ctime"):
        setattr(time, name, with_now(getattr(time, name)))
    strftime, asctime = time.strftime, time.asctime
    time.strftime = lambda form, moment=None: strftime(form, time.localtime() if moment is None else moment)
    time.asctime = lambda moment=None: asctime(time.localtime() if moment is None else moment)

    class ShiftedDate(datetime.date):
        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())

    class ShiftedDatetime(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())

        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None)

    ShiftedDate.__name__, ShiftedDatetime.__name__ = "date", "datetime"
    datetime.date, datetime.datetime = ShiftedDate, ShiftedDatetime


def with_now(read):
    return lambda moment=None: read(time.time() if moment is None else moment)
