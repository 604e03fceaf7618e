import type { BridgeAnswer } from '@toolwright/sandbox';
import { codeOf } from '../journal/integrity.ts';
import type { RecordedReply, Recording } from '../journal/recording.ts';

/** The first difference between an execution and its replay. */
export interface Difference {
  readonly what: 'request' | 'outcome';
  /** Number of the program's request, from 1. */
  readonly request?: number;
  readonly expected: string;
  readonly actual: string;
}

/** The recorded answers of an execution. */
export interface Replies {
  /** Returns the recorded answer, once all answers before it were returned. Never resolves for a request without an answer. */
  answer(id: number, payload: string): Promise<BridgeAnswer>;
  /** The number of requests that were as recorded. */
  compared(): number;
  difference(): Difference | undefined;
  /** Returns the difference of a program that has ended before its recorded end. */
  missing(): Difference | undefined;
}

/** Longer requests are shortened in a difference. */
const MAX_SHOWN_CHARACTERS = 300;

/** Creates the answers of a recording. Calls `onEnd` at the first difference, and at the end of an interrupted recording. */
export function createReplies(recording: Recording, key: Buffer, onEnd: () => void): Replies {
  const modules = recording.replies.filter(({ request }) => request === 0);
  const ordered = recording.replies.filter(({ request }) => request !== 0);
  const byRequest = new Map(ordered.map((reply) => [reply.request, reply]));
  const waiting = new Map<number, () => void>();
  const isEnded = recording.end?.outcome !== undefined;
  let next = 0;
  let compared = 0;
  let difference: Difference | undefined;

  const differs = (found: Difference) => {
    difference ??= found;
    onEnd();
    return new Promise<never>(() => undefined);
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
    if (!isEnded) onEnd();
  };
  const withoutAnswer = (id: number, payload: string) => {
    const mac = recording.unanswered.get(id) ?? recording.calls.get(id)?.mac;
    if (mac === undefined && isEnded) {
      return differs({ what: 'request', request: id, expected: 'no further request', actual: shown(payload) });
    }
    if (mac !== undefined && mac !== codeOf(key, payload)) {
      const call = recording.calls.get(id);
      const expected = call ? shown(JSON.stringify(['call', call.tool, call.arguments])) : 'another request';
      return differs({ what: 'request', request: id, expected, actual: shown(payload) });
    }
    release();
    return new Promise<never>(() => undefined);
  };

  return {
    // Not an async function: its answers would be sent later than others that are released with them.
    answer(id, payload) {
      const reply = id === 0 ? modules.shift() : byRequest.get(id);
      if (!reply) return withoutAnswer(id, payload);
      if (reply.mac !== codeOf(key, payload)) {
        return differs({
          what: 'request',
          request: id,
          expected: expectedOf(reply, recording),
          actual: shown(payload),
        });
      }
      compared++;
      const answer = { ok: reply.ok, payload: reply.payload };
      if (id === 0) return Promise.resolve(answer);
      const answered = new Promise<void>((resolve) => waiting.set(id, resolve)).then(() => answer);
      release();
      return answered;
    },
    compared: () => compared,
    difference: () => difference,
    missing() {
      const reply = ordered[next];
      return (
        reply && { what: 'request', request: reply.request, expected: expectedOf(reply, recording), actual: 'the end' }
      );
    },
  };
}

function expectedOf({ request, operation, parameters }: RecordedReply, { calls }: Recording): string {
  const call = calls.get(request);
  if (call) return shown(JSON.stringify(['call', call.tool, call.arguments]));
  return parameters ? shown(JSON.stringify([operation, ...parameters])) : operation;
}

function shown(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
