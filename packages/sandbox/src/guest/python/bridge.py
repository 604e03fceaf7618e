"""The guest's end of the bridge: requests and their answers, over the channel of the engine."""
import json
import sys
import threading

from .answers import Answer
from .faults import Ended, ToolError, coded, failure_of, fault_error, frames_of_place, place_of, stack_text
from .platform.clock import Clock
from .protocol import CLOCK, DONE, FAILED, IDLE, NOTICE, PLACE, REPLY, REQUEST
from .results.values import byte_length, to_json


#: The first tool calls of a program send their places.
MAX_PLACES = 20


class Bridge:
    """Sends requests and receives their answers. The engine passes `send(type, id, payload)` and `receive(seconds)`."""

    def __init__(self, send, receive):
        self._send_frame = send
        self._receive = receive
        self.clock = Clock(self._report_clock)
        #: Maximum bytes of one message; set when the program arrives.
        self.message_bytes = 0
        #: Tool calls of the program that have sent their places.
        self.places = 0
        #: Called with the operation of each request before it is sent, and with the id of each answer.
        self.before_request = self.after_answer = lambda _: None
        self._waiting = {}
        self.last = 0
        # Threads of the program may read files and print while the event loop waits.
        self._turn = threading.RLock()
        self._ended = False

    @property
    def waiting(self):
        """The number of unanswered requests."""
        return len(self._waiting)

    def _send(self, kind, request, payload):
        self._report_clock()
        self._send_frame(kind, request, payload)

    def _report_clock(self):
        if readings := self.clock.take():
            self._send_frame(CLOCK, 0, to_json(readings))

    def request(self, name, *parts, kind=Answer):
        """Sends `[operation, ...]` and returns the awaitable answer. `name` is the function that the author called."""
        self.before_request(parts[0])
        try:
            payload = to_json(parts)
        except TypeError as error:
            raise TypeError(f"The arguments of {name} cannot be sent as JSON: {error}") from None
        self._check(payload)
        with self._turn:
            self.last += 1
            place = place_of(sys._getframe(1))
            answer = self._waiting[self.last] = kind(name, place)
            if parts[0] == "call" and self.places < MAX_PLACES:
                self.places += 1
                self._send(PLACE, self.last, stack_text(frames_of_place(place)))
            self._send(REQUEST, self.last, payload)
        return answer

    def ask(self, name, *parts):
        """Sends a request and blocks until its answer arrives."""
        return self.wait(self.request(name, *parts))

    def wait(self, answer):
        while not answer._settled:
            with self._turn:
                if not answer._settled:
                    self.pump(None)
        return answer._read()

    def pump(self, seconds):
        """Waits for an answer, at most this time, and delivers it.

        The program runs before the next one, so that it depends on the order of answers only, not on their times.
        """
        with self._turn:
            frame = self._receive(seconds)
            while frame is not None and frame[0] == IDLE:
                self._send_frame(IDLE, frame[1], "null")
                frame = self._receive(seconds)
            if frame is not None:
                self._deliver(*frame)

    def notice(self, *parts):
        payload = to_json(parts)
        self._check(payload)
        with self._turn:
            self._send(NOTICE, 0, payload)

    def end(self, status, payload):
        """Reports the end of the program; only the first call counts."""
        with self._turn:
            if not self._ended:
                self._ended = True
                self._send(DONE, status, payload)

    def _end_at(self, answer, error):
        """Ends the program with an error at the place of a request."""
        self.end(FAILED, to_json({**failure_of(error), "stack": stack_text(frames_of_place(answer._place))}))
        raise Ended

    def _check(self, payload):
        size = byte_length(payload)
        if size > self.message_bytes:
            raise ToolError(
                f"The arguments have {size} bytes, the limit is {self.message_bytes} bytes. Send less at once, or write the data"
                " to a file in pieces and pass its path.",
                "ARGUMENTS_TOO_LARGE",
            )

    def _deliver(self, kind, request, payload):
        answer = self._waiting.pop(request, None)
        if answer is None:
            raise RuntimeError(f"The host answered request {request}, which the program has not sent.")
        self.after_answer(request)
        try:
            if kind == REPLY:
                answer._settle(json.loads(payload) if payload else None, None)
            elif json.loads(payload).get("ends"):
                self._end_at(answer, fault_error(request, payload))
            else:
                answer._settle(None, fault_error(request, payload))
        except RecursionError:
            answer._settle(None, coded(ValueError("The answer nests too deeply to be read."), "TOOL_RESULT_TOO_LARGE"))
