import { isNestedDeeperThan } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core/errors';
import { isObject, type JsonObject } from '../json.ts';

/** A node of a workflow. Keys may be missing or have a wrong type; validation reports that. */
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
  /** The unchanged input. */
  readonly raw: JsonObject;
}

/** A parsed workflow. */
export interface Workflow {
  readonly name: string;
  readonly nodes: readonly WorkflowNode[];
  readonly connections: JsonObject;
  readonly raw: JsonObject;
}

/** Size limit of one workflow in bytes of JSON; n8n's own templates have at most 0.3 MB. */
export const MAX_WORKFLOW_BYTES: number = 4 * 1024 * 1024;
/** Maximum nodes of one workflow: it is checked in one turn of the event loop. n8n's own templates have at most 200. */
export const MAX_NODES = 1_000;
/** Nesting of a workflow; templates of users have at most 11 levels. */
const MAX_WORKFLOW_DEPTH = 100;
/** The byte order mark with which some editors of Windows start a file. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/**
 * Reads a workflow from an object or JSON text, also from a template (`{workflow: {...}}`). Raises `INVALID_ARGUMENTS` for
 * anything else and for a deeper nesting than 100 levels, and `ARGUMENTS_TOO_LARGE` over `MAX_WORKFLOW_BYTES` or `MAX_NODES`.
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

/** Returns the workflow's object without a wrapping template. Raises the errors of {@link readWorkflow}. */
export function workflowObject(input: unknown): JsonObject {
  checkDepth(input);
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_WORKFLOW_BYTES) {
    const message = `The workflow has ${bytes} bytes of JSON; the limit is ${MAX_WORKFLOW_BYTES}. Move data out of it (pinData, static data, long texts) or split it into sub-workflows.`;
    throw new ToolwrightError('ARGUMENTS_TOO_LARGE', message, { details: { bytes, limit: MAX_WORKFLOW_BYTES } });
  }
  let value: unknown = input;
  // Models that write JSON by hand sometimes encode it twice.
  for (let depth = 0; depth < 2 && typeof value === 'string'; depth++) value = parse(value);
  checkDepth(value);
  if (Array.isArray(value)) {
    const what = value.every((entry) => isObject(entry) && 'type' in entry) ? 'nodes' : 'workflows';
    const fix = what === 'nodes' ? '{nodes: [...], connections: {...}}' : 'one of them, such as list[0]';
    throw invalid(`Expected one workflow, got a list of ${value.length} ${what}. Pass ${fix}.`);
  }
  if (!isObject(value)) throw invalid(`Expected a workflow, got ${value === null ? 'null' : typeof value}.`);
  const inner = isObject(value.workflow) ? value.workflow : undefined;
  if (inner && !('nodes' in value)) return workflowObject({ ...pickName(value), ...inner });
  requireFewNodes(value.nodes);
  return value;
}

/** Raises `ARGUMENTS_TOO_LARGE` for more than `MAX_NODES` nodes. */
export function requireFewNodes(nodes: unknown): void {
  if (!Array.isArray(nodes) || nodes.length <= MAX_NODES) return;
  const message = `The workflow has ${nodes.length} nodes; the limit is ${MAX_NODES}. Split it into sub-workflows.`;
  throw new ToolwrightError('ARGUMENTS_TOO_LARGE', message, {
    details: { nodes: nodes.length, limit: MAX_NODES },
  });
}

function pickName(value: JsonObject): JsonObject {
  return typeof value.name === 'string' ? { name: value.name } : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(BYTE_ORDER_MARK, ''));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw invalid(`The workflow is text that is not JSON: ${problem.slice(0, 200)}. Pass the object itself.`);
  }
}

function checkDepth(value: unknown): void {
  if (!isNestedDeeperThan(value, MAX_WORKFLOW_DEPTH)) return;
  throw invalid(`The workflow is nested deeper than ${MAX_WORKFLOW_DEPTH} levels. Make its values flatter.`);
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
