import type { Tool } from '@toolwright/connectors';
import { inSlices, type Steps } from '@toolwright/pii/internal';
import { docComment, sourceString } from '../../../text.ts';
import { exportNames } from '../../names/exports.ts';
import { exportsByTool, MAX_POSITIONAL, toolParameters } from '../parameters.ts';
import { toolSummary } from '../signature.ts';
import type { ToolWriter } from '../writer.ts';
import { serverDeclarations, toolDocs, toolOutline } from './declarations.ts';
import { toolSignature } from './signature.ts';
import { TYPESCRIPT_LINE } from './types.ts';

/** Describes tools in TypeScript. */
export const TYPESCRIPT_WRITER: ToolWriter = {
  types: TYPESCRIPT_LINE,
  signature: toolSignature,
  docs: toolDocs,
  outline: toolOutline,
  comment: '//',
  module: serverModule,
  declarations: serverDeclarations,
};

/**
 * Returns the JavaScript of the guest module `./servers/<slug>/index.js`: one function per export, which accepts one plain
 * object or positional arguments, required ones first. It needs `globalThis.callMCPTool` only. Pauses between slices.
 */
export async function serverModule(server: string, tools: readonly Tool[]): Promise<string> {
  return inSlices(writeModule(server, tools));
}

function* writeModule(server: string, tools: readonly Tool[]): Steps<string> {
  const exports = exportNames(tools.map(({ definition }) => definition.name));
  const call = freeName('call', exports);
  const named = freeName('named', exports);
  const functions: string[] = [];
  for (const [tool, names] of exportsByTool(tools, exports)) {
    yield;
    functions.push(functionSource(tool, names, call, named));
  }
  return `${docComment(`Tools of the server ${sourceString(server)}.`).trimEnd()}
const ${call} = globalThis.callMCPTool;

/** Converts positional arguments to named ones. A single plain object is passed unchanged. */
const ${named} = (tool, names, values) => {
  const [first] = values;
  const plain = typeof first === 'object' && first !== null && !globalThis.Array.isArray(first);
  if (values.length === 1 && plain) return first;
  if (values.length > names.length) {
    throw new globalThis.TypeError(
      tool + ' accepts one object' + (names.length > 0 ? ' or these arguments in order: ' + names.join(', ') : ' or nothing'),
    );
  }
  const given = values.map((value, index) => [names[index], value]);
  return globalThis.Object.fromEntries(given.filter(([, value]) => value !== undefined));
};

${functions.join('\n')}`;
}

function functionSource(tool: Tool, names: readonly string[], call: string, named: string): string {
  const [name = 'tool', ...aliases] = names;
  const parameters = toolParameters(tool).map((parameter) => sourceString(parameter.name));
  const list = parameters.length > MAX_POSITIONAL ? '' : parameters.join(', ');
  const lines = [
    `${docComment(`${toolSummary(tool)}\n${toolSignature(tool)}`)}export async function ${name}(...values) {`,
    `  return ${call}(${sourceString(tool.id)}, ${named}(${sourceString(name)}, [${list}], values));`,
    '}',
    ...aliases.map((alias) => `export { ${name} as ${alias} };`),
  ];
  return `${lines.join('\n')}\n`;
}

function freeName(wanted: string, exports: ReadonlyMap<string, string>): string {
  let name = wanted;
  while (exports.has(name)) name = `${name}_`;
  return name;
}
