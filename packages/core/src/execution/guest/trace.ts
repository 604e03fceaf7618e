import type { BridgeAnswer, GuestBridge } from '@toolwright/sandbox';

/** Everything that one run of a program sent and received, as JSON texts. */
export interface Trace {
  /** Returns a bridge that is traced. */
  of(bridge: GuestBridge): GuestBridge;
  /** Returns the trace; undefined if it is too long. */
  read(): TracedRun | undefined;
  /** Returns whether the program has sent a request of a rewritten expression. Counts a trace that is too long, too. */
  hasComputed(): boolean;
}

export interface TracedRun {
  /** The answered requests, in the order in which their answers were sent. */
  readonly answered: readonly TracedAnswer[];
  /** The requests without an answer, by their ids. */
  readonly unanswered: ReadonlyMap<number, string>;
  readonly notices: readonly string[];
  /** Readings of the clock; see `Program.clock`. */
  readonly clock: readonly number[];
}

interface TracedAnswer extends BridgeAnswer {
  readonly request: number;
  readonly requestText: string;
}

/** Characters of a trace that are kept in memory. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** The id of requests for modules, which are answered one after the other. */
const MODULES = 0;

/** The operation of rewritten expressions. */
export const COMPUTE = 'compute';

/** Creates the trace of one run. */
export function createTrace(): Trace {
  const waiting = new Map<number, string>();
  const modules: string[] = [];
  const answered: TracedAnswer[] = [];
  const notices: string[] = [];
  /** Lists of readings, which are seldom read. */
  const clock: string[] = [];
  let characters = 0;
  let hasComputed = false;

  const isOpen = (added: number) => {
    if (characters > MAX_CHARACTERS) return false;
    characters += added;
    if (characters <= MAX_CHARACTERS) return true;
    for (const list of [modules, answered, notices, clock]) list.length = 0;
    waiting.clear();
    return false;
  };
  return {
    of: (bridge) => ({
      ...bridge,
      request(request) {
        const { id, operation, text } = request;
        hasComputed ||= operation === COMPUTE;
        if (isOpen(text.length)) {
          if (id === MODULES) modules.push(text);
          else waiting.set(id, text);
        }
        return bridge.request(request);
      },
      sending(id, answer) {
        if (isOpen(answer.payload.length)) {
          const requestText = id === MODULES ? modules.shift() : waiting.get(id);
          waiting.delete(id);
          const { ok, payload } = answer;
          if (requestText !== undefined) answered.push({ request: id, requestText, ok, payload });
        }
        bridge.sending?.(id, answer);
      },
      notice(payload) {
        if (isOpen(payload.length)) notices.push(payload);
        bridge.notice(payload);
      },
      clock(payload) {
        if (isOpen(payload.length)) clock.push(payload);
        bridge.clock?.(payload);
      },
    }),
    read: () =>
      characters > MAX_CHARACTERS
        ? undefined
        : { answered, unanswered: waiting, notices, clock: clock.flatMap(readingsOf) },
    hasComputed: () => hasComputed,
  };
}

/** The guest may send anything. */
function readingsOf(payload: string): number[] {
  try {
    const readings: unknown = JSON.parse(payload);
    return Array.isArray(readings) && readings.every((each) => typeof each === 'number') ? readings : [];
  } catch {
    return [];
  }
}
