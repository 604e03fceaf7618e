"""The content of kept values: text from which a later program has the same value again."""
import base64
import io
import json
import math
import pickle
import sys
import types

SCALARS = {type(None), bool, int, str}
NUMBERS = {*SCALARS, float}
MAX_DEPTH = 100
MAX_TYPE = 60
MAIN = "__main__"


class Unkeepable(Exception):
    """Raised with the reason for which a value cannot be kept."""


def content_of(value, max_bytes):
    """Returns the format and the content of a value. Raises `Unkeepable`."""
    try:
        if is_plain(value, MAX_DEPTH, set()):
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            if len(text) > max_bytes:
                raise too_large(max_bytes)
            text.encode()
            return "json", text
    except UnicodeEncodeError:
        pass
    file = Limited(max_bytes * 3 // 4)
    try:
        pickle.dump(value, file, protocol=5)
    except Unkeepable:
        raise
    except MemoryError:
        raise Unkeepable("there is no memory for a copy") from None
    except RecursionError:
        raise Unkeepable("it nests too deeply") from None
    except Exception as error:  # noqa: BLE001 - a value of the program may raise anything
        raise Unkeepable(reason_of(value, error)) from None
    return "pickle", base64.b64encode(file.getbuffer()).decode()


def read_content(name, form, content, names):
    """Returns the value of a content. `names` are the globals of the program."""
    if form == "json":
        return json.loads(content)
    if form == "source":
        exec(compile(content, f"/kept/{name}.py", "exec", dont_inherit=True), names)
        return names[name]
    return MainUnpickler(io.BytesIO(base64.b64decode(content)), names).load()


def is_plain(value, depth, seen):
    """Returns whether JSON has the value exactly: plain data without tuples, NaN, other keys than text, or one list in two places."""
    kind = type(value)
    if kind in SCALARS:
        return True
    if kind is float:
        return math.isfinite(value)
    if kind not in (list, dict) or depth == 0 or id(value) in seen:
        return False
    seen.add(id(value))
    if kind is dict:
        if not set(map(type, value)) <= {str}:
            return False
        value = value.values()
    kinds = set(map(type, value))
    if kinds <= NUMBERS:
        return float not in kinds or all(math.isfinite(item) for item in value if type(item) is float)
    return all(is_plain(item, depth - 1, seen) for item in value)


class Limited(io.BytesIO):
    """Bytes in memory, up to a limit."""

    def __init__(self, limit):
        super().__init__()
        self._limit = limit

    def write(self, data):
        if self.tell() + memoryview(data).nbytes > self._limit:
            raise too_large(self._limit)
        return super().write(data)


class MainUnpickler(pickle.Unpickler):
    """Finds classes of an earlier program by their names: they are kept as source text."""

    def __init__(self, file, names):
        super().__init__(file)
        self._names = names

    def find_class(self, module, name):
        if module != MAIN:
            return super().find_class(module, name)
        first, *rest = name.split(".")
        found = eval(first, self._names)
        for part in rest:
            found = getattr(found, part)
        return found


def too_large(limit):
    return Unkeepable(f"it is over {limit:,} bytes; write it to a file in /workspace")


def reason_of(value, error):
    if hasattr(type(value), "__await__"):
        return "it is not awaited"
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"it cannot be stored: {text[:120]}"


def described(value):
    """Returns the type of a value with its size, for people: `DataFrame 1,204 × 8`."""
    name = type(value).__name__
    if isinstance(value, type):
        return "class"
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
        return "function"
    try:
        shape = getattr(value, "shape", None)
        if isinstance(shape, tuple) and type(value).__module__.partition(".")[0] in sys.modules:
            sizes = [f"{int(size):,}" for size in shape]
        elif isinstance(value, (list, dict, set, frozenset, tuple, bytes, bytearray)):
            sizes = [f"{len(value):,}"]
        else:
            sizes = []
    except Exception:  # noqa: BLE001 - a value of the program may raise anything
        sizes = []
    return f"{name} {' × '.join(sizes)}".strip()[:MAX_TYPE]
