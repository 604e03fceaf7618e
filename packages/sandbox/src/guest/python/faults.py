"""Errors that come from the host, and the report of the error that ended the program."""
import asyncio
import errno
import gc
import json
from collections import deque
from itertools import islice

from .explain import explanation
from .protocol import PROGRAM_FILE

#: Names of code objects of the whole program.
WRAPPERS = ("<module>", "__program__")
#: Maximum number of reported innermost frames; a runaway recursion has a thousand.
MAX_FRAMES = 50
MAX_TEXT = 65_536
#: The last answers of the host for modules that it does not know, by name.
UNKNOWN_MODULES = {}


class ToolError(Exception):
    """Raised when a request fails because of a tool, its server or the host.

    `code` is stable (`TOOL_FAILED`, `INVALID_ARGUMENTS`, `UNKNOWN_TOOL`, `TOOL_TIMEOUT`, ...); `details` has further data.
    """

    def __init__(self, message="", code="TOOL_FAILED", details=None):
        super().__init__(message)
        self.message = message
        self.code = code
        self.details = details


class NeverSettles(BaseException):
    """Raised when the program awaits a value that nothing can set."""


class Ended(BaseException):
    """Raised in a program that the host has ended, and whose failure is reported."""


def coded(error, code):
    """Sets the stable code of an error of the runtime and returns the error."""
    error.code = code
    return error


def name_codes():
    """Gives each `OSError` the attribute `code`: the name of its number, such as `ENOENT`, unless the host has set another one."""

    def code(error):
        return vars(error).get("code", errno.errorcode.get(error.errno))

    def set_code(error, value):
        vars(error)["code"] = value

    # The dictionary of a type that is not written in Python is behind a read-only view.
    gc.get_referents(OSError.__dict__)[0]["code"] = property(code, set_code)


name_codes()


def fault_error(request, payload):
    """Returns the exception for a fault of the host: an `OSError` for files, else a `ToolError`."""
    fault = json.loads(payload)
    code, message = fault["code"], fault["message"]
    if fault["name"] == "ToolError":
        error = ToolError(message, code, fault.get("details"))
    else:
        number = getattr(errno, code, errno.ENOSPC if code == "WORKSPACE_FULL" else errno.EIO)
        error = coded(OSError(number, message), code)
    error._request = request
    return error


def failure_of(error):
    """Returns the description of an exception for the host."""
    leaves = list(leaves_of(error))
    first = leaves[0]
    add_answer(first)
    text = message_of(error)
    if len(leaves) > 1 or first is not error:
        text += ": " + "; ".join(f"{type(leaf).__name__}: {message_of(leaf)}" for leaf in leaves[:10])
    why = explanation(first)
    frames = syntax_frames(first) + traceback_frames(first.__traceback__)
    failure = {
        "name": type(error).__name__[:MAX_TEXT],
        "message": (f"{text}. {why}" if why else text)[:MAX_TEXT],
        "stack": stack_text(frames or frames_of_place(getattr(first, "_place", None))),
    }
    code = "SYNTAX" if isinstance(error, SyntaxError) else getattr(first, "code", None)
    # The code of `sys.exit` is the message or a number.
    if isinstance(code, str) and not isinstance(first, SystemExit):
        failure["code"] = code[:MAX_TEXT]
    request = getattr(first, "_request", None)
    if isinstance(request, int) and len(leaves) == 1:
        failure["request"] = request
    return failure


def add_answer(error):
    """Gives the error of an unknown module the words of the host, which names what can be imported."""
    answer = UNKNOWN_MODULES.get(error.name) if type(error) is ModuleNotFoundError else None
    if answer is not None:
        error.msg, error.code, error._request = answer.message, answer.code, answer._request


def leaves_of(error):
    """Yields the errors of a group (of a `TaskGroup`), or the error itself if it is not a group."""
    inner = getattr(error, "exceptions", None)
    if not isinstance(inner, tuple) or not inner:
        yield error
    else:
        for one in inner:
            yield from leaves_of(one)


def message_of(error):
    try:
        if isinstance(error, SyntaxError) and error.lineno is not None:
            place = f"line {error.lineno}, column {error.offset or 1} of {(error.filename or PROGRAM_FILE).lstrip('/')}"
            return f"{error.msg} at {place}"
        if isinstance(error, OSError) and (hasattr(error, "_request") or "code" in vars(error)):
            return str(error.strerror)
        if isinstance(error, OSError) and error.errno in errno.errorcode:
            return file_text(error)
        text = str(error)
        if isinstance(error, asyncio.CancelledError) and not text:
            text = "The program cancelled itself."
        cause = error.__cause__
        return text if cause is None else f"{text} (cause: {type(cause).__name__}: {cause})"
    except Exception:  # noqa: BLE001 - an exception's own text may raise anything
        return "an error whose text cannot be read"


#: What a program can do about an error of the system, by its name.
ADVICE = {
    "ENOSPC": "The files of the program have no more space: remove some, or write less.",
    "EFBIG": "The file is larger than all files of a program may be: write less.",
    "EMFILE": "Too many files are open: close each one, best by `with open(...)`.",
    "EROFS": "Only /workspace and /tmp can be written to.",
    "EACCES": "Programs read and write /workspace and /tmp.",
}


def file_text(error):
    """Returns the text of an error of the system, with the name of its number, and advice."""
    name = errno.errorcode[error.errno]
    paths = " -> ".join(repr(path) for path in (error.filename, error.filename2) if path is not None)
    advice = ADVICE.get(name, "")
    return f"{name}: {error.strerror}{f': {paths}' if paths else ''}{f'. {advice}' if advice else ''}"


def syntax_frames(error):
    if not isinstance(error, SyntaxError) or error.filename != PROGRAM_FILE or error.lineno is None:
        return []
    return [("", error.lineno, max(1, error.offset or 1))]


def traceback_frames(traceback):
    """Returns the program's frames of a traceback, innermost first."""
    found = deque(maxlen=MAX_FRAMES)
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == PROGRAM_FILE:
            found.appendleft((code.co_name, traceback.tb_lineno, column_of(code, traceback.tb_lasti)))
        traceback = traceback.tb_next
    return list(found)


def running_frames(frame):
    """Returns the program's frames of a running frame and its callers, innermost first."""
    found = []
    while frame is not None and len(found) < MAX_FRAMES:
        code = frame.f_code
        if code.co_filename == PROGRAM_FILE:
            found.append((code.co_name, frame.f_lineno, column_of(code, frame.f_lasti)))
        frame = frame.f_back
    return found


def place_of(frame):
    """Returns the innermost place of the program in a running frame and its callers; None if there is none. Costs little."""
    while frame is not None and frame.f_code.co_filename != PROGRAM_FILE:
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lineno, frame.f_lasti)


def frames_of_place(place):
    """Returns a place as a list of frames."""
    if place is None:
        return []
    code, line, instruction = place
    return [(code.co_name, line, column_of(code, instruction))]


def waiting_frames(coroutine):
    """Returns the program's frames of a suspended coroutine, innermost first."""
    found = []
    while coroutine is not None and len(found) < MAX_FRAMES:
        frame = getattr(coroutine, "cr_frame", None)
        if frame is not None and frame.f_code.co_filename == PROGRAM_FILE:
            code = frame.f_code
            found.insert(0, (code.co_name, frame.f_lineno, column_of(code, frame.f_lasti)))
        coroutine = getattr(coroutine, "cr_await", None)
    return found


def column_of(code, instruction):
    """Returns the column of an instruction, from 1. Python before 3.11 has no columns."""
    positions = getattr(code, "co_positions", None)
    if positions is None or instruction < 0:
        return 1
    _, _, column, _ = next(islice(positions(), instruction // 2, None), (None, None, None, None))
    return 1 if column is None else column + 1


def stack_text(frames):
    """Returns frames as a stack text in the format of all guests."""
    lines = []
    for name, line, column in frames:
        place = f"{PROGRAM_FILE}:{line}:{column}"
        lines.append(f"at {place}" if not name or name in WRAPPERS else f"at {name} ({place})")
    return "\n".join(lines)[:MAX_TEXT]
