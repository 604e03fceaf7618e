"""Ordinary expressions of a program on values of placeholders: calls around their operands, which the host computes."""
import ast
import json
import operator
import re
import types

#: The last line of a program whose expressions stay as they are.
PLAIN_LINE = "\n#toolwright plain"
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
METHODS = {*FORMS, *PADS, *SEARCHES, "split", "rsplit", "partition", "replace"}
PATTERNS = {"sub", "search", "match", "fullmatch"}
ORDERED = {"sorted", "min", "max"}
OPERATORS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
SYMBOLS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in"}
PARTS = {(0, 1): ("letter",), (0, 4): ("fact", "year", 4), (0, 2): ("fact", "country", 2), (-4, None): ("fact", "last4", 4)}


def rewrite(tree, comparisons):
    """Inserts calls around operands that may be placeholders. The program does the same for all others."""
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    # Without these, equal texts have one placeholder.
    spells = any(isinstance(node, ast.Attribute) and node.attr in METHODS | PATTERNS for node in ast.walk(tree))
    Rewritten(stored | defined, comparisons and spells).visit(tree)


class Rewritten(ast.NodeTransformer):
    def __init__(self, own_names, comparisons):
        self._own = own_names
        self._comparisons = comparisons

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name in METHODS and not isinstance(node.func.value, (ast.List, ast.Dict, ast.Constant, ast.JoinedStr)):
                node.func.value = call("on", node, node.func.value, name)
            elif name in PATTERNS:
                node.func.value = call("pattern", node, node.func.value, name)
            elif name == "sort":
                node.func.value = call("sorting", node, node.func.value)
        elif isinstance(node.func, ast.Name) and node.func.id not in self._own:
            if node.func.id == "len" and len(node.args) == 1:
                node.args = [call("sized", node, node.args[0])]
            elif node.func.id in ORDERED and len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
                order(node, first=1)
        return node

    def visit_Attribute(self, node):
        made = node.value
        is_year = node.attr == "year" and isinstance(node.ctx, ast.Load) and isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute)
        if is_year and made.func.attr in ("fromisoformat", "strptime") and made.args and not made.keywords:
            parts = [self.visit(each) for each in (made.func, *made.args)]
            return call("year", node, *parts)
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and part_of(node.slice):
            node.value = call("on", node, node.value, "[]")
        return node

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        if node.format_spec and node.conversion == -1:
            node.value = call("on", node, node.value, "format")
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        symbol = SYMBOLS.get(type(node.ops[0]))
        is_order = symbol in ("<", "<=", ">", ">=") and any(isinstance(each, (ast.Subscript, ast.Attribute, ast.Call)) for each in (node.left, node.comparators[0]))
        if len(node.ops) != 1 or symbol is None or not (self._comparisons or is_order or symbol == "in"):
            return node
        right = node.comparators[0]
        if symbol in ("in", "not in"):
            is_ordinary = is_plain(right)
        else:
            is_ordinary = is_no_text(node.left) or is_no_text(right) or (not is_order and (is_plain(node.left) or is_plain(right)))
        if is_ordinary:
            return node
        return call("compared", node, node.left, ast.Constant(symbol), right)


def is_plain(node):
    """Whether a node is no text, or a literal that the program sees in place of its placeholder."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value == "" or node.value[0].isupper() or any(letter == "@" or letter.isdigit() for letter in node.value)
    return is_no_text(node)


def is_no_text(node):
    return isinstance(node, (ast.Dict, ast.UnaryOp, ast.BinOp)) or (isinstance(node, ast.Constant) and not isinstance(node.value, str))


def part_of(index):
    """Returns the part of a text that a constant index reads; None for any other index."""
    if isinstance(index, ast.Constant) and index.value == 0 and not isinstance(index.value, bool):
        return (0, 1)
    if not isinstance(index, ast.Slice) or index.step is not None:
        return None
    try:
        bounds = tuple(each if each is None else ast.literal_eval(each) for each in (index.lower, index.upper))
    except ValueError:
        return None
    found = (bounds[0] if bounds[0] is not None or bounds[1] is None else 0, bounds[1])
    return found if found in PARTS else None


def order(node, first):
    """Wraps the key of a call that sorts."""
    key = next((each for each in node.keywords if each.arg == "key"), None)
    if len(node.args) != first or any(each.arg is None for each in node.keywords):
        return
    value = ast.copy_location(ast.Constant(None), node) if key is None else key.value
    wrapped = call("key", node, value)
    if key is None:
        node.keywords.append(ast.keyword("key", wrapped))
    else:
        key.value = wrapped


def call(word, place, *values):
    parts = [ast.copy_location(ast.Constant(each), place) if isinstance(each, str) else each for each in values]
    function = ast.Attribute(ast.Name(NAME, ast.Load()), word, ast.Load())
    made = ast.Call(function, [*parts, ast.Constant(getattr(place, "lineno", 0))], [])
    return ast.copy_location(made, place)


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

    def _compute(self, text, place, *expression):
        return self._results(text, place, expression).get(text)

    def on(self, value, member, line):
        """A text whose member the program reads."""
        if not self.type_of(value):
            return value
        if member == "[]":
            return Parts(value, lambda part: self._compute(value, f"line {line}: [:]", *part))
        if member == "format":
            return Formatted(value, lambda *given: self._compute(value, f"line {line}: format", "text", *given))
        native = getattr(value, member)

        def method(*given, **options):
            found = None if options else self._method(value, f"line {line}: .{member}", member, given)
            return native(*given, **options) if found is None else found

        return types.SimpleNamespace(**{member: method})

    def _method(self, text, place, member, given):
        if member in FORMS and not given:
            return self._compute(text, place, "text", FORMS[member])
        if member in PADS and given:
            return self._compute(text, place, "text", PADS[member], *given)
        if member in SEARCHES and len(given) == 1:
            wanted = given[0] if isinstance(given[0], tuple) else given
            found = [self._found(text, place, SEARCHES[member], each) for each in wanted]
            return None if None in found else any(found)
        if member == "replace" and len(given) == 2 and isinstance(given[0], str) and re.fullmatch(r"[ .,_()/+-]", given[0]):
            return self._compute(text, place, "text", "replace", re.sub(r"[.()/+-]", r"\\\g<0>", given[0]), "g", given[1])
        if member in ("split", "rsplit", "partition"):
            return self._split(text, place, member, given)
        return None

    def _found(self, text, place, kind, wanted):
        is_plain_text = isinstance(wanted, str) and wanted and not re.search(r"\[[A-Z]", wanted)
        return self._compute(text, place, "match", {kind: wanted}) if is_plain_text else None

    def _split(self, text, place, member, given):
        if given and given[0] == "@" and given[1:] in ((), (1,)):
            parts = self._compute(text, place, "address")
            if not parts:
                return None
            return (parts[0], "@", parts[1]) if member == "partition" else list(parts)
        if member == "partition" or given not in ((), (" ",)):
            return None
        words = self._compute(text, place, "words", "blank" if given else "blanks")
        return list(words) if words else None

    def sized(self, value, line):
        length = self._compute(value, f"line {line}: len", "fact", "length") if self.type_of(value) else None
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
            is_text = isinstance(rest[0], str) and "\\" not in rest[0] and not ignores_case
            return self._compute(rest[1], place, "text", "replace", source, "g", rest[0]) if is_text else None
        whole = {"search": source, "match": f"^(?:{source})", "fullmatch": f"^(?:{source})$"}[member]
        found = self._compute(rest[0], place, "match", {"pattern": whole, "ignoreCase": ignores_case})
        # The groups of a match are parts of the value: only whether there is one is known.
        return None if found is None else Found() if found else NOTHING

    def compared(self, left, symbol, right, line):
        if symbol in ("in", "not in"):
            return self._contains(right, left, f"line {line}: in") == (symbol == "in")
        if isinstance(left, str) and isinstance(right, str) and left != right:
            if symbol in ("==", "!="):
                return self._equal(left, right, f"line {line}: ==") == (symbol == "==")
            difference = self._difference(left, right, f"line {line}: {symbol}")
            if difference is None:
                difference = self._year_difference(left, right, symbol, f"line {line}: {symbol}")
            if difference is not None:
                return OPERATORS[symbol](difference, 0)
        return OPERATORS[symbol](left, right)

    def _equal(self, left, right, place):
        hidden, other = (left, right) if self.type_of(left) else (right, left)
        if not isinstance(left, str) or not isinstance(right, str) or left == right:
            return left == right
        if not self.type_of(hidden) or not (hidden in self._made or (other in self._made and self.type_of(other))):
            return False
        if not self.type_of(other):
            return self._compute(hidden, place, "match", {"equals": other}) is True
        return self._ask("pii", "compute", hidden, place, "equal", other).get("equal") is True

    def _contains(self, container, item, place):
        if self.type_of(container):
            found = self._found(container, place, "includes", item)
            return item in container if found is None else found
        if isinstance(container, (list, tuple, set, frozenset)) and isinstance(item, str):
            if item in container:
                return True
            return bool(self._made) and any(self._equal(each, item, place) for each in container)
        return item in container

    def _difference(self, left, right, place):
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
        year = self._compute(date, place, "fact", "year", 4) if written and self.type_of(date) == "DATE_OF_BIRTH" else None
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

    def key(self, function, line):
        """A key of a sort, whose placeholders compare as their values."""
        place = f"line {line}: sorted"

        def wrapped(item):
            found = item if function is None else function(item)
            if isinstance(found, tuple) and any(self.type_of(each) for each in found):
                return tuple(self._ordered(each, place) for each in found)
            return self._ordered(found, place)

        return wrapped

    def _ordered(self, value, place):
        return Ordered(value, lambda a, b: self._difference(a, b, place)) if isinstance(value, str) else value

    def sorting(self, value, line):
        """A list that sorts itself."""
        if type(value) is not list:
            return value
        return types.SimpleNamespace(sort=lambda *, key=None, reverse=False: value.sort(key=self.key(key, line), reverse=reverse))

    def year(self, function, *given):
        *values, line = given
        if values and self.type_of(values[0]) == "DATE_OF_BIRTH":
            year = self._compute(values[0], f"line {line}: .year", "fact", "year", 4)
            if year is not None:
                return int(year)
        return function(*values).year


#: The result of a pattern that is not found.
NOTHING = object()


class Found:
    """A match of which only its existence is known."""

    def __getattr__(self, name):
        raise AttributeError(f"The groups of a match in a placeholder are not available ({name}).")


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
        bounds = (0, 1) if index == 0 else (index.start or (0 if index.stop else None), index.stop)
        found = self._compute(PARTS[bounds]) if bounds in PARTS else None
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
