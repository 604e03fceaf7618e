import { type JsonSchema, resultSchema, type Tool } from '@toolwright/connectors';
import { docComment, sourceString } from '../../../text.ts';
import type { Outline } from '../../details/outline.ts';
import { exportNames, isFunctionName } from '../../names/exports.ts';
import { readInputSchema, readSchema } from '../../schema/read-schema.ts';
import type { Shape } from '../../schema/shape.ts';
import { propertyText, toolText } from '../descriptions.ts';
import { exportsByTool, MAX_POSITIONAL, type Parameter, toolParameters } from '../parameters.ts';
import { createTypeNames, pascalCase, upperFirst } from '../type-names.ts';
import { objectView, type TypeOptions, type TypeSyntax, typeOf } from '../types.ts';
import { typescriptBlock } from './types.ts';

/** Type names that already have a meaning in a declaration file. */
const TAKEN_TYPES: readonly string[] =
  'any bigint boolean never null number object string symbol undefined unknown void Array Promise Record ReadonlyArray'.split(
    ' ',
  );

const BLOCK = typescriptBlock((property, indent) => docComment(propertyText(property), indent));
const OPTIONS: TypeOptions = { syntax: BLOCK, depth: 20, maxValues: 300, maxProperties: 500 };
/** An outline declares longer objects by name. */
const MAX_INLINE_CHARACTERS = 400;

/** The types of one declaration file. */
interface Types {
  readonly options: TypeOptions;
  /** Returns a unique name: `wanted`, or a similar name when it is taken. */
  claim(wanted: string): string;
  /** Returns the declarations of all definitions that were named since the last call. */
  flush(): string;
}

/**
 * Returns the TypeScript declarations of a server's module: one function per export, which accepts one object or positional
 * arguments. The result compiles under `strict` for any tools.
 */
export function serverDeclarations(server: string, tools: readonly Tool[]): string {
  const types = createTypes();
  const functions = exportsByTool(tools, exportNames(tools.map(({ definition }) => definition.name)));
  const blocks = functions.map(([tool, names]) => functionDeclaration(tool, names, types));
  return [docComment(`Tools of the server ${sourceString(server)}.`).trimEnd(), ...blocks, 'export {};', ''].join('\n');
}

/** Returns the complete TypeScript declaration of a tool call, with all descriptions, defaults, formats and limits. */
export function toolDocs(tool: Tool): string {
  const types = createTypes();
  const declared = toolCall(tool, types.options, resultType(resultSchema(tool), types));
  return declared + types.flush().replace(/^export /gm, '');
}

function toolCall(tool: Tool, options: TypeOptions, result: string, path: readonly string[] = []): string {
  const mark = toolParameters(tool).some(({ required }) => required) ? '' : '?';
  const args = argumentsType(tool, options, path);
  return `${docComment(toolText(tool))}declare function callMCPTool(name: ${sourceString(tool.id)}, args${mark}: ${args}): Promise<${result}>;\n`;
}

/** Returns {@link toolDocs} in parts: objects with a long text are types of their own. */
export function toolOutline(tool: Tool): Outline {
  const { claim, named, next } = createTypeNames(TAKEN_TYPES);
  const types = new Map<string, string>();
  const known = new Map<string, string>();
  const syntax: TypeSyntax = {
    ...BLOCK,
    object(members, more, place) {
      const text = BLOCK.object(members, more, place);
      if (text.length <= MAX_INLINE_CHARACTERS || place.path.length < 2) return text;
      const own = text.replaceAll(`\n${place.indent}`, '\n');
      const name = known.get(own) ?? claim(place.path.map(pascalCase).join(''));
      known.set(own, name);
      types.set(name, `type ${name} = ${own};\n`);
      return name;
    },
  };
  const options: TypeOptions = { ...OPTIONS, syntax, named };
  const result = resultSchema(tool);
  const head = toolCall(
    tool,
    options,
    result === undefined ? 'any' : typeOf(readSchema(result), options, false, ['Result']),
    ['Args'],
  );
  for (let entry = next(); entry; entry = next()) {
    types.set(entry[0], `type ${entry[0]} = ${typeOf(entry[1].shape, options, false, [entry[0]])};\n`);
  }
  return { head, types };
}

/** Returns the types of a tool's arguments and result, and the declarations of the types that they use. */
export function toolTypes(tool: Tool): { readonly args: string; readonly result: string; readonly more: string } {
  const types = createTypes();
  for (const own of ['Args', 'Result']) types.claim(own);
  const args = argumentsType(tool, types.options);
  const result = resultType(resultSchema(tool), types);
  return { args, result, more: types.flush() };
}

function functionDeclaration(tool: Tool, names: readonly string[], types: Types): string {
  const [name = 'tool', ...aliases] = names;
  const parameters = toolParameters(tool);
  const args = types.claim(`${upperFirst(name)}Args`);
  const mark = parameters.some(({ required }) => required) ? '' : '?';
  const result = `Promise<${resultType(resultSchema(tool), types)}>`;
  const lines = [
    `export type ${args} = ${argumentsType(tool, types.options)};`,
    `${docComment(toolText(tool))}export function ${name}(args${mark}: ${args}): ${result};`,
  ];
  for (const positional of positionalParameters(parameters, args))
    lines.push(`export function ${name}(${positional}): ${result};`);
  lines.push(...aliases.map((alias) => `export { ${name} as ${alias} };`));
  return `${lines.join('\n')}\n${types.flush()}`;
}

/**
 * Returns the parameters of each positional overload. Where the first parameter may be a plain object, a second argument is
 * required: one object alone always means all parameters. A first argument that is no object needs no second one.
 */
export function positionalParameters(parameters: readonly Parameter[], args: string): string[] {
  const [first] = parameters;
  if (!first || parameters.length > MAX_POSITIONAL) return [];
  if (!mayBeObject(first.shape)) return [positional(parameters, args, 0)];
  const plain = first.shape.types?.some((type) => type !== 'object' && type !== 'array');
  return [
    ...(plain
      ? [positional(parameters, args, 1, `Exclude<${args}[${sourceString(first.name)}], object | undefined>`)]
      : []),
    ...(parameters.length >= 2 ? [positional(parameters, args, 2)] : []),
  ];
}

/** Returns a list of parameters. The first `needed` ones are required, also those that the tool does not require. */
function positional(parameters: readonly Parameter[], args: string, needed: number, firstType?: string): string {
  const taken = new Set<string>();
  return parameters
    .map((parameter, index) => {
      const { name } = parameter;
      const required = parameter.required || index < needed;
      const type = (index === 0 ? firstType : undefined) ?? `${args}[${sourceString(name)}]`;
      const base = isFunctionName(name) ? name : `_${name.replace(/[^A-Za-z\d_$]+/g, '_')}`;
      let identifier = base;
      for (let number = 2; taken.has(identifier); number++) identifier = `${base}${number}`;
      taken.add(identifier);
      return `${identifier}${required ? '' : '?'}: ${type}`;
    })
    .join(', ');
}

function mayBeObject(shape: Shape): boolean {
  if (shape.values) return shape.values.some((value) => typeof value === 'object' && value !== null);
  return shape.types ? shape.types.includes('object') : true;
}

/** Returns all parameters as one object type with one property each, intersected with the types of `anyOf` and `oneOf`. */
export function argumentsType(tool: Tool, options: TypeOptions, path: readonly string[] = []): string {
  const shape = readInputSchema(tool.definition.inputSchema);
  const { properties, required, extra } = objectView(shape);
  const own: Shape = { types: ['object'], properties, required, extra };
  const branches = [shape.anyOf, shape.oneOf]
    .filter((branch) => branch !== undefined)
    .map((anyOf) => typeOf({ anyOf }, options, false, path))
    .filter((text) => text !== options.syntax.anything);
  return [typeOf(own, options, false, path), ...branches.map((text) => `(${text})`)].join(' & ');
}

/** Returns `any` for a tool without an output schema, which is the usual case: programs could not use an `unknown` result. */
function resultType(schema: JsonSchema | undefined, types: Types): string {
  if (schema === undefined) return 'any';
  const text = typeOf(readSchema(schema), types.options);
  return text === 'unknown' ? 'any' : text;
}

function createTypes(): Types {
  const { claim, named, next } = createTypeNames(TAKEN_TYPES);
  const options: TypeOptions = { ...OPTIONS, named };
  return {
    options,
    claim,
    flush() {
      let text = '';
      for (let entry = next(); entry; entry = next()) {
        text += `export type ${entry[0]} = ${typeOf(entry[1].shape, options)};
`;
      }
      return text;
    },
  };
}
