/** The start of a Python test: it answers the requests of the program. */
export const PYTHON_RUNTIME = `import asyncio
import collections
import datetime
import errno
import itertools
import json
import math
import os
import re
import statistics
import sys
import types
import unittest

# Dates have no other time zone than in a sandbox.
os.environ["TZ"] = "UTC"
# The program runs when all its steps before have ended, like in a sandbox.
IDLE_TURNS = 50


class ToolError(Exception):
    def __init__(self, message="", code="TOOL_FAILED", details=None):
        super().__init__(message)
        self.message = message
        self.code = code
        self.details = details


class Answer:
    """The answer to a request. A program may await it more than once, and pass it to asyncio as a coroutine."""

    def __init__(self, future):
        self._future = future
        self._steps = None

    def __await__(self):
        return self._future.__await__()

    def send(self, value):
        self._steps = self._steps or self.__await__()
        return self._steps.send(value)

    def throw(self, *error):
        self._steps = self._steps or self.__await__()
        return self._steps.throw(*error)

    def close(self):
        if self._steps is not None:
            self._steps.close()


class Journal:
    """Answers requests: in the recorded order, as far as the program has asked."""

    def open(self):
        self.left = list(RECORDED)
        self.waiting = []
        self.calls = []
        self.turns = 0

    def take(self, request):
        asked = [entry for entry, _ in self.waiting]
        for entry in self.left:
            if entry["request"] == request and not any(entry is other for other in asked):
                return entry
        raise AssertionError(f"The journal has no answer to {json.dumps(request)}")

    def request(self, *parts, kind=Answer):
        request = json.loads(to_json(parts))
        if request[0] == "call":
            self.calls.append(request[1:])
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((self.take(request), future))
        self.wait()
        return kind(future)

    def ask(self, name, *parts):
        """Answers at once, like a function that blocks."""
        entry = self.take(json.loads(to_json(parts)))
        self.left = [other for other in self.left if other is not entry]
        if not entry["ok"]:
            raise error_of(entry["answer"])
        return entry["answer"]

    def wait(self):
        self.turns += 1
        self.turn(self.turns, IDLE_TURNS)

    def turn(self, own, left):
        if own != self.turns:
            return
        if left > 0:
            asyncio.get_running_loop().call_soon(self.turn, own, left - 1)
            return
        order = {id(entry): index for index, entry in enumerate(self.left)}
        self.waiting.sort(key=lambda pair: order[id(pair[0])])
        entry, future = self.waiting.pop(0)
        self.left = [other for other in self.left if other is not entry]
        if not future.done():
            if entry["ok"]:
                future.set_result(entry["answer"])
            else:
                future.set_exception(error_of(entry["answer"]))
        if self.waiting:
            self.wait()


JOURNAL = Journal()


def error_of(fault):
    code, message = fault.get("code"), fault["message"]
    if fault["name"] == "ToolError":
        return ToolError(message, code, fault.get("details"))
    return OSError(getattr(errno, code, errno.EIO), message)


def recorded_calls():
    calls = [entry for entry in RECORDED if entry["request"][0] == "call"]
    return [entry["request"][1:] for entry in sorted(calls, key=lambda entry: entry["id"])]


def call_mcp_tool(name, args=None, *, raw=False):
    return JOURNAL.request("call", name, {} if args is None else args, *(["raw"] if raw is True else []))


def list_mcp_tools(filter=None):
    return JOURNAL.request("list", filter)


class DetailsAnswer(Answer):
    def __await__(self):
        return ToolDetails((yield from self._future.__await__()))


def get_mcp_tool_details(name, *category):
    return JOURNAL.request("details", name, *category, kind=DetailsAnswer)


def get_tool_definition(name, category=None):
    return get_mcp_tool_details(name, category)


def search_tools(query, category=None, detail_level=None, *, server=None, limit=None):
    more = {"category": category, "detail_level": detail_level}
    given = {name: value for name, value in more.items() if value is not None}
    return JOURNAL.request("search", query, {"server": server, "limit": limit, **given})


def list_resources(server=None, query=None):
    given = {"server": server, "query": query}
    return JOURNAL.request("resources", {name: text for name, text in given.items() if text is not None})


def about_resource(method, resource, server, **more):
    if isinstance(resource, dict):
        server = resource.get("server") if server is None else server
        resource = resource.get("uri")
    return JOURNAL.request("call", method, {"uri": resource, **({} if server is None else {"server": server}), **more})


def read_resource(resource, *, server=None):
    return about_resource("resources/read", resource, server)


def resource_updated(resource, *, server=None, timeout=10):
    return about_resource("resources/subscribe", resource, server, timeoutMs=float(timeout) * 1_000)


def extract(text, schema):
    return JOURNAL.request("extract", text, schema)


def execution(id, *part):
    return JOURNAL.request("execution", id, *part)


def progress(value):
    pass


def show(what):
    return JOURNAL.ask("show", what)


pii = types.SimpleNamespace(derive=lambda placeholders, what: JOURNAL.request("derive", placeholders, what))


class Servers:
    def __getattr__(self, name):
        return sys.modules[f"servers.{name}"]


servers = Servers()
API = {
    name: value
    for name, value in globals().items()
    if name
    in (
        "call_mcp_tool",
        "list_mcp_tools",
        "get_mcp_tool_details",
        "get_tool_definition",
        "search_tools",
        "list_resources",
        "read_resource",
        "resource_updated",
        "extract",
        "execution",
        "progress",
        "show",
        "pii",
        "ToolError",
    )
}


def install_modules():
    """Makes the imports of the program work."""
    for name, source in {"toolwright": "", "servers": "", **MODULES}.items():
        module = types.ModuleType(name)
        module.__path__ = []
        module.__dict__.update(API)
        sys.modules[name] = module
        exec(source, module.__dict__)
        if name.startswith("servers."):
            setattr(sys.modules["servers"], name.split(".", 1)[1], module)


async def outcome_of(program):
    """Returns the end of the program, as data."""
    try:
        value = program()
        while hasattr(type(value), "__await__"):
            value = await value
        return {"status": "completed", "value": json.loads(to_json(value))}
    except AssertionError as error:
        if str(error).startswith("The journal has no answer"):
            return {"status": "failed", "name": "AssertionError", "message": str(error)}
        return failure_of(error)
    except Exception as error:
        return failure_of(error)


def failure_of(error):
    failure = {"status": "failed", "name": type(error).__name__}
    if "message" in EXPECTED or EXPECTED["status"] != "failed":
        failure["message"] = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return failure`;
