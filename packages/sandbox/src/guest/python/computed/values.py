"""The functions of rewritten programs: each computes an ordinary expression, on the host if its operand is a placeholder."""
import json
import operator
import re
import types

from .dates import Born

#: The global of a program with the functions that its inserted calls use.
NAME = "_toolwright_values"
#: The host computes nothing with them.
RESTRICTED = {"SECRET", "SSN", "CREDIT_CARD", "NATIONAL_ID", "PASSPORT"}
_PLACEHOLDER = re.compile(r"\[([A-Z][A-Z0-9_]*)_\d+\]")
#: Methods of texts without arguments, and their names on the host.
FORMS = {"lower": "toLowerCase", "upper": "toUpperCase", "strip": "trim", "lstrip": "trimStart", "rstrip": "trimEnd", "casefold": "casefold",
         "title": "titleCase", "capitalize": "capitalize"}
PADS = {"ljust": "padEnd", "rjust": "padStart"}
SEARCHES = {"startswith": "startsWith", "endswith": "endsWith"}
OPERATORS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
PARTS = {(0, 1): ("letter",), (0, 4): ("fact", "year", 4), (0, 2): ("fact", "country", 2), (-4, None): ("fact", "last4", 4)}


class Values:
    """The functions that rewritten programs call. Each does what the expression does for an ordinary operand."""

    def __init__(self, ask):
        self._ask = ask
        self._answers = {}
        self._made = set()
        self._orders = []

    def type_of(self, value):
        found = _PLACEHOLDER.fullmatch(value) if isinstance(value, str) and value.startswith("[") else None
        return found[1] if found and found[1] not in RESTRICTED else None

    def _results(self, text, place, expression):
        known = self._answers.setdefault(json.dumps(expression), {})
        if text not in known:
            answer = self._ask("pii", "compute", text, place, *expression)
            for each, result in zip(answer.get("of", ()), answer.get("results", ())):
                known.setdefault(each, result)
                self._made.update(part for part in (result if isinstance(result, list) else [result]) if isinstance(part, str))
            known.setdefault(text, None)
        return known

    def compute(self, text, place, *expression):
        return self._results(text, place, expression).get(text)

    def on(self, value, member, line):
        """A text whose member the program reads."""
        if not self.type_of(value):
            return self._distributed(value, member, line) if member in FORMS and isinstance(value, str) and "[" in value else value
        if member == "[]":
            return Parts(value, lambda *part: self.compute(value, f"line {line}: [:]", *part))
        if member == "format":
            return Formatted(value, lambda *given: self.compute(value, f"line {line}: format", "text", *given))
        native = getattr(value, member)

        def method(*given, **options):
            found = None if options else self._method(value, f"line {line}: .{member}", member, given)
            return native(*given, **options) if found is None else found

        return types.SimpleNamespace(**{member: method})

    def _distributed(self, text, member, line):
        """A text such as `[NAME_1] <[EMAIL_1]>`, whose parts change their case."""
        parts = re.split(r"(\[[A-Z][A-Z0-9_]*_\d+\])", text)
        if member not in ("lower", "upper", "casefold") or not any(map(self.type_of, parts)):
            return text
        method = lambda: "".join(getattr(self.on(part, member, line), member)() for part in parts)  # noqa: E731
        return types.SimpleNamespace(**{member: method})

    def _method(self, text, place, member, given):
        if member in FORMS and not given:
            return self.compute(text, place, "text", FORMS[member])
        if member in PADS and given:
            return self.compute(text, place, "text", PADS[member], *given)
        if member in SEARCHES and len(given) == 1:
            wanted = given[0] if isinstance(given[0], tuple) else given
            found = [self._found(text, place, SEARCHES[member], each) for each in wanted]
            return None if None in found else any(found)
        if member == "replace" and len(given) == 2 and isinstance(given[0], str) and given[0]:
            return self.compute(text, place, "text", "replace", re.sub(r"[.*+?^${}()|[\]\\/-]", r"\\\g<0>", given[0]), "g", str(given[1]).replace("$", "$$"))
        if member == "translate" and len(given) == 1 and isinstance(given[0], dict) and not any(given[0].values()):
            removed = "".join(re.sub(r"[\]\\^/-]", r"\\\g<0>", chr(each)) for each in given[0])
            return self.compute(text, place, "text", "replace", f"[{removed}]", "g", "") if removed else None
        if member in ("split", "rsplit", "partition"):
            return self._split(text, place, member, given)
        return None

    def _found(self, text, place, kind, wanted):
        is_plain_text = isinstance(wanted, str) and wanted and not re.search(r"\[[A-Z]", wanted)
        return self.compute(text, place, "match", {kind: wanted}) if is_plain_text else None

    def _split(self, text, place, member, given):
        if given and given[0] == "@" and given[1:] in ((), (1,)):
            parts = self.compute(text, place, "address")
            if not parts:
                return None
            return (parts[0], "@", parts[1]) if member == "partition" else list(parts)
        separator, most = (*given, None, None)[:2]
        if len(given) > 2 or most not in (None, 1) or (member == "partition" and (separator is None or most)):
            return None
        words = self.compute(text, place, "words", "blanks" if separator is None else "blank") if separator in (None, " ") else None
        if words is not None and (most is None or len(words) <= 2) and member != "partition":
            return list(words)
        if not isinstance(separator, str) or len(separator) != 1:
            return None
        if most is None and member != "partition":
            return self.compute(text, place, "pieces", separator)
        source = ("^(.*){}(.*)$" if member == "rsplit" else "^(.*?){}(.*)$").format(re.escape(separator))
        parts = [self.compute(text, place, "group", index, source, "s") for index in (1, 2)]
        if None in parts:
            return None
        return (parts[0], separator, parts[1]) if member == "partition" else parts

    def looked_up(self, value, line):
        """A dictionary, whose `get` finds a computed text among placeholders of the same text."""
        if not isinstance(value, dict):
            return value
        return types.SimpleNamespace(get=lambda key, *default: value.get(self.key(value, key, line), *default))

    def key(self, values, key, line):
        """The key of a dictionary that stands for the same text."""
        if not isinstance(values, dict) or not self._made or not isinstance(key, str) or key in values or not self.type_of(key):
            return key
        other = self._original(key)
        if other in values:
            return other
        return next((each for each in values if self._original(each) == key), key)

    def _original(self, text):
        return self.compute(text, "line 0: ==", "original") if text in self._made and self.type_of(text) else None

    def digits(self, value, line):
        """`"".join(filter(str.isdigit, value))`"""
        found = self.compute(value, f"line {line}: isdigit", "text", "replace", r"\D", "g", "") if self.type_of(value) else None
        return "".join(filter(str.isdigit, value)) if found is None else found

    def grouped(self, value, size, separator, line):
        """`separator.join(value[i:i + size] for i in range(0, len(value), size))`"""
        found = self.compute(value, f"line {line}: [:]", "joined", f".{{1,{size}}}", "gs", separator) if self.type_of(value) else None
        return separator.join(value[at:at + size] for at in range(0, len(value), size)) if found is None else found

    def hashed(self, function, value, line):
        """`function(value.encode()).hexdigest()`"""
        name = getattr(function, "__name__", "").removeprefix("openssl_")
        found = self.compute(value, f"line {line}: hexdigest", "hash", name) if self.type_of(value) else None
        return function(value.encode()).hexdigest() if found is None else found

    def sized(self, value, line):
        length = self.compute(value, f"line {line}: len", "fact", "length") if self.type_of(value) else None
        return value if length is None else Sized(length)

    def pattern(self, value, member, line):
        """A compiled pattern, or the module of patterns."""
        if value is not re and not isinstance(value, re.Pattern):
            return value
        native = getattr(value, member)

        def method(*given, **options):
            found = None if options else self._pattern(value, f"line {line}: .{member}", member, given)
            if found is None:
                return native(*given, **options)
            return None if found is NOTHING else found

        return types.SimpleNamespace(**{member: method})

    def _pattern(self, owner, place, member, given):
        pattern, *rest = given if owner is re else (owner, *given)
        flags = rest.pop() if owner is re and member != "sub" and len(rest) == 2 else 0
        if len(rest) != (2 if member == "sub" else 1) or not self.type_of(rest[-1]):
            return None
        try:
            compiled = re.compile(pattern, flags)
        except (TypeError, ValueError, re.error):
            return None
        if compiled.flags & ~(re.UNICODE | re.IGNORECASE) or not isinstance(compiled.pattern, str):
            return None
        source, ignores_case = compiled.pattern, bool(compiled.flags & re.IGNORECASE)
        if member == "sub":
            if not isinstance(rest[0], str):
                return None
            replacement = re.sub(r"\\g<(\d)>|\\(\d)", lambda found: "$" + (found[1] or found[2]).replace("0", "&"), rest[0].replace("$", "$$"))
            return self.compute(rest[1], place, "text", "replace", source, "gi" if ignores_case else "g", replacement) if "\\" not in replacement else None
        whole = {"search": source, "match": f"^(?:{source})", "fullmatch": f"^(?:{source})$"}[member]
        found = self.compute(rest[0], place, "match", {"pattern": whole, "ignoreCase": ignores_case})
        flags = "i" if ignores_case else ""
        group = lambda index: self.compute(rest[0], place, "group", compiled.groupindex.get(index, index), whole, flags)  # noqa: E731
        return None if found is None else Found(compiled, group) if found else NOTHING

    def compared(self, left, symbol, right, line):
        if symbol in ("in", "not in"):
            return self._contains(right, left, f"line {line}: in") == (symbol == "in")
        if isinstance(left, str) and isinstance(right, str) and left != right:
            if symbol in ("==", "!="):
                return self._equal(left, right, f"line {line}: ==") == (symbol == "==")
            difference = self.difference(left, right, f"line {line}: {symbol}")
            if difference is None:
                difference = self._year_difference(left, right, symbol, f"line {line}: {symbol}")
            if difference is not None:
                return OPERATORS[symbol](difference, 0)
        return OPERATORS[symbol](left, right)

    def found(self, value, text, symbol, number, line):
        """`value.find(text) >= 0`"""
        if isinstance(value, str) and isinstance(text, str):
            return OPERATORS[symbol](0 if self._contains(value, text, f"line {line}: .find") else -1, number)
        return OPERATORS[symbol](value.find(text), number)

    def _equal(self, left, right, place):
        hidden, other = (left, right) if self.type_of(left) else (right, left)
        if not isinstance(left, str) or not isinstance(right, str) or left == right:
            return left == right
        if not self.type_of(hidden) or not (hidden in self._made or (other in self._made and self.type_of(other))):
            return False
        if not self.type_of(other):
            return self.compute(hidden, place, "match", {"equals": other}) is True
        if self._original(hidden) == other or self._original(other) == hidden:
            return True
        return self._ask("pii", "compute", hidden, place, "equal", other).get("equal") is True

    def _contains(self, container, item, place):
        if isinstance(container, str) and isinstance(item, str) and not self.type_of(container):
            parts = re.split(r"(\[[A-Z][A-Z0-9_]*_\d+\])", container) if "[" in container else []
            hidden = [part for part in parts if self.type_of(part)]
            return item in container or any(self._contains(part, item, place) for part in hidden)
        if self.type_of(container):
            found = self._found(container, place, "includes", item)
            return item in container if found is None else found
        if isinstance(container, dict):
            return self.key(container, item, 0) in container
        if isinstance(container, (list, tuple, set, frozenset)) and isinstance(item, str):
            if item in container:
                return True
            return bool(self._made) and any(self._equal(each, item, place) for each in container)
        return item in container

    def difference(self, left, right, place):
        if not self.type_of(left) and not self.type_of(right):
            return None
        for text in (left, right):
            if not self._known_order(left, right) and self.type_of(text):
                self._orders.insert(0, dict(self._results(text, place, ("order", "characters", None, text))))
        known = self._known_order(left, right)
        return known[left] - known[right] if known else None

    def _year_difference(self, left, right, symbol, place):
        """Returns how a date of birth differs from a written date, if the year decides it."""
        is_left = self.type_of(left) == "DATE_OF_BIRTH"
        date, other = (left, right) if is_left else (right, left)
        written = re.fullmatch(r"(\d{4})(-\d\d-\d\d)?", other)
        year = self.compute(date, place, "fact", "year", 4) if written and self.type_of(date) == "DATE_OF_BIRTH" else None
        if year is None:
            return None
        # In one year, each date comes after the year itself, and none before its first day.
        is_same = year == written[1]
        if is_same and not (written[2] is None or (written[2] == "-01-01" and symbol in (("<", ">=") if is_left else (">", "<=")))):
            return None
        later = 1 if is_same or year > written[1] else -1
        return later if is_left else -later

    def _known_order(self, left, right):
        return next((each for each in self._orders if isinstance(each.get(left), int) and isinstance(each.get(right), int)), None)

    def order(self, function, line):
        """A key of a sort, whose placeholders compare as their values."""
        place = f"line {line}: sorted"

        def wrapped(item):
            found = item if function is None else function(item)
            if isinstance(found, tuple) and any(self.type_of(each) for each in found):
                return tuple(self._ordered(each, place) for each in found)
            return self._ordered(found, place)

        return wrapped

    def _ordered(self, value, place):
        return Ordered(value, lambda a, b: self.difference(a, b, place)) if isinstance(value, str) else value

    def sorting(self, value, line):
        """A list that sorts itself."""
        if type(value) is not list:
            return value
        return types.SimpleNamespace(sort=lambda *, key=None, reverse=False: value.sort(key=self.order(key, line), reverse=reverse))

    def dated(self, function, *given):
        """`date.fromisoformat(value)`, `datetime.strptime(value, format)`"""
        *values, line = given
        is_born = self.type_of(values[0]) == "DATE_OF_BIRTH"
        return Born(values[0], f"line {line}: {function.__name__}", self) if is_born else function(*values)


#: The result of a pattern that is not found.
NOTHING = object()


class Found:
    """A match, whose groups the host computes."""

    def __init__(self, compiled, group):
        self.re = compiled
        self.group = lambda *indexes: group((*indexes, 0)[0]) if len(indexes) < 2 else tuple(map(group, indexes))

    def __getitem__(self, index):
        return self.group(index)

    def groups(self, default=None):
        found = (self.group(index + 1) for index in range(self.re.groups))
        return tuple(default if each is None else each for each in found)

    def groupdict(self, default=None):
        found = {name: self.group(name) for name in self.re.groupindex}
        return {name: default if each is None else each for name, each in found.items()}

    def __getattr__(self, name):
        raise AttributeError(f"The positions of a match in a placeholder are not available ({name}).")


class Sized:
    def __init__(self, length):
        self._length = length

    def __len__(self):
        return self._length


class Ordered(str):
    """A text of which placeholders compare as their values."""

    def __new__(cls, text, difference):
        made = str.__new__(cls, text)
        made._difference = difference
        return made

    def __lt__(self, other):
        difference = None if self == other else self._difference(str(self), str(other))
        return str.__lt__(self, other) if difference is None else difference < 0

    def __gt__(self, other):
        difference = None if self == other else self._difference(str(self), str(other))
        return str.__gt__(self, other) if difference is None else difference > 0

    __hash__ = str.__hash__


class Parts:
    """A text whose constant index the program reads."""

    def __init__(self, text, compute):
        self._text = text
        self._compute = compute

    def __getitem__(self, index):
        if isinstance(index, slice):
            bounds = (index.start or (0 if index.stop is not None else None), index.stop)
        else:
            bounds = (index, None if index == -1 else index + 1)
        found = self._compute(*PARTS[bounds]) if bounds in PARTS else None
        start, end = bounds
        if found is None and start is not None:
            found = self._compute("part", start, end)
        return self._text[index] if found is None else found


class Formatted:
    """A text that the program writes with a width."""

    def __init__(self, text, compute):
        self._text = text
        self._compute = compute

    def __format__(self, spec):
        width = re.fullmatch(r"(?:(.)?([<>]))?([1-9]\d*)s?", spec)
        found = self._compute("padStart" if width[2] == ">" else "padEnd", int(width[3]), width[1] or " ") if width else None
        return format(self._text, spec) if found is None else found

    def __str__(self):
        return self._text

    def __repr__(self):
        return repr(self._text)
