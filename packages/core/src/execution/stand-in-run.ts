import { randomBytes } from 'node:crypto';
import type { ProgramValues } from '@toolwright/pii/internal';
import type { GuestOutcome } from '@toolwright/sandbox';
import { codeOf } from '../journal/integrity.ts';
import type { Execution } from './execution.ts';
import { type RepeatableRun, type Replay, replayExecution } from './replay.ts';
import { tenantOf } from './tenant.ts';
import type { TracedRun } from './trace.ts';

/** Milliseconds that the second run may take. */
const MAX_RUN_MS = 5_000;

/**
 * Runs a program again with stand-ins in place of its placeholders, and compares everything that it sends. A difference shows that it
 * computes with the text of a placeholder: its answer is not the one for the values. Nothing is sent, and the sandbox has no values.
 */
export async function compareWithStandIns(
  { id, source, context, program, session, settings }: Execution,
  values: Pick<ProgramValues, 'standIns'>,
  run: TracedRun,
  outcome: GuestOutcome,
): Promise<Replay> {
  const key = randomBytes(32);
  const standIn = values.standIns();
  const { seed, epochMs } = program;
  const notices = run.notices.reduce((before, notice) => codeOf(key, before, standIn(notice)), '');
  const recording: RepeatableRun = {
    start: { id, source, seed, epochMs },
    end: { outcome: codeOf(key, notices, standIn(JSON.stringify(outcome))) },
    replies: run.answered.map(({ request, requestText, ok, payload }) => ({
      request,
      mac: codeOf(key, standIn(requestText)),
      operation: '',
      ok,
      payload: standIn(payload),
      readings: 0,
    })),
    calls: new Map(),
    unanswered: new Map([...run.unanswered].map(([request, text]) => [request, codeOf(key, standIn(text))])),
    clock: run.clock,
  };
  const { memoryBytes, messageBytes, timeoutMs } = settings.limits;
  const limits = { memoryBytes, messageBytes, timeoutMs: Math.min(timeoutMs, MAX_RUN_MS) };
  const { language, sandbox } = context;
  return replayExecution(recording, {
    language,
    sandbox,
    key,
    limits,
    user: session.userId,
    tenant: settings.tenant ?? tenantOf(session.userId, settings.sessionId),
    signal: settings.signal,
  });
}
