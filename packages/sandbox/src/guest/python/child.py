"""One program in its own process: its limits, and all the ways in which the process can end."""
import json
import os
import resource
import signal
import sys

from .frames import Channel, HostGone
from .program.source import compile_program
from .protocol import DONE, FAILED
from .runtime import Guest

#: Exit codes: the outcome was reported; the host has closed the channel.
REPORTED = 77
HOST_GONE = 78
#: The timer repeats until its signal was handled.
RING_AGAIN_SECONDS = 0.01
#: The shortest timer.
SOON_SECONDS = 0.001


def prepare_child(read_descriptor, write_descriptor):
    """Creates everything that a child needs before its program arrives."""
    for descriptor in {read_descriptor, write_descriptor}:
        os.set_inheritable(descriptor, False)
    channel = Channel(read_descriptor, write_descriptor)
    guest = Guest(channel.send, channel.receive)
    # The first run of this code is slow.
    compile_program("1")
    return channel, guest, memory_in_use()


def run_child(channel, guest, base_bytes):
    """Waits for a program and runs it. Does not return."""
    status = 1
    try:
        run = json.loads(channel.receive_run())
        watch_clock(channel, guest, run["timeoutMs"])
        limit_resources(base_bytes + run["memoryBytes"], run["timeoutMs"])
        refuse_exit(channel, guest)
        guest.execute(run)
        signal.setitimer(signal.ITIMER_REAL, 0)
        channel.flush()
        status = REPORTED
    except Exception as error:  # noqa: BLE001 - a defect of the runtime is reported like an error of the program
        failure = {"name": "InternalError", "message": f"The guest runtime failed: {error!r}", "stack": ""}
        channel.send(DONE, FAILED, json.dumps(failure))
        channel.flush()
        status = REPORTED
    except HostGone:
        status = HOST_GONE
    finally:
        exit_process(status)


exit_process = os._exit


def memory_in_use():
    """Returns the used bytes of the address space. The memory of a program is counted in addition to them."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def limit_resources(memory_bytes, timeout_ms):
    lower(resource.RLIMIT_AS, memory_bytes)
    lower(resource.RLIMIT_CPU, timeout_ms // 1_000 + 2)
    lower(resource.RLIMIT_CORE, 0)


def lower(kind, value):
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def watch_clock(channel, guest, timeout_ms):
    """Reports the position of the program at the deadline and ends the process. The program cannot catch that."""
    process = os.getpid()

    def ring(_signal, frame):
        # Only the program's own process reports. A partly written frame must be finished first.
        if os.getpid() != process or channel.writing:
            return
        guest.time_over(frame)
        channel.flush()
        exit_process(REPORTED)

    def ring_after(seconds):
        # A timer of 0 is off: the time of the program stands still.
        delay = 0 if seconds is None else max(seconds, SOON_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, delay, RING_AGAIN_SECONDS)

    signal.signal(signal.SIGALRM, ring)
    channel.on_time = ring_after
    ring_after(timeout_ms / 1_000)


def refuse_exit(channel, guest):
    """Replaces `os._exit`, which would lose the outcome in the program's own process."""
    process = os.getpid()

    def end(status):
        if os.getpid() == process:
            guest.exited(status, sys._getframe(1))
            channel.flush()
            exit_process(REPORTED)
        exit_process(status)

    os._exit = end
