import type { Tool } from '@toolwright/connectors';
import { readInputSchema } from '../schema/read-schema.ts';
import type { Shape } from '../schema/shape.ts';
import { inOrder, objectView } from './types.ts';

/** One parameter of a tool. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** A function with more parameters than this accepts one object only. */
export const MAX_POSITIONAL = 200;

/** Returns a tool's parameters in the order of positional arguments: required first, then in the order of the schema. */
export function toolParameters(tool: Tool): Parameter[] {
  const view = objectView(readInputSchema(tool.definition.inputSchema));
  return inOrder(view.properties, view.required).map(([name, shape]) => ({
    name,
    required: view.required.has(name),
    shape,
  }));
}

/** Returns the exports of a server's module by tool: the name of its function, then its aliases. */
export function exportsByTool(tools: readonly Tool[], exports: ReadonlyMap<string, string>): [Tool, string[]][] {
  const names = new Map<string, string[]>();
  for (const [name, tool] of exports) names.set(tool, [...(names.get(tool) ?? []), name]);
  const seen = new Set<string>();
  return tools.flatMap((tool): [Tool, string[]][] => {
    const raw = tool.definition.name;
    const own = names.get(raw);
    if (!own || seen.has(raw)) return [];
    seen.add(raw);
    return [[tool, own]];
  });
}
