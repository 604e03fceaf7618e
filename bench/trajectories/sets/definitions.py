"""Prints the definitions of the tools of tau-bench as JSON. Argument: a folder of its tools. Reads the sources and runs nothing of them."""
import ast
import json
import pathlib
import sys


def definition_of(source: str):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == "get_info":
            return next(ast.literal_eval(part.value) for part in node.body if isinstance(part, ast.Return))
    return None


files = sorted(pathlib.Path(sys.argv[1]).glob("[!_]*.py"))
found = [definition_of(file.read_text()) for file in files]
print(json.dumps([one["function"] for one in found if one is not None]))
