import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isObject, type JsonObject } from '../json.ts';
import { linksOf, linkText } from './links/connections.ts';
import { nodesOf } from './links/ports.ts';

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
    versionId: typeof workflow.versionId === 'string' ? workflow.versionId : undefined,
    nodeCount: nodes.length,
    triggers: nodes
      .filter(({ type, disabled }) => disabled !== true && /trigger$|\.webhook$/i.test(String(type)))
      .map(({ name, type }) => `${name} (${type})`),
    updatedAt: typeof workflow.updatedAt === 'string' ? workflow.updatedAt : undefined,
    tags: tags.map(({ name }) => String(name)),
  };
}

/** Returns the nodes and connections (`If [true] -> B`) of a workflow, without parameters. */
export function structureOf(
  workflow: JsonObject,
  catalog: NodeCatalog,
): { nodes: JsonObject[]; connections: string[] } {
  const nodes = (Array.isArray(workflow.nodes) ? workflow.nodes : []).filter(isObject);
  const known = nodesOf(nodes, catalog);
  const links = linksOf(isObject(workflow.connections) ? workflow.connections : {});
  return {
    nodes: nodes.map(({ name, type, typeVersion, disabled }) => ({
      name,
      type,
      typeVersion,
      disabled: disabled || undefined,
    })),
    connections: links.map((link) => linkText(link, known)),
  };
}
