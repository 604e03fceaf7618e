"""tau2-bench: the retail domain, whose state is a database of orders, users and products."""

import hashlib
import json
import os
import pickle
import sys
import types


def open_checkout(folder):
    source = folder / "src"
    sys.path.insert(0, str(source))
    # The package itself loads models and voices. Its parts do not need it.
    package = types.ModuleType("tau2")
    package.__path__ = [str(source / "tau2")]
    sys.modules["tau2"] = package
    os.environ["TAU2_DATA_DIR"] = str(folder / "data")
    if "addict" not in sys.modules:
        try:
            import addict  # noqa: F401
        except ImportError:
            # Only initial data of tasks needs it, and no task of this domain has any.
            sys.modules["addict"] = types.SimpleNamespace(Dict=None)
    return Retail(folder)


class Retail:
    def __init__(self, folder):
        from tau2.domains.retail.data_model import RetailDB
        from tau2.domains.retail.tools import RetailTools

        self.kit = RetailTools
        data = folder / "data/tau2/domains/retail"
        self.database = RetailDB.load(str(data / "db.json"))
        # A deep copy takes twice the time.
        self.fresh = pickle.dumps(self.database)
        self.entries = {task["id"]: task for task in json.loads((data / "tasks.json").read_text())}
        self.policy = (data / "policy.md").read_text()
        kit = RetailTools(self.database)
        self.listed = [described(kit, tool) for tool in kit.get_tools().values()]

    def tools(self):
        return self.listed

    def tasks(self):
        return [{"id": id, **actions(task), **prompt(self.policy, task)} for id, task in self.entries.items()]

    def begin(self, _):
        return State(self.kit(pickle.loads(self.fresh)))

    def save(self, state):
        return state.kit.db.model_dump_json()

    def restore(self, saved):
        return State(self.kit(type(self.database).model_validate_json(saved)))


class State:
    def __init__(self, kit):
        self.kit = kit

    def call(self, name, arguments):
        return self.kit.use_tool(name, **arguments)

    def state(self):
        # The hash of the benchmark has the same content, and takes ten times as long.
        return hashlib.sha256(self.kit.db.model_dump_json().encode()).hexdigest()


def actions(task):
    if task.get("initial_state"):
        return {"problem": "the task has initial data, which this benchmark does not load"}
    found = task["evaluation_criteria"].get("actions") or []
    return {"actions": [{"name": action["name"], "arguments": action["arguments"]} for action in found]}


def prompt(policy, task):
    """Returns what a model reads instead of a talk with the user, and the texts that its answer must have."""
    user = task["user_scenario"]["instructions"]
    known = "\n".join(f"{name}: {text}" for name, text in user.items() if text)
    text = f"{policy}\n\nThe user cannot be asked, and confirms what the policy allows. The user says:\n{known}"
    return {"prompt": text, "facts": task["evaluation_criteria"].get("communicate_info") or []}


def described(kit, tool):
    function = tool.openai_schema["function"]
    reads = kit.tool_type(function["name"]).value in ("read", "generic", "think")
    return {
        "name": function["name"],
        "description": function["description"],
        "inputSchema": function["parameters"],
        "annotations": {"readOnlyHint": reads},
    }
