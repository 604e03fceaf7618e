"""CPython as a guest: `python3 -I -S -B main.py <descriptor to read> <descriptor to write>`.

This process loads what programs need, once. For each program it forks a child, which speaks with the host; it never reads
the channel itself. When the child has ended, so has everything that the program left behind, before the next is taken.
"""
import ctypes
import gc
import hashlib
import json
import os
import shutil
import signal
import sys
import time
import types

PACKAGE = "toolwright_guest"
PR_SET_DUMPABLE, PR_SET_PDEATHSIG = 4, 1
#: In these processes alone all others are the program's: the first of a namespace, and the one below its init.
FIRST_PROCESSES = (1, 2)
CLEANING_SECONDS = 2.0
#: Folders that a program may write to, beside those behind the bridge.
SCRATCH = ("/tmp", "/dev/shm")
#: For how long the host can hear the outcome before it hears of the end.
LAST_WORDS_SECONDS = 0.05


def main(read_descriptor, write_descriptor):
    child, protocol = load_package("child"), load_package("protocol")
    load_package("preload")
    alone = os.getpid() in FIRST_PROCESSES
    prepared = channel, *_ = child.prepare_child(read_descriptor, write_descriptor)
    libc = ctypes.CDLL(None)
    # A child must not write to this process's memory, nor read its descriptors.
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
        # Made after the fork: the child does not have it, so that only this process can say when it has ended.
        secret, shown = os.urandom(16).hex(), secret
        proof = {"secret": shown, "next": hashlib.sha256(secret.encode()).hexdigest()}
        channel.send(protocol.READY, 0, json.dumps(proof))
        channel.flush()
        status = os.waitstatus_to_exitcode(wait_for(pid))
        is_clean = clean(pid, alone)
        channel.renew()
        if status != child.TOLD:
            if status != child.HOST_GONE:
                channel.send(protocol.DONE, *outcome_of(status, protocol))
                channel.flush()
                time.sleep(LAST_WORDS_SECONDS)
            sys.exit(1)
        if not is_clean:
            sys.exit(1)


def load_package(name):
    """Loads a module that lies beside this file; a program's modules of the same names stay apart from it."""
    if PACKAGE not in sys.modules:
        package = types.ModuleType(PACKAGE)
        package.__path__ = [os.path.dirname(os.path.abspath(__file__))]
        sys.modules[PACKAGE] = package
    __import__(f"{PACKAGE}.{name}")
    return sys.modules[f"{PACKAGE}.{name}"]


def wait_for(pid):
    """Waits for a child; as the first process of a namespace this one gets the orphans, too."""
    while True:
        found, status = os.waitpid(-1, 0)
        if found == pid:
            return status


def clean(pid, alone):
    """Ends all that a program has left, and removes its scratch files. False when something withstood."""
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
    """Kills every other process of the namespace. False when there is none."""
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
    """What to tell of a child that told nothing itself: id and payload of a `done` frame."""
    if status in (-signal.SIGKILL, -signal.SIGXCPU):
        limit = "timeout" if status == -signal.SIGXCPU else "memory"
        return protocol.STOPPED, json.dumps({"limit": limit, "stack": ""})
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit code {status}"
    message = f"The program ended its process ({how}) before it gave a result."
    return protocol.FAILED, json.dumps({"name": "SystemError", "message": message, "stack": ""})


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
