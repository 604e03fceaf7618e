import { randomBytes } from 'node:crypto';
import type { BarredPlaceholders, OtherTexts } from '@toolwright/pii/internal';
import type { GuestOutcome, Language, PreparedSource } from '@toolwright/sandbox';
import { calledServer, leadingTexts, operationOf } from '@toolwright/sandbox/internal';
import { codeOf } from '@toolwright/storage/internal';
import { tenantOf } from '../contexts.ts';
import type { Execution } from '../execution.ts';
import { COMPUTE, type Trace, type TracedRun } from '../guest/trace.ts';
import { plainly, type RepeatableRun, type RepeatedRun, repeatRun } from '../replay/replay.ts';

/** Look-ups that read values on the host: the spelling of a value in them does not matter. */
const ON_VALUES: ReadonlySet<string> = new Set(['transform', 'order', 'age', 'equal', 'derive', 'match']);
/** Milliseconds that a second run may take after the end of the first one. */
const MAX_RUN_MS = 5_000;

/**
 * Runs a program again with other texts in place of its placeholders. Returns whether its requests, logs or result differ from those of
 * the first run with the same texts. A difference shows that it computes with the text of a placeholder. The second run sends nothing.
 * Undefined: the second run had no end that can be compared.
 */
export async function differsWith(
  texts: OtherTexts,
  execution: Execution,
  run: TracedRun,
  outcome: GuestOutcome,
): Promise<boolean | undefined> {
  const key = randomBytes(32);
  const recording = await recordingOf(execution, withoutComputed(run), { texts, key, outcome });
  const again = await repeatRun(recording, {
    ...optionsOf(execution),
    language: plainly(execution.context.language),
    key,
  });
  if (again.difference !== undefined) return true;
  if (!hasEnd(again)) return undefined;
  return codeOf(key, again.notices, textOf(again.outcome)) !== recording.end.outcome;
}

/** The end of a request by which a program reports that an operation depends on a text: `["compute","","line 3: a text","seen"]`. */
const SEEN = ',"seen"]';

/** Returns whether a second run has ended by itself, so that it can be compared. */
function hasEnd<Run extends RepeatedRun>(again: Run): again is Run & { readonly outcome: GuestOutcome } {
  return again.outcome !== undefined && again.outcome.status !== 'stopped';
}

/** Returns whether the host has computed rewritten expressions of the program. Then only a run with the values shows whether it is right. */
export function isComputed({ answered }: TracedRun): boolean {
  return answered.some(({ requestText }) => operationOf(requestText) === COMPUTE && !requestText.endsWith(SEEN));
}

/** Returns whether no operation of a program has read a text that may hold a placeholder: such a program does the same for any text. */
export function readsNoText({ reportsReads }: PreparedSource, { hasComputed }: Trace): boolean {
  return reportsReads && !hasComputed();
}

/** Returns the place of a rewritten expression, `line 3: .trim`, if the request is one. The guest wrote it. */
export function computedPlace(requestText: string): string | undefined {
  if (operationOf(requestText) !== COMPUTE || requestText.endsWith(SEEN)) return undefined;
  return /^\["compute", ?"[^"]*", ?"(line \d+: [^"\\]{1,30})"/.exec(requestText)?.[1];
}

/** Returns a run as it would be without rewritten expressions: with values, the program computes them itself. */
function withoutComputed(run: TracedRun): TracedRun {
  const left = run.answered.filter(({ requestText }) => operationOf(requestText) === COMPUTE);
  const ids = left.map(({ request }) => request).filter((id) => id > 0);
  // The guest numbers its requests in their order.
  const numberOf = (id: number) => id - ids.filter((other) => other < id).length;
  return {
    ...run,
    answered: run.answered
      .filter((answer) => !left.includes(answer))
      .map((answer) => ({ ...answer, request: numberOf(answer.request) })),
    unanswered: new Map(Array.from(run.unanswered, ([id, text]) => [numberOf(id), text])),
  };
}

/** Returns an outcome without the columns of its error, which rewritten expressions move. */
function textOf(outcome: GuestOutcome): string {
  return JSON.stringify(outcome.status === 'failed' ? { ...outcome, error: { ...outcome.error, stack: '' } } : outcome);
}

/** The texts of the run itself. */
export const SAME_TEXTS: OtherTexts = {
  sent: async (text) => text,
  received: async (text) => text,
  hasSpellings: () => false,
};

/**
 * Runs a program again with the same texts. Returns the operation that reads the text of a barred placeholder first, `line 3: .slice`;
 * `none` if there is none, undefined if the run had no end. The texts do not matter, so the answer reveals nothing.
 */
export async function readsBarred(
  barred: BarredPlaceholders,
  execution: Execution,
  run: TracedRun,
  outcome: GuestOutcome,
): Promise<string | undefined> {
  const { language } = execution.context;
  const [key, marker] = [randomBytes(32), randomBytes(16).toString('hex')];
  const watched = (source: string) => language.watched(source, { marker, ...barred });
  const recording = await recordingOf(execution, await withModules(run, watched), { texts: SAME_TEXTS, key, outcome });
  const watching: Language = {
    ...language,
    prepare: async (source, options) => language.prepare(await watched(source), { ...options, isPlain: true }),
  };
  let found: string | undefined;
  const onNotice = (payload: string) => {
    found ??= new RegExp(`${marker}(line \\d+: [^"\\\\]{1,40})`).exec(payload)?.[1];
  };
  const again = await repeatRun(recording, { ...optionsOf(execution), language: watching, key, onNotice });
  return found ?? (hasEnd(again) ? 'none' : undefined);
}

/** Returns a run whose own modules are watched. The modules of servers read no texts. */
async function withModules(run: TracedRun, watched: (source: string) => Promise<string>): Promise<TracedRun> {
  const answered = run.answered.map(async (answer) => {
    const { ok, requestText, payload } = answer;
    const isOwn =
      ok && operationOf(requestText) === 'module' && !leadingTexts(requestText, 1)[0]?.startsWith('/servers/');
    return isOwn ? { ...answer, payload: JSON.stringify(await watched(JSON.parse(payload))) } : answer;
  });
  return { ...run, answered: await Promise.all(answered) };
}

/**
 * Runs a program again with other texts, up to its requests that wait for an answer. Returns whether one of them, or a request before them,
 * differs. Undefined: the second run did not reach them within the time limit of the execution. Raises errors of the sandbox.
 */
export async function waitingDiffers(
  texts: OtherTexts,
  execution: Execution,
  run: TracedRun,
): Promise<boolean | undefined> {
  const language = plainly(execution.context.language);
  const key = randomBytes(32);
  const plain = withoutComputed(run);
  const recording = { ...(await recordingOf(execution, plain, { texts, key })), end: { outcome: 'none' } };
  const waiting = new Set(plain.unanswered.keys());
  const same = new AbortController();
  const options = optionsOf(execution, Number.POSITIVE_INFINITY);
  const signal = options.signal ? AbortSignal.any([same.signal, options.signal]) : same.signal;
  try {
    const settings = { ...options, language, key, signal, isNested: true };
    const { difference, outcome } = await repeatRun(recording, settings, (id) => {
      waiting.delete(id);
      if (waiting.size === 0) same.abort();
    });
    return difference !== undefined || outcome?.status !== 'stopped' ? waiting.size > 0 : undefined;
  } catch (error) {
    if (same.signal.aborted) return false;
    throw error;
  }
}

interface Comparison {
  readonly texts: OtherTexts;
  readonly key: Buffer;
  /** Default: the run goes on. */
  readonly outcome?: GuestOutcome;
}

/** Returns a run as its program would have made it with other texts. */
async function recordingOf(
  { id, source, program: { seed, epochMs, keeps } }: Execution,
  run: TracedRun,
  { texts: { sent, received, hasSpellings }, key, outcome }: Comparison,
): Promise<RepeatableRun & { readonly end: { readonly outcome: string } }> {
  let notices = '';
  for (const notice of run.notices) notices = codeOf(key, notices, await sent(notice));
  const replies: RepeatableRun['replies'][number][] = [];
  for (const { request, requestText, ok, payload } of run.answered) {
    const server = calledServer(requestText);
    const operation = operationOf(requestText);
    const isAny = operation === COMPUTE || (ON_VALUES.has(operation) && hasSpellings(requestText));
    const mac = isAny ? undefined : codeOf(key, await sent(requestText, server));
    replies.push({ request, mac, operation: '', ok, payload: await received(payload, server), readings: 0 });
  }
  const unanswered = new Map<number, string>();
  for (const [request, text] of run.unanswered) {
    unanswered.set(request, codeOf(key, await sent(text, calledServer(text))));
  }
  return {
    start: { id, source, seed, epochMs, keeps },
    end: { outcome: codeOf(key, notices, await sent(outcome === undefined ? 'null' : textOf(outcome))) },
    replies,
    calls: new Map(),
    unanswered,
    clock: run.clock,
  };
}

function optionsOf({ context, session, settings }: Execution, maxMs = MAX_RUN_MS) {
  const { memoryBytes, cpuPercent, messageBytes, timeoutMs } = settings.limits;
  return {
    sandbox: context.sandbox,
    limits: { memoryBytes, cpuPercent, messageBytes, timeoutMs: Math.min(timeoutMs, maxMs) },
    user: session.userId,
    tenant: settings.tenant ?? tenantOf(session.userId, settings.sessionId),
    signal: settings.signal,
  };
}
