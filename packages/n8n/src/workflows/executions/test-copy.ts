import { randomUUID } from 'node:crypto';
import type { NodeCatalog } from '../../catalogs/catalog.ts';
import { shortName } from '../../catalogs/names.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { invalid, listArgument, objectArgument } from '../../tool.ts';
import type { WorkflowBody } from '../body.ts';
import { checkNames, nodesOf } from '../links/ports.ts';
import { createNamer } from '../naming.ts';
import { copyName } from './copies.ts';
import { isCallable } from './trigger-endpoint.ts';

/** The data of a test. */
export interface TestData {
  /** The request of a webhook, form or chat trigger; the items of every other trigger. */
  readonly input?: unknown;
  /** Items by node. These nodes return them and do not run. */
  readonly pinData?: unknown;
  /** The trigger that starts the test. Default: the first callable trigger, else the first trigger. */
  readonly via?: string | undefined;
  readonly timeoutMs: number;
}

/** A copy of a workflow that can be published and called without an effect on the original. */
export interface TestCopy {
  readonly body: WorkflowBody;
  /** The name of the trigger that the test starts with. */
  readonly trigger: string;
  /** The node that starts a trigger which cannot be called. */
  readonly helper?: string | undefined;
  /** The input of the call. */
  readonly input: unknown;
  /** Whether the workflow answers the call, not n8n. */
  readonly answers: boolean;
}

const WEBHOOK = 'n8n-nodes-base.webhook';

/**
 * Returns a copy with its own address. Pinned nodes, and a trigger that cannot be called, are programs that return their items.
 * All other triggers are disabled, so that n8n registers none of them. Raises `INVALID_ARGUMENTS`.
 */
export function testCopy(workflow: WorkflowBody, data: TestData, catalog: NodeCatalog): TestCopy {
  const token = randomUUID();
  const pins = readPins(workflow, data.pinData, catalog);
  const trigger = triggerOf(workflow, data, pins, catalog);
  const name = String(trigger.name);
  const isDirect = isCallable(trigger) && !pins.has(name);
  if (!isDirect && !pins.has(name)) pins.set(name, itemsOf(data.input ?? {}, 'input'));
  else if (!isDirect && data.input !== undefined)
    throw invalid(`"${name}" starts the test, and pinData has its items: omit input.`);
  const nodes = workflow.nodes.map((node) => {
    const own = String(node.name);
    const pinned = pins.get(own);
    if (pinned !== undefined && (own === name || node.disabled !== true)) return standIn(node, pinned);
    if (own === name) return directTrigger(node, token);
    return isTrigger(own, workflow, catalog) ? { ...node, disabled: true } : node;
  });
  const helper = isDirect ? undefined : createNamer(nodes.map((node) => String(node.name)))('Start of the test');
  const answers = isDirect || hasAnswer(workflow);
  const start = helper === undefined ? [] : [startNode(helper, token, answers)];
  const link = { [helper ?? '']: { main: [[{ node: name, type: 'main', index: 0 }]] } };
  const connections = helper === undefined ? workflow.connections : { ...workflow.connections, ...link };
  const body = {
    name: copyName(token, workflow.name),
    nodes: [...nodes, ...start],
    connections,
    settings: testSettings(workflow.settings, data.timeoutMs),
  };
  return { body, trigger: name, helper, answers, input: isDirect ? data.input : {} };
}

/** Returns the settings without the workflow for errors, and with all data of the execution. */
function testSettings({ errorWorkflow: _none, ...settings }: JsonObject, timeoutMs: number): JsonObject {
  return {
    ...settings,
    saveDataSuccessExecution: 'all',
    saveDataErrorExecution: 'all',
    saveManualExecutions: true,
    saveExecutionProgress: true,
    executionTimeout: Math.max(1, Math.ceil(timeoutMs / 1_000)),
  };
}

function readPins(workflow: WorkflowBody, pinData: unknown, catalog: NodeCatalog): Map<string, JsonObject[]> {
  const given = pinData === undefined ? {} : objectArgument(pinData, 'pinData');
  const nodes = nodesOf(workflow.nodes, catalog);
  checkNames(Object.keys(given), nodes);
  for (const name of Object.keys(given)) {
    const { outputs } = nodes.ports(name);
    if (outputs !== undefined && !outputs.some(({ type }) => type === 'main'))
      throw invalid(`"${name}" is a sub-node, and n8n pins no data of it. Pin the node that uses it.`);
  }
  return new Map(Object.entries(given).map(([name, items]) => [name, itemsOf(items, `pinData of "${name}"`)]));
}

/** Returns items in the form of n8n: `{json}`. */
function itemsOf(value: unknown, what: string): JsonObject[] {
  const list = isObject(value) ? [value] : listArgument(value, what);
  return list.map((item) => {
    if (!isObject(item)) throw invalid(`${what} has the item ${JSON.stringify(item)}: an item is an object.`);
    return isObject(item.json) ? item : { json: item };
  });
}

function isTrigger(name: string, workflow: WorkflowBody, catalog: NodeCatalog): boolean {
  const { inputs, outputs } = nodesOf(workflow.nodes, catalog).ports(name);
  return inputs?.length === 0 && outputs?.[0]?.type === 'main';
}

function triggerOf(
  workflow: WorkflowBody,
  { via }: TestData,
  pins: ReadonlyMap<string, unknown>,
  catalog: NodeCatalog,
): JsonObject {
  const triggers = workflow.nodes.filter(
    ({ name, disabled }) => disabled !== true && isTrigger(String(name), workflow, catalog),
  );
  const chosen =
    via === undefined
      ? (triggers.find((node) => isCallable(node) && !pins.has(String(node.name))) ?? triggers[0])
      : triggers.find(({ name }) => name === via);
  if (chosen !== undefined) return chosen;
  const known = triggers.map(({ name }) => `"${name}"`).join(', ');
  throw invalid(
    known === ''
      ? 'The workflow has no trigger that is enabled, so nothing starts it. Add one, such as manualTrigger.'
      : `The workflow has no trigger "${via}". Use one of: ${known}.`,
  );
}

/** Returns a trigger that n8n calls at the address of the test, without credentials. */
function directTrigger(node: JsonObject, token: string): JsonObject {
  const { credentials: _none, ...kept } = node;
  const parameters = isObject(node.parameters) ? node.parameters : {};
  const { ipWhitelist: _open, ...options } = isObject(parameters.options) ? parameters.options : {};
  const own = { ...parameters, authentication: 'none' };
  switch (shortName(String(node.type))) {
    case 'chatTrigger':
      return { ...kept, webhookId: token, parameters: { ...own, public: true, options } };
    case 'formTrigger':
      return { ...kept, webhookId: token, parameters: { ...own, path: token, options: { ...options, path: token } } };
    default:
      return { ...kept, webhookId: token, parameters: { ...own, path: token, options } };
  }
}

/** Returns a program in the place of a node. */
function standIn({ id, name, position }: JsonObject, items: readonly JsonObject[]): JsonObject {
  // As text: an object in a program would read the key "__proto__" as its prototype.
  const jsCode = `return JSON.parse(${JSON.stringify(JSON.stringify(items))});`;
  return { id, name, position, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

function startNode(name: string, token: string, answers: boolean): JsonObject {
  // Without a caller that waits, a node that answers one fails.
  const parameters = { path: token, httpMethod: 'POST', responseMode: answers ? 'responseNode' : 'onReceived' };
  return { id: randomUUID(), name, type: WEBHOOK, typeVersion: 2, position: [-300, 0], webhookId: token, parameters };
}

function hasAnswer({ nodes }: WorkflowBody): boolean {
  return nodes.some(({ type, disabled }) => disabled !== true && shortName(String(type)) === 'respondToWebhook');
}
