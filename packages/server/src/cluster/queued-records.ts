import { type ExecutionRecord, type ExecutionResult, errorKind, ToolwrightError } from '@toolwright/core';
import type { StoredWork } from '../queue/queue.ts';
import type { ExecutionRequest, WorkResult } from './requests.ts';

/** The sandbox of an execution that has none yet. */
const NO_SANDBOX = 'none';

/** Returns an execution that has no journal: it waits for a worker, or ended before it began. */
export function queuedRecord(id: string, work: StoredWork): ExecutionRecord {
  const request = work.request as ExecutionRequest;
  const options = 'options' in request ? request.options : {};
  const { language, sandbox, sessionId, dryRun } = options as Readonly<Record<string, unknown>>;
  const result = work.state === 'ended' ? resultOf(id, work) : undefined;
  return {
    id,
    status: work.state !== 'ended' ? 'running' : work.isCancelled ? 'cancelled' : 'failed',
    language: typeof language === 'string' ? language : 'typescript',
    sandbox: typeof sandbox === 'string' ? sandbox : NO_SANDBOX,
    isDryRun: dryRun === true ? (true as const) : undefined,
    sessionId: typeof sessionId === 'string' ? sessionId : undefined,
    startedAt: work.submittedAt,
    endedAt: work.endedAt,
    source: request.run === 'execute' ? request.code : '',
    result,
  };
}

function resultOf(executionId: string, { result, isCancelled }: StoredWork): ExecutionResult | undefined {
  const facts = { executionId, logs: [], calls: [], stats: NO_STATS };
  const ended = result as WorkResult | undefined;
  if (ended && 'failure' in ended) {
    const { code, message } = ended.failure;
    const error = { kind: errorKind(code), code, name: ToolwrightError.name, message };
    return { status: 'failed', error, ...facts };
  }
  if (!isCancelled) return undefined;
  const message = 'The execution was cancelled before it started.';
  return { status: 'stopped', limit: 'cancelled', message, ...facts };
}

const NO_STATS: ExecutionResult['stats'] = {
  sandbox: NO_SANDBOX,
  sandboxReason: 'no worker has begun it',
  check: 'skipped: it did not start',
  prepareMs: 0,
  checkMs: 0,
  runMs: 0,
  totalMs: 0,
  toolCalls: 0,
  toolErrors: 0,
  argumentBytes: 0,
  toolResultBytes: 0,
  resultBytes: 0,
  droppedLogBytes: 0,
  tokens: { code: 0, output: 0 },
};
