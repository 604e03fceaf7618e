import { isObject, type JsonObject } from '../json.ts';

/** The run of one node in an execution. */
export interface NodeRun {
  readonly name: string;
  readonly items: number;
  readonly ms?: number;
  readonly error?: string;
}

/** The summary of one execution. */
export interface Execution {
  readonly id: string;
  readonly workflowId?: string;
  readonly status: string;
  readonly mode?: string;
  readonly startedAt?: string;
  readonly durationMs?: number;
  readonly error?: { readonly node?: string; readonly message: string; readonly hint?: string };
  readonly nodes: readonly NodeRun[];
}

const MAX_MESSAGE_CHARS = 600;

/** Summarizes an execution of the API, without the items of its nodes. */
export function executionSummary(raw: JsonObject): Execution {
  const started = typeof raw.startedAt === 'string' ? raw.startedAt : undefined;
  const stopped = typeof raw.stoppedAt === 'string' ? raw.stoppedAt : undefined;
  const durationMs = started && stopped ? Date.parse(stopped) - Date.parse(started) : undefined;
  const error = errorOf(resultData(raw));
  return {
    id: String(raw.id ?? ''),
    workflowId: raw.workflowId === undefined ? undefined : String(raw.workflowId),
    status: String(raw.status ?? (raw.finished === true ? 'success' : 'unknown')),
    mode: typeof raw.mode === 'string' ? raw.mode : undefined,
    startedAt: started,
    durationMs,
    error,
    nodes: runs(raw).map(({ name, run }) => nodeRun(name, run)),
  };
}

/** Returns the items of a node, by output. */
export function itemsOf(raw: JsonObject, node: string): unknown[][] {
  const last = runs(raw)
    .filter(({ name }) => name === node)
    .at(-1);
  const data = isObject(last?.run.data) ? last.run.data : {};
  const [outputs] = Object.values(data);
  return (Array.isArray(outputs) ? outputs : []).map((items: unknown) =>
    (Array.isArray(items) ? items : []).map((item: unknown) => (isObject(item) ? (item.json ?? item) : item)),
  );
}

function resultData(raw: JsonObject): JsonObject {
  const data = isObject(raw.data) ? raw.data : {};
  return isObject(data.resultData) ? data.resultData : {};
}

function runs(raw: JsonObject): { name: string; run: JsonObject }[] {
  const { runData } = resultData(raw);
  return Object.entries(isObject(runData) ? runData : {}).flatMap(([name, all]) =>
    (Array.isArray(all) ? all : []).filter(isObject).map((run) => ({ name, run })),
  );
}

function nodeRun(name: string, run: JsonObject): NodeRun {
  const outputs = isObject(run.data) ? Object.values(run.data).flat() : [];
  const items = outputs.reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 0);
  return {
    name,
    items,
    ms: typeof run.executionTime === 'number' ? run.executionTime : undefined,
    error: isObject(run.error) ? String(run.error.message ?? 'failed').slice(0, MAX_MESSAGE_CHARS) : undefined,
  };
}

/** Returns the name of the failed node. The error of a Code node has no name; it is the last node that ran. */
function errorOf({ error, lastNodeExecuted }: JsonObject): Execution['error'] {
  if (!isObject(error)) return undefined;
  const node = isObject(error.node) ? error.node.name : lastNodeExecuted;
  return {
    node: node === undefined ? undefined : String(node),
    message: String(error.message ?? 'failed').slice(0, MAX_MESSAGE_CHARS),
    hint: typeof error.description === 'string' ? error.description.slice(0, MAX_MESSAGE_CHARS) : undefined,
  };
}
