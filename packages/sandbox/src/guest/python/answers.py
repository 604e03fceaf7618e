"""The awaitable answer that a call returns at once. Its request has already been sent."""
import asyncio
import threading

from .details import ToolDetails


class Answer:
    """The answer to a request. `await` it, or pass it to `asyncio.gather`, `create_task` or `wait_for`.

    It has the methods of a coroutine, so that asyncio accepts it as one, but a program may await it more than once.
    """

    __slots__ = ("_name", "_place", "_settled", "_value", "_error", "_waiting", "_steps", "__weakref__")

    def __init__(self, name, place=None):
        self._name = name
        #: The place of the request in the program; see `faults.place_of`.
        self._place = place
        self._settled = False
        self._value = None
        self._error = None
        self._waiting = None
        self._steps = None

    def _settle(self, value, error):
        self._value = value
        self._error = error
        self._settled = True
        for future in self._waiting or ():
            if threading.current_thread() is threading.main_thread():
                wake(future)
            else:
                future.get_loop().call_soon_threadsafe(wake, future)
        self._waiting = None

    def _read(self):
        if self._error is not None:
            raise self._error
        return self._value

    def __await__(self):
        if not self._settled:
            future = asyncio.get_running_loop().create_future()
            if self._waiting is None:
                self._waiting = [future]
            else:
                self._waiting.append(future)
            yield from future
        return self._read()

    def send(self, value):
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.send(value)

    def throw(self, *error):
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.throw(*error)

    def close(self):
        if self._steps is not None:
            self._steps.close()

    def __repr__(self):
        return f"<the answer of {self._name}, not awaited>"

    def _refuse(self, *_):
        raise TypeError(f"The answer of {self._name} has not arrived yet. Await it: `await {self._name}(...)`")

    def __getitem__(self, _key):
        # "await f()[key]" reads the key before it waits.
        raise TypeError(f"The answer of {self._name} has not arrived yet. Await it: `(await {self._name}(...))[...]`")

    __str__ = __format__ = __iter__ = __len__ = __bool__ = __contains__ = __add__ = __radd__ = __lt__ = __gt__ = __int__ = _refuse

    def __getattr__(self, name):
        raise AttributeError(f"The answer of {self._name} has no {name} before it is awaited: `await {self._name}(...)`")


class DetailsAnswer(Answer):
    """The answer of `get_mcp_tool_details`."""

    __slots__ = ()

    def _settle(self, value, error):
        super()._settle(value if error else ToolDetails(value), error)


def wake(future):
    if not future.done():
        future.set_result(None)
