"""Kept values: the session stores top-level values of a completed program, and the next program loads them at their first use.

Content is text: JSON, source text, or a pickle in base64. Only a guest ever reads a pickle, and only of its own session.
"""
import builtins
import types

from .contents import Unkeepable, content_of, described, read_content
from .statements import statements_of

#: Bytes of all values that a session keeps.
MAX_BYTES = 64 * 1024 * 1024
#: Characters of one message.
PART = 1024 * 1024
#: The variable that gives a program its result: an earlier value must not become the result of this program.
RESULT = "result"
CODE = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)


class KeptBuiltins(dict):
    """The built-ins of a program that names kept values: Python looks here for a name that the program has not set."""

    __slots__ = ("load",)

    def __missing__(self, name):
        return self.load(name)


class KeptValues:
    """The kept values of a session, for one program."""

    def __init__(self, bridge):
        self._bridge = bridge
        self._index, self._names = {}, {}
        self._given = frozenset()
        #: The loaded values by name, each with its content.
        self._loaded = {}

    def open(self, code, names):
        """Makes the kept values visible to a program. A program that names none runs with the usual built-ins."""
        self._names, self._given = names, frozenset(names)
        used = names_in(code)
        self._index = self._bridge.ask("kept", "kept") if used else {}
        if used.isdisjoint(self._index):
            return
        visible = KeptBuiltins(vars(builtins))
        visible.load = self._load
        for name in self._index:
            visible.pop(name, None)
        names["__builtins__"] = self._builtins = visible

    def _load(self, name):
        entry = self._index.get(name)
        if entry is None:
            raise KeyError(name)
        content = "".join(self._parts(entry["hash"]))
        try:
            value = read_content(name, entry["format"], content, self._names)
        except Exception as error:
            raise RuntimeError(f"The kept value {name} ({entry['type']}) cannot be loaded: {type(error).__name__}: {error}") from None
        self._loaded[name] = (value, content)
        (self._builtins if name == RESULT else self._names)[name] = value
        return value

    def _parts(self, digest):
        at = 0
        while at is not None:
            text, at = self._bridge.ask("kept", "keptValue", digest, at)
            yield text

    def keep(self, source):
        """Sends the values of a completed program to the host."""
        statements = statements_of(source)
        left = MAX_BYTES
        for name, value in self._top_level():
            try:
                entry, content = self._entry(name, value, statements.get(name), left)
            except Unkeepable as reason:
                self._refuse(name, value, str(reason))
                continue
            except Exception as error:
                # A class of the program may fail at any step. The program has completed.
                self._refuse(name, value, f"it cannot be stored: {type(error).__name__}: {error}")
                continue
            if entry is not None:
                left -= len(content)
                self._send({"name": name, **entry}, content)

    def _refuse(self, name, value, problem):
        self._bridge.notice("keep", {"name": name, "type": described(value), "problem": problem})

    def _top_level(self):
        # The result of an earlier program that this one loaded is in the built-ins.
        for name, value in [*self._names.items(), *((name, loaded) for name, (loaded, _) in self._loaded.items() if name == RESULT)]:
            if not name.startswith("__") and name != "_" and name not in self._given:
                yield name, value

    def _entry(self, name, value, statement, left):
        """Returns the description and the content of a value; `(None, "")` if there is nothing to store."""
        loaded, before = self._loaded.get(name, (None, None))
        if name in self._loaded and loaded is value and self._index[name]["format"] == "source":
            return None, ""
        if statement is not None and statement.fits(value):
            return {"format": "source", "type": statement.kind}, statement.text
        if isinstance(value, CODE):
            if loaded is value or getattr(value, "__module__", None) != "__main__":
                return None, ""
            raise Unkeepable("a call made it; write it at the top level")
        form, content = content_of(value, left)
        return (None, "") if content == before else ({"format": form, "type": described(value)}, content)

    def _send(self, entry, content):
        for at in range(0, max(len(content), 1), PART):
            is_last = at + PART >= len(content)
            self._bridge.notice("keep", {**entry, "more": not is_last}, content[at : at + PART])


def names_in(code):
    """Returns all names that a program uses, those of its functions included."""
    names, waiting = set(), [code]
    while waiting:
        found = waiting.pop()
        names.update(found.co_names)
        waiting.extend(constant for constant in found.co_consts if isinstance(constant, types.CodeType))
    return names
