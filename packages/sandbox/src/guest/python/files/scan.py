"""The result of `os.scandir`."""


class Scan:
    """The result of `os.scandir`: an iterator that can be closed."""

    def __init__(self, entries):
        self._entries = iter(list(entries))

    def __next__(self):
        return next(self._entries)

    def __iter__(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._entries = iter(())
