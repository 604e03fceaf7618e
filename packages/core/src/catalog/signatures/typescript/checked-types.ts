import type { Tool } from '@toolwright/connectors';
import { atOnce, inSlices, type Steps } from '@toolwright/pii/internal';
import { sourceString } from '../../../text.ts';
import { exportNames } from '../../names/exports.ts';
import { readSchema } from '../../schema/read-schema.ts';
import { exportsByTool, type Parameter, toolParameters } from '../parameters.ts';
import { createTypeNames } from '../type-names.ts';
import { type TypeOptions, typeOf } from '../types.ts';
import { argumentsType, positionalParameters } from './declarations.ts';
import { member, typescriptBlock } from './types.ts';

/** The prefixes of the type names of a tool's arguments and of its result. */
const ARGUMENTS = 'ToolArguments';
const RESULT = 'ToolResult';

/** The type of an unknown value. */
const ANYTHING = 'any';

/**
 * Returns the declarations of a server's module for the type check of programs. Unlike the usual declarations they have no
 * documentation, and `any` for unknown types. Every object type has a name, which shows the tool in a compiler message.
 * Pauses between slices: a server may have 10,000 tools.
 */
export async function checkedModule(tools: readonly Tool[]): Promise<string> {
  const text = modules.get(tools) ?? inSlices(writeModule(tools));
  modules.set(tools, text);
  return text;
}

/** A cache: many programs import the same server, and its tools rarely change. */
const modules = new WeakMap<readonly Tool[], string | Promise<string>>();

function* writeModule(tools: readonly Tool[]): Steps<string> {
  const writer = createWriter();
  const exports = exportNames(tools.map(({ definition }) => definition.name));
  const functions: string[] = [];
  for (const [tool, [name = 'tool', ...aliases]] of exportsByTool(tools, exports)) {
    yield;
    const { args, result, parameters } = writer.typesOf(tool);
    const claimed = writer.alias(`${ARGUMENTS}_${tool.id}`, args);
    const positional = positionalParameters(parameters, claimed);
    functions.push(
      ...positional.map((list) => `export declare function ${name}(${list}): Promise<${result}>;`),
      // The compiler reports the last overload when none matches.
      `export declare function ${name}(args${isOptional(parameters)}: ${claimed}): Promise<${result}>;`,
      ...aliases.map((alias) => `export { ${name} as ${alias} };`),
    );
  }
  return [...functions, yield* writer.flush(), 'export {};', ''].join('\n');
}

/** Returns the types of `callMCPTool` for the type check of programs: members of two interfaces of the guest's API. */
export function checkedTools(tools: readonly Tool[]): string {
  const writer = createWriter();
  const members = tools.map((tool) => ({ id: sourceString(tool.id), ...writer.typesOf(tool) }));
  return [
    `interface ToolArguments { ${members.map(({ id, args }) => `${id}: ${args};`).join(' ')} }`,
    `interface ToolResults { ${members.map(({ id, result }) => `${id}: ${result};`).join(' ')} }`,
    atOnce(writer.flush()),
  ].join('\n');
}

interface CheckedTypes {
  readonly args: string;
  readonly result: string;
  readonly parameters: readonly Parameter[];
}

function createWriter() {
  const { claim, named, next } = createTypeNames([ARGUMENTS, `${RESULT}s`]);
  const lines: string[] = [];
  const alias = (wanted: string, type: string): string => {
    if (type.startsWith(`${ARGUMENTS}_`) && /^\w+$/.test(type)) return type;
    const name = claim(wanted);
    lines.push(`type ${name} = ${type};`);
    return name;
  };
  const options: TypeOptions = {
    depth: 20,
    maxValues: 300,
    maxProperties: 500,
    named,
    syntax: {
      ...typescriptBlock(() => ''),
      anything: ANYTHING,
      bareArray: `${ANYTHING}[]`,
      dictionary: (value) => `{ [key: string]: ${value ?? ANYTHING} }`,
      object: (members, more, { path }) => {
        const rest = more === 'none' ? [] : [`[key: string]: ${ANYTHING}`];
        return alias(path.join('_'), `{ ${[...members.map(member), ...rest].map((line) => `${line};`).join(' ')} }`);
      },
    },
  };
  return {
    alias,
    typesOf(tool: Tool): CheckedTypes {
      const { outputSchema } = tool.definition;
      return {
        args: argumentsType(tool, options, [`${ARGUMENTS}_${tool.id}`]),
        // An inferred result type is not checked: the next result may differ.
        result:
          outputSchema === undefined
            ? ANYTHING
            : typeOf(readSchema(tool.observed ?? outputSchema), options, false, [`${RESULT}_${tool.id}`]),
        parameters: toolParameters(tool),
      };
    },
    /** Returns the declarations of all named types. */
    *flush(): Steps<string> {
      for (let entry = next(); entry; entry = next()) {
        yield;
        const [name, { shape }] = entry;
        const type = typeOf(shape, options, false, [`ToolShape_${name}`]);
        if (type !== name) lines.push(`type ${name} = ${type};`);
      }
      return lines.join('\n');
    },
  };
}

function isOptional(parameters: readonly Parameter[]): string {
  return parameters.some(({ required }) => required) ? '' : '?';
}
