"""The statements of a program that make code: functions, classes and imports. A session keeps them as source text."""
import ast
import textwrap

from ..program.source import bound_names, own_nodes, parse_program

KINDS = {ast.FunctionDef: "function", ast.AsyncFunctionDef: "function", ast.ClassDef: "class"}


class Statement:
    """The last statement that sets a name, if it makes code."""

    def __init__(self, kind, text):
        self.kind, self.text = kind, text

    def fits(self, value):
        """Returns whether the name still has what the statement made: a function may have set another value."""
        return self.kind == "import" or callable(value)


def statements_of(source):
    """Returns the statements that make code, by the name that they set. A name that a later statement sets is not in it."""
    found, lambdas = {}, {}
    for node in sorted(own_nodes(parse_program(source)), key=position_of):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found[(alias.asname or alias.name).split(".")[0]] = Statement("import", import_text(node, alias))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            lambdas.update((id(target), Statement("function", ast.get_source_segment(source, node))) for target in node.targets)
        elif type(node) in KINDS:
            found[node.name] = Statement(KINDS[type(node)], text_of(node, source))
        elif not isinstance(node, ast.alias):
            found.update((name, lambdas.get(id(node))) for name in bound_names(node))
    return {name: statement for name, statement in found.items() if statement is not None}


def position_of(node):
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def import_text(node, alias):
    return ast.unparse(type(node)(**{**vars(node), "names": [alias]}))


def text_of(node, source):
    """Returns the text of a statement with its decorators, from the first column."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    text = "".join(source.splitlines(keepends=True)[first - 1 : node.end_lineno])
    return text if node.col_offset == 0 else textwrap.dedent(text)
