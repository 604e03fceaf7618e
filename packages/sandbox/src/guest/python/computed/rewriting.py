"""Inserts calls around the operands of ordinary expressions, which the host computes for placeholders."""
import ast
import copy

from .values import FORMS, NAME, PADS, SEARCHES

#: The last line of a program whose expressions stay as they are.
PLAIN_LINE = "\n#toolwright plain"
METHODS = {*FORMS, *PADS, *SEARCHES, "split", "rsplit", "partition", "replace", "translate"}
PATTERNS = {"sub", "search", "match", "fullmatch"}
DATES = {"fromisoformat", "strptime"}
ORDERED = {"sorted", "min", "max"}
#: Comparisons of a position that say only whether there is one.
POSITIONS = {(">=", 0), ("<", 0), (">", -1), ("!=", -1), ("==", -1)}
SYMBOLS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in"}


def rewrite(tree, comparisons):
    """Inserts calls around operands that may be placeholders. The program does the same for all others."""
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    # Without these, equal texts have one placeholder.
    spells = any(isinstance(node, ast.Attribute) and node.attr in METHODS | PATTERNS for node in ast.walk(tree))
    Rewritten(stored | defined, comparisons, spells).visit(tree)


class Rewritten(ast.NodeTransformer):
    def __init__(self, own_names, comparisons, spells):
        self._own = own_names
        self._comparisons = comparisons
        self._spells = spells

    def visit_Call(self, node):
        digits = joined_digits(node)
        if digits:
            return call("digits", node, self.visit(digits))
        groups = joined_groups(node)
        if groups:
            return call("grouped", node, *(self.visit(each) for each in groups))
        hashed = hashed_text(node)
        if hashed:
            function, text = (self.visit(each) for each in hashed)
            return call("hashed", node, function, text)
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name in DATES and node.args and not node.keywords:
                return call("dated", node, node.func, *node.args)
            if name == "format" and is_text(node.func.value):
                node.args = [each if isinstance(each, ast.Starred) else call("on", node, each, "format") for each in node.args]
                for each in node.keywords:
                    each.value = each.value if each.arg is None else call("on", node, each.value, "format")
            elif name == "get":
                node.func.value = call("looked_up", node, node.func.value)
            elif name in METHODS and not isinstance(node.func.value, (ast.List, ast.Dict, ast.Constant, ast.JoinedStr)):
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

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and is_part(node.slice):
            node.value = call("on", node, node.value, "[]")
        elif isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, (ast.Call, ast.Name)) and self._spells:
            node.slice = call("key", node, ast.Name(node.value.id, ast.Load()), node.slice)
        return node

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        if node.format_spec and node.conversion == -1:
            node.value = call("on", node, node.value, "format")
        return node

    def visit_Compare(self, node):
        if len(node.ops) > 1 and not any(isinstance(each, (ast.Call, ast.Await, ast.NamedExpr)) for each in ast.walk(node)):
            operands = [node.left, *node.comparators]
            pairs = [ast.copy_location(ast.Compare(operands[at], [op], [operands[at + 1]]), node) for at, op in enumerate(node.ops)]
            return ast.copy_location(ast.BoolOp(ast.And(), [self.visit(copy.deepcopy(each)) for each in pairs]), node)
        sought = sought_text(node) if self._comparisons else None
        if sought:
            value, text, symbol, number = sought
            return call("found", node, self.visit(value), self.visit(text), symbol, ast.Constant(number))
        self.generic_visit(node)
        symbol = SYMBOLS.get(type(node.ops[0]))
        is_order = symbol in ("<", "<=", ">", ">=") and any(isinstance(each, (ast.Subscript, ast.Attribute, ast.Call)) for each in (node.left, node.comparators[0]))
        # A letter is no value of a tool, so no literal is shown in place of it.
        is_letter = symbol in ("==", "!=") and any(isinstance(each, ast.Subscript) and is_part(each.slice) for each in (node.left, node.comparators[0]))
        # A watched program compares by the functions of `watching`.
        if len(node.ops) != 1 or symbol is None or not self._comparisons or not (self._spells or is_order or is_letter or symbol == "in"):
            return node
        right = node.comparators[0]
        if symbol in ("in", "not in"):
            is_ordinary = is_plain(right)
        else:
            is_ordinary = is_no_text(node.left) or is_no_text(right) or (not (is_order or is_letter) and (is_plain(node.left) or is_plain(right)))
        if is_ordinary:
            return node
        return call("compared", node, node.left, ast.Constant(symbol), right)


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def sought_text(node):
    """Returns the parts of `value.find(text) >= 0`."""
    left, right, symbol = node.left, node.comparators[0], SYMBOLS.get(type(node.ops[0]))
    is_find = isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute) and left.func.attr == "find"
    if not is_find or len(node.ops) != 1 or len(left.args) != 1 or left.keywords or isinstance(left.args[0], ast.Starred):
        return None
    number = {"0": 0, "-1": -1}.get(ast.unparse(right))
    return (left.func.value, left.args[0], symbol, number) if (symbol, number) in POSITIONS else None


def hashed_text(node):
    """Returns the function and the text of `hashlib.sha256(text.encode()).hexdigest()`."""
    made = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "hexdigest" and not node.args else None
    if not isinstance(made, ast.Call) or len(made.args) != 1 or made.keywords:
        return None
    encoded = made.args[0]
    is_encoded = isinstance(encoded, ast.Call) and isinstance(encoded.func, ast.Attribute) and encoded.func.attr == "encode" and not encoded.keywords
    if not is_encoded or not all(is_text(each) and each.value.lower() in ("utf-8", "utf8") for each in encoded.args):
        return None
    return made.func, encoded.func.value


def joining(node):
    """Returns the text of `" ".join(one argument)`."""
    is_join = isinstance(node.func, ast.Attribute) and node.func.attr == "join" and len(node.args) == 1
    return node.func.value if is_join and is_text(node.func.value) else None


def joined_digits(node):
    """Returns the text of `"".join(filter(str.isdigit, text))` and `"".join(c for c in text if c.isdigit())`."""
    separator = joining(node)
    if separator is None or separator.value:
        return None
    given = node.args[0]
    if isinstance(given, ast.Call) and isinstance(given.func, ast.Name) and given.func.id == "filter" and len(given.args) == 2:
        return given.args[1] if ast.unparse(given.args[0]) == "str.isdigit" else None
    if not isinstance(given, (ast.GeneratorExp, ast.ListComp)) or len(given.generators) != 1:
        return None
    loop = given.generators[0]
    name = ast.unparse(given.elt)
    return loop.iter if ast.unparse(loop.target) == name and [ast.unparse(each) for each in loop.ifs] == [f"{name}.isdigit()"] else None


def is_plain(node):
    """Whether a node is no text, or a literal that the program sees in place of its placeholder."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value == "" or node.value[0].isupper() or any(letter == "@" or letter.isdigit() for letter in node.value)
    return is_no_text(node)


def is_no_text(node):
    return isinstance(node, (ast.Dict, ast.UnaryOp, ast.BinOp)) or (isinstance(node, ast.Constant) and not isinstance(node.value, str))


def joined_groups(node):
    """Returns the text, the size and the separator of `" ".join(text[i:i + 4] for i in range(0, len(text), 4))`."""
    separator = joining(node)
    given = node.args[0] if separator else None
    if not isinstance(given, (ast.GeneratorExp, ast.ListComp)) or len(given.generators) != 1:
        return None
    loop, part = given.generators[0], given.elt
    size = loop.iter.args[2] if isinstance(loop.iter, ast.Call) and len(loop.iter.args) == 3 else None
    if not isinstance(part, ast.Subscript) or not isinstance(size, ast.Constant) or type(size.value) is not int:
        return None
    name, text = ast.unparse(loop.target), ast.unparse(part.value)
    is_usual = ast.unparse(loop.iter) == f"range(0, len({text}), {size.value})" and ast.unparse(part.slice) == f"{name}:{name} + {size.value}"
    return (part.value, size, separator) if is_usual and not loop.ifs else None


def is_part(index):
    """Returns whether an index reads a part of a text by its positions."""
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        index = index.operand
    return (isinstance(index, ast.Constant) and type(index.value) is int) or (isinstance(index, ast.Slice) and index.step is None)


def order(node, first):
    """Wraps the key of a call that sorts."""
    key = next((each for each in node.keywords if each.arg == "key"), None)
    if len(node.args) != first or any(each.arg is None for each in node.keywords):
        return
    value = ast.copy_location(ast.Constant(None), node) if key is None else key.value
    wrapped = call("order", node, value)
    if key is None:
        node.keywords.append(ast.keyword("key", wrapped))
    else:
        key.value = wrapped


def call(word, place, *values):
    parts = [ast.copy_location(ast.Constant(each), place) if isinstance(each, str) else each for each in values]
    function = ast.Attribute(ast.Name(NAME, ast.Load()), word, ast.Load())
    made = ast.Call(function, [*parts, ast.Constant(getattr(place, "lineno", 0))], [])
    return ast.copy_location(made, place)
