"""Values as JSON text. Values without a JSON form get the nearest one, or an error with a fix."""
import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import uuid
from collections.abc import Iterable, Mapping

from .tables import OTHER, package_value

_TEXTUAL = (decimal.Decimal, uuid.UUID, pathlib.PurePath)
_DATES = (datetime.date, datetime.time)
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_encode_ascii = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


class NotAwaited(TypeError):
    """Raised for a call in a value that is not awaited. `call` is its text, `place` its place in the program if it is known."""

    def __init__(self, value):
        super().__init__(f"it contains {value!r}: await it first")
        self.call = getattr(value, "_name", None) or getattr(value, "__name__", "the call")
        self.place = getattr(value, "_place", None)


def to_json(value):
    """Returns the JSON text of a value. Raises `TypeError` with the reason if there is none."""
    try:
        try:
            text = _encode(value)
        except (TypeError, ValueError):
            # Values and keys without a JSON form, NaN, and cycles: the slow way, only after the fast way has failed.
            text = _encode(tree(value, ()))
        if not text.isascii():
            text.encode()
        return text
    except UnicodeEncodeError:
        return _encode_ascii(tree(value, ()))
    except RecursionError:
        raise TypeError("it nests too deeply") from None
    except ValueError as error:
        raise TypeError(str(error)) from None


def byte_length(text):
    return len(text) if text.isascii() else len(text.encode())


def tree(value, ancestors):
    """Returns the value as dicts with text keys, lists, text and numbers. NaN and infinity become null."""
    if isinstance(value, enum.Enum):
        return tree(value.value, ancestors)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if any(value is ancestor for ancestor in ancestors):
        raise TypeError("it contains itself")
    inside = (*ancestors, value)
    if isinstance(value, dict):
        return {key_text(key): tree(item, inside) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [tree(item, inside) for item in value]
    return tree(plain(value), inside)


def key_text(key):
    if isinstance(key, enum.Enum):
        key = key.value
    converted = package_value(key)
    key = key if converted is OTHER else converted
    if key is None or isinstance(key, (bool, int, float)):
        return json.dumps(key)
    if isinstance(key, str):
        return str(key)
    if isinstance(key, (*_TEXTUAL, *_DATES)):
        return as_text(key)
    raise TypeError(f"a key is {article(key)}, but JSON keys are text: use str(key)")


def as_text(value):
    return value.isoformat() if isinstance(value, _DATES) else str(value)


def plain(value):
    """Returns the nearest JSON form of a value, one level deep."""
    if isinstance(value, enum.Enum):
        return value.value
    converted = package_value(value)
    if converted is not OTHER:
        return converted
    if isinstance(value, (*_TEXTUAL, *_DATES)):
        return as_text(value)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, BaseException):
        return {"name": type(value).__name__, "message": str(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("bytes have no JSON form: use data.decode() or base64.b64encode(data).decode()")
    if hasattr(value, "__await__"):
        raise NotAwaited(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return in_order(value)
    if isinstance(value, Iterable) and not isinstance(value, type):
        return list(value)
    raise TypeError(f"{article(value)} has no JSON form")


def in_order(values):
    """Returns the sorted items of a set, if they can be sorted: the order of a set differs from run to run."""
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def article(value):
    name = value.__name__ if isinstance(value, type) else type(value).__name__
    kind = "the class" if isinstance(value, type) else "an" if name[:1].lower() in "aeiou" else "a"
    return f"{kind} {name}"
