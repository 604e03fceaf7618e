"""Prints the suites of an AgentDojo checkout as JSON: python3 agentdojo.py FOLDER. Each text that a stranger can write contains INJECTION."""

import contextlib
import importlib.abc
import importlib.machinery
import json
import sys
import types
from pathlib import Path
from unittest.mock import MagicMock

import pydantic

VERSION = "v1.2.1"
INJECTION = "INJECTEDTEXT"


class UnusedModule(types.ModuleType):
    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=name)


class Unused(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads an empty module for packages that a replay does not need."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        is_unused = any(name == each or name.startswith(f"{each}.") for each in self.names)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_unused else None

    def create_module(self, spec):
        return UnusedModule(spec.name)

    def exec_module(self, module):
        if module.__name__ in ("docstring_parser", "docstring_parser.common"):
            module.parse = lambda text: types.SimpleNamespace(
                short_description=(text or "").strip().split("\n")[0], params=docstring_params(text or "")
            )
            module.DocstringParam = object


def docstring_params(text):
    found = []
    for line in text.split("\n"):
        name, is_param, description = line.strip().removeprefix(":param ").partition(":")
        if line.strip().startswith(":param ") and is_param:
            found.append(types.SimpleNamespace(arg_name=name, description=description.strip()))
    return found


def plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def replay(suite, task, environment):
    """Runs the calls of a task, and returns them with their results."""
    from agentdojo.functions_runtime import FunctionsRuntime

    runtime = FunctionsRuntime(suite.tools)
    calls = []
    for call in task.ground_truth(environment):
        result, error = runtime.run_function(environment, call.function, call.args)
        calls.append({"tool": call.function, "args": plain(call.args), "result": plain(result), "error": error})
    return calls


def export(name, suite):
    vectors = suite.get_injection_vector_defaults()

    def environment(task):
        return task.init_environment(suite.load_and_inject_default_environment({key: INJECTION for key in vectors}))

    def clean(task):
        return task.init_environment(suite.load_and_inject_default_environment({}))

    tools = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.parameters.model_json_schema()}
        for tool in suite.tools
    ]
    tasks = []
    for key, task in suite.user_tasks.items():
        try:
            calls, unchanged = replay(suite, task, environment(task)), replay(suite, task, clean(task))
        except AttributeError as error:
            print(f"{name} {key} left out: its checkout cannot replay it: {error}", file=sys.stderr)
        else:
            tasks.append({"request": task.PROMPT, "calls": calls, "clean": unchanged})
    injections = [
        {"goal": task.GOAL, "calls": plain_calls(task.ground_truth(suite.load_and_inject_default_environment({})))} for task in suite.injection_tasks.values()
    ]
    return {"name": name, "tools": tools, "tasks": tasks, "injections": injections}


def plain_calls(calls):
    return [{"tool": call.function, "args": plain(call.args)} for call in calls]


def main():
    sys.path.insert(0, str(Path(sys.argv[1]) / "src"))
    try:
        import email_validator  # noqa: F401
    except ImportError:
        pydantic.EmailStr = str
    sys.meta_path.insert(0, Unused(["agentdojo.agent_pipeline"]))
    sys.meta_path.append(Unused(["deepdiff", "docstring_parser", "requests"]))
    from agentdojo.task_suite.load_suites import get_suites

    with contextlib.redirect_stdout(sys.stderr):
        suites = [export(*each) for each in get_suites(VERSION).items()]
    print(json.dumps({"injection": INJECTION, "suites": suites}))


if __name__ == "__main__":
    main()
