"""Finds code that does nothing as it is written: calls that nothing awaits, and functions that nothing calls."""
import ast

from ..protocol import PROGRAM_FILE

#: Functions of the API that call a tool.
_CALLS = ("call_mcp_tool", "run_skill")
_DECLARATIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def refuse_idle(tree, may_declare=False):
    """Raises `SyntaxError` for a tool call as a statement without `await`, and for a program that only declares functions."""
    functions = set(_CALLS)
    modules = {"servers"}
    for node in ast.walk(tree):
        add_imports(node, functions, modules)
    # The last expression of a program is its result, which is awaited.
    result = tree.body[-1] if tree.body else None
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and node is not result and is_tool_call(node.value, functions, modules):
            text = ast.unparse(node.value.func)
            raise mistake(f"The call of {text} is not awaited. Write await {text}(...)", node)
    main = None if may_declare else never_called(tree)
    if main is not None:
        wait = "await " if isinstance(main, ast.AsyncFunctionDef) else ""
        raise mistake(f"'{main.name}' is never called. Add a last line: {wait}{main.name}()", main)


def add_imports(node, functions, modules):
    if isinstance(node, ast.ImportFrom) and node.module == "servers":
        modules.update(alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("servers."):
        functions.update(alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.Import):
        modules.update(alias.asname for alias in node.names if alias.asname and alias.name.startswith("servers."))


def is_tool_call(node, functions, modules):
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Name):
        return called.id in functions
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Name) and called.id in modules


def never_called(tree):
    """Returns the main function of a program that only declares functions: nothing runs."""
    if not all(only_declares(statement) for statement in tree.body):
        return None
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    unused = [node for node in tree.body if isinstance(node, _FUNCTIONS) and node.name not in used]
    return next((node for node in unused if node.name == "main"), unused[-1] if unused else None)


def only_declares(statement):
    if isinstance(statement, _DECLARATIONS) or isinstance(getattr(statement, "value", None), ast.Constant):
        names = [getattr(target, "id", "") for target in getattr(statement, "targets", ())]
        return "result" not in names and not isinstance(statement, ast.Return)
    return False


def mistake(text, node):
    return SyntaxError(text, (PROGRAM_FILE, node.lineno, node.col_offset + 1, None))
