"""MCPAgentBench: single and combined calls of about 140 simulated servers. They keep nothing, so their state is the list of calls."""

import importlib.util
import inspect
import json
import sys
import types
import typing

SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def open_checkout(folder):
    return Servers(folder)


class Servers:
    def __init__(self, folder):
        self.functions = {}
        collect(self.functions)
        self.broken = {}
        for path in sorted((folder / "servers").glob("*.py")):
            spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
            try:
                spec.loader.exec_module(importlib.util.module_from_spec(spec))
            except Exception as error:  # The servers of others need packages that may be missing.
                self.broken[path.stem] = f"{type(error).__name__}: {error}"
        self.entries = {task["id"]: task for task in json.loads((folder / "data/tasks.json").read_text())}

    def tools(self):
        return [described(name, function) for name, function in sorted(self.functions.items())]

    def tasks(self):
        return [{"id": id, **self.actions(task)} for id, task in self.entries.items()]

    def actions(self, task):
        found = []
        for names, inputs in zip(task["tools"], task["inputs"]):
            for name, arguments in zip(names, inputs):
                if name not in self.functions:
                    return {"problem": f"there is no tool {name}"}
                found.append({"name": name, "arguments": arguments})
        return {"actions": found}

    def begin(self, _):
        return State(self.functions)

    def save(self, state):
        return state.calls

    def restore(self, saved):
        return State(self.functions, saved)


class State:
    def __init__(self, functions, calls=()):
        self.functions = functions
        self.calls = list(calls)

    def call(self, name, arguments):
        self.calls.append([name, arguments])
        return self.functions[name](**arguments)

    def state(self):
        return self.calls


def collect(functions):
    """Stands in for the SDK: the servers register their functions here."""

    class FastMCP:
        def __init__(self, *_, **__):
            pass

        def tool(self, *_, **__):
            def register(function):
                functions[function.__name__] = function
                return function

            return register

        def run(self, *_, **__):
            pass

    module = types.ModuleType("mcp.server.fastmcp")
    module.FastMCP = FastMCP
    module.Context = typing.Any
    for name in ("mcp", "mcp.server"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["mcp.server.fastmcp"] = module


def described(name, function):
    properties, required = {}, []
    for key, parameter in inspect.signature(function).parameters.items():
        properties[key] = {"type": SIMPLE[parameter.annotation]} if parameter.annotation in SIMPLE else {}
        if parameter.default is inspect.Parameter.empty:
            required.append(key)
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": inspect.getdoc(function) or name, "inputSchema": schema}
