"""An event loop for `asyncio` that waits for answers of the host instead of sockets."""
import asyncio
import threading
import time

from .faults import PROGRAM_FILE, NeverSettles

#: Interval in which the loop checks for work from other threads, which cannot wake it.
THREAD_POLL_SECONDS = 0.001


class BridgeSelector:
    """The selector of the event loop."""

    def __init__(self, bridge):
        self._bridge = bridge

    def select(self, seconds):
        bridge = self._bridge
        if threading.active_count() > 1:
            # Waits without the lock of the bridge, which other threads need.
            bridge.pump(0)
            time.sleep(THREAD_POLL_SECONDS if seconds is None else min(seconds, THREAD_POLL_SECONDS))
        elif seconds is None and bridge.idle:
            raise NeverSettles
        elif seconds != 0 or not bridge.idle:
            bridge.pump(seconds)
        return ()

    def close(self):
        pass


class GuestLoop(asyncio.BaseEventLoop):
    """The event loop of a guest. It has no network."""

    #: The main task of the last started loop, which shows where a program waits.
    main = None

    def __init__(self, bridge):
        super().__init__()
        self._selector = BridgeSelector(bridge)

    def run_until_complete(self, future):
        task = GuestLoop.main = asyncio.ensure_future(future, loop=self)
        return super().run_until_complete(task)

    def _process_events(self, _events):
        pass

    def _write_to_self(self):
        pass


def is_waiting(frame):
    """Returns whether the running frame is the wait of a loop."""
    while frame is not None and frame.f_code.co_filename != PROGRAM_FILE:
        if frame.f_code is BridgeSelector.select.__code__:
            return True
        frame = frame.f_back
    return False


def install_loop(bridge):
    """Makes `asyncio.run` and other functions that create a loop use `GuestLoop`."""
    base = getattr(asyncio.events, "BaseDefaultEventLoopPolicy", None) or asyncio.events._BaseDefaultEventLoopPolicy
    set_policy = getattr(asyncio.events, "_set_event_loop_policy", asyncio.events.set_event_loop_policy)

    class GuestPolicy(base):
        def new_event_loop(self):
            return GuestLoop(bridge)

    set_policy(GuestPolicy())
