import { isDeepStrictEqual } from 'node:util';
import type { GuestOutcome } from '@toolwright/sandbox';
import { GUEST_RUNTIME_CODES, parseExact } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';
import { requireReplayable } from '../../journal/recording/read-recording.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import { COMPUTE } from '../guest/trace.ts';
import { plainly, type RepeatedRun, type ReplayOptions, repeatRun } from '../replay/replay.ts';
import type { ExportedRequest, ExportedTest } from './exported.ts';
import { pythonFunction, pythonTest } from './python.ts';
import { typescriptTest } from './typescript.ts';

const DESCRIPTION = 'The program.';
/** Times of the proof: their start differs from every time of a recording, and each reading comes later than the one before. */
const OTHER_TIMES = { afterMs: 400 * 24 * 60 * 60 * 1_000 + 12_345_678, stepMs: 1_777, count: 10_000 };
/** The most milliseconds of a replay for the proof: a program may wait for a time that never comes. A slow machine has more. */
const PROOF_MS = 30_000;
const PROOF_RATIO = 10;
/** The most characters of all answers in one file. */
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024;
const SERVER_MODULE = /^\/servers\/[\w.$/-]+$/;
const READ_OFTEN = 1_000_000_000;
/** Times that are tried for a program that depends on the time. */
const MAX_TIMES = 2;

/**
 * Returns the text of a test file that runs the program with the answers of its journal, and asserts its calls and its result. Before
 * that, proves by replays that the program works as a function, without its random numbers and at another time. Raises `NOT_SUPPORTED`
 * with the reason for a program that cannot be exported.
 */
export async function exportTest(recorded: Recording, settings: ReplayOptions): Promise<string> {
  requireReplayable(recorded);
  const recording = ofTest(recorded);
  const { start, end } = recording;
  if (start.dryRun) throw refused(start.id, 'it is a dry run, and some of its answers are invented');
  if (end?.outcome === undefined) throw refused(start.id, 'its program has not ended by itself');
  if (recording.replies.some(({ operation }) => operation === COMPUTE))
    throw refused(start.id, 'the host computes expressions of its program with personal data');
  const options = { ...settings, language: plainly(settings.language) };
  const payloads = new Map<number, string>();
  const startedAt = performance.now();
  const run = await repeatRun(recording, options, (id, payload) => payloads.set(id, payload));
  const proofMs = Math.max(PROOF_MS, PROOF_RATIO * (performance.now() - startedAt));
  const timeoutMs = Math.min(options.limits.timeoutMs, proofMs);
  const proof = { ...options, limits: { ...options.limits, timeoutMs } };
  if (run.difference) throw refused(start.id, `its replay differs in request ${run.difference.request}`);
  const outcome = endOf(run, start.id);
  const description = { description: DESCRIPTION, parameters: {} };
  const converted = await options.language.moduleOf(start.source, description).catch((error: Error) => {
    throw refused(start.id, `its program cannot become a function. ${error.message}`);
  });
  const module = start.language === 'python' ? pythonFunction(converted) : converted;
  const source =
    start.language === 'python'
      ? `${module}\nresult = main()\n`
      : `${module.replace('export default async function main', 'async function main')}\nreturn main();\n`;
  const repeats = (changes: Partial<Recording['start']>, clock = recording.clock) =>
    hasSameEnd({ ...recording, clock, start: { ...start, source, ...changes } }, run, proof);
  if (!(await repeats({}))) throw refused(start.id, 'its program does something else as a function');
  if (!(await repeats({ seed: start.seed ^ 0x5bd1e995 })))
    throw refused(start.id, 'its calls or its result depend on random numbers');
  const isTimeless = await repeats({}, otherTimes(start.epochMs));
  // Vitest can stop the clock: at a time that the program read.
  const times = start.language === 'python' || isTimeless ? [] : timesOf(recording);
  const timeMs = await findAsync(times, (time) => repeats({}, [time, READ_OFTEN]));
  if (!isTimeless && timeMs === undefined) throw refused(start.id, 'its calls or its result depend on the time');
  const render = start.language === 'python' ? pythonTest : typescriptTest;
  return render(
    {
      executionId: start.id,
      module,
      outcome,
      requests: requestsOf(recording, payloads),
      modules: modulesOf(recording),
      hasOwnMessage: hasOwnMessage(recording, outcome),
      timeMs,
    },
    (reason) => refused(start.id, reason),
  );
}

/** Returns a recording without the requests that a test does not make: it has no session, and its operands report nothing. */
function ofTest(recording: Recording): Recording {
  const { start, unanswered } = recording;
  if (recording.replies.some(({ operation }) => operation === 'keptValue')) {
    throw refused(start.id, 'its program uses kept values of its session');
  }
  const left = recording.replies.filter(({ operation, parameters }) =>
    operation === COMPUTE ? parameters?.at(-1) === 'seen' : operation === 'kept',
  );
  // The guest numbers its requests in their order.
  const numberOf = (id: number) => id - left.filter(({ request }) => request > 0 && request < id).length;
  return {
    ...recording,
    start: { ...start, keeps: false },
    replies: recording.replies
      .filter((reply) => !left.includes(reply))
      .map((reply) => ({ ...reply, request: numberOf(reply.request) })),
    unanswered: new Map(Array.from(unanswered, ([request, code]) => [numberOf(request), code])),
  };
}

/** Returns readings of a clock that runs fast, at another time. */
function otherTimes(epochMs: number): number[] {
  const { afterMs, stepMs, count } = OTHER_TIMES;
  return Array.from({ length: count }, (_, index) => [epochMs + afterMs + index * stepMs, 1]).flat();
}

/** Returns the first different times of a recording. */
function timesOf({ clock }: Recording): number[] {
  return [...new Set(clock.filter((_value, index) => index % 2 === 0))].slice(0, MAX_TIMES);
}

async function findAsync<T>(values: readonly T[], fits: (value: T) => Promise<boolean>): Promise<T | undefined> {
  for (const value of values) if (await fits(value)) return value;
  return undefined;
}

/** Returns the outcome of a program that ended by itself. */
function endOf({ outcome }: RepeatedRun, id: string): ExportedTest['outcome'] {
  if (!outcome || outcome.status === 'stopped') throw refused(id, 'its replay does not end by itself');
  if (outcome.status === 'completed') return outcome;
  const { code, request } = outcome.error;
  const isOfSandbox = code !== undefined && GUEST_RUNTIME_CODES.has(code) && request === undefined;
  if (isOfSandbox || code === 'SYNTAX')
    throw refused(id, `its program failed with ${code}, which only the sandbox raises`);
  return outcome;
}

/** Returns whether a program with other text, seed or time makes the same requests and has the same outcome. Logs may differ. */
async function hasSameEnd(changed: Recording, { outcome }: RepeatedRun, options: ReplayOptions): Promise<boolean> {
  const run = await repeatRun(changed, options);
  return run.difference === undefined && isDeepStrictEqual(withoutStack(run.outcome), withoutStack(outcome));
}

function withoutStack(outcome: GuestOutcome | undefined): unknown {
  return outcome?.status === 'failed' ? { ...outcome, error: { ...outcome.error, stack: '' } } : outcome;
}

function requestsOf(
  { replies, start, unanswered }: Recording,
  payloads: ReadonlyMap<unknown, string>,
): ExportedRequest[] {
  if (replies.some(({ clear }) => clear !== undefined)) {
    throw refused(start.id, 'its program read values in plain text, which its journal does not have');
  }
  if (unanswered.size > 0) throw refused(start.id, 'its program ended before all of its requests had answers');
  const characters = replies.reduce((sum, { payload }) => sum + payload.length, 0);
  if (characters > MAX_ANSWER_CHARACTERS) {
    throw refused(start.id, `its answers have ${characters} characters; the limit is ${MAX_ANSWER_CHARACTERS}`);
  }
  const skill = replies.find(({ operation }) => operation === 'skill');
  if (skill) throw refused(start.id, 'its program runs a skill');
  return replies
    .filter(({ operation }) => operation !== 'module')
    .map(({ request, ok, payload }) => ({
      id: request,
      request: parseExact(payloads.get(request) ?? '[]') as readonly unknown[],
      ok,
      answer: payload === '' ? null : parseExact(payload),
    }));
}

/** Returns the modules of servers. Others are files of the workspace or of skills, which the test would not have. */
function modulesOf({ replies, start }: Recording): Map<string, string> {
  const modules = new Map<string, string>();
  for (const { operation, parameters, ok, payload } of replies) {
    if (operation !== 'module' || !ok) continue;
    const path = String(parameters?.[0]);
    if (!SERVER_MODULE.test(path)) throw refused(start.id, `its program imports ${path}`);
    modules.set(path, JSON.parse(payload));
  }
  return modules;
}

/** Messages of an engine differ from version to version; those of tools and of the program do not. */
function hasOwnMessage({ start, replies }: Recording, outcome: ExportedTest['outcome']): boolean {
  if (outcome.status !== 'failed') return false;
  const { message } = outcome.error;
  const isOfTool = replies.some(({ ok, payload }) => !ok && JSON.parse(payload).message === message);
  return isOfTool || (message !== '' && start.source.includes(message));
}

function refused(id: string, reason: string): ToolwrightError {
  return new ToolwrightError('NOT_SUPPORTED', `Execution ${id} cannot be exported as a test: ${reason}.`);
}
