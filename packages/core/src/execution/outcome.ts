import { join } from 'node:path';
import type { PreparedSource } from '@toolwright/sandbox';
import { authorFrames, isDeeperThan } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../errors.ts';
import type { Attempt, Execution } from './execution.ts';
import { describeError, describeFailure, shortenError } from './failure.ts';
import { hintFor } from './hints.ts';
import type { Limits } from './limits.ts';
import { redactedPrefix } from './redacted-prefix.ts';
import type { EndedOutcome, ResultFile, StopLimit } from './result.ts';

/** Returns the outcome of an attempt, not yet redacted as a whole. Raises errors of a result that cannot be returned. */
export async function outcomeOf(execution: Execution, { ending, prepared }: Attempt): Promise<EndedOutcome> {
  const { context, catalog, source, settings, host, redactor } = execution;
  if ('stopped' in ending) return stopped(ending.stopped, settings.limits, prepared);
  if ('problem' in ending) return { status: 'failed', error: ending.problem };
  if ('error' in ending) return { status: 'failed', error: describeError(ending.error, context.onDefect) };
  const { outcome } = ending;
  if (outcome.status === 'stopped') return stopped(outcome.limit, settings.limits, prepared, outcome.stack);
  if (outcome.status === 'completed') return completed(outcome.value, execution);
  if (!prepared) throw new ToolwrightError('INTERNAL', 'A program that was not prepared failed in the sandbox.');

  const { error } = outcome;
  const fault = error.request === undefined ? undefined : host.faultOf(error.request);
  const described = await shortenError(describeFailure(error, prepared, fault), redactor);
  const hint = await hintFor(described, { source, prepared, catalog });
  return { status: 'failed', error: hint ? { ...described, hint } : described };
}

async function completed(value: string | undefined, execution: Execution): Promise<EndedOutcome> {
  const { limits } = execution.settings;
  if (value === undefined) return { status: 'completed' };
  if (Buffer.byteLength(value) > limits.resultBytes) {
    const file = await writeResult(value, execution);
    return { status: 'completed', value: await preview(value, file, execution), file };
  }
  if (isDeeperThan(value, limits.depth)) {
    const message = `The result is nested deeper than ${limits.depth} levels. Flatten it.`;
    throw new ToolwrightError('RESULT_NOT_JSON', message);
  }
  try {
    return { status: 'completed', value: JSON.parse(value) };
  } catch (cause) {
    throw new ToolwrightError('BRIDGE_PROTOCOL', 'The sandbox returned a result that is not JSON.', { cause });
  }
}

/** Writes a result over the limit to the workspace. Raises `WORKSPACE_FULL`. */
async function writeResult(value: string, { id, session }: Execution): Promise<ResultFile> {
  const name = `${id}.json`;
  const path = `/workspace/results/${name}`;
  await session.workspace.makeFolder('/workspace/results', true);
  await session.workspace.write(path, Buffer.from(value), 'replace');
  const hostPath = join(session.workspace.root, 'results', name);
  return { path, hostPath, bytes: Buffer.byteLength(value) };
}

async function preview(
  value: string,
  { path, bytes }: ResultFile,
  { context, settings, redactor }: Execution,
): Promise<string> {
  const limit = settings.limits.resultBytes;
  const reader = context.language.guest === 'python' ? 'read_file' : 'fs.readFile';
  const start = firstBytes(await redactedPrefix(value, firstBytes(value, limit).length, redactor), limit);
  return `${start}… [The result has ${bytes} bytes; the limit is ${limit}. ${path} has all of it. The next program of the same session can read it with ${reader}. Or return less.]`;
}

/** Returns the start of a text, without a partial character at its end. */
function firstBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}

function stopped(limit: StopLimit, limits: Limits, prepared: PreparedSource | undefined, stack = ''): EndedOutcome {
  const line = prepared ? authorFrames(stack, prepared)[0]?.position.line : undefined;
  const where = line === undefined ? '' : ` It was stopped at line ${line}.`;
  const messages: Record<StopLimit, string> = {
    timeout: `The program ran longer than ${limits.timeoutMs} ms.${where} Do less per execution, await calls in parallel, or raise timeoutMs.`,
    memory: `The program used more than ${limits.memoryBytes} bytes of memory.${where} Process data in smaller parts, or raise memoryBytes.`,
    toolCalls: `The program made more than ${limits.toolCalls} tool calls. Request more data per call, or raise toolCalls.`,
    cancelled: 'The caller cancelled the execution.',
  };
  return { status: 'stopped', limit, message: messages[limit], ...(line === undefined ? {} : { line }) };
}
