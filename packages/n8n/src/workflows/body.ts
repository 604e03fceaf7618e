import { randomUUID } from 'node:crypto';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { STICKY_NOTE } from '../catalogs/names.ts';
import { isObject, type JsonObject } from '../json.ts';
import { NODE_KEYS, SETTING_KEYS } from '../validation/body.ts';
import { workflowObject } from '../validation/workflow.ts';
import { isPosition, withPositions } from './layout/place.ts';
import { createNamer } from './naming.ts';

/** A workflow with only the keys that the API accepts. */
export interface WorkflowBody {
  readonly name: string;
  readonly nodes: readonly JsonObject[];
  readonly connections: JsonObject;
  readonly settings: JsonObject;
}

/** Nodes with a URL that n8n builds from their webhook id. */
const WITH_WEBHOOK = new Set([
  'n8n-nodes-base.webhook',
  'n8n-nodes-base.formTrigger',
  'n8n-nodes-base.form',
  'n8n-nodes-base.wait',
  '@n8n/n8n-nodes-langchain.chatTrigger',
  '@n8n/n8n-nodes-langchain.mcpTrigger',
]);

/**
 * Converts a workflow to the body that n8n accepts: removes rejected keys, and adds missing ids, positions, newest versions and
 * webhook ids. Raises `INVALID_ARGUMENTS` when the input is not a workflow.
 */
export function toBody(input: unknown, catalog: NodeCatalog): WorkflowBody {
  const raw = workflowObject(input);
  const nodes = (Array.isArray(raw.nodes) ? raw.nodes : []).map((node: unknown) =>
    isObject(node) ? completeNode(node, catalog) : {},
  );
  const nameOf = createNamer(nodes.map(({ name }) => String(name)));
  return withPositions({
    name: typeof raw.name === 'string' && raw.name !== '' ? raw.name : 'My workflow',
    nodes: nodes.map((node) => (isUnnamedNote(node) ? { ...node, name: nameOf('Sticky Note') } : node)),
    connections: isObject(raw.connections) ? raw.connections : {},
    settings: only(isObject(raw.settings) ? raw.settings : { executionOrder: 'v1' }, SETTING_KEYS),
  });
}

/** Returns a stored workflow as n8n's API accepts it back: without the keys that it refuses, and with nothing else changed. */
export function storedBody(stored: JsonObject): WorkflowBody {
  const nodes = Array.isArray(stored.nodes) ? stored.nodes.filter(isObject) : [];
  return {
    name: String(stored.name ?? ''),
    nodes: nodes.map((node) => only(node, NODE_KEYS)),
    connections: isObject(stored.connections) ? stored.connections : {},
    settings: only(isObject(stored.settings) ? stored.settings : {}, SETTING_KEYS),
  };
}

/** Returns a node with all keys that n8n requires but the position, and the full name of its type. */
export function completeNode(node: JsonObject, catalog: NodeCatalog): JsonObject {
  const given = typeof node.type === 'string' ? node.type : '';
  const looked = catalog.lookup(given);
  const type = 'found' in looked ? given : (catalog.resolve(given) ?? given);
  const versions = catalog.versions(type);
  const { position, ...kept } = only(node, NODE_KEYS);
  return {
    ...kept,
    id: typeof node.id === 'string' && node.id !== '' ? node.id : randomUUID(),
    type,
    typeVersion: typeof node.typeVersion === 'number' ? node.typeVersion : (versions.at(-1) ?? 1),
    ...(isPosition(position) ? { position } : {}),
    parameters: isObject(node.parameters) ? node.parameters : {},
    ...(WITH_WEBHOOK.has(type) && typeof node.webhookId !== 'string' ? { webhookId: randomUUID() } : {}),
  };
}

/** Returns whether a node is a sticky note without a name. n8n's editor gives it one, and its API accepts none. */
function isUnnamedNote({ type, name }: JsonObject): boolean {
  return type === STICKY_NOTE && (name === undefined || name === '');
}

function only(object: JsonObject, keys: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => Object.hasOwn(keys, key) && value !== null),
  );
}
