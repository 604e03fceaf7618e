"""Compiles source text: supports top-level `await` and `return`, and keeps the value of the last expression."""
import ast
import inspect

from ..computed.rewriting import PLAIN_LINE, rewrite
from ..protocol import PROGRAM_FILE
from .idle import refuse_idle
from .watching import WATCH_LINE, watch

#: Names for the value of the last expression, and for the function of a program that has a `return`.
LAST = "__last__"
PROGRAM = "__program__"
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def compile_program(source, keeps=False):
    """Returns the code of a program. Raises `SyntaxError`, also for a source that nests too deeply for the parser.

    A program whose values are kept may only declare functions: a later one calls them.
    """
    try:
        tree = parse_program(source)
        refuse_idle(tree, keeps)
        is_watched = source.startswith(WATCH_LINE)
        if not source.endswith(PLAIN_LINE):
            rewrite(tree, comparisons=not is_watched)
        if is_watched:
            watch(tree, source)
        mark_last(tree.body)
        if any(isinstance(node, ast.Return) for node in own_nodes(tree)):
            tree = as_function(tree)
        return compile(ast.fix_missing_locations(tree), PROGRAM_FILE, "exec", _FLAGS, True)
    except (MemoryError, RecursionError):
        raise SyntaxError("The source nests too deeply to be read. Flatten it, or pass data through a file.") from None
    except ValueError as error:
        raise SyntaxError(str(error)) from None


def parse_program(source):
    return compile(source, PROGRAM_FILE, "exec", ast.PyCF_ONLY_AST | _FLAGS, True)


def is_async(code):
    return bool(code.co_flags & inspect.CO_COROUTINE)


def mark_last(body):
    """Stores the value of the last expression."""
    last = body[-1] if body else None
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(LAST, ast.Store()), last.value)
        body[-1] = ast.copy_location(ast.Assign([target], last.value), last)


def as_function(tree):
    """Wraps a program with a `return` in a function whose names are global."""
    nodes = list(own_nodes(tree))
    names = sorted({name for node in nodes for name in bound_names(node)})
    start = 0
    while start < len(tree.body) and is_preamble(tree.body[start]):
        start += 1
    body = [OwnStatements().visit(statement) for statement in tree.body[start:]]
    if names:
        body.insert(0, ast.Global(names))
    kind = ast.AsyncFunctionDef if any(is_await(node) for node in nodes) else ast.FunctionDef
    function = kind(PROGRAM, ast.arguments([], [], None, [], [], None, []), body, [], None)
    if "type_params" in kind._fields:
        function.type_params = []
    return ast.Module([*tree.body[:start], function], [])


class OwnStatements(ast.NodeTransformer):
    """Marks the return values of the program itself, and removes statements that only a module may have."""

    def visit_Return(self, node):
        if node.value is not None:
            node.value = ast.copy_location(ast.Tuple([node.value], ast.Load()), node.value)
        return node

    def visit_AnnAssign(self, node):
        if not isinstance(node.target, ast.Name):
            return node
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Global(self, node):
        return ast.copy_location(ast.Pass(), node)

    def leave_alone(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = leave_alone


def own_nodes(tree):
    """Yields the nodes of a program outside of its functions and classes."""
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def bound_names(node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[0]
    else:
        for field in ("name", "rest"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def is_await(node):
    is_comprehension = isinstance(node, ast.comprehension) and node.is_async
    return is_comprehension or isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith))


def is_preamble(node):
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"
