"""Times of changed files, on the clock of the program, so that a replay reads the same ones."""
import os
from time import time_ns as engine_ns

_MS_NS = 1_000_000
_EXTRA = ("st_blksize", "st_blocks", "st_rdev")


class FileTimes:
    """Gives each change of a file the time at which the program opened the file, or first looks at it after the change."""

    def __init__(self, clock):
        self._clock = clock
        self._started_ns = 0
        #: The times of opened files by path, and of known changes by file: (time of the system, time of the program).
        self._opened = {}
        self._known = {}

    def start(self):
        self._started_ns = engine_ns()

    def opened(self, path):
        """Notes that the program opens a file to change it."""
        self._opened[path] = self._clock.now() * _MS_NS

    def set(self, found):
        """Notes that the program has set the time of a file itself."""
        self._known[found.st_dev, found.st_ino] = (found.st_mtime_ns, found.st_mtime_ns)

    def shown(self, found, path=None):
        """Returns the status of a file with the time that the program sees."""
        opened = None if path is None else self._opened.pop(path, None)
        key, system = (found.st_dev, found.st_ino), found.st_mtime_ns
        noted, time = self._known.get(key, (None, None))
        if noted != system:
            # A file of the host has its time of there, which is earlier.
            time = system if system < self._started_ns - _MS_NS else opened or self._clock.now() * _MS_NS
            self._known[key] = (system, time)
        return with_time(found, time)


def with_time(found, time):
    seconds = time / 1e9
    more = {f"st_{kind}time{suffix}": value for kind in "amc" for suffix, value in (("", seconds), ("_ns", time))}
    more.update((name, getattr(found, name)) for name in _EXTRA if hasattr(found, name))
    whole = time // 1_000_000_000
    return os.stat_result((*found[:7], whole, whole, whole), more)
