import type { GraphConnection, GraphNode, RecordedGraph } from '@toolwright/core';
import { isObject } from '../json.ts';

/** The nodes and connections of a workflow. */
export type WorkflowGraph = Omit<RecordedGraph, 'call' | 'at' | 'steps' | 'problems'>;

/** The most nodes and connections of a graph. The largest public templates have some hundred nodes. */
const MAX_NODES = 1_000;
const MAX_CONNECTIONS = 4_000;

/** Reads a workflow. Leaves parts out that do not have n8n's form. Returns undefined for a value without a list of nodes. */
export function readGraph(workflow: unknown): WorkflowGraph | undefined {
  if (!isObject(workflow) || !Array.isArray(workflow.nodes)) return undefined;
  const nodes = workflow.nodes.filter(isObject);
  const connections = connectionsOf(workflow.connections);
  return {
    name: textOf(workflow.name),
    nodes: nodes.slice(0, MAX_NODES).map(nodeOf),
    connections: connections.slice(0, MAX_CONNECTIONS),
    nodeCount: nodes.length,
    connectionCount: connections.length,
  };
}

function nodeOf({ name, type, typeVersion, disabled }: Record<string, unknown>): GraphNode {
  return {
    name: textOf(name),
    type: textOf(type),
    disabled: disabled === true,
    typeVersion: typeof typeVersion === 'number' ? typeVersion : undefined,
  };
}

/** n8n keeps connections by source, type, output and target: `{A: {main: [[{node: "B", index: 0}]]}}`. */
function connectionsOf(value: unknown): GraphConnection[] {
  const found: GraphConnection[] = [];
  for (const [from, byType] of entriesOf(value)) {
    for (const [type, outputs] of entriesOf(byType)) {
      for (const [output, targets] of listOf(outputs).entries()) {
        for (const target of listOf(targets).filter(isObject)) {
          const input = typeof target.index === 'number' ? target.index : 0;
          found.push({ from, to: textOf(target.node), type, output, input });
        }
      }
    }
  }
  return found;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
