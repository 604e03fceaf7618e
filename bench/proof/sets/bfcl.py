"""Multi-turn tasks of the Berkeley Function-Calling Leaderboard: file system, messages, tickets, trade, travel, cars, mathematics."""

import ast
import copy
import importlib
import inspect
import json
import sys

CATEGORIES = ["base", "miss_func", "miss_param", "long_context"]
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}


def open_checkout(folder):
    root = folder / "berkeley-function-call-leaderboard"
    sys.path.insert(0, str(root))
    return MultiTurn(root / "bfcl_eval")


class MultiTurn:
    def __init__(self, root):
        from bfcl_eval.constants import executable_backend_config as config

        documents = config.MULTI_TURN_FUNC_DOC_FILE_MAPPING
        self.entries, self.listed, self.classes = {}, [], {}
        for category in CATEGORIES:
            path = f"data/BFCL_v4_multi_turn_{category}.json"
            for entry in lines(root / path):
                self.entries[entry["id"]] = {**entry, "long": category == "long_context"}
            for answer in lines(root / path.replace("data/", "data/possible_answer/")):
                self.entries[answer["id"]]["gold"] = answer["ground_truth"]
        for name in sorted({name for entry in self.entries.values() for name in entry["involved_classes"]}):
            self.classes[name] = getattr(importlib.import_module(config.CLASS_FILE_PATH_MAPPING[name]), name)
            for document in lines(root / "data/multi_turn_func_doc" / documents[name]):
                self.listed.append(described(name, document))
        self.stateless = config.STATELESS_CLASSES

    def tools(self):
        return self.listed

    def tasks(self):
        return [{"id": id, **self.actions(entry)} for id, entry in self.entries.items()]

    def actions(self, entry):
        try:
            calls = [call for turn in entry["gold"] for call in turn]
            return {"actions": [self.parsed(call, entry["involved_classes"]) for call in calls]}
        except (ValueError, SyntaxError) as error:
            return {"problem": f"a gold call cannot be read: {error}"}

    def parsed(self, text, involved):
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError(text)
        owner = next((name for name in involved if hasattr(self.classes[name], call.func.id)), None)
        if owner is None:
            raise ValueError(f"no class of the task has {call.func.id}")
        names = list(inspect.signature(getattr(self.classes[owner], call.func.id)).parameters)[1:]
        values = dict(zip(names, map(ast.literal_eval, call.args)))
        values.update({word.arg: ast.literal_eval(word.value) for word in call.keywords})
        return {"name": f"{owner}_{call.func.id}", "arguments": values}

    def begin(self, id):
        entry = self.entries[id]
        return State({name: self.opened(name, entry) for name in entry["involved_classes"]})

    def opened(self, name, entry):
        instance = self.classes[name]()
        if name not in self.stateless:
            instance._load_scenario(copy.deepcopy(entry["initial_config"].get(name, {})), long_context=entry["long"])
        return instance

    def save(self, state):
        return state.instances

    def restore(self, saved):
        return State(saved)


class State:
    def __init__(self, instances):
        self.instances = instances

    def call(self, name, arguments):
        owner, _, method = name.partition("_")
        return getattr(self.instances[owner], method)(**arguments)

    def state(self):
        return {name: fields(instance, ()) for name, instance in self.instances.items()}


def fields(value, above):
    """Returns the state of an object of the benchmark, without the way back to those that contain it."""
    if any(value is other for other in above):
        return "(above)"
    inside = (*above, value)
    if isinstance(value, dict):
        return {str(key): fields(inner, inside) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [fields(inner, inside) for inner in value]
    own = getattr(value, "__dict__", None)
    if own is None or type(value).__module__ in ("builtins", "random", "datetime"):
        return value if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__
    return {name: fields(inner, inside) for name, inner in own.items() if name not in ("_api_description", "_random")}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def described(owner, document):
    return {
        "name": f"{owner}_{document['name']}",
        "description": document["description"].split("Tool description: ")[-1],
        "inputSchema": schema(document["parameters"]),
    }


def schema(given):
    """Returns a schema of the benchmark in the words of JSON Schema."""
    if not isinstance(given, dict):
        return given
    found = {key: schema(value) for key, value in given.items() if key != "properties"}
    if "properties" in given:
        found["properties"] = {name: schema(value) for name, value in given["properties"].items()}
    if isinstance(found.get("type"), str):
        found["type"] = TYPES.get(found["type"], found["type"])
    if found.get("type", "") is None:
        del found["type"]
    return found
