"""One program in a process of its own: its limits, and every way in which a process can end."""
import json
import os
import resource
import signal
import sys

from .frames import Channel, HostGone
from .protocol import DONE, FAILED
from .runtime import Guest
from .source import compile_program

#: How a child ends that has told its outcome, and one that lost its host.
TOLD = 77
HOST_GONE = 78
#: The deadline rings again until it has been heard.
RING_AGAIN_SECONDS = 0.01


def prepare_child(read_descriptor, write_descriptor):
    """Makes all that a child needs and that does not depend on its program."""
    for descriptor in {read_descriptor, write_descriptor}:
        os.set_inheritable(descriptor, False)
    channel = Channel(read_descriptor, write_descriptor)
    guest = Guest(channel.send, channel.receive)
    # What has run once runs faster.
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
        status = TOLD
    except Exception as error:  # noqa: BLE001 - a defect of the runtime is told like one of the program
        failure = {"name": "InternalError", "message": f"The guest runtime failed: {error!r}", "stack": ""}
        channel.send(DONE, FAILED, json.dumps(failure))
        channel.flush()
        status = TOLD
    except HostGone:
        status = HOST_GONE
    finally:
        exit_process(status)


exit_process = os._exit


def memory_in_use():
    """Bytes of the address space that are taken; a program's memory is counted from there."""
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
    """At the deadline the process tells where it is, and ends: no handler of the program's can catch that."""
    process = os.getpid()

    def ring(_signal, frame):
        # Another process of the program's has no say; a frame that is half written has to be finished first.
        if os.getpid() != process or channel.writing:
            return
        guest.time_over(frame)
        channel.flush()
        exit_process(TOLD)

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, timeout_ms / 1_000, RING_AGAIN_SECONDS)


def refuse_exit(channel, guest):
    """`os._exit` in the program's own process would lose its outcome."""
    process = os.getpid()

    def end(status):
        if os.getpid() == process:
            guest.exited(status, sys._getframe(1))
            channel.flush()
            exit_process(TOLD)
        exit_process(status)

    os._exit = end
