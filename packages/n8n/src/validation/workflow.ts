import { ToolwrightError } from '@toolwright/core';
import { isObject, type JsonObject } from '../json.ts';

/** A node as workflows hold it. Anything may be missing or of a wrong type: that is for validation to say. */
export interface WorkflowNode {
  readonly id?: unknown;
  readonly name: string;
  readonly type: string;
  readonly typeVersion?: number | undefined;
  readonly position?: unknown;
  readonly parameters: JsonObject;
  readonly credentials?: JsonObject | undefined;
  readonly disabled: boolean;
  readonly webhookId?: unknown;
  /** The node as it was given. */
  readonly raw: JsonObject;
}

/** A workflow as far as it could be read. */
export interface Workflow {
  readonly name: string;
  readonly nodes: readonly WorkflowNode[];
  readonly connections: JsonObject;
  readonly raw: JsonObject;
}

/** Bytes of JSON of one workflow; n8n's own templates have 0.3 MB at most. */
export const MAX_WORKFLOW_BYTES: number = 4 * 1024 * 1024;

/**
 * Takes a workflow as an object or as its JSON text; what wraps it in a template (`{workflow: {...}}`) is taken off. Raises
 * `INVALID_ARGUMENTS` for anything else and `ARGUMENTS_TOO_LARGE` over `MAX_WORKFLOW_BYTES`.
 */
export function readWorkflow(input: unknown): Workflow {
  const raw = workflowObject(input);
  const nodes = Array.isArray(raw.nodes) ? raw.nodes.filter(isObject).map(readNode) : [];
  return {
    name: typeof raw.name === 'string' ? raw.name : '',
    nodes,
    connections: isObject(raw.connections) ? raw.connections : {},
    raw,
  };
}

/** The workflow's own object, without what it may be wrapped in. Raises like {@link readWorkflow}. */
export function workflowObject(input: unknown): JsonObject {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_WORKFLOW_BYTES) {
    const message = `The workflow has ${bytes} bytes of JSON; at most ${MAX_WORKFLOW_BYTES} are taken. Move data out of it (pinData, static data, long texts) or split it into sub-workflows.`;
    throw new ToolwrightError('ARGUMENTS_TOO_LARGE', message, { details: { bytes, limit: MAX_WORKFLOW_BYTES } });
  }
  let value: unknown = input;
  // Text in text: what models do that write JSON by hand.
  for (let depth = 0; depth < 2 && typeof value === 'string'; depth++) value = parse(value);
  if (Array.isArray(value)) {
    const what = value.every((entry) => isObject(entry) && 'type' in entry) ? 'nodes' : 'workflows';
    const fix = what === 'nodes' ? '{nodes: [...], connections: {...}}' : 'one of them, such as list[0]';
    throw invalid(`Expected one workflow, got a list of ${value.length} ${what}. Give ${fix}.`);
  }
  if (!isObject(value)) throw invalid(`Expected a workflow, got ${value === null ? 'null' : typeof value}.`);
  const inner = isObject(value.workflow) ? value.workflow : undefined;
  if (inner && !('nodes' in value)) return workflowObject({ ...pickName(value), ...inner });
  return value;
}

function pickName(value: JsonObject): JsonObject {
  return typeof value.name === 'string' ? { name: value.name } : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw invalid(`The workflow is text that is not JSON: ${problem.slice(0, 200)}. Give the object itself.`);
  }
}

function invalid(problem: string): ToolwrightError {
  return new ToolwrightError('INVALID_ARGUMENTS', `${problem} A workflow is {name, nodes: [...], connections: {...}}.`);
}

function readNode(raw: Record<string, unknown>): WorkflowNode {
  return {
    id: raw.id,
    name: typeof raw.name === 'string' ? raw.name : '',
    type: typeof raw.type === 'string' ? raw.type : '',
    typeVersion: typeof raw.typeVersion === 'number' ? raw.typeVersion : undefined,
    position: raw.position,
    parameters: isObject(raw.parameters) ? raw.parameters : {},
    credentials: isObject(raw.credentials) ? raw.credentials : undefined,
    disabled: raw.disabled === true,
    webhookId: raw.webhookId,
    raw,
  };
}
