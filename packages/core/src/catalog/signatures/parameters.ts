import { readSchema } from '../schema/read-schema.ts';
import type { Shape } from '../schema/shape.ts';
import type { Tool } from '../tool.ts';
import { inOrder, objectView } from './types.ts';

/** One parameter of a tool. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** More positional parameters than this are only taken as one object. */
export const MAX_POSITIONAL = 200;

/** A tool's parameters in the order in which positional arguments fill them: required first, then as the schema lists them. */
export function toolParameters(tool: Tool): Parameter[] {
  const view = objectView(readSchema(tool.definition.inputSchema));
  return inOrder(view.properties, view.required).map(([name, shape]) => ({
    name,
    required: view.required.has(name),
    shape,
  }));
}

/** The exports of a server's module, by tool: the name its function is declared under, then its other names. */
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
