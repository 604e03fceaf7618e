"""`pii`: facts and transformed placeholders of values. The host computes them."""
import math
import types


def create_pii(bridge):
    """Returns the functions as a namespace."""

    def derive(placeholders, what):
        """Returns a property of the values of placeholders: `domain`, `last4`, `mask`, `sortKey` ..."""
        return bridge.request("pii.derive", "derive", placeholders, what)

    def match(values, **condition):
        """Returns whether values fulfil a condition: `equals`, `startswith`, `endswith`, `includes`, `pattern`, `ignore_case`."""
        names = {"startswith": "startsWith", "endswith": "endsWith", "ignore_case": "ignoreCase"}
        return bridge.request("pii.match", "match", values, {names.get(name, name): text for name, text in condition.items()})

    def transform(values, *names):
        """Returns placeholders of transformed values: `lower`, `digits`, `first`, `sha256`, `pad:40` ..."""
        return bridge.request("pii.transform", "transform", values, flat(names))

    def equal(a, b, ignore_case=False):
        """Returns whether two values are equal."""
        return bridge.request("pii.equal", "equal", a, b, bool(ignore_case))

    def age(values, *on):
        """Returns the ages of dates of birth, today or at a date."""
        return bridge.request("pii.age", "age", values, *on)

    async def sort(rows, key=None, *names):
        """Returns the rows in the order of the values under a key. Absent values come last."""
        rows = list(rows)
        ranks = await bridge.request("pii.sort", "order", values_of(rows, key), flat(names))
        order = sorted(range(len(rows)), key=lambda index: math.inf if ranks[index] is None else ranks[index])
        return [rows[index] for index in order]

    async def group(rows, key=None, *names):
        """Returns `{"key", "rows"}` for each group of rows with equal values."""
        rows = list(rows)
        groups = {}
        for found, row in zip(await transform(values_of(rows, key), *(names or ("key",))), rows):
            groups.setdefault(found, []).append(row)
        return [{"key": found, "rows": members} for found, members in groups.items()]

    async def join(left, right, key=None, other_key=None):
        """Returns pairs of rows with equal values, in any case and with any separators."""
        left, right = list(left), list(right)
        other_key = key if other_key is None else other_key
        keys = await transform([*values_of(left, key), *values_of(right, other_key)], "key")
        others = {}
        for found, row in zip(keys[len(left):], right):
            others.setdefault(found, []).append(row)
        return [(row, other) for found, row in zip(keys, left) if found is not None for other in others.get(found, [])]

    functions = (derive, match, transform, equal, age, sort, group, join)
    return types.SimpleNamespace(**{function.__name__: function for function in functions})


def flat(names):
    """Returns names, of which some may be in lists."""
    return [each for name in names for each in (name if isinstance(name, (list, tuple)) else [name])]


def values_of(rows, key):
    """Returns the value of each row under a key."""
    if callable(key):
        return [key(row) for row in rows]
    if key is None:
        return rows
    return [row.get(key) if isinstance(row, dict) else getattr(row, key) for row in rows]
