"""The guest's side of the frame format that `bridge/protocol.ts` describes, over file descriptors."""
import os
import select
import socket
import stat
import struct
import time

_HEADER = struct.Struct(">IBI")
#: What the length counts beside the payload: type and id.
_COUNTED = 5
_CHUNK_BYTES = 256 * 1024
_FLUSH_BYTES = 256 * 1024
#: What is not urgent is held back at most so long while a program computes.
_FLUSH_SECONDS = 0.02
#: Of a `struct timeval`: two longs.
_TIMEVAL_BYTES = struct.calcsize("ll")
#: Type and id of a run frame. JSON text holds no control characters, so these bytes stand nowhere else.
_RUN_MARK = b"\x01\x00\x00\x00\x00"


class HostGone(BaseException):
    """The host has closed the channel."""


class Channel:
    """Frames over a descriptor to read from and one to write to."""

    def __init__(self, read_descriptor, write_descriptor):
        self._read = read_descriptor
        self._write = write_descriptor
        self._input = bytearray()
        self._output = []
        self._held = 0
        self._flushed = 0.0
        #: True while a frame is partly written, when no other may be begun.
        self.writing = False
        self._poll = select.poll()
        self._poll.register(read_descriptor, select.POLLIN)

    def send(self, kind, request, payload):
        data = payload.encode("utf-8", "replace")
        self._output.append(_HEADER.pack(len(data) + _COUNTED, kind, request) + data)
        self._held += len(data)
        if self._held > _FLUSH_BYTES or time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self.flush()

    def flush(self):
        if self.writing or not self._output:
            return
        self.writing = True
        try:
            while self._output:
                parts, self._output, self._held = self._output, [], 0
                data = memoryview(parts[0] if len(parts) == 1 else b"".join(parts))
                while data:
                    data = data[os.write(self._write, data) :]
        finally:
            self.writing = False
        self._flushed = time.monotonic()

    def receive(self, seconds):
        """The next frame, or None when none came in time."""
        while True:
            frame = self._take()
            if frame is not None:
                return frame
            if self._output:
                self.flush()
            if seconds is not None and not self._poll.poll(max(0.0, seconds) * 1_000):
                return None
            self._fill()

    def receive_run(self):
        """The payload of the next run frame, past all that was left for a program before."""
        while True:
            start = self._input.find(_RUN_MARK) - 4
            if start >= 0:
                del self._input[:start]
                while (frame := self._take()) is None:
                    self._fill()
                return frame[2]
            # A mark may have come in part.
            del self._input[: -(len(_RUN_MARK) + 3)]
            self._fill()

    def renew(self):
        """Takes back what a program has set on the channel: its settings are those of all processes that hold it."""
        for descriptor in {self._read, self._write}:
            os.set_blocking(descriptor, True)
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                with socket.socket(fileno=os.dup(descriptor)) as channel:
                    channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
                    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                        channel.setsockopt(socket.SOL_SOCKET, option, bytes(_TIMEVAL_BYTES))

    def _take(self):
        if len(self._input) < _HEADER.size:
            return None
        length, kind, request = _HEADER.unpack_from(self._input)
        end = length + 4
        if len(self._input) < end:
            return None
        payload = self._input[_HEADER.size : end].decode()
        del self._input[:end]
        return kind, request, payload

    def _fill(self):
        chunk = os.read(self._read, _CHUNK_BYTES)
        if not chunk:
            raise HostGone
        self._input += chunk
