import { ToolwrightError } from '@toolwright/core/errors';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isObject, type JsonObject, pathParts } from '../json.ts';
import { completeNode, type WorkflowBody } from './body.ts';
import { outputType } from './build.ts';
import { addLink, checkNames, readLink, removeLink, renameInLinks } from './connect.ts';

type Change = (workflow: WorkflowBody, operation: JsonObject, catalog: NodeCatalog) => WorkflowBody;

/**
 * Changes a workflow by operations, in order: `{op: "addNode", node}`, `{op: "updateNode", name, parameters?, set?}`,
 * `{op: "removeNode", name}`, `{op: "renameNode", name, to}`, `{op: "connect" | "disconnect", from, to}`, `{op: "enableNode" |
 * "disableNode", name}`, `{op: "rename", name}`, `{op: "settings", settings}`. It applies all or none. Raises `INVALID_ARGUMENTS`.
 */
export function applyOperations(
  workflow: WorkflowBody,
  operations: readonly unknown[],
  catalog: NodeCatalog,
): WorkflowBody {
  return operations.reduce<WorkflowBody>((current, operation, index) => {
    const change =
      isObject(operation) && Object.hasOwn(CHANGES, String(operation.op)) ? CHANGES[String(operation.op)] : undefined;
    if (change && isObject(operation)) return change(current, operation, catalog);
    const known = Object.keys(CHANGES).join(', ');
    throw invalid(`Operation ${index} has an unknown "op". Use one of: ${known}.`);
  }, workflow);
}

const CHANGES: Readonly<Record<string, Change>> = {
  addNode(workflow, { node, after }, catalog) {
    if (!isObject(node) || typeof node.type !== 'string')
      throw invalid('addNode requires a node: {op: "addNode", node: {type, name, parameters}}.');
    const { displayName } = catalog.describe(node.type);
    const names = namesOf(workflow);
    const name = typeof node.name === 'string' ? node.name : displayName;
    if (names.has(name)) throw invalid(`The workflow already has a node "${name}". Use another name.`);
    const nodes = [...workflow.nodes, completeNode({ ...node, name }, workflow.nodes.length, catalog)];
    const added = { ...workflow, nodes };
    return after === undefined ? added : link(added, { from: after, to: name }, catalog);
  },
  updateNode(workflow, { name, parameters, set, ...rest }) {
    checkNames([String(name)], namesOf(workflow));
    const { op: _op, ...keys } = rest;
    return mapNode(workflow, String(name), (node) => {
      const merged = isObject(parameters) ? { ...asObject(node.parameters), ...parameters } : asObject(node.parameters);
      const changed = Object.entries(isObject(set) ? set : {}).reduce(
        (held, [path, value]) => setAt(held, path, value),
        merged,
      );
      return { ...node, ...keys, parameters: changed };
    });
  },
  removeNode(workflow, { name }) {
    checkNames([String(name)], namesOf(workflow));
    const nodes = workflow.nodes.filter((node) => node.name !== name);
    return { ...workflow, nodes, connections: renameInLinks(workflow.connections, String(name), undefined) };
  },
  renameNode(workflow, { name, to }) {
    checkNames([String(name)], namesOf(workflow));
    if (typeof to !== 'string' || to === '' || namesOf(workflow).has(to))
      throw invalid(`The name "${to}" is empty or in use. Use another name.`);
    const renamed = mapNode(workflow, String(name), (node) => ({ ...node, name: to }));
    const nodes = renamed.nodes.map((node) => ({
      ...node,
      parameters: renameInText(node.parameters, String(name), to),
    }));
    return {
      ...renamed,
      nodes: nodes as JsonObject[],
      connections: renameInLinks(workflow.connections, String(name), to),
    };
  },
  connect: (workflow, { op: _op, ...edge }, catalog) => link(workflow, edge, catalog),
  disconnect(workflow, { from, to }) {
    checkNames([String(from), String(to)], namesOf(workflow));
    return { ...workflow, connections: removeLink(workflow.connections, { from: String(from), to: String(to) }) };
  },
  enableNode: (workflow, { name }) => disabled(workflow, name, false),
  disableNode: (workflow, { name }) => disabled(workflow, name, true),
  rename(workflow, { name }) {
    if (typeof name !== 'string' || name === '')
      throw invalid('rename requires a name: {op: "rename", name: "New name"}.');
    return { ...workflow, name };
  },
  settings(workflow, { settings }) {
    if (!isObject(settings))
      throw invalid('settings requires an object: {op: "settings", settings: {timezone: "UTC"}}.');
    return { ...workflow, settings: { ...workflow.settings, ...settings } };
  },
};

function link(workflow: WorkflowBody, edge: JsonObject, catalog: NodeCatalog): WorkflowBody {
  const made = readLink(edge, (source) => outputType(workflow.nodes, source, catalog));
  checkNames([made.from, made.to], namesOf(workflow));
  return { ...workflow, connections: addLink(workflow.connections, made) };
}

function disabled(workflow: WorkflowBody, name: unknown, isDisabled: boolean): WorkflowBody {
  checkNames([String(name)], namesOf(workflow));
  return mapNode(workflow, String(name), (node) => ({ ...node, disabled: isDisabled }));
}

function mapNode(workflow: WorkflowBody, name: string, change: (node: JsonObject) => JsonObject): WorkflowBody {
  return { ...workflow, nodes: workflow.nodes.map((node) => (node.name === name ? change(node) : node)) };
}

function namesOf({ nodes }: WorkflowBody): Set<string> {
  return new Set(nodes.map(({ name }) => String(name)));
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** Returns a copy with a new value at a path. Creates missing objects on the path. */
function setAt(root: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(root);
  const keys = pathParts(path.replace(/^parameters\./, ''));
  let at: Record<string, unknown> = copy;
  for (const [index, key] of keys.slice(0, -1).entries()) {
    if (['__proto__', 'constructor', 'prototype'].includes(key))
      throw invalid(`"${path}" is not a path of a parameter. Use a path such as options.timeout.`);
    if (typeof at[key] !== 'object' || at[key] === null) at[key] = /^\d+$/.test(keys[index + 1] ?? '') ? [] : {};
    at = at[key] as Record<string, unknown>;
  }
  at[keys.at(-1) ?? ''] = value;
  return copy;
}

/** Renames a node in expressions, which refer to nodes by name. */
function renameInText(value: unknown, name: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((element) => renameInText(element, name, to));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, renameInText(held, name, to)]));
  if (typeof value !== 'string' || !value.includes(name)) return value;
  const quoted = ["'", '"', '`'].flatMap((quote) =>
    [`$(${quote}`, `$node[${quote}`, `$items(${quote}`].map((start) => [start, quote] as const),
  );
  return quoted.reduce(
    (text, [start, quote]) => text.replaceAll(`${start}${name}${quote}`, `${start}${to}${quote}`),
    value,
  );
}

function invalid(message: string): ToolwrightError {
  return new ToolwrightError('INVALID_ARGUMENTS', message);
}
