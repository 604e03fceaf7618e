/** A node of an n8n workflow. Connections and problems refer to it by its name. */
export interface DraftNode {
  readonly name: string;
  readonly type: string;
  readonly typeVersion?: number;
  readonly disabled: boolean;
}

/** A connection between two nodes, by their names. */
export interface DraftConnection {
  readonly from: string;
  readonly to: string;
  /** `main`, `ai_tool`, `ai_languageModel`, … */
  readonly type: string;
  /** Number of the output among those of its type, from 0. */
  readonly output: number;
  readonly input: number;
}

/** The nodes and connections of an n8n workflow. */
export interface DraftGraph {
  readonly name: string;
  readonly nodes: readonly DraftNode[];
  readonly connections: readonly DraftConnection[];
  /** All of them, also those over the limits. */
  readonly nodeCount: number;
  readonly connectionCount: number;
}

/** The most nodes and connections of a graph. The largest public templates have some hundred nodes. */
const MAX_NODES = 1_000;
const MAX_CONNECTIONS = 4_000;

/** Reads a workflow. Leaves parts out that do not have n8n's form. Returns undefined for a value without a list of nodes. */
export function readGraph(workflow: unknown): DraftGraph | undefined {
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

function nodeOf({ name, type, typeVersion, disabled }: Record<string, unknown>): DraftNode {
  return {
    name: textOf(name),
    type: textOf(type),
    disabled: disabled === true,
    typeVersion: typeof typeVersion === 'number' ? typeVersion : undefined,
  };
}

/** n8n keeps connections by source, type, output and target: `{A: {main: [[{node: "B", index: 0}]]}}`. */
function connectionsOf(value: unknown): DraftConnection[] {
  const found: DraftConnection[] = [];
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
