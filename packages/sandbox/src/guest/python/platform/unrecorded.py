"""Reports a program that depends on more than the recorded answers: a replay of it may differ."""
import _thread
import sys
import threading

THREADS = "it starts threads"
PROCESSES = "it starts processes"
#: Events of the interpreter (https://docs.python.org/3/library/audit_events.html). Old interpreters have none for threads.
PROCESS_EVENTS = {"os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"}
#: Functions that start a thread, in each module that has a reference.
THREAD_STARTS = (
    (_thread, "start_new_thread"),
    (_thread, "start_joinable_thread"),
    (threading, "_start_new_thread"),
    (threading, "_start_joinable_thread"),
)


def report_unrecorded(notice):
    """Calls `notice` before the first thread and the first process of the program."""
    reported = set()

    def report(reason):
        if reason not in reported:
            reported.add(reason)
            notice("unrecorded", reason)

    def watch(event, _arguments):
        if event in PROCESS_EVENTS:
            report(PROCESSES)

    def watched(start):
        def start_thread(*arguments, **options):
            report(THREADS)
            return start(*arguments, **options)

        return start_thread

    sys.addaudithook(watch)
    for module, name in THREAD_STARTS:
        if hasattr(module, name):
            setattr(module, name, watched(getattr(module, name)))
