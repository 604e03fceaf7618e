"""AgentDojo: the tasks of users in mail, bank, chat and travel, without injections. Its state is the whole environment."""

import datetime
import importlib
import importlib.util
import pickle
import sys
from pathlib import Path

VERSION = "v1.2.1"
CLOCKS = ["email_client", "cloud_drive_client"]


def open_checkout(folder):
    sys.path.insert(0, str(folder / "src"))
    shared = origins()
    # The agents of the benchmark load the clients of models.
    sys.meta_path.insert(0, shared.Unused(["agentdojo.agent_pipeline"]))
    for name in CLOCKS:
        importlib.import_module(f"agentdojo.default_suites.v1.tools.{name}").datetime = Stopped
    return Suites(shared.plain)


class Stopped(datetime.datetime):
    """The clock of the tools. With a running one, no two runs have the same state."""

    @classmethod
    def now(cls, tz=None):
        return cls(2024, 5, 15, 12, tzinfo=tz)


def origins():
    """Returns the module of the benchmark of origins, which reads the same checkout."""
    path = Path(__file__).parents[2] / "origins/agentdojo.py"
    spec = importlib.util.spec_from_file_location("origins", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Suites:
    def __init__(self, plain):
        from agentdojo.functions_runtime import FunctionsRuntime
        from agentdojo.task_suite.load_suites import get_suites

        self.plain = plain
        self.suites = get_suites(VERSION)
        self.runtimes = {name: FunctionsRuntime(suite.tools) for name, suite in self.suites.items()}
        # Reading the files of an environment takes a second.
        self.fresh = {name: pickle.dumps(suite.load_and_inject_default_environment({})) for name, suite in self.suites.items()}

    def tools(self):
        return [described(name, tool) for name, suite in self.suites.items() for tool in suite.tools]

    def tasks(self):
        return [
            {"id": f"{name} {key}", **self.actions(name, task)} for name, suite in self.suites.items() for key, task in suite.user_tasks.items()
        ]

    def actions(self, name, task):
        try:
            calls = task.ground_truth(self.environment(name, task))
        except Exception as error:  # Some tasks look for data that this version of their environment lacks.
            return {"problem": f"its gold calls cannot be computed: {type(error).__name__}: {error}"}
        return {"actions": [{"name": f"{name}_{call.function}", "arguments": self.plain(call.args)} for call in calls]}

    def environment(self, name, task):
        return task.init_environment(pickle.loads(self.fresh[name]))

    def begin(self, id):
        name, key = id.split(" ")
        return State(self, name, self.environment(name, self.suites[name].user_tasks[key]))

    def save(self, state):
        return state.name, state.environment

    def restore(self, saved):
        return State(self, *saved)


class State:
    def __init__(self, suites, name, environment):
        self.suites, self.name, self.environment = suites, name, environment

    def call(self, name, arguments):
        suite, _, tool = name.partition("_")
        result, error = self.suites.runtimes[suite].run_function(self.environment, tool, arguments)
        if error is not None:
            raise ValueError(error)
        return self.suites.plain(result)

    def state(self):
        return self.suites.plain(self.environment)


def described(suite, tool):
    schema = tool.parameters.model_json_schema()
    return {"name": f"{suite}_{tool.name}", "description": tool.description, "inputSchema": schema}
