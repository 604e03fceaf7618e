import type { BridgeAnswer, GuestRequest } from '@toolwright/sandbox';
import { codeOf } from '@toolwright/storage/internal';

/** A request of the guest that has no answer yet. */
export interface Asked {
  readonly request: number;
  readonly mac: string;
  readonly operation: string;
  readonly parameters?: unknown;
}

/** The record of everything that a guest asks for and receives. */
export interface Deliveries {
  /** Notes a request, as the guest sent it. `isSecret` if it may have values that must be redacted. */
  receive(request: GuestRequest, isSecret: boolean): void;
  /**
   * Records an answer that is sent to the guest now. `redacted` is its text for the journal, without values that the guest may
   * receive and the journal must not have.
   */
  deliver(request: number, answer: BridgeAnswer, redacted: string): void;
  /** Records readings of the clock, as JSON text. */
  readClock(readings: string): void;
  /** Includes a log line or a progress value, as JSON text, in the code of the outcome. */
  notice(payload: string): void;
  /** The noted requests without an answer, by their ids. */
  readonly waiting: ReadonlyMap<number, Asked>;
  /** Notes the recorded answer to a tool call: its text is not written again when it is delivered. */
  answered(request: number, ok: boolean, text: string): void;
  /** Writes the requests without an answer. */
  end(): void;
  /** Returns the code of the outcome, as JSON text, and of all notices. */
  outcomeCode(outcome: string): string;
}

/** Parameters of a longer request are not recorded, only their code. */
const MAX_PARAMETER_CHARACTERS = 1_000;
/** A shorter value is written again each time. */
const MIN_SHARED_CHARACTERS = 256;
/** Longer lists are not written by our guests, which report every 2,000 different times. */
const READINGS = /^\[[\d,]{1,100000}\]$/;

/** Creates the record of one execution. `write` gets the name of an entry, its members, and further members as JSON text. */
export function createDeliveries({
  key,
  replies,
  write,
}: {
  readonly key: Buffer;
  /** The number of replies that the journal has already. */
  readonly replies: number;
  readonly write: (entry: string, members: object, rest: string) => void;
}): Deliveries {
  const waiting = new Map<number, Asked>();
  const answers = new Map<number, string>();
  const positions = new Map<string, number>();
  let count = replies;
  let notices = '';

  /** Returns the value, or the number of an earlier reply that has it. */
  const sharedValue = (text: string): string => {
    if (text.length < MIN_SHARED_CHARACTERS) return `,"value":${text}`;
    const code = codeOf(key, text);
    const position = positions.get(code);
    if (position !== undefined) return `,"sameAs":${position}`;
    positions.set(code, count);
    return `,"value":${text}`;
  };

  return {
    receive({ id, operation, text }, isSecret) {
      const isShown = operation !== 'call' && !isSecret && text.length <= MAX_PARAMETER_CHARACTERS;
      const parameters = isShown ? parametersOf(text) : undefined;
      waiting.set(id, { request: id, mac: codeOf(key, text), operation, parameters });
    },
    waiting,
    answered(request, ok, text) {
      if (ok) answers.set(request, text);
    },
    deliver(request, { ok, payload }, redacted) {
      const asked = waiting.get(request);
      if (!asked) return;
      waiting.delete(request);
      // Where the program sees values that it has as literals, the answer of the call is another text.
      const recorded = answers.get(request);
      const answer = recorded === payload || redacted !== payload ? recorded : undefined;
      answers.delete(request);
      const { mac, operation, parameters } = asked;
      const isExact = payload === (answer ?? redacted);
      const members = {
        request,
        operation: operation === 'call' ? undefined : operation,
        parameters,
        mac: answer === undefined ? mac : undefined,
        ok: answer === undefined ? ok : undefined,
        clear: isExact ? undefined : codeOf(key, payload),
      };
      write('reply', members, answer === undefined ? sharedValue(redacted) : '');
      count++;
    },
    readClock(readings) {
      if (READINGS.test(readings)) write('clock', {}, `,"readings":${readings}`);
    },
    notice(payload) {
      notices = codeOf(key, notices, payload);
    },
    end() {
      if (waiting.size > 0)
        write('unanswered', { requests: [...waiting.values()].map(({ request, mac }) => [request, mac]) }, '');
    },
    outcomeCode: (outcome) => codeOf(key, notices, outcome),
  };
}

/** The guest may send anything. */
function parametersOf(payload: string): unknown[] | undefined {
  try {
    const request: unknown = JSON.parse(payload);
    return Array.isArray(request) ? request.slice(1) : undefined;
  } catch {
    return undefined;
  }
}
