import { resultSchema, type Tool } from '@toolwright/connectors';
import { sourceString } from '../../../text.ts';
import type { Outline } from '../../details/outline.ts';
import { exportNames } from '../../names/exports.ts';
import { readInputSchema, readSchema } from '../../schema/read-schema.ts';
import type { Shape } from '../../schema/shape.ts';
import { propertyText, toolText } from '../descriptions.ts';
import { exportsByTool } from '../parameters.ts';
import { createTypeNames, pascalCase } from '../type-names.ts';
import { objectView, type TypeOptions, typeOf } from '../types.ts';
import type { ToolWriter } from '../writer.ts';
import { pythonModule } from './modules.ts';
import { PYTHON_NAMES } from './names.ts';
import { type PythonParameter, pythonParameters } from './parameters.ts';
import { type PythonLocation, pythonSignature } from './signature.ts';
import { comment, docstring } from './text.ts';
import { orNone, PYTHON_LINE, pythonStub } from './types.ts';

const TYPING = 'Any Literal Never NotRequired TypeAlias TypedDict'.split(' ');
const MAX_LINE_CHARS = 120;

/** The types of one stub file. */
interface Types {
  typeOf(shape: Shape, path: readonly string[], nested?: boolean): string;
  /** Returns the declarations of everything that was named since the last call, by name. */
  take(): ReadonlyMap<string, string>;
  /** Returns these declarations as one text. */
  flush(): string;
}

interface ParameterStub {
  /** The comment lines above the parameter. */
  readonly note: string;
  readonly text: string;
}

/** Creates the writer for Python. `locationOf` returns the module and the name of a tool's function. */
export function pythonWriter(locationOf: (tool: Tool) => PythonLocation): ToolWriter {
  return {
    types: PYTHON_LINE,
    signature: (tool, budget) => pythonSignature(tool, locationOf(tool), budget),
    docs: (tool) => pythonDocs(tool, locationOf(tool)),
    outline: (tool) => pythonOutline(tool, locationOf(tool)),
    comment: '#',
    module: (server, tools) => pythonModule(server, tools, locationOf),
    declarations: pythonDeclarations,
  };
}

/** Returns the Python stub file (`.pyi`) of a server's module: one function per tool, with the types of its schemas. */
export function pythonDeclarations(server: string, tools: readonly Tool[]): string {
  const exports = exportNames(
    tools.map(({ definition }) => definition.name),
    PYTHON_NAMES,
  );
  const types = createTypes([...exports.keys()]);
  const blocks = exportsByTool(tools, exports).map(([tool, names]) => {
    const [name = 'tool', ...aliases] = names.filter(PYTHON_NAMES.isName);
    const declared = functionStub(tool, name, types);
    return `${types.flush()}${declared}${aliases.map((alias) => `${alias} = ${name}\n`).join('')}`;
  });
  const head = `Tools of the server ${sourceString(server)}. Each also accepts all of its arguments in one dict.`;
  return [`${docstring(head)}from typing import ${TYPING.join(', ')}\n`, ...blocks].join('\n');
}

/** Returns the import and the complete Python declaration of a tool, with all descriptions, defaults, formats and limits. */
export function pythonDocs(tool: Tool, { module, name }: PythonLocation): string {
  const types = createTypes([name]);
  const declared = functionStub(tool, name, types);
  return `${importComment(tool, { module, name })}${types.flush()}${declared}`;
}

/** Returns {@link pythonDocs} in parts. */
function pythonOutline(tool: Tool, { module, name }: PythonLocation): Outline {
  const types = createTypes([name]);
  const declared = functionStub(tool, name, types);
  return { head: `${importComment(tool, { module, name })}${declared}`, types: types.take() };
}

function importComment({ id }: Tool, { module, name }: PythonLocation): string {
  return comment(`from servers.${module} import ${name} (tool ${sourceString(id)})`, '');
}

function functionStub(tool: Tool, name: string, types: Types): string {
  const { inputSchema } = tool.definition;
  const schema = resultSchema(tool);
  const parameters = parameterList(readInputSchema(inputSchema), tool, name, types);
  const result = schema === undefined ? 'Any' : types.typeOf(readSchema(schema), [name, 'result']);
  const body = docstring(toolText(tool), '    ') || '...\n';
  return `async def ${name}(${parameters}) -> ${result}:\n    ${body}`;
}

/** Writes the parameters, on one line where they fit and none has a comment. */
function parameterList(shape: Shape, tool: Tool, name: string, types: Types): string {
  const parameters = pythonParameters(tool);
  const required = parameters.filter((parameter) => parameter.required);
  const optional = parameters.filter((parameter) => !parameter.required);
  const stub = (parameter: PythonParameter) =>
    parameterStub(parameter, types.typeOf(parameter.shape, [name, parameter.keyword], true));
  const stubs = [
    ...required.map(stub),
    ...(optional.length > 0 ? [{ note: '', text: '*' }] : []),
    ...optional.map(stub),
    ...otherArguments(shape, parameters, name, types),
  ];
  const line = stubs.map(({ text }) => text).join(', ');
  if (stubs.every(({ note }) => note === '') && line.length <= MAX_LINE_CHARS) return line;
  return `\n${stubs.map(({ note, text }) => `${note}    ${text},\n`).join('')}`;
}

function parameterStub({ name, keyword, required, shape }: PythonParameter, type: string): ParameterStub {
  const sentAs = keyword === name ? '' : `Sent as ${sourceString(name)}. `;
  const text = required ? `${keyword}: ${type}` : `${keyword}: ${orNone(type)} = None`;
  return { note: comment(`${sentAs}${propertyText(shape)}`, '    '), text };
}

/** Writes the catch-all parameter for arguments of an open object, of its alternatives, or beyond the maximum. */
function otherArguments(
  shape: Shape,
  parameters: readonly PythonParameter[],
  name: string,
  types: Types,
): ParameterStub[] {
  const { properties, required, extra } = objectView(shape);
  const anyOf = shape.anyOf ?? shape.oneOf;
  const alternatives = anyOf ? types.typeOf({ anyOf }, [name, 'args']) : 'Any';
  if (parameters.length === 0 && alternatives !== 'Any') return [{ note: '', text: `args: ${alternatives}, /` }];
  const isOpen = extra || properties.size > parameters.length || (properties.size === 0 && required.size > 0);
  if (!isOpen && alternatives === 'Any') return [];
  const taken = new Set(parameters.map(({ keyword }) => keyword));
  let rest = 'more';
  while (taken.has(rest)) rest += '_';
  const type = extra && properties.size === parameters.length ? types.typeOf(extra, [name, 'more'], true) : 'Any';
  const note = alternatives === 'Any' ? '' : comment(`And those of ${alternatives}.`, '    ');
  return [{ note, text: `**${rest}: ${type}` }];
}

function createTypes(functions: readonly string[]): Types {
  const { claim, named, next } = createTypeNames(['False', 'None', 'True', ...TYPING, ...functions]);
  const known = new Map<string, string>();
  let classes = new Map<string, string>();
  let whole: string | undefined;
  const declare = (path: readonly string[], classSource: (name: string) => string): string => {
    const isWhole = path.length === 1 && path[0] === whole;
    const same = isWhole ? undefined : known.get(classSource(''));
    if (same !== undefined) return same;
    const name = isWhole && whole !== undefined ? whole : claim(path.map(pascalCase).join(''));
    known.set(classSource(''), name);
    classes.set(name, classSource(name));
    if (isWhole) whole = undefined;
    return name;
  };
  const options: TypeOptions = { syntax: pythonStub(declare), depth: 20, maxValues: 300, maxProperties: 500, named };
  const take = () => {
    for (let entry = next(); entry; entry = next()) {
      const [name, { shape }] = entry;
      whole = isOneObject(shape) ? name : undefined;
      const type = typeOf(shape, options, false, [name]);
      if (type !== name) classes.set(name, `${name}: TypeAlias = ${type}\n`);
    }
    const taken = classes;
    classes = new Map();
    return taken;
  };
  return {
    typeOf: (shape, path, nested = false) => typeOf(shape, options, nested, path),
    take,
    flush: () => [...take().values()].join(''),
  };
}

/** Returns whether a definition is written as one class, which then has the name of the definition. */
function isOneObject(shape: Shape): boolean {
  if (shape.never || shape.values || objectView(shape).properties.size === 0) return false;
  if (shape.types && (shape.types.length > 1 || shape.types[0] !== 'object')) return false;
  return !(shape.anyOf ?? shape.oneOf) || shape.properties !== undefined;
}
