import type { Tool } from '@toolwright/connectors';
import { exportNames } from '../../names/exports.ts';
import { toolFiles } from './tool-modules.ts';

/** A cache: programs call the functions of the same servers, whose tools rarely change. */
const known = new WeakMap<readonly Tool[], ReadonlyMap<string, Tool>>();

/** Returns the tool of a server that its module exports under a name, or whose file has the name. */
export function toolOfFunction(tools: readonly Tool[], name: string): Tool | undefined {
  const functions = known.get(tools) ?? functionsOf(tools);
  known.set(tools, functions);
  return functions.get(name);
}

function functionsOf(tools: readonly Tool[]): Map<string, Tool> {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  const functions = new Map([...toolFiles(tools)].map(([file, tool]) => [file.replace(/\.ts$/, ''), tool]));
  for (const [name, own] of exportNames([...byName.keys()])) {
    const tool = byName.get(own);
    if (tool) functions.set(name, tool);
  }
  return functions;
}
