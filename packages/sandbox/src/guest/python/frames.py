"""The guest's implementation of the frame format in `bridge/protocol.ts`, over file descriptors."""
import json
import os
import select
import socket
import stat
import struct
from time import monotonic

from .protocol import CLOCK, PLACE, TIME

_HEADER = struct.Struct(">IBI")
#: Bytes of the type and the id. The length of a frame includes them.
_COUNTED = 5
_CHUNK_BYTES = 256 * 1024
_FLUSH_BYTES = 256 * 1024
#: Frames that are not urgent are delayed at most by this time while a program computes.
_FLUSH_SECONDS = 0.02
#: Format of a `struct timeval`: two longs.
_TIMEVAL_BYTES = struct.calcsize("ll")
#: Type and id of a run frame. JSON text has no control characters, so these bytes occur nowhere else.
_RUN_MARK = b"\x01\x00\x00\x00\x00"


class HostGone(BaseException):
    """Raised when the host has closed the channel."""


class Channel:
    """Reads and writes frames on two descriptors."""

    def __init__(self, read_descriptor, write_descriptor):
        self._read = read_descriptor
        self._write = write_descriptor
        self._input = bytearray()
        self._output = []
        self._held = 0
        self._flushed = 0.0
        #: True while a frame is partly written: no other frame may start then.
        self.writing = False
        #: Receives the seconds that the program still has, or None when its time stands still.
        self.on_time = lambda _seconds: None
        self._poll = select.poll()
        self._poll.register(read_descriptor, select.POLLIN)

    def send(self, kind, request, payload):
        data = payload.encode("utf-8", "replace")
        self._output.append(_HEADER.pack(len(data) + _COUNTED, kind, request) + data)
        self._held += len(data)
        # Readings of the clock and places go with the frame that follows them.
        is_urgent = kind not in (CLOCK, PLACE)
        if self._held > _FLUSH_BYTES or (is_urgent and monotonic() - self._flushed > _FLUSH_SECONDS):
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
        self._flushed = monotonic()

    def receive(self, seconds):
        """Returns the next frame, or None after the timeout."""
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
        """Returns the payload of the next run frame. Skips remaining answers for the previous program."""
        while True:
            start = self._input.find(_RUN_MARK) - 4
            if start >= 0:
                del self._input[:start]
                while (frame := self._take()) is None:
                    self._fill()
                return frame[2]
            # The end of the buffer may be a part of the mark.
            del self._input[: -(len(_RUN_MARK) + 3)]
            self._fill()

    def wait_for_end(self, seconds):
        """Waits until the host ends this process or closes the channel, or for some seconds."""
        self.flush()
        deadline = monotonic() + seconds
        while self._poll.poll(max(0.0, deadline - monotonic()) * 1_000):
            if not os.read(self._read, _CHUNK_BYTES):
                return

    def renew(self):
        """Resets the settings of the channel that a program may have changed: all its processes share them."""
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
        if kind == TIME:
            milliseconds = json.loads(payload)
            self.on_time(None if milliseconds is None else milliseconds / 1_000)
            return self._take()
        return kind, request, payload

    def _fill(self):
        chunk = os.read(self._read, _CHUNK_BYTES)
        if not chunk:
            raise HostGone
        self._input += chunk
