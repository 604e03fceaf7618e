import { ToolwrightError } from '@toolwright/core/errors';
import { isObject, type JsonObject } from '../../json.ts';

/** The URL and method of a trigger. */
export interface TriggerEndpoint {
  readonly url: string;
  init(input: unknown): CallInit;
}

/** A request; its URL may contain the input. */
export type CallInit = Omit<RequestInit, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly address?: URL;
};

type Kind = 'webhook' | 'form' | 'chat';

const KINDS: Readonly<Record<string, Kind>> = {
  'n8n-nodes-base.webhook': 'webhook',
  'n8n-nodes-base.formTrigger': 'form',
  '@n8n/n8n-nodes-langchain.chatTrigger': 'chat',
};

/** Returns whether a node is a trigger that a request can start. */
export function isCallable({ type }: JsonObject): boolean {
  return Object.hasOwn(KINDS, String(type));
}

/** Returns the callable trigger of a workflow. Raises `TOOL_FAILED` with a fix when there is none. */
export function findTriggerEndpoint(workflow: JsonObject, base: string, via: string | undefined): TriggerEndpoint {
  const nodes = (Array.isArray(workflow.nodes) ? workflow.nodes : []).filter(isObject);
  const callable = nodes.filter(({ type, disabled }) => disabled !== true && KINDS[String(type)] !== undefined);
  const node = callable.find(({ name, type }) => via === undefined || name === via || KINDS[String(type)] === via);
  if (node === undefined) {
    const there = callable.map(({ name }) => `"${name}"`).join(', ');
    const hint =
      there === ''
        ? 'It has no webhook, form or chat trigger, and n8n runs no other trigger on demand: add a webhook node.'
        : `Use one of its triggers: ${there}.`;
    throw new ToolwrightError(
      'TOOL_FAILED',
      `Workflow ${workflow.id} cannot be called${via === undefined ? '' : ` by "${via}"`}. ${hint}`,
    );
  }
  const url = addressOf(node, String(workflow.id), base);
  switch (KINDS[String(node.type)]) {
    case 'form':
      return { url, init: (input) => ({ method: 'POST', body: formOf(node, input) }) };
    case 'chat':
      return { url, init: (input) => json('POST', chatOf(input)) };
    default:
      return { url, init: (input) => webhookRequest(node, url, input) };
  }
}

function addressOf(node: JsonObject, workflowId: string, base: string): string {
  const parameters = isObject(node.parameters) ? node.parameters : {};
  const webhookId = typeof node.webhookId === 'string' ? node.webhookId : undefined;
  if (node.type === '@n8n/n8n-nodes-langchain.chatTrigger') return pinned(base, `/webhook/${webhookId}/chat`);
  const options = isObject(parameters.options) ? parameters.options : {};
  const isForm = node.type === 'n8n-nodes-base.formTrigger';
  const given = isForm ? (options.path ?? parameters.path) : parameters.path;
  const path = String(given || (webhookId ?? '')).replace(/^\//, '');
  if (path.startsWith('=')) {
    throw new ToolwrightError(
      'TOOL_FAILED',
      `The path of "${node.name}" is an expression, so its URL is unknown. Set a fixed path.`,
    );
  }
  if (isForm) return pinned(base, `/form/${path}`);
  if (/(^|\/):/.test(path)) {
    throw new ToolwrightError(
      'TOOL_FAILED',
      `The path of "${node.name}" has parameters (${path}), so its URL is unknown. Set a fixed path.`,
    );
  }
  return pinned(
    base,
    webhookId === undefined
      ? `/webhook/${workflowId}/${encodeURIComponent(String(node.name).toLowerCase())}/${path}`
      : `/webhook/${path}`,
  );
}

/** Returns a URL of the instance. A path from a workflow must not lead to another host. */
function pinned(base: string, path: string): string {
  const url = new URL(`${base}${path}`);
  const inside = new URL(base);
  if (url.origin === inside.origin && /\/(webhook|form)\//.test(url.pathname)) return url.href;
  throw new ToolwrightError(
    'NOT_ALLOWED',
    `${url.href} is not a trigger URL on ${inside.origin}. Correct the path of the trigger.`,
  );
}

function webhookRequest(node: JsonObject, url: string, input: unknown): CallInit {
  const parameters = isObject(node.parameters) ? node.parameters : {};
  const [listed] = Array.isArray(parameters.httpMethod) ? parameters.httpMethod : [parameters.httpMethod];
  const method = String(listed ?? 'GET');
  if (method !== 'GET' && method !== 'HEAD') return json(method, input ?? {});
  const address = new URL(url);
  for (const [name, value] of Object.entries(isObject(input) ? input : {})) {
    address.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return { method, address };
}

function json(method: string, body: unknown): CallInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function chatOf(input: unknown): JsonObject {
  const given = isObject(input) ? input : { chatInput: String(input ?? '') };
  return { action: 'sendMessage', sessionId: 'toolwright', ...given };
}

/** Encodes fields given by label as n8n's form page does: by number. */
function formOf(node: JsonObject, input: unknown): FormData {
  const parameters = isObject(node.parameters) ? node.parameters : {};
  const fields =
    isObject(parameters.formFields) && Array.isArray(parameters.formFields.values) ? parameters.formFields.values : [];
  const given = isObject(input) ? input : {};
  const form = new FormData();
  fields.filter(isObject).forEach((field, index) => {
    const value = given[String(field.fieldLabel)] ?? given[String(field.fieldName)] ?? given[`field-${index}`];
    if (value !== undefined) form.set(`field-${index}`, typeof value === 'string' ? value : JSON.stringify(value));
  });
  return form;
}
