import { join } from 'node:path';
import type { Redactor } from '@toolwright/pii/internal';
import type { PreparedSource } from '@toolwright/sandbox';
import { isDeeperThan } from '@toolwright/sandbox/internal';
import type { Catalog } from '../catalog/catalog.ts';
import { ToolwrightError } from '../errors.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import type { Ending } from './execute.ts';
import { authorFrames, briefly, describeError, describeFailure } from './failure.ts';
import type { HostBridge } from './guest-host.ts';
import { hintFor } from './hints.ts';
import type { Limits } from './limits.ts';
import { redactedPrefix } from './redacted-prefix.ts';
import type { ExecutionError, ResultFile, StopLimit } from './result.ts';

/** The part of a result that tells how the execution ended. */
export type Settled =
  | { readonly status: 'completed'; readonly value?: unknown; readonly file?: ResultFile }
  | { readonly status: 'failed'; readonly error: ExecutionError }
  | { readonly status: 'stopped'; readonly limit: StopLimit; readonly message: string; readonly line?: number };

export interface SettleContext {
  readonly id: string;
  readonly prepared: PreparedSource | undefined;
  readonly source: string;
  readonly limits: Limits;
  readonly workspace: Workspace;
  readonly catalog: Catalog;
  readonly host: HostBridge;
  readonly redactor: Redactor;
  readonly onDefect: (id: string, error: unknown) => void;
}

/** Turns the end of a run into what the caller gets. */
export async function settleOutcome(ending: Ending, context: SettleContext): Promise<Settled> {
  if ('stopped' in ending) return stopped(ending.stopped, context);
  if ('wrong' in ending) return { status: 'failed', error: ending.wrong };
  if ('error' in ending) return { status: 'failed', error: describeError(ending.error, context.onDefect) };
  const { outcome } = ending;
  if (outcome.status === 'stopped') return stopped(outcome.limit, context, outcome.stack);
  if (outcome.status === 'completed') return completed(outcome.value, context);

  const { error } = outcome;
  const { prepared } = context;
  if (!prepared) throw new ToolwrightError('INTERNAL', 'A program that was not prepared has failed in the sandbox.');
  const fault = error.request === undefined ? undefined : context.host.faultOf(error.request);
  const described = await briefly(describeFailure(error, prepared, fault), context.redactor);
  const hint = await hintFor(described, { ...context, prepared });
  return { status: 'failed', error: hint ? { ...described, hint } : described };
}

async function completed(
  value: string | undefined,
  { id, limits, workspace, prepared, redactor }: SettleContext,
): Promise<Settled> {
  if (value === undefined) return { status: 'completed' };
  const bytes = Buffer.byteLength(value);
  if (bytes > limits.resultBytes) {
    const name = `${id}.json`;
    const path = `/workspace/results/${name}`;
    await workspace.makeFolder('/workspace/results', true);
    await workspace.write(path, Buffer.from(value), 'replace');
    const reader = prepared?.guest === 'python' ? 'read_file' : 'fs.readFile';
    const file = { path, hostPath: join(workspace.root, 'results', name), bytes };
    return {
      status: 'completed',
      value: await preview(value, { limit: limits.resultBytes, redactor, file, reader }),
      file,
    };
  }
  if (isDeeperThan(value, limits.depth)) {
    const message = `The result is nested deeper than ${limits.depth} levels. Flatten it.`;
    throw new ToolwrightError('RESULT_NOT_JSON', message);
  }
  try {
    return { status: 'completed', value: JSON.parse(value) };
  } catch (cause) {
    throw new ToolwrightError('BRIDGE_PROTOCOL', 'The sandbox gave a result that is not JSON.', { cause });
  }
}

async function preview(
  value: string,
  { limit, redactor, file, reader }: { limit: number; redactor: Redactor; file: ResultFile; reader: string },
): Promise<string> {
  const startOf = (text: string, bytes: number) =>
    Buffer.from(text)
      .subarray(0, bytes)
      .toString('utf8')
      .replace(/\uFFFD$/, '');
  const start = startOf(await redactedPrefix(value, startOf(value, limit).length, redactor), limit);
  return `${start}… [${file.bytes} bytes in all, over the limit of ${limit}. The whole result is in ${file.path}: the next program of the same session can read it with ${reader}. Or return less.]`;
}

function stopped(limit: StopLimit, { limits, prepared }: SettleContext, stack = ''): Settled {
  const line = prepared ? authorFrames(stack, prepared)[0]?.position.line : undefined;
  const where = line === undefined ? '' : ` It was at line ${line}.`;
  const messages: Record<StopLimit, string> = {
    timeout: `The program ran longer than ${limits.timeoutMs} ms.${where} Do less per run, await calls in parallel, or raise timeoutMs.`,
    memory: `The program used more than ${limits.memoryBytes} bytes of memory.${where} Handle data in smaller pieces, or raise memoryBytes.`,
    toolCalls: `The program made more than ${limits.toolCalls} tool calls. Ask for more per call, or raise toolCalls.`,
    cancelled: 'The execution was cancelled by its caller.',
  };
  return { status: 'stopped', limit, message: messages[limit], ...(line === undefined ? {} : { line }) };
}
