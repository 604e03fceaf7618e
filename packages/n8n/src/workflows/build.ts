import { ToolwrightError } from '@toolwright/core/errors';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isObject, type JsonObject } from '../json.ts';
import { ownerOf } from '../ports/resolve.ts';
import { requireFewNodes } from '../validation/workflow.ts';
import { completeNode, toBody, type WorkflowBody } from './body.ts';
import { checkNodeKeys, checkSettings } from './edits/node-keys.ts';
import { addLinks } from './links/connections.ts';
import { type Link, readLink } from './links/link.ts';
import { type Nodes, nodesOf, resolveLink } from './links/ports.ts';
import { createNamer, defaultNameOf } from './naming.ts';

/** The parts of a new workflow. */
export interface Plan {
  readonly name?: unknown;
  /** Nodes with a type, and the parameters that differ from its defaults. */
  readonly nodes: readonly unknown[];
  /** Connections. Default: each node leads to the next; AI sub-nodes connect to the nearest node that accepts them. */
  readonly connections?: readonly unknown[] | undefined;
  readonly settings?: unknown;
}

/**
 * Builds a workflow, and adds names, ids, positions, newest versions and webhook ids. Raises `INVALID_ARGUMENTS` for an
 * unknown type, name, key or port, with the known ones, and `ARGUMENTS_TOO_LARGE` for more than `MAX_NODES` nodes.
 */
export function buildWorkflow(plan: Plan, catalog: NodeCatalog): WorkflowBody {
  requireFewNodes(plan.nodes);
  if (isObject(plan.settings)) checkSettings(plan.settings);
  const nameOf = createNamer();
  const nodes = plan.nodes.map((value, index) => {
    const node = typeof value === 'string' ? { type: value } : value;
    if (!isObject(node) || typeof node.type !== 'string') {
      throw new ToolwrightError(
        'INVALID_ARGUMENTS',
        `Node ${index} has no type. Write {type: "slack", parameters: {...}}.`,
      );
    }
    checkNodeKeys(node);
    const complete = newNode(node, catalog);
    return { ...complete, name: nameOf(complete.name) };
  });
  const known = nodesOf(nodes, catalog);
  const links =
    plan.connections?.map((value) => resolveLink(readLink(value, known.names), known)) ?? chain(nodes, known);
  return toBody({ name: plan.name, nodes, connections: addLinks({}, links), settings: plan.settings }, catalog);
}

/** Completes a node, with the name that n8n's editor would give it. Raises `INVALID_ARGUMENTS` for an unknown type. */
export function newNode(node: JsonObject, catalog: NodeCatalog): JsonObject & { readonly name: string } {
  const version = typeof node.typeVersion === 'number' ? node.typeVersion : undefined;
  const { displayName } = catalog.describe(String(node.type), version);
  const complete = completeNode(node, catalog);
  if (typeof node.name === 'string' && node.name !== '') return { ...complete, name: node.name };
  const owner = ownerOf(complete, catalog);
  return { ...complete, name: owner ? defaultNameOf(owner) : displayName };
}

/**
 * Connects each node with the next one, and each sub-node with a node that accepts it. Notes stay alone. Raises
 * `INVALID_ARGUMENTS` for a node that cannot be connected.
 */
function chain(nodes: readonly JsonObject[], known: Nodes): Link[] {
  const names = nodes.map(({ name }) => String(name));
  const outputOf = (name: string): string => known.ports(name).outputs?.[0]?.type ?? 'main';
  const isAlone = (name: string): boolean => {
    const { inputs, outputs } = known.ports(name);
    return inputs?.length === 0 && outputs?.length === 0;
  };
  const steps = names.filter((name) => outputOf(name) === 'main' && !isAlone(name));
  const second = steps.slice(1).find((name) => known.ports(name).inputs?.length === 0);
  if (second !== undefined) throw unconnected(second, 'it has no input, and only the first node can start the others');
  const main = steps.slice(1).map((to, index) => resolveLink({ from: steps[index] ?? '', to, output: 0 }, known));
  const serving = names.flatMap((from, index) => {
    const type = outputOf(from);
    if (type === 'main') return [];
    const accepts = (name: string): boolean => known.ports(name).inputs?.some((port) => port.type === type) ?? false;
    // A model, a tool or a memory connects to the nearest node before it that accepts it, else to the first one after it.
    const to = names.slice(0, index).findLast(accepts) ?? names.slice(index + 1).find(accepts);
    if (to === undefined) throw unconnected(from, `no other node has an input ${type}`);
    return [resolveLink({ from, to, type, input: 0 }, known)];
  });
  return [...main, ...serving];
}

function unconnected(name: string, why: string): ToolwrightError {
  const message = `"${name}" cannot be connected: ${why}. Pass connections, such as ["A -> B"]; an empty list connects nothing.`;
  return new ToolwrightError('INVALID_ARGUMENTS', message);
}
