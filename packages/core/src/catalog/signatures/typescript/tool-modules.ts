import type { Tool } from '@toolwright/connectors';
import { docComment, sourceString } from '../../../text.ts';
import { exportNames } from '../../names/exports.ts';
import { shortHash } from '../../names/hash.ts';
import { toolText } from '../descriptions.ts';
import { exportsByTool, toolParameters } from '../parameters.ts';
import { toolTypes } from './declarations.ts';

/** Names of other files in the folder. The file of a tool with such a name gets a hash. */
const TAKEN = new Set(['index', 'index.d']);
const FILE_NAME = /^[A-Za-z\d_$][\w$-]{0,95}$/;

/**
 * Returns the files of a server's tools, `<tool>.ts`, in the order of the tools. A file name gets a hash when the tool's name
 * is not a plain file name, or differs from another one in case only. Names do not depend on the order of tools.
 */
export function toolFiles(tools: readonly Tool[]): Map<string, Tool> {
  const folded = new Map<string, number>();
  for (const { definition } of tools) {
    const key = definition.name.toLowerCase();
    folded.set(key, (folded.get(key) ?? 0) + 1);
  }
  return new Map(
    tools.map((tool) => {
      const { name } = tool.definition;
      const isPlain = FILE_NAME.test(name) && !TAKEN.has(name.toLowerCase()) && folded.get(name.toLowerCase()) === 1;
      const base = name.replace(/[^\w$-]+/g, '_').slice(0, 80) || 'tool';
      return [`${isPlain ? name : `${base}-${shortHash(name, 8)}`}.ts`, tool];
    }),
  );
}

/**
 * Returns one tool as a TypeScript module: its documentation, its types, and the function that calls it, which is also the
 * default export. It is the shortest complete description of a tool. It needs the global `callMCPTool` only.
 */
export function toolModule(tool: Tool, tools: readonly Tool[]): string {
  const exports = exportNames(tools.map(({ definition }) => definition.name));
  const [name = 'tool', ...aliases] =
    exportsByTool(tools, exports).find(([own]) => own.definition === tool.definition)?.[1] ?? [];
  const optional = toolParameters(tool).some(({ required }) => required) ? '' : ' = {}';
  const { args, result, more } = toolTypes(tool);
  return `export type Args = ${args};
export type Result = ${result};
${more}
${docComment(toolText(tool))}export default async function ${name}(args: Args${optional}): Promise<Result> {
  return globalThis.callMCPTool(${sourceString(tool.id)}, args);
}
export { ${[name, ...aliases.map((alias) => `${name} as ${alias}`)].join(', ')} };
`;
}
