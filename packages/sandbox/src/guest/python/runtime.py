"""The guest runtime for Python: runs one program. It is the same in every sandbox.

The engine passes `send(type, id, payload)` and `receive(seconds)`, which returns a frame `(type, id, payload)`, or None after
the timeout. Seconds of None mean no timeout.
"""
import asyncio
import builtins
import importlib
import json
import linecache
import sys
import threading
import types
from time import sleep as engine_sleep

from . import faults
from .answers import DetailsAnswer
from .bridge import Bridge
from .computed.values import NAME as VALUES, Values
from .faults import PROGRAM_FILE, ToolError, coded
from .files import Files
from .kept.kept import KeptValues
from .packages import reseed
from .pii import create_pii
from .platform.clock import install_clock
from .platform.loop import GuestLoop, install_loop, is_waiting
from .platform.output import install_output
from .platform.randomness import install_randomness
from .platform.unrecorded import report_unrecorded
from .program.imports import Servers, install_imports
from .program.source import LAST, PROGRAM, compile_program, is_async
from .protocol import COMPLETED, FAILED, STOPPED
from .resources import resource_functions
from .results.tables import OTHER, package_value
from .results.values import NotAwaited, byte_length, to_json

#: Modules that programs use without an import. A variable or an import of the same name hides them.
PRELOADED = "collections datetime itertools json math re statistics"
#: Freed at the memory limit, so that the report has memory.
RESERVE_BYTES = 2 * 1024 * 1024


class Guest:
    """The environment of one program. It can be created before the program arrives."""

    def __init__(self, send, receive):
        self._reserve = bytes(RESERVE_BYTES)
        self._bridge = Bridge(send, receive)
        self._loop = None
        self._finish_output = install_output(self._bridge)
        self._files = Files(self._bridge)
        api = {**functions(self._bridge), **self._files.api, "ToolError": ToolError}
        install_imports(self._bridge, api)
        install_loop(self._bridge)
        for name, value in api.items():
            setattr(builtins, name, value)
        for name in PRELOADED.split():
            setattr(builtins, name, importlib.import_module(name))
        builtins.servers = Servers()
        builtins.exit = builtins.quit = sys.exit

    def execute(self, run):
        """Runs the program of a `run` frame and reports its outcome to the host."""
        self._bridge.message_bytes = run["messageBytes"]
        self._bridge.places = 0
        self._bridge.clock.start(run["epochMs"], run.get("clock", ()))
        install_clock(self._bridge.clock, self._sleep)
        install_randomness(run["seed"])
        reseed(run["seed"])
        report_unrecorded(self._bridge.notice)
        try:
            self._files.start()
            functions = {name: host_function(self._bridge, name) for name in run.get("functions", ())}
            kept = KeptValues(self._bridge) if run.get("keeps") else None
            value = self._value(run["code"], functions, kept)
            self._files.finish()
            payload = self._result(value)
            if kept is not None:
                kept.keep(run["code"])
        except MemoryError as error:
            self._reserve = None
            stack = faults.stack_text(faults.traceback_frames(error.__traceback__))
            error.__traceback__ = None
            self.stop("memory", stack)
        except faults.Ended:
            pass
        except faults.NeverSettles:
            self._fail(never_settles(), suspended_frames())
        except BaseException as error:  # noqa: BLE001 - every error of a program is its outcome
            self._fail(error)
        else:
            self._finish_output()
            self._bridge.end(COMPLETED, payload)

    def _sleep(self, seconds):
        """Blocks the program for this time: `time.sleep`."""
        if threading.current_thread() is not threading.main_thread():
            engine_sleep(seconds)
        elif seconds < 0:
            raise ValueError("sleep length must be non-negative")
        else:
            self._bridge.ask("time.sleep", "sleep", float(seconds) * 1_000)

    def stop(self, limit, stack=""):
        """Reports that a limit ended the program."""
        self._bridge.end(STOPPED, json.dumps({"limit": limit, "stack": stack}))

    def time_over(self, frame):
        """Reports the position of the program at its time limit. `frame` is the running frame, if the engine knows it."""
        frames = suspended_frames() if is_waiting(frame) else []
        self.stop("timeout", faults.stack_text(frames + faults.running_frames(frame)))

    def exited(self, status, frame):
        """Reports that the program ended its process."""
        error = RuntimeError(f"The program ended its process with os._exit({status!r}). Let it end after its last line instead.")
        self._fail(error, faults.running_frames(frame))

    def _fail(self, error, frames=None):
        failure = faults.failure_of(error)
        if frames is not None:
            failure["stack"] = faults.stack_text(frames)
        try:
            self._files.finish()
        except Exception as lost:  # noqa: BLE001 - the first error is the outcome
            self._bridge.notice("log", "error", f"Not all files were saved: {faults.message_of(lost)}")
        self._finish_output()
        self._bridge.end(FAILED, json.dumps(failure))

    def _value(self, source, functions, kept):
        """Returns the program's value, `...` if it has none. `functions` are those of the host, by name."""
        linecache.cache[PROGRAM_FILE] = (len(source), None, source.splitlines(True), PROGRAM_FILE)
        module = types.ModuleType("__main__")
        module.__file__ = PROGRAM_FILE
        sys.modules["__main__"] = module
        names = module.__dict__
        names.update(functions)
        names[VALUES] = Values(self._bridge.ask)
        code = compile_program(source, keeps=kept is not None)
        if kept is not None:
            kept.open(code, names)
        try:
            return self._returned(code, names)
        except SystemExit as error:
            status = error.code
            if status is not None and not (isinstance(status, int) and status == 0):
                # As CPython does it: any other value than a number is the message.
                if isinstance(status, int) or str(status) == "":
                    error.args = (f"The program ended itself with sys.exit({status!r}).",)
                raise
            return self._settle(names["result"]) if "result" in names else ...

    def _returned(self, code, names):
        returned = self._settle(eval(code, names)) if is_async(code) else exec(code, names)
        if PROGRAM in names:
            returned = self._settle(names.pop(PROGRAM)())
        if isinstance(returned, tuple):
            return self._settle(returned[0])
        if "result" in names:
            return self._settle(names["result"])
        last = self._settle(names.get(LAST))
        return ... if last is None else last

    def _settle(self, value):
        """Awaits an awaitable value, such as the coroutine of `async def main()`."""
        if not hasattr(type(value), "__await__"):
            return value

        async def settled():
            return await value

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(settled())

    def _result(self, value):
        if value is ...:
            return ""
        try:
            text = to_json(value)
        except NotAwaited as error:
            raise not_awaited(error) from None
        except TypeError as error:
            raise coded(TypeError(f"The result cannot be returned as JSON: {error}. Return plain data."), "RESULT_NOT_JSON") from None
        size, limit = byte_length(text), self._bridge.message_bytes
        if size > limit:
            raise ToolError(f"The result has {size} bytes, the limit is {limit} bytes. Return a summary.", "RESULT_TOO_LARGE")
        return text


def suspended_frames():
    """Returns the frames at which the program waits."""
    task = GuestLoop.main
    return [] if task is None else faults.waiting_frames(task.get_coro())


def not_awaited(error):
    """Returns the error of a result that has a call which is not awaited, at the place of the call."""
    fix = f"Write await {error.call}(...), or await asyncio.gather(*calls) for a list of calls."
    found = coded(TypeError(f"The result has a call of {error.call}, which is not awaited. {fix}"), "RESULT_NOT_JSON")
    found._place = error.place
    return found


def never_settles():
    return coded(
        RuntimeError("The program awaits a future or event that nothing can set. Check that each one is set."),
        "NEVER_SETTLES",
    )


def host_function(bridge, name):
    """Returns the global function for one function of the host."""

    def call(*values, **named):
        if len(values) > 1 or (values and (named or not isinstance(values[0], dict))):
            raise TypeError(f"{name} takes keyword arguments or one dict: {name}(key=value) or {name}({{'key': value}})")
        return bridge.request(name, "call", name, values[0] if values else named)

    call.__name__ = call.__qualname__ = name
    return call


# The names by which programs pass all arguments.
WHOLE_ARGUMENTS = frozenset(["args", "arguments", "input", "kwargs", "parameters", "params"])


def functions(bridge):
    """Returns the functions of the API, except those for files."""

    def call_mcp_tool(name, args=None, *, raw=False, **named):
        """Calls a tool. Await the answer for its data, or with `raw=True` for the whole result."""
        if not isinstance(name, str):
            raise TypeError('call_mcp_tool takes the name of a tool first: call_mcp_tool("server__tool", {...})')
        if named:
            whole = [value for key, value in named.items() if key in WHOLE_ARGUMENTS and isinstance(value, dict)]
            pairs = ", ".join(f'"{key}": ...' for key in (whole[0] if len(whole) == 1 == len(named) else named))
            raise TypeError(f'call_mcp_tool takes one dict of arguments: call_mcp_tool("{name}", {{{pairs}}})')
        if args is None:
            args = {}
        if not isinstance(args, dict):
            raise TypeError(f'call_mcp_tool("{name}", args) takes one dict of arguments, not a {type(args).__name__}')
        return bridge.request("call_mcp_tool", "call", name, args, *(["raw"] if raw is True else []))

    def list_mcp_tools(filter=None):
        """Returns all tools, or those that match a text."""
        return bridge.request("list_mcp_tools", "list", filter)

    def get_mcp_tool_details(name, *category):
        """Returns the declaration of a tool, with its documentation and its parts as fields."""
        return bridge.request("get_mcp_tool_details", "details", name, *category, kind=DetailsAnswer)

    def get_tool_definition(name, category=None):
        """Returns the same as `get_mcp_tool_details`."""
        return get_mcp_tool_details(name, category)

    def search_tools(query, category=None, detail_level=None, *, server=None, limit=None):
        """Returns the tools that match a query, or a list of queries."""
        more = {} if category is None else {"category": category}
        more.update({} if detail_level is None else {"detail_level": detail_level})
        return bridge.request("search_tools", "search", query, {"server": server, "limit": limit, **more})

    def extract(text, schema):
        """Returns data of a JSON Schema that the host reads from a text. Await it."""
        return bridge.request("extract", "extract", text, schema)

    def execution(id, *part):
        """Returns the value of another execution of the same user, or its log lines for the part "logs". Await it."""
        return bridge.request("execution", "execution", id, *part)

    async def run_skill(name, args=None):
        """Runs the main function of a skill with a dict of arguments. Await it for the result."""
        if not isinstance(args, (dict, type(None))):
            raise TypeError(f'run_skill("{name}", args) takes one dict of arguments, not a {type(args).__name__}')
        entry = await bridge.request("run_skill", "skill", name)
        main = getattr(importlib.import_module(entry["module"]), entry["name"])
        value = main(**(args or {}))
        while hasattr(type(value), "__await__"):
            value = await value
        return value

    def sleep(seconds):
        """Waits. The time starts with the call, not with `await`."""
        is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
        return bridge.request("sleep", "sleep", max(0.0, float(seconds)) * 1_000 if is_number else seconds)

    def progress(value):
        """Reports progress to the caller."""
        bridge.notice("progress", value)

    def show(what):
        """Shows a picture or a file to the caller: a figure, an SVG text, a Vega-Lite chart, a block of a tool, or a path. Returns its type and path."""
        block = package_value(what)
        return bridge.ask("show", "show", what if block is OTHER else block)

    tools = (call_mcp_tool, list_mcp_tools, get_mcp_tool_details, get_tool_definition, search_tools)
    named = {function.__name__: function for function in (*tools, extract, execution, run_skill, sleep, progress, show)}
    return {**named, **resource_functions(bridge), "pii": create_pii(bridge)}
