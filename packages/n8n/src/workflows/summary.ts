import { isObject, type JsonObject } from '../json.ts';

/** The summary of a workflow. */
export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly versionId?: string;
  readonly nodeCount: number;
  /** Name and type of each trigger. */
  readonly triggers: readonly string[];
  readonly updatedAt?: string;
  readonly tags: readonly string[];
}

/** Summarizes a workflow of the API. */
export function summaryOf(workflow: JsonObject): WorkflowSummary {
  const nodes = (Array.isArray(workflow.nodes) ? workflow.nodes : []).filter(isObject);
  const tags = (Array.isArray(workflow.tags) ? workflow.tags : []).filter(isObject);
  return {
    id: String(workflow.id ?? ''),
    name: String(workflow.name ?? ''),
    active: workflow.active === true,
    ...(typeof workflow.versionId === 'string' ? { versionId: workflow.versionId } : {}),
    nodeCount: nodes.length,
    triggers: nodes
      .filter(({ type, disabled }) => disabled !== true && /trigger$|\.webhook$/i.test(String(type)))
      .map(({ name, type }) => `${name} (${type})`),
    ...(typeof workflow.updatedAt === 'string' ? { updatedAt: workflow.updatedAt } : {}),
    tags: tags.map(({ name }) => String(name)),
  };
}

/** Returns the nodes and connections (`A -> B`) of a workflow, without parameters. */
export function structureOf(workflow: JsonObject): { nodes: JsonObject[]; connections: string[] } {
  const nodes = (Array.isArray(workflow.nodes) ? workflow.nodes : []).filter(isObject);
  const connections = Object.entries(isObject(workflow.connections) ? workflow.connections : {}).flatMap(
    ([source, byType]) =>
      Object.entries(isObject(byType) ? byType : {}).flatMap(([type, outputs]) =>
        (Array.isArray(outputs) ? outputs : []).flatMap((targets: unknown, output: number) =>
          (Array.isArray(targets) ? targets : []).map((target: JsonObject) => {
            const port = type === 'main' ? (output === 0 ? '' : ` [${output}]`) : ` (${type})`;
            return `${source}${port} -> ${target.node}`;
          }),
        ),
      ),
  );
  return {
    nodes: nodes.map(({ name, type, typeVersion, disabled }) => ({
      name,
      type,
      typeVersion,
      ...(disabled ? { disabled } : {}),
    })),
    connections,
  };
}
