"""Decides which files come together: a program that opens several files of a folder is likely to open the others."""
import bisect

#: Larger files come alone.
MAX_AHEAD_BYTES = 64 * 1024
MAX_AHEAD_FILES = 512


def read_ahead():
    return ReadAhead()


class ReadAhead:
    """The number of files doubles with each request."""

    def __init__(self):
        self._names = []
        self._count = 1

    def order(self, names):
        """Sets the names of the files without content, in order."""
        self._names = list(names)

    def next(self, name, known, max_bytes):
        """Returns the names to read now: a file, and those after it in its folder."""
        folder = name.rpartition("/")[0]
        names, size = [name], known[name].size
        for position in range(bisect.bisect_right(self._names, name), len(self._names)):
            other = self._names[position]
            entry = known.get(other)
            if len(names) >= self._count or other.rpartition("/")[0] != folder:
                break
            if entry is None or not entry.is_awaited or entry.size > MAX_AHEAD_BYTES:
                continue
            if size + entry.size > max_bytes:
                break
            names.append(other)
            size += entry.size
        self._count = min(2 * self._count, MAX_AHEAD_FILES)
        return names
