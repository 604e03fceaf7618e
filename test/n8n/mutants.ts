import type { NodeCatalog } from '../../packages/n8n/src/catalogs/catalog.ts';
import { isObject } from '../../packages/n8n/src/json.ts';
import { isShown } from '../../packages/n8n/src/ports/display.ts';
import { readGraph } from '../../packages/n8n/src/validation/graph.ts';
import { checkNodes } from '../../packages/n8n/src/validation/publish.ts';
import { readWorkflow } from '../../packages/n8n/src/validation/workflow.ts';

/** A workflow in the format of its file. */
export interface Raw {
  nodes: (Record<string, unknown> & { name: string; type: string; parameters?: Record<string, unknown> })[];
  connections: Record<string, Record<string, { node: string; type: string; index: number }[][]>>;
}

/** One way to break a workflow: returns all broken copies, each with one mistake. */
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
  return checkNodes(read, catalog).checked.filter(
    ({ node, description }) => !node.disabled && (graph.connected.has(node.name) || description.isTriggerLike),
  );
}

function nodeOf(copy: Raw, name: string): Raw['nodes'][number] {
  const found = copy.nodes.find((node) => node.name === name);
  if (!found) throw new Error(`no node ${name}`);
  return found;
}

/** Removes each parameter that its type requires, that is shown, and that has no default. */
const dropRequired: Mutation = (workflow, catalog) =>
  copies(
    workflow,
    live(workflow, catalog).flatMap(({ node, description, parameters }) => {
      const shownBy = { typeVersion: node.typeVersion, isTool: node.type.endsWith('Tool') };
      const given = description.properties.filter(
        (property) =>
          property.required === true &&
          NEEDED.has(property.type) &&
          node.parameters[property.name] !== undefined &&
          isShown(property, parameters, parameters, shownBy) &&
          !(isObject(property.default) ? property.default.value : property.default),
      );
      return given.map(
        ({ name }) =>
          (copy: Raw) =>
            void delete nodeOf(copy, node.name).parameters?.[name],
      );
    }),
  );

/** Types of parameters that must not be empty in n8n. */
const NEEDED = new Set(['string', 'options', 'dateTime', 'resourceLocator', 'workflowSelector']);

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

const BREAKS: readonly ((expression: string) => string)[] = [
  (expression) => expression.replace('}}', ' )(}}'),
  (expression) => expression.replace('}}', ''),
  (expression) => expression.replace('}}', '}'),
  (expression) => expression.replace(/\s*\}\}/, '. }}'),
  (expression) => expression.replace(/\$json\b/, '$jsn'),
  (expression) => expression.replace(/\$\((["'`]).*?\1\)/, "$('No such node')"),
];

const breakExpression: Mutation = (workflow) => {
  const broken: Raw[] = [];
  const visit = (value: unknown, path: readonly (string | number)[], index: number): void => {
    if (typeof value === 'string' && value.startsWith('=') && value.includes('}}')) {
      for (const change of BREAKS) {
        const copy = structuredClone(workflow);
        let at = copy.nodes[index]?.parameters as Record<string | number, unknown>;
        for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
        at[path.at(-1) ?? ''] = change(value);
        if (change(value) !== value) broken.push(copy);
      }
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

/** Adds two nodes without an effect that lead to each other, or reverses a connection. */
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
    const target = workflow.connections[name]?.main?.[0]?.[0]?.node;
    return target === undefined ? [copy] : [copy, turnedRound(workflow, target, name)];
  });

function turnedRound(workflow: Raw, from: string, node: string): Raw {
  const copy = structuredClone(workflow);
  const [first = [], ...others] = copy.connections[from]?.main ?? [];
  const main = [[...first, { node, type: 'main', index: 0 }], ...others];
  copy.connections[from] = { ...copy.connections[from], main };
  return copy;
}

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
