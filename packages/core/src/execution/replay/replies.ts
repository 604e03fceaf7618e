import type { BridgeAnswer, GuestOutcome, PreparedSource } from '@toolwright/sandbox';
import { authorFrames, type BridgeFault, exactText } from '@toolwright/sandbox/internal';
import { codeOf } from '@toolwright/storage/internal';
import type { RecordedReply, Recording } from '../../journal/recording/recording.ts';
import { type StoredPart, wholeAnswer } from '../kept/part.ts';

/** The first difference between an execution and its replay. */
export interface Difference {
  readonly what: 'request' | 'outcome';
  /** Number of the program's request, from 1. */
  readonly request?: number;
  readonly expected: string;
  readonly actual: string;
  /** Line of the program, from 1. Absent if the program reached no line that differs, such as after an early end. */
  readonly line?: number;
  readonly column?: number;
}

/** The recorded answers of an execution. */
export interface Replies {
  /**
   * Returns the recorded answer, once all answers before it were returned. Returns undefined for a request that has none. The
   * request that differs gets a fault that ends the program at its line. All requests after it never get an answer.
   */
  answer(id: number, payload: string): Promise<BridgeAnswer> | undefined;
  /** Resolves when the program has asked for all recorded answers and has them. */
  readonly all: Promise<void>;
  /** The number of requests that were as recorded. */
  compared(): number;
  /** Notes a further difference, and answers its request like {@link answer}. */
  differs(difference: Difference & { readonly request: number }): Promise<BridgeAnswer>;
  difference(): Difference | undefined;
  /** Returns the difference of a program that has ended before its recorded end. */
  missing(): Difference | undefined;
}

/** The requests of a run and their answers. */
export interface RecordedAnswers {
  readonly calls: Recording['calls'];
  readonly unanswered: ReadonlyMap<number, string>;
  /** Without a code, any parameters of a request are as recorded. */
  readonly replies: readonly (Omit<RecordedReply, 'mac'> & { readonly mac: string | undefined })[];
}

/** Longer requests are shortened in a difference. */
const MAX_SHOWN_CHARACTERS = 300;

/** Milliseconds in which a program must end after its first difference, so that its line is known. */
const END_MS = 5_000;

/** Ends the program. Only the guest runtime reads it. */
const END: BridgeFault = { name: 'Error', code: 'REPLAY_MISMATCH', message: 'The request differs.', ends: true };

/** Creates the answers of a recording. `storedPart` reads parts of kept values. Calls `onEnd` when the program must be stopped: it did not end at the first difference. */
export function createReplies(
  recording: RecordedAnswers,
  key: Buffer,
  onEnd: () => void,
  storedPart?: StoredPart,
): Replies {
  const modules = recording.replies.filter(({ request }) => request === 0);
  const ordered = recording.replies.filter(({ request }) => request !== 0);
  const byRequest = new Map(ordered.map((reply) => [reply.request, reply]));
  const waiting = new Map<number, () => void>();
  let given: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    given = resolve;
  });
  let next = 0;
  let compared = 0;
  let difference: Difference | undefined;

  const differs: Replies['differs'] = (found) => {
    const isFirst = difference === undefined;
    difference ??= found;
    // A module is loaded before anything else can run: its request has no line.
    if (found.request === 0) onEnd();
    if (!isFirst || found.request === 0) return new Promise(() => undefined);
    return endProgram(onEnd);
  };
  /** Answers in the recorded order, as far as the program has asked. */
  const release = () => {
    for (let reply = ordered[next]; reply; reply = ordered[next]) {
      const resolve = waiting.get(reply.request);
      if (!resolve) return;
      waiting.delete(reply.request);
      next++;
      resolve();
    }
    if (modules.length === 0) given();
  };
  release();

  return {
    // Not an async function: its answers would be sent later than others that are released with them.
    answer(id, payload) {
      if (difference) return new Promise(() => undefined);
      const reply = id === 0 ? modules.shift() : byRequest.get(id);
      const mac = reply?.mac ?? recording.unanswered.get(id);
      if (mac !== undefined && mac !== codeOf(key, payload)) {
        return differs({ what: 'request', request: id, expected: expectedOf(id, recording), actual: shown(payload) });
      }
      if (!reply) return undefined;
      compared++;
      const answer = { ok: reply.ok, payload: reply.payload };
      const whole = wholeAnswer(payload, answer, storedPart);
      const answered =
        id === 0 ? Promise.resolve(whole) : new Promise<void>((resolve) => waiting.set(id, resolve)).then(() => whole);
      release();
      return answered;
    },
    all,
    compared: () => compared,
    differs,
    difference: () => difference,
    missing() {
      const reply = ordered[next] ?? modules[0];
      if (!reply) return undefined;
      return {
        what: 'request',
        request: reply.request,
        expected: expectedOf(reply.request, recording),
        actual: 'the end',
      };
    },
  };
}

/** Returns the answer that ends the program at its request. Calls `onEnd` when the program does not end. */
export function endProgram(onEnd: () => void): Promise<BridgeAnswer> {
  setTimeout(onEnd, END_MS).unref();
  return Promise.resolve({ ok: false, payload: JSON.stringify(END) });
}

/** Returns a difference with the place at which it ended the program. */
export function placed(
  difference: Difference,
  outcome: GuestOutcome | undefined,
  prepared: PreparedSource,
): Difference {
  const stack = outcome?.status === 'failed' ? outcome.error.stack : '';
  return { ...difference, ...authorFrames(stack, prepared)[0]?.position };
}

function expectedOf(request: number, { calls, replies }: RecordedAnswers): string {
  const call = calls.get(request);
  if (call) return shown(exactText(['call', call.tool, call.arguments]));
  const reply = replies.find((found) => found.request === request);
  if (!reply) return 'another request';
  return reply.parameters ? shown(JSON.stringify([reply.operation, ...reply.parameters])) : reply.operation;
}

/** Returns a request for a person. */
export function shown(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
