import type { RunningGuest } from '@toolwright/sandbox';
import type { DueTimes } from '../../journal/due-times.ts';
import type { WaitKind } from '../../journal/entries.ts';

/** A request of a program that waits for a person, or for a distant time. */
export interface Wait {
  readonly kind: WaitKind;
  /** When it ends without a decision, in milliseconds since the epoch. */
  readonly untilMs: number;
  /** Present while a server waits for it: must be called before the execution is suspended. */
  readonly release?: () => Promise<void>;
}

/** The waits of one execution. A program that only waits costs no time, and is suspended after a while. */
export interface Waits {
  /** Counts the requests without an answer: 1 for a new one, -1 for an answer. */
  look(change: 1 | -1): void;
  /** Notes a tool call: its time is no time of the program when it is slow. Returns the function that ends it. */
  beginCall(): () => void;
  /** Notes that a request waits. Returns the function that ends the wait. */
  begin(wait: Wait): () => void;
  /** Notes that nobody decides about a wait soon: the program has no grace period for it. */
  defer(wait: Wait): void;
  /** Returns the waits of this moment. */
  list(): readonly Wait[];
  /** Returns whether the program only waits, and no server works on a call. */
  isWaiting(): boolean;
  /** Names the guest. Without one, a program does not count as waiting. */
  watch(guest: RunningGuest): void;
  /** Starts to count the time of the program, again after a replay. */
  start(): void;
  /** Milliseconds since the start in which the program did not only wait. */
  ranMs(): number;
  close(): void;
}

export interface WaitsOptions {
  /** Milliseconds for which a program waits in memory. */
  readonly graceMs: number;
  readonly dueTimes: DueTimes;
  /** Called when the program begins or ends to only wait. */
  readonly onChange: (isWaiting: boolean) => void;
  /** Called when the program only waits and has done so for the grace period, will wait for longer, or another program needs its sandbox. */
  readonly onLong: () => void;
}

/** Milliseconds after which the time of a tool call is no time of the program. */
const SLOW_CALL_MS = 500;

/** Creates the waits of an execution. */
export function createWaits({ graceMs, dueTimes, onChange, onLong }: WaitsOptions): Waits {
  const waits = new Set<Wait>();
  const deferred = new WeakSet<Wait>();
  const isLater = ({ untilMs }: Wait) => dueTimes.leftMs(untilMs) > graceMs;
  let [unanswered, looks] = [0, 0];
  /** The program is not suspended while one is under way. */
  const slowCalls = watchSlowCalls(() => look());
  /** Whether all requests wait. The guest may still compute. */
  let mayWait = false;
  /** Whether no request is a tool call that a server works on. */
  let maySuspend = false;
  let guest: RunningGuest | undefined;
  const time = createRunTime();
  const grace = createGrace(onLong);
  const isDistant = (wait: Wait) => deferred.has(wait) || (wait.kind === 'timer' && isLater(wait));
  const startGrace = () => {
    grace.release();
    if (maySuspend) grace.start([...waits].every(isDistant) ? 0 : graceMs, guest);
  };
  const begin = () => {
    time.pause();
    startGrace();
    onChange(true);
  };
  const end = () => {
    if (!time.isPaused()) return;
    time.goOn();
    grace.release();
    onChange(false);
  };
  const look = (change = 0) => {
    unanswered += change;
    // A call may ask a person: then it is a slow call and a wait.
    const isCandidate = unanswered > 0 && waits.size + slowCalls.count >= unanswered;
    if (maySuspend !== (unanswered > 0 && waits.size === unanswered)) {
      maySuspend = !maySuspend;
      if (isCandidate && time.isPaused()) {
        startGrace();
        onChange(true);
      }
    }
    if (isCandidate === mayWait) return;
    mayWait = isCandidate;
    const own = ++looks;
    if (!isCandidate) return end();
    // The answer that is about to be sent comes first.
    void Promise.resolve()
      .then(() => guest?.whenIdle() ?? new Promise(() => undefined))
      .then(() => (own === looks ? begin() : undefined));
  };
  return {
    look,
    beginCall: slowCalls.begin,
    begin(wait) {
      waits.add(wait);
      look();
      return () => {
        waits.delete(wait);
        look();
      };
    },
    defer(wait) {
      deferred.add(wait);
      if (time.isPaused()) startGrace();
    },
    list: () => [...waits],
    isWaiting: () => time.isPaused() && maySuspend,
    watch(running) {
      guest = running;
    },
    start: time.start,
    ranMs: time.ranMs,
    close() {
      looks++;
      slowCalls.close();
      grace.release();
    },
  };
}

/** Measures how long a program runs, without its waits. */
function createRunTime() {
  let startedAt = performance.now();
  let waitedMs = 0;
  let waitingSince: number | undefined;
  return {
    isPaused: () => waitingSince !== undefined,
    start() {
      startedAt = performance.now();
      waitedMs = 0;
      if (waitingSince !== undefined) waitingSince = startedAt;
    },
    pause() {
      waitingSince = performance.now();
    },
    goOn() {
      waitedMs += performance.now() - (waitingSince ?? performance.now());
      waitingSince = undefined;
    },
    ranMs: () =>
      performance.now() - startedAt - waitedMs - (waitingSince === undefined ? 0 : performance.now() - waitingSince),
  };
}

/** The time that a program may only wait in its sandbox. */
function createGrace(onLong: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let forgetWanted: (() => void) | undefined;
  return {
    start(ms: number, guest: RunningGuest | undefined) {
      timer = setTimeout(onLong, ms).unref();
      forgetWanted = guest?.onWanted?.(onLong);
    },
    release() {
      clearTimeout(timer);
      forgetWanted?.();
    },
  };
}

/** Watches tool calls that take long, with one timer for all calls: most of them end long before. */
function watchSlowCalls(onChange: () => void) {
  const calls = new Set<{ readonly sinceMs: number; isSlow: boolean }>();
  let nextLook: NodeJS.Timeout | undefined;
  const find = () => {
    nextLook = undefined;
    const now = performance.now();
    let restMs = Number.POSITIVE_INFINITY;
    for (const call of calls) {
      if (call.isSlow) continue;
      const leftMs = call.sinceMs + SLOW_CALL_MS - now;
      if (leftMs > 0) restMs = Math.min(restMs, leftMs);
      else {
        call.isSlow = true;
        watch.count++;
      }
    }
    if (Number.isFinite(restMs)) nextLook = setTimeout(find, restMs).unref();
    onChange();
  };
  const watch = {
    count: 0,
    /** Begins a call. Returns the function that ends it. */
    begin() {
      const call = { sinceMs: performance.now(), isSlow: false };
      calls.add(call);
      nextLook ??= setTimeout(find, SLOW_CALL_MS).unref();
      return () => {
        calls.delete(call);
        if (!call.isSlow) return;
        watch.count--;
        onChange();
      };
    },
    close: () => clearTimeout(nextLook),
  };
  return watch;
}
