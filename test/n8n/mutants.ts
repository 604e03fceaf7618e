import type { NodeCatalog } from '../../src/connectors/n8n/catalogs/catalog.ts';
import { isObject } from '../../src/connectors/n8n/json.ts';
import { readGraph } from '../../src/connectors/n8n/validation/graph.ts';
import { parameterIssues } from '../../src/connectors/n8n/validation/parameters.ts';
import { publishFindings } from '../../src/connectors/n8n/validation/publish.ts';
import { readWorkflow } from '../../src/connectors/n8n/validation/workflow.ts';

/** A workflow as its file holds it. */
export interface Raw {
  nodes: (Record<string, unknown> & { name: string; type: string; parameters?: Record<string, unknown> })[];
  connections: Record<string, Record<string, { node: string; type: string; index: number }[][]>>;
}

/** One way to break a workflow: all broken copies of it, one mistake in each. */
export type Mutation = (workflow: Raw, catalog: NodeCatalog) => Raw[];

function copies(workflow: Raw, places: readonly ((copy: Raw) => void)[]): Raw[] {
  return places.map((change) => {
    const copy = structuredClone(workflow);
    change(copy);
    return copy;
  });
}

function live(workflow: Raw, catalog: NodeCatalog) {
  const read = readWorkflow(workflow);
  const graph = readGraph(read);
  return publishFindings(read, graph, catalog, {}).checked.filter(
    ({ node, description }) => !node.disabled && (graph.connected.has(node.name) || description.isTriggerLike),
  );
}

function nodeOf(copy: Raw, name: string): Raw['nodes'][number] {
  const found = copy.nodes.find((node) => node.name === name);
  if (!found) throw new Error(`no node ${name}`);
  return found;
}

/** Takes out parameters of the top level without which the node's type says something is missing. */
const dropRequired: Mutation = (workflow, catalog) =>
  copies(
    workflow,
    live(workflow, catalog).flatMap(({ node, description, parameters }) => {
      const shownBy = { typeVersion: node.typeVersion, isTool: node.type.endsWith('Tool') };
      return description.properties.flatMap(({ name, required, default: fallback, type }) => {
        const given = node.parameters[name];
        const isEmpty = fallback === '' || fallback === undefined || (isObject(fallback) && !fallback.value);
        if (!required || given === undefined || !isEmpty || !['string', 'options', 'resourceLocator'].includes(type))
          return [];
        const without = { ...parameters, [name]: type === 'resourceLocator' ? { __rl: true, value: '' } : '' };
        const isShown = parameterIssues(description, without, shownBy).some(({ path }) => path === name);
        return isShown ? [(copy: Raw) => void delete nodeOf(copy, node.name).parameters?.[name]] : [];
      });
    }),
  );

const misspellType: Mutation = (workflow) =>
  copies(
    workflow,
    workflow.nodes.map(({ type }, index) => (copy) => {
      const node = copy.nodes[index];
      if (node) node.type = `${type.slice(0, -2)}${type.at(-1)}${type.at(-2)}x`;
    }),
  );

const renameTarget: Mutation = (workflow) =>
  copies(
    workflow,
    readGraph(readWorkflow(workflow)).edges.map(({ source, type, output, target }) => (copy) => {
      const edge = copy.connections[source]?.[type]?.[output]?.find(({ node }) => node === target);
      if (edge) edge.node = `${target} (renamed)`;
    }),
  );

const dropCredential: Mutation = (workflow, catalog) =>
  copies(
    workflow,
    live(workflow, catalog)
      .filter(({ node, description }) =>
        description.credentials?.some(({ name, required }) => required && node.credentials?.[name]),
      )
      .map(
        ({ node }) =>
          (copy: Raw) =>
            void delete nodeOf(copy, node.name).credentials,
      ),
  );

const breakExpression: Mutation = (workflow) => {
  const broken: Raw[] = [];
  const visit = (value: unknown, path: readonly (string | number)[], index: number): void => {
    if (typeof value === 'string' && value.startsWith('=') && value.includes('}}')) {
      const copy = structuredClone(workflow);
      let at = copy.nodes[index]?.parameters as Record<string | number, unknown>;
      for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
      at[path.at(-1) ?? ''] = value.replace('}}', ' )(}}');
      broken.push(copy);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, held] of Object.entries(value)) visit(held, [...path, key], index);
    }
  };
  workflow.nodes.forEach(({ parameters, disabled }, index) => {
    if (disabled !== true) visit(parameters, [], index);
  });
  return broken;
};

const removeTrigger: Mutation = (workflow, catalog) => {
  const starting = new Set(
    readWorkflow(workflow).nodes.flatMap(({ name, type, typeVersion }) => {
      const looked = catalog.lookup(type, typeVersion);
      return 'found' in looked && looked.found.isTriggerLike ? [name] : [];
    }),
  );
  const nodes = workflow.nodes.filter(({ name }) => !starting.has(name));
  return starting.size === 0 ? [] : [{ ...structuredClone(workflow), nodes: structuredClone(nodes) }];
};

/** Two nodes that do nothing behind a node, each leading to the other; and a node that leads to itself. */
const addCycle: Mutation = (workflow) =>
  workflow.nodes.slice(0, 3).flatMap(({ name }) => {
    const copy = structuredClone(workflow);
    const edge = (node: string) => ({ node, type: 'main', index: 0 });
    for (const own of ['Cycle A', 'Cycle B']) {
      copy.nodes.push({
        id: own,
        name: own,
        type: 'n8n-nodes-base.noOp',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      });
    }
    const before = copy.connections[name]?.main ?? [];
    copy.connections[name] = {
      ...copy.connections[name],
      main: [[...(before[0] ?? []), edge('Cycle A')], ...before.slice(1)],
    };
    copy.connections['Cycle A'] = { main: [[edge('Cycle B')]] };
    copy.connections['Cycle B'] = { main: [[edge('Cycle A')]] };
    return [copy];
  });

/** All classes of mistakes. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a required parameter is dropped': dropRequired,
  'a type is misspelt': misspellType,
  'the target of a connection is renamed': renameTarget,
  'a credential is dropped': dropCredential,
  'an expression is broken': breakExpression,
  'the trigger is removed': removeTrigger,
  'a cycle is added': addCycle,
};
