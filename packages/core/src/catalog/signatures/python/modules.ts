import type { Tool } from '@toolwright/connectors';
import { inSlices, type Steps } from '@toolwright/pii/internal';
import { sourceString } from '../../../text.ts';
import { exportNames, primaryNames } from '../../names/exports.ts';
import { exportsByTool, MAX_POSITIONAL } from '../parameters.ts';
import { toolSummary } from '../signature.ts';
import { PYTHON_NAMES } from './names.ts';
import { pythonKeywords, pythonParameters } from './parameters.ts';
import { type PythonLocation, pythonSignature } from './signature.ts';
import { docstring } from './text.ts';

const ARGUMENTS = `
def _arguments(tool, names, required, keywords, values, named):
    if len(values) == 1 and not named and isinstance(values[0], dict):
        return values[0]
    if len(values) > len(names):
        order = ", or values in this order: " + ", ".join(names) if names else ""
        raise TypeError(f"{tool} accepts keyword arguments, one dict{order}")
    given = dict(zip(names, values))
    for keyword, value in named.items():
        name = keywords.get(keyword, keyword)
        if name in given:
            raise TypeError(f"{tool} got {name} twice")
        given[name] = value
    return {name: value for name, value in given.items() if value is not None or name in names[:required]}
`;

/**
 * Returns the Python of the guest module `servers/<module>.py`: one function per export, which accepts one dict, positional
 * values (required ones first), or keyword arguments. `None` omits an optional argument. It returns the result of
 * `toolwright.call_mcp_tool`, and needs nothing else. Pauses between slices.
 */
export async function pythonModule(
  server: string,
  tools: readonly Tool[],
  locationOf: (tool: Tool) => PythonLocation,
): Promise<string> {
  return inSlices(writeModule(server, tools, locationOf));
}

function* writeModule(
  server: string,
  tools: readonly Tool[],
  locationOf: (tool: Tool) => PythonLocation,
): Steps<string> {
  const exports = exportNames(
    tools.map(({ definition }) => definition.name),
    PYTHON_NAMES,
  );
  const functions: string[] = [];
  for (const [tool, names] of exportsByTool(tools, exports)) {
    yield;
    functions.push(functionSource(tool, names, locationOf(tool)));
  }
  const head = docstring(
    `Tools of the server ${sourceString(server)}.\n\nEach accepts keyword arguments or one dict. None omits an optional argument.`,
  );
  return `${head}from toolwright import call_mcp_tool as _call\n\n${ARGUMENTS}${functions.join('')}${attributes(exports)}`;
}

/** Returns the attributes of a module that its other code and a star import must not have: a tool `open` replaces no builtin. */
function attributes(exports: ReadonlyMap<string, string>): string {
  const functions = primaryNames(exports);
  const entries = [...exports]
    .filter(([name]) => !PYTHON_NAMES.isName(name))
    .map(([name, tool]) => `${sourceString(name)}: ${functions.get(tool)}`);
  if (entries.length === 0) return '';
  return `
_attributes = {${entries.join(', ')}}


def __getattr__(name):
    if name in _attributes:
        return _attributes[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
`;
}

/** Returns the Python of `servers/__init__.py`. */
export function pythonPackage(modules: readonly string[]): string {
  return `"""Tools of all servers, one module for each."""
from importlib import import_module as _import


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return _import("servers." + name)


def __dir__():
    return [${modules.map(sourceString).join(', ')}]
`;
}

function functionSource(tool: Tool, names: readonly string[], place: PythonLocation): string {
  const [name = 'tool', ...aliases] = names.filter(PYTHON_NAMES.isName);
  const parameters = pythonParameters(tool);
  const shown = parameters.length > MAX_POSITIONAL ? [] : parameters;
  const required = shown.filter((parameter) => parameter.required).length;
  const list = shown.map((parameter) => `${sourceString(parameter.name)}, `).join('');
  const mapping = [...pythonKeywords(parameters)]
    .map(([keyword, parameter]) => `${sourceString(keyword)}: ${sourceString(parameter)}`)
    .join(', ');
  const text = docstring(`${toolSummary(tool)}\n${pythonSignature(tool, place)}`, '    ');
  return `

def ${name}(*values, **named):
    ${text}    return _call(${sourceString(tool.id)}, _arguments("${name}", (${list}), ${required}, {${mapping}}, values, named))
${aliases.map((alias) => `\n${alias} = ${name}\n`).join('')}`;
}
