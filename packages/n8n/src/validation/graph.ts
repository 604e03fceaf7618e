import { isObject, type JsonObject } from '../json.ts';
import type { Workflow } from './workflow.ts';

/** One connection between two nodes. */
export interface Edge {
  readonly source: string;
  readonly target: string;
  /** Connection type at the source: `main`, `ai_tool`, … */
  readonly type: string;
  readonly output: number;
  readonly input: number;
  /** `connections.A.main[0][1]`. */
  readonly path: string;
}

/** A part of `connections` that n8n cannot read. */
export interface BrokenPlace {
  readonly path: string;
  readonly source: string;
  readonly problem: string;
}

/** The parsed connections of a workflow. */
export interface Graph {
  readonly edges: readonly Edge[];
  readonly broken: readonly BrokenPlace[];
  /** Names of connected nodes. n8n checks only these nodes and triggers. */
  readonly connected: ReadonlySet<string>;
}

/** Parses the connections of a workflow. */
export function readGraph({ connections }: Workflow): Graph {
  const edges: Edge[] = [];
  const broken: BrokenPlace[] = [];
  const connected = new Set<string>();
  for (const [source, byType] of Object.entries(connections)) {
    const place = `connections${segment(source)}`;
    if (byType === null || byType === undefined) {
      broken.push({ path: place, source, problem: 'it is null, not an object by connection type' });
      continue;
    }
    if (Object.keys(byType).length > 0) connected.add(source);
    for (const [type, outputs] of Object.entries(byType)) {
      readOutputs({ source, type, path: `${place}.${type}` }, outputs, edges, broken);
    }
  }
  for (const { target } of edges) connected.add(target);
  return { edges, broken, connected };
}

interface Place {
  readonly source: string;
  readonly type: string;
  readonly path: string;
}

function readOutputs({ source, type, path }: Place, outputs: unknown, edges: Edge[], broken: BrokenPlace[]): void {
  if (typeof outputs !== 'object' || outputs === null) return;
  for (const [output, targets] of Object.entries(outputs)) {
    const place = `${path}[${output}]`;
    if (targets === null || targets === undefined) continue;
    // n8n iterates over the letters of a string, and treats other scalars as targets without a name.
    const list = typeof targets === 'string' ? [targets] : targets;
    if (!Array.isArray(list)) {
      broken.push({ path: place, source, problem: 'a list of targets is missing' });
      continue;
    }
    list.forEach((value: unknown, index) => {
      if (value === null || value === undefined) {
        broken.push({ path: `${place}[${index}]`, source, problem: 'it is not {node, type, index}' });
        return;
      }
      const target: JsonObject = isObject(value) ? value : {};
      edges.push({
        source,
        target: String(target.node),
        type,
        output: Number(output),
        input: typeof target.index === 'number' ? target.index : 0,
        path: `${place}[${index}]`,
      });
    });
  }
}

function segment(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
