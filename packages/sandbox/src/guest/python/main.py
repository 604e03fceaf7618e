"""CPython as a guest: `PYTHONHASHSEED=0 python3 -s -S -B main.py <descriptor to read> <descriptor to write>`.

This process imports the modules that programs need, once. For each program it forks a child, which communicates with the host;
this process never reads the channel. Before the next program, it ends all remaining processes of the last one.
"""
import sys

# Python adds the folder of this file, but its modules are no modules of programs.
if not sys.flags.isolated:
    del sys.path[0]

import ctypes  # noqa: E402
import gc  # noqa: E402
import hashlib  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import shutil  # noqa: E402
import signal  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402

PACKAGE = "toolwright_guest"
PR_SET_DUMPABLE, PR_SET_PDEATHSIG = 4, 1
#: In these two processes (the first of a namespace, and the child of its init), all other processes are the program's.
FIRST_PROCESSES = (1, 2)
CLEANING_SECONDS = 2.0
#: Time for the host to end this process after the last outcome.
END_SECONDS = 0.5
#: Writable folders of the jail.
SCRATCH = ("/tmp", "/workspace", "/dev/shm")


def main(read_descriptor, write_descriptor):
    child, protocol = load_package("child"), load_package("protocol")
    load_package("preload")
    alone = os.getpid() in FIRST_PROCESSES
    prepared = channel, *_ = child.prepare_child(read_descriptor, write_descriptor)
    libc = ctypes.CDLL(None)
    # A child must not write to this process's memory or read its descriptors.
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    secret = ""
    while True:
        pid = os.fork()
        if pid == 0:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.setpgid(0, 0)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            child.run_child(*prepared)
        # Created after the fork: the child does not have the secret, so only this process can report that the child has ended.
        secret, shown = os.urandom(16).hex(), secret
        proof = {"secret": shown, "next": hashlib.sha256(secret.encode()).hexdigest()}
        channel.send(protocol.READY, 0, json.dumps(proof))
        channel.flush()
        status = os.waitstatus_to_exitcode(wait_for(pid))
        is_clean = clean(pid, alone)
        channel.renew()
        if status == child.HOST_GONE:
            sys.exit(1)
        if status != child.REPORTED:
            channel.send(protocol.DONE, *outcome_of(status, protocol))
        if status != child.REPORTED or not is_clean:
            channel.send(protocol.RETIRED, 0, "null")
            # A program that left half a frame has made the others unreadable.
            channel.wait_for_end(END_SECONDS)
            sys.exit(1)


def load_package(name):
    """Imports a module from this folder, under a package name that separates it from modules of the program."""
    if PACKAGE not in sys.modules:
        package = types.ModuleType(PACKAGE)
        package.__path__ = [os.path.dirname(os.path.abspath(__file__))]
        sys.modules[PACKAGE] = package
    __import__(f"{PACKAGE}.{name}")
    return sys.modules[f"{PACKAGE}.{name}"]


def wait_for(pid):
    """Waits for a child. The first process of a namespace also gets orphaned processes."""
    while True:
        found, status = os.waitpid(-1, 0)
        if found == pid:
            return status


def clean(pid, alone):
    """Ends the remaining processes of a program and removes its temporary files. Returns False if that failed."""
    if not alone:
        try:
            os.killpg(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        return True
    deadline = time.monotonic() + CLEANING_SECONDS
    while kill_others():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return all(remove_content(folder) for folder in SCRATCH)


def kill_others():
    """Kills every other process of the namespace. Returns False if there is none."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return False
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    return True


def remove_content(folder):
    try:
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
    except FileNotFoundError:
        return not os.path.exists(folder)
    except (OSError, RecursionError):
        return False
    return True


def outcome_of(status, protocol):
    """Returns id and payload of the `done` frame for a child that reported no outcome."""
    if status in (-signal.SIGKILL, -signal.SIGXCPU):
        limit = "timeout" if status == -signal.SIGXCPU else "memory"
        return protocol.STOPPED, json.dumps({"limit": limit, "stack": ""})
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit code {status}"
    message = f"The program ended its process ({how}) before it gave a result."
    return protocol.FAILED, json.dumps({"name": "SystemError", "message": message, "stack": ""})


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
