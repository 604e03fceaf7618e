"""Programs that report the operations which read the texts of placeholders. The first line of such a program names the placeholders."""
import ast
import json
import operator
import re
import types

from ..computed.values import NAME as VALUES

WATCH_LINE = "#toolwright watch "
#: The object of a watched program that its inserted calls use.
NAME = "_toolwright_watch"
#: Methods that pass a text on. All others read it.
PASSED_ON = {"encode", "strip", "lstrip", "rstrip"}
TEXT_METHODS = {name for name in dir(str) if not name.startswith("_")} - PASSED_ON
SEARCHES = {"startswith", "endswith", "find", "rfind", "index", "rindex", "count", "replace"}
#: Functions that read their text argument, and those that read the items of a list too.
READERS = set("int float complex Decimal len ord bytes hash list tuple iter reversed enumerate date datetime Counter ascii".split())
LISTS = set("sorted min max".split())
COLLECTIONS = set("set frozenset".split())
METHODS = set("match search fullmatch sub subn findall finditer split fromisoformat strptime isdigit fromhex update".split())
LOOK_UPS = set("index count remove get setdefault add discard pop".split())
COMPARISONS = {
    ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne), ast.In: ("in", lambda a, b: a in b), ast.NotIn: ("not in", lambda a, b: a not in b),
    ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
}
SYMBOLS = {symbol: function for symbol, function in COMPARISONS.values()}
#: Functions of rewritten programs that read texts, and which of their arguments these are.
COMPUTED = {"hashed": (1, 2), "digits": (0, 1), "grouped": (0, 1), "dated": (1, -1)}
SUMS = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)
_WHOLE = re.compile(r"\s*\[([A-Z][A-Z0-9_]*_\d+)\]\s*")


def watch(tree, source):
    """Inserts calls around the operands of a program that may be texts of placeholders. The program does the same."""
    watched = source[len(WATCH_LINE):].partition("\n")[0]
    Inserted().visit(tree)
    start = ast.parse(f"import {__package__}.watching as {NAME}; {NAME} = {NAME}.Watch({watched!r}, print, globals().get({VALUES!r}))")
    position = next((index for index, node in enumerate(tree.body) if not is_preamble(node)), len(tree.body))
    tree.body[position:position] = start.body


def watched_module(source):
    tree = ast.parse(source)
    watch(tree, source)
    return ast.fix_missing_locations(tree)


def is_preamble(node):
    return (isinstance(node, ast.ImportFrom) and node.module == "__future__") or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


class Inserted(ast.NodeTransformer):
    def visit_Compare(self, node):
        self.generic_visit(node)
        symbol = COMPARISONS.get(type(node.ops[0]))
        if len(node.ops) == 1 and symbol:
            return call("compared", node, node.left, node.comparators[0], ast.Constant(symbol[0]))
        if any(type(op) in COMPARISONS for op in node.ops):
            node.left = call("read", node.left, node.left, what="<")
            node.comparators = [call("read", each, each, what="<") for each in node.comparators]
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = call("read", node, node.value, what="[…]")
        if not isinstance(node.slice, (ast.Slice, ast.Constant, ast.Tuple)):
            node.slice = call("key", node, node.slice, what="[…]")
        return node

    def visit_Call(self, node):
        searches = isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHES and any(may_find_digits(each) for each in node.args)
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if isinstance(node.func, ast.Attribute):
            if name == "format" and is_text(node.func.value) and ":" in node.func.value.value:
                node.args = [each if isinstance(each, ast.Starred) else call("read", node, each, what="a format") for each in node.args]
            if name in TEXT_METHODS:
                node.func.value = call("searched" if searches else "read", node, node.func.value, what=f".{name}")
            if name == "sort":
                node.func.value = call("all", node, node.func.value, what=".sort")
            if name in LOOK_UPS and name not in TEXT_METHODS:
                if is_computed(node.func.value, "looked_up"):
                    node.func.value.args[0] = call("holder", node, node.func.value.args[0], what=f".{name}")
                else:
                    node.func.value = call("holder", node, node.func.value, what=f".{name}")
            if name in COMPUTED and is_computed(node, name):
                start, end = COMPUTED[name]
                node.args[start:end] = [call("read", node, each, what=name) for each in node.args[start:end]]
            kind = "key" if name in LOOK_UPS else "searched" if name in METHODS and reads_digits(node) else "read" if name in METHODS | READERS else None
        else:
            kind = "all" if name in LISTS else "items" if name in COLLECTIONS else "read" if name in READERS else None
        if kind:
            node.args = [each if isinstance(each, ast.Starred) else call(kind, node, each, what=name) for each in node.args]
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, SUMS) or (isinstance(node.op, ast.Mod) and not is_text(node.left)):
            node.left, node.right = call("read", node, node.left, what="a sum"), call("read", node, node.right, what="a sum")
        elif isinstance(node.op, ast.Add):
            node.left, node.right = call("typed", node, node.left, what="+"), call("typed", node, node.right, what="+")
        return node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            node.operand = call("read", node, node.operand, what="a sign")
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        node.iter = call("read", node.iter, node.iter, what="for")
        return node

    visit_comprehension = visit_For

    def visit_Starred(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = call("read", node, node.value, what="*")
        return node

    def visit_Match(self, node):
        self.generic_visit(node)
        node.subject = call("read", node, node.subject, what="match")
        return node

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        if node.format_spec:
            node.value = call("read", node, node.value, what="a format")
        return node

    def visit_SetComp(self, node):
        self.generic_visit(node)
        node.elt = call("key", node, node.elt, what="a set")
        return node

    def visit_Set(self, node):
        self.generic_visit(node)
        for each in node.elts:
            if isinstance(each, ast.Starred):
                each.value = call("items", node, each.value, what="a set")
        node.elts = [each if isinstance(each, ast.Starred) else call("key", node, each, what="a set") for each in node.elts]
        return node


def is_computed(node, name):
    """Whether a node is a call of a function that rewritten programs call."""
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == name and isinstance(function.value, ast.Name) and function.value.id == VALUES


def is_text(node):
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def may_find_digits(node):
    return not isinstance(node, ast.Constant) or any(letter.isdigit() for letter in str(node.value))


def reads_digits(node):
    """Whether the pattern of a call may match a digit."""
    first = node.args[0] if node.args else None
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and re.search(r"\d|\\[dwDW]|\.[*+]", first.value) is not None


def call(word, place, *values, what=None):
    last = [] if what is None else [ast.Constant(what)]
    function = ast.Attribute(ast.Name(NAME, ast.Load()), word, ast.Load())
    made = ast.Call(function, [*values, *last, ast.Constant(getattr(place, "lineno", values[0].lineno) - 1)], [])
    return ast.copy_location(made, values[0])


class Watch:
    """The calls that a watched program makes. Each returns what the program without it would read."""

    def __init__(self, watched, log, values=None):
        #: The functions of rewritten expressions. Modules have none.
        self.values = values
        settings = json.loads(watched)
        self.marker, self.names = settings["marker"], set(settings["names"])
        self.spelled, self.numeric = set(settings["spelled"]), set(settings["numeric"])
        self.log = log
        self.is_held = self.holds_texts = False

    def report(self, what, line):
        self.log(f"{self.marker}line {line}: {what}")

    def name_of(self, value):
        found = _WHOLE.fullmatch(value) if isinstance(value, str) else None
        return found[1] if found and found[1] in self.names else None

    def read(self, value, what, line):
        if self.name_of(value):
            self.report(what, line)
        return value

    def searched(self, value, what, line):
        if isinstance(value, str) and any(name in self.names for name in re.findall(r"\[([A-Z][A-Z0-9_]*_\d+)\]", value)):
            self.report(what, line)
        return value

    def all(self, value, what, line):
        if isinstance(value, (list, tuple)) and any(self.name_of(each) for each in value):
            self.report(what, line)
        return self.read(value, what, line)

    def items(self, value, what, line):
        # The items of a generator are read once.
        if isinstance(value, types.GeneratorType):
            value = list(value)
        if isinstance(value, (list, tuple, set, frozenset)) and any(self.name_of(each) in self.spelled for each in value):
            self.report(what, line)
        return self.read(value, what, line)

    def holder(self, value, what, line):
        """A collection in which the next key is looked up."""
        held = value if isinstance(value, (list, tuple, set, frozenset, dict)) else ()
        self.is_held = any(self.name_of(each) for each in held)
        self.holds_texts = any(self.may_be_value(each) for each in held)
        return value

    def key(self, value, what, line):
        name = self.name_of(value)
        if name in self.spelled or (name and self.holds_texts) or (self.is_held and self.may_be_value(value)):
            self.report(what, line)
        self.is_held = self.holds_texts = False
        return value

    def may_be_value(self, value):
        """Whether a text or number may be a value: values have digits."""
        return isinstance(value, (str, int)) and not self.name_of(value) and re.search(r"\d{3}", str(value)) is not None

    def typed(self, value, what, line):
        if self.name_of(value) in self.numeric:
            self.report(what, line)
        return value

    def compared(self, left, right, symbol, line):
        left_name, right_name = self.name_of(left), self.name_of(right)
        if symbol in ("in", "not in"):
            self.contained(left, left_name, right, symbol, line)
        elif left_name and right_name and symbol in ("==", "!="):
            if left_name in self.spelled or right_name in self.spelled:
                self.report(symbol, line)
        elif left_name or right_name:
            other = right if left_name else left
            if symbol not in ("==", "!=") or not (other is None or other == "" or isinstance(other, bool)):
                self.report(symbol, line)
        return self.values.compared(left, symbol, right, line) if self.values else SYMBOLS[symbol](left, right)

    def contained(self, key, name, values, symbol, line):
        if isinstance(values, str):
            if isinstance(key, str) and any(letter.isdigit() for letter in key) and key not in self.names:
                self.searched(values, symbol, line)
            else:
                self.read(values, symbol, line)
        elif name in self.spelled:
            self.report(symbol, line)
        elif name and isinstance(values, (list, tuple, set, frozenset, dict)):
            if any(isinstance(each, (str, int)) and not self.name_of(each) for each in values):
                self.report(symbol, line)
        elif isinstance(values, (list, tuple, set, frozenset, dict)) and self.may_be_value(key):
            if any(self.name_of(each) for each in values):
                self.report(symbol, line)
