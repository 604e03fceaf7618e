import { isObject, type JsonObject } from '../../json.ts';

/** The run of one node in an execution. */
export interface NodeRun {
  readonly name: string;
  readonly items: number;
  readonly ms?: number;
  readonly error?: string;
}

/** One run of a node with its items. A node of a loop runs several times. */
export interface NodeItems {
  readonly name: string;
  /** The number of this run of the node, from 0. */
  readonly run: number;
  /** Items by output. */
  readonly items: readonly unknown[][];
  readonly ms?: number | undefined;
  readonly error?: string | undefined;
}

/** The summary of one execution. */
export interface Execution {
  readonly id: string;
  readonly workflowId?: string;
  readonly status: string;
  readonly mode?: string;
  readonly startedAt?: string;
  readonly durationMs?: number;
  readonly error?: {
    readonly node?: string;
    readonly message: string;
    readonly hint?: string;
    /** The response of the service, or the error below the error of the node. */
    readonly cause?: string;
  };
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

/** Returns the runs of all nodes with their items, in the order of the execution. */
export function nodeItems(raw: JsonObject): NodeItems[] {
  const numbers = new Map<string, number>();
  const found = runs(raw).map(({ name, run }) => {
    const number = numbers.get(name) ?? 0;
    numbers.set(name, number + 1);
    const { ms, error } = nodeRun(name, run);
    return { place: placeOf(run), item: { name, run: number, items: itemsIn(run), ms, error } };
  });
  return found.sort((a, b) => a.place - b.place).map(({ item }) => item);
}

/** Returns a number that is larger for later runs. */
function placeOf({ executionIndex, startTime }: JsonObject): number {
  if (typeof executionIndex === 'number') return executionIndex;
  return typeof startTime === 'number' ? startTime : 0;
}

/** Returns the items of a run, by output. */
function itemsIn(run: JsonObject): unknown[][] {
  const [outputs] = Object.values(isObject(run.data) ? run.data : {});
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
    cause: causeOf(error),
  };
}

function causeOf({ messages, cause, message, description, httpCode }: JsonObject): string | undefined {
  const below = isObject(cause) ? cause.message : undefined;
  const known = new Set([message, description]);
  const texts = [...(Array.isArray(messages) ? messages : []), below].filter((text) => text && !known.has(text));
  const status = typeof httpCode === 'string' && httpCode !== '' ? [`HTTP ${httpCode}`] : [];
  const words = [...status, ...new Set(texts.map(String))];
  return words.length > 0 ? words.join('; ').slice(0, MAX_MESSAGE_CHARS) : undefined;
}
