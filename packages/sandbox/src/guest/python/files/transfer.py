"""Moves files between the workspace of the host and the folder of the program, in requests of bounded size."""
import base64
from collections import deque

#: Bytes of files in one request.
PART_BYTES = 1024 * 1024
#: Files in one request.
MAX_FILES = 1_000
#: Requests that are sent before the answer of the first one.
MAX_SENT = 4


class Transfer:
    """The requests for files. Their ids are noted in `own`: they are not operations of the program."""

    def __init__(self, bridge, root):
        self._bridge = bridge
        self._root = root
        self.own = set()

    def part_bytes(self):
        """Returns the bytes of one part of a file: in Base64, a message must hold them."""
        return min(PART_BYTES, self._bridge.message_bytes // 2)

    def list(self):
        """Returns the files and folders of the host: their names below the folder, kinds, sizes and times."""
        return self._ask("fs.list", self._root, True)

    def read(self, names):
        """Returns the bytes of small files by name; None for one that the host does not have any more."""
        found = self._ask("fs.readMany", *map(self._path, names))
        return {name: None if text is None else base64.b64decode(text) for name, text in zip(names, found)}

    def read_parts(self, name):
        """Yields the bytes of a file of any size."""
        offset = 0
        while offset is not None:
            part = self._ask("fs.readPart", self._path(name), offset)
            yield base64.b64decode(part["data"])
            offset = part["next"]

    def write(self, files):
        """Writes small files, given as pairs of name and bytes. Yields names, and the sizes and times that the host has."""
        sent = deque()
        for batch in batches(files, self.part_bytes()):
            if len(sent) == MAX_SENT:
                yield from self._written(*sent.popleft())
            contents = [base64.b64encode(data).decode() for _, data in batch]
            sent.append((batch, self._send("fs.writeMany", *(self._path(name) for name, _ in batch), contents)))
        while sent:
            yield from self._written(*sent.popleft())

    def write_large(self, name, file, size):
        """Writes a file in parts: the host has the old content until it has all of them. Returns its size and time there."""
        offset, answer = 0, None
        while offset < size:
            data = file.read(min(self.part_bytes(), size - offset))
            if not data:
                raise OSError(f"{name} became shorter while it was saved")
            answer = self._ask("fs.writePart", self._path(name), offset, size, base64.b64encode(data).decode())
            offset += len(data)
        return answer

    def remove(self, names):
        for start in range(0, len(names), MAX_FILES):
            self._ask("fs.removeMany", *map(self._path, names[start : start + MAX_FILES]))

    def change(self, operation, *names, **options):
        self._ask(operation, *map(self._path, names), *options.values())

    def _written(self, batch, answer):
        return zip((name for name, _ in batch), self._bridge.wait(answer))

    def _ask(self, *parts):
        return self._bridge.wait(self._send(*parts))

    def _send(self, *parts):
        answer = self._bridge.request("open", *parts)
        self.own.add(self._bridge.last)
        return answer

    def _path(self, name):
        return f"{self._root}/{name}"


def batches(files, max_bytes):
    """Yields lists of files: each list fits into one request."""
    batch, size = [], 0
    for name, data in files:
        if batch and (size + len(data) > max_bytes or len(batch) == MAX_FILES):
            yield batch
            batch, size = [], 0
        batch.append((name, data))
        size += len(data)
    if batch:
        yield batch
