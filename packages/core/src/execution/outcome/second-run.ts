import { randomBytes } from 'node:crypto';
import type { OtherTexts } from '@toolwright/pii/internal';
import type { GuestOutcome } from '@toolwright/sandbox';
import { calledServer } from '@toolwright/sandbox/internal';
import { codeOf } from '../../stores/data-folder/integrity.ts';
import type { Execution } from '../execution.ts';
import { tenantOf } from '../guest/tenant.ts';
import type { TracedRun } from '../guest/trace.ts';
import { type RepeatableRun, replayExecution } from '../replay/replay.ts';

/** Milliseconds that a second run may take. */
const MAX_RUN_MS = 5_000;

/**
 * Runs a program again with other texts in place of its placeholders. Returns whether its requests, logs or result differ from those of
 * the first run with the same texts. A difference shows that it computes with the text of a placeholder. The second run sends nothing.
 */
export async function differsWith(
  { sent, received }: OtherTexts,
  { id, source, context, program, session, settings }: Execution,
  run: TracedRun,
  outcome: GuestOutcome,
): Promise<boolean> {
  const key = randomBytes(32);
  const { seed, epochMs } = program;
  let notices = '';
  for (const notice of run.notices) notices = codeOf(key, notices, await sent(notice));
  const replies: RepeatableRun['replies'][number][] = [];
  for (const { request, requestText, ok, payload } of run.answered) {
    const server = calledServer(requestText);
    const mac = codeOf(key, await sent(requestText, server));
    replies.push({ request, mac, operation: '', ok, payload: await received(payload, server), readings: 0 });
  }
  const unanswered = new Map<number, string>();
  for (const [request, text] of run.unanswered) {
    unanswered.set(request, codeOf(key, await sent(text, calledServer(text))));
  }
  const recording: RepeatableRun = {
    start: { id, source, seed, epochMs },
    end: { outcome: codeOf(key, notices, await sent(JSON.stringify(outcome))) },
    replies,
    calls: new Map(),
    unanswered,
    clock: run.clock,
  };
  const { memoryBytes, cpuPercent, messageBytes, timeoutMs } = settings.limits;
  const { status } = await replayExecution(recording, {
    language: context.language,
    sandbox: context.sandbox,
    key,
    limits: { memoryBytes, cpuPercent, messageBytes, timeoutMs: Math.min(timeoutMs, MAX_RUN_MS) },
    user: session.userId,
    tenant: settings.tenant ?? tenantOf(session.userId, settings.sessionId),
    signal: settings.signal,
  });
  return status === 'different';
}
