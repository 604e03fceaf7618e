import type { NodeCatalog } from '../../catalogs/catalog.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { portsOfType } from '../../ports/port.ts';
import { invalid } from '../../tool.ts';
import { NODE_KEYS } from '../../validation/body.ts';
import type { WorkflowBody } from '../body.ts';
import { newNode } from '../build.ts';
import { withPositions } from '../layout/place.ts';
import { addLinks, removeLink, renameInLinks, withoutLinks } from '../links/connections.ts';
import { LINK_KEYS, type Link, readEnd, readLink, type WrittenLink } from '../links/link.ts';
import { checkNames, type Nodes, nodesOf, resolveLink } from '../links/ports.ts';
import { createNamer } from '../naming.ts';
import { moveNode } from './move-node.ts';
import { checkKeys, checkNodeKeys, checkSettings } from './node-keys.ts';
import { renameInText, replaceIn, setAt } from './parameter-edits.ts';
import { upgradedNode } from './upgrade-node.ts';

type Change = (workflow: WorkflowBody, operation: JsonObject, catalog: NodeCatalog) => WorkflowBody;

interface Operation {
  /** Further keys than `op`. */
  readonly keys: readonly string[];
  readonly change: Change;
}

/**
 * Changes a workflow by operations, in order: `{op: "addNode", node, after?}`, `{op: "updateNode", name, parameters?, set?}`,
 * `{op: "replaceNode", name, node}`, `{op: "replaceText", name, path, find, replace}`, `{op: "removeNode", name}`, `{op: "renameNode", name, to}`, `{op: "connect" | "disconnect", from, to, output?, input?, type?}`,
 * `{op: "moveNode", name, position? | after?}`, `{op: "upgradeNode", name, version?}`, `{op: "enableNode" | "disableNode", name}`, `{op: "rename", name}`, `{op: "settings", settings}`. It applies all or none.
 * Raises `INVALID_ARGUMENTS`.
 */
export function applyOperations(
  workflow: WorkflowBody,
  operations: readonly unknown[],
  catalog: NodeCatalog,
): WorkflowBody {
  const changed = operations.reduce<WorkflowBody>((current, operation, index) => {
    const name = isObject(operation) ? String(operation.op) : '';
    const known = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
    if (known === undefined || !isObject(operation))
      throw invalid(`Operation ${index} has an unknown "op". Use one of: ${Object.keys(OPERATIONS).join(', ')}.`);
    checkKeys(`Operation ${index} (${name})`, operation, ['op', ...known.keys]);
    const { op: _op, ...rest } = operation;
    return known.change(current, rest, catalog);
  }, workflow);
  return withPositions(changed);
}

/** Keys of a node that `updateNode` sets. */
const SETTABLE = Object.keys(NODE_KEYS).filter((key) => !['id', 'name', 'type'].includes(key));

const OPERATIONS: Readonly<Record<string, Operation>> = {
  addNode: { keys: ['node', 'after'], change: addNode },
  updateNode: { keys: ['name', 'set', ...SETTABLE], change: updateNode },
  replaceNode: { keys: ['name', 'node'], change: replaceNode },
  replaceText: { keys: ['name', 'path', 'find', 'replace'], change: replaceText },
  removeNode: {
    keys: ['name'],
    change(workflow, { name }, catalog) {
      checkNames([String(name)], nodesOf(workflow.nodes, catalog));
      const nodes = workflow.nodes.filter((node) => node.name !== name);
      return { ...workflow, nodes, connections: renameInLinks(workflow.connections, String(name), undefined) };
    },
  },
  renameNode: { keys: ['name', 'to'], change: renameNode },
  moveNode: { keys: ['name', 'position', 'after'], change: moveNode },
  upgradeNode: {
    keys: ['name', 'version'],
    change(workflow, { name, version }, catalog) {
      checkNames([String(name)], nodesOf(workflow.nodes, catalog));
      return mapNode(workflow, String(name), (node) => upgradedNode(workflow, node, version, catalog));
    },
  },
  connect: { keys: LINK_KEYS, change: (workflow, edge, catalog) => connect(workflow, edge, catalog) },
  disconnect: {
    keys: LINK_KEYS,
    change(workflow, edge, catalog) {
      const nodes = nodesOf(workflow.nodes, catalog);
      const connections = removeLink(workflow.connections, readLink(edge, nodes.names), nodes);
      return { ...workflow, connections };
    },
  },
  enableNode: { keys: ['name'], change: (workflow, { name }, catalog) => disable(workflow, name, false, catalog) },
  disableNode: { keys: ['name'], change: (workflow, { name }, catalog) => disable(workflow, name, true, catalog) },
  rename: {
    keys: ['name'],
    change(workflow, { name }) {
      if (typeof name !== 'string' || name === '')
        throw invalid('rename requires a name: {op: "rename", name: "New name"}.');
      return { ...workflow, name };
    },
  },
  settings: {
    keys: ['settings'],
    change(workflow, { settings }) {
      if (!isObject(settings))
        throw invalid('settings requires an object: {op: "settings", settings: {timezone: "UTC"}}.');
      checkSettings(settings);
      return { ...workflow, settings: { ...workflow.settings, ...settings } };
    },
  },
};

function addNode(workflow: WorkflowBody, { node, after }: JsonObject, catalog: NodeCatalog): WorkflowBody {
  if (!isObject(node) || typeof node.type !== 'string')
    throw invalid('addNode requires a node: {op: "addNode", node: {type, name, parameters}}.');
  checkNodeKeys(node);
  const names = new Set(workflow.nodes.map(({ name }) => String(name)));
  const complete = newNode(node, catalog);
  if (node.name !== undefined && names.has(complete.name))
    throw invalid(`The workflow already has a node "${complete.name}". Use another name.`);
  const name = createNamer(names)(complete.name);
  const added = { ...workflow, nodes: [...workflow.nodes, { ...complete, name }] };
  if (after === undefined) return added;
  if (typeof after !== 'string') throw invalid('"after" of addNode is the name of a node, such as "If [true]".');
  const { name: from, port: output, type } = readEnd(after, names);
  return connect(added, { from, to: name, output, type }, catalog);
}

function updateNode(
  workflow: WorkflowBody,
  { name, parameters, set, ...keys }: JsonObject,
  catalog: NodeCatalog,
): WorkflowBody {
  checkNames([String(name)], nodesOf(workflow.nodes, catalog));
  if (set !== undefined && !isObject(set)) throw invalid('"set" is an object by path: {"options.timeout": 5000}.');
  if (parameters !== undefined && !isObject(parameters)) throw invalid('"parameters" is an object by name.');
  return mapNode(workflow, String(name), (node) => {
    const held = isObject(node.parameters) ? node.parameters : {};
    const changed = Object.entries(set ?? {}).reduce((all, [path, value]) => setAt(all, path, value), {
      ...held,
      ...parameters,
    });
    return { ...node, ...keys, parameters: changed };
  });
}

/** Keys of a node that belong to its type. A node that replaces it has its own. */
const OF_TYPE = new Set(['type', 'typeVersion', 'parameters', 'credentials', 'webhookId']);

/** Replaces a node, and keeps its place and each connection that fits the new one. */
function replaceNode(workflow: WorkflowBody, { name, node }: JsonObject, catalog: NodeCatalog): WorkflowBody {
  const own = String(name);
  checkNames([own], nodesOf(workflow.nodes, catalog));
  if (!isObject(node) || typeof node.type !== 'string')
    throw invalid('replaceNode requires a node: {op: "replaceNode", name, node: {type, parameters}}.');
  checkNodeKeys(node);
  const replaced = mapNode(workflow, own, (old) => {
    const kept = Object.fromEntries(Object.entries(old).filter(([key]) => !OF_TYPE.has(key)));
    return { ...kept, ...newNode({ ...kept, ...node, name: own }, catalog) };
  });
  const nodes = nodesOf(replaced.nodes, catalog);
  const isGone = (link: Link): boolean => [link.from, link.to].includes(own) && !hasPorts(link, nodes);
  const fitting = { ...replaced, connections: withoutLinks(replaced.connections, isGone) };
  const isRenamed = typeof node.name === 'string' && node.name !== own;
  return isRenamed ? renameNode(fitting, { name: own, to: node.name }, catalog) : fitting;
}

/** Returns whether both nodes have the ports of a connection, as far as their ports are known. */
function hasPorts({ from, to, type, output, input }: Link, nodes: Nodes): boolean {
  const { outputs } = nodes.ports(from);
  const { inputs } = nodes.ports(to);
  const hasOutput = outputs === undefined || output < portsOfType(outputs, type).length;
  return hasOutput && (inputs === undefined || input < portsOfType(inputs, type).length);
}

function replaceText(workflow: WorkflowBody, edit: JsonObject, catalog: NodeCatalog): WorkflowBody {
  const { name, path, find, replace } = edit;
  checkNames([String(name)], nodesOf(workflow.nodes, catalog));
  if (typeof path !== 'string' || typeof find !== 'string' || typeof replace !== 'string')
    throw invalid('replaceText requires texts: {op: "replaceText", name, path: "jsCode", find: "a", replace: "b"}.');
  return mapNode(workflow, String(name), (node) => ({
    ...node,
    parameters: replaceIn(isObject(node.parameters) ? node.parameters : {}, path, { find, replace }),
  }));
}

function renameNode(workflow: WorkflowBody, { name, to }: JsonObject, catalog: NodeCatalog): WorkflowBody {
  const known = nodesOf(workflow.nodes, catalog);
  checkNames([String(name)], known);
  if (typeof to !== 'string' || to === '' || known.names.has(to))
    throw invalid(`The name "${to}" is empty or in use. Use another name.`);
  const nodes = workflow.nodes.map((node) => ({
    ...node,
    ...(node.name === name ? { name: to } : {}),
    parameters: renameInText(node.parameters, String(name), to),
  }));
  return { ...workflow, nodes, connections: renameInLinks(workflow.connections, String(name), to) };
}

function connect(workflow: WorkflowBody, edge: JsonObject | WrittenLink, catalog: NodeCatalog): WorkflowBody {
  const nodes = nodesOf(workflow.nodes, catalog);
  const added = resolveLink(readLink(edge, nodes.names), nodes);
  return { ...workflow, connections: addLinks(workflow.connections, [added]) };
}

function disable(workflow: WorkflowBody, name: unknown, isDisabled: boolean, catalog: NodeCatalog): WorkflowBody {
  checkNames([String(name)], nodesOf(workflow.nodes, catalog));
  return mapNode(workflow, String(name), (node) => ({ ...node, disabled: isDisabled }));
}

function mapNode(workflow: WorkflowBody, name: string, change: (node: JsonObject) => JsonObject): WorkflowBody {
  return { ...workflow, nodes: workflow.nodes.map((node) => (node.name === name ? change(node) : node)) };
}
