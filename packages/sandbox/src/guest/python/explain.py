"""Explains errors of values that differ from what the program expects: the keys that a result has, or its type."""
import ast
import linecache
from itertools import islice

from .protocol import PROGRAM_FILE

_MAX_KEYS = 12
_MAX_TEXT = 200


def explanation(error):
    """Returns a sentence about the value behind an error, "" if there is nothing to say. Runs no code of the program."""
    try:
        if not isinstance(error, (KeyError, TypeError, AttributeError)):
            return ""
        frame, node = failing_node(error.__traceback__)
        value = read(node.value, frame)
        return about(node, value, frame)
    except Exception:  # noqa: BLE001 - an explanation must not hide the error
        return ""


def failing_node(traceback):
    """Returns the frame and the expression `value[key]` or `value.name` in which the program failed."""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    if code.co_filename != PROGRAM_FILE:
        raise LookupError
    line, end_line, start, end = next(islice(code.co_positions(), traceback.tb_lasti // 2, None))
    if line != end_line:
        raise LookupError
    text = linecache.getline(PROGRAM_FILE, line).encode()[start:end].decode()
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Call):
        node = node.func
    return traceback.tb_frame, node


def read(node, frame):
    """Returns the value of a simple expression. Only plain containers are read, which run no code of the program."""
    if isinstance(node, ast.Await):
        return read(node.value, frame)
    if isinstance(node, ast.Name):
        return frame.f_locals[node.id] if node.id in frame.f_locals else frame.f_globals[node.id]
    if isinstance(node, ast.Subscript):
        holder, key, missing = read(node.value, frame), ast.literal_eval(node.slice), KeyError
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        holder, key, missing = read(node.func.value, frame), ast.literal_eval(node.args[0]), None
    else:
        raise LookupError
    if type(holder) not in (dict, list):
        raise LookupError
    return holder.get(key) if missing is None else holder[key]


def about(node, value, frame):
    name = ast.unparse(node.value)
    if isinstance(node, ast.Attribute) and type(value) is dict and node.attr in value:
        return f'Write {name}["{node.attr}"].'
    if value is None:
        holder = getattr(node.value, "func", node.value).value
        return f"{name} is None. {shape(ast.unparse(holder), read(holder, frame))}"
    return shape(name, value)


def shape(name, value):
    if type(value) is dict:
        return f"{name} has the keys: {keys_of(value)}."
    if type(value) is list:
        inner = f" of dicts with the keys: {keys_of(value[0])}" if value and type(value[0]) is dict else ""
        return f"{name} is a list of {len(value)}{inner}."
    if type(value) is str:
        return f"{name} is a str of {len(value)} characters."
    return ""


def keys_of(value):
    names = [str(key) for key in islice(value, _MAX_KEYS)]
    more = f", and {len(value) - _MAX_KEYS} more" if len(value) > _MAX_KEYS else ""
    return (", ".join(names) + more)[:_MAX_TEXT]
