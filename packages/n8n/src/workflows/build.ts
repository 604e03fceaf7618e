import { ToolwrightError } from '@toolwright/core/errors';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isObject, type JsonObject } from '../json.ts';
import { completeNode, toBody, type WorkflowBody } from './body.ts';
import { addLink, checkNames, type Link, readLink } from './connect.ts';

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
 * unknown type or name, with similar names.
 */
export function buildWorkflow(plan: Plan, catalog: NodeCatalog): WorkflowBody {
  const taken = new Set<string>();
  const nodes = plan.nodes.map((value, index) => {
    const node = typeof value === 'string' ? { type: value } : value;
    if (!isObject(node) || typeof node.type !== 'string') {
      throw new ToolwrightError(
        'INVALID_ARGUMENTS',
        `Node ${index} has no type. Write {type: "slack", parameters: {...}}.`,
      );
    }
    const { displayName } = catalog.describe(
      node.type,
      typeof node.typeVersion === 'number' ? node.typeVersion : undefined,
    );
    const name = freeName(typeof node.name === 'string' && node.name !== '' ? node.name : displayName, taken);
    taken.add(name);
    return completeNode({ ...node, name }, index, catalog);
  });
  const typeOf = (source: string): string => outputType(nodes, source, catalog);
  const links = plan.connections?.map((value) => readLink(value, typeOf)) ?? chain(nodes, typeOf);
  checkNames(
    links.flatMap(({ from, to }) => [from, to]),
    taken,
  );
  const connections = links.reduce<JsonObject>((all, link) => addLink(all, link), {});
  return toBody({ name: plan.name, nodes, connections, settings: plan.settings }, catalog);
}

/** Returns the connection type of a node's output. */
export function outputType(nodes: readonly JsonObject[], name: string, catalog: NodeCatalog): string {
  const node = nodes.find((each) => each.name === name);
  const looked = catalog.lookup(
    String(node?.type),
    typeof node?.typeVersion === 'number' ? node.typeVersion : undefined,
  );
  if (!('found' in looked) || typeof looked.found.outputs === 'string') return 'main';
  const [first] = looked.found.outputs;
  return (typeof first === 'string' ? first : first?.type) ?? 'main';
}

function chain(nodes: readonly JsonObject[], typeOf: (name: string) => string): Link[] {
  const names = nodes.map(({ name }) => String(name));
  const steps = names.filter((name) => typeOf(name) === 'main');
  const link = (from: string, to: string, type: string): Link => ({ from, to, type, output: 0, input: 0 });
  const main = steps.slice(1).map((name, index) => link(steps[index] ?? '', name, 'main'));
  const serving = names.flatMap((name, index) => {
    const type = typeOf(name);
    if (type === 'main') return [];
    // A model, a tool or a memory connects to the step before it (the agent), or to the only step after it.
    const served =
      names.slice(0, index).findLast((each) => typeOf(each) === 'main' && each !== names[0]) ?? steps.at(-1);
    return served === undefined ? [] : [link(name, served, type)];
  });
  return [...main, ...serving];
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 1; taken.has(name); number++) name = `${wanted}${number}`;
  return name;
}
