import {
  type ClaimedWork,
  type HeldWork,
  type Submission,
  WORK_LEASE_MS,
  type WorkOutcome,
  type WorkQueue,
  type WorkState,
} from './queue.ts';

interface Item extends Omit<Submission, 'priority'> {
  readonly number: number;
  priority: number;
  readonly submittedMs: number;
  request: unknown;
  state: WorkState;
  dueMs: number;
  readyMs: number;
  isAwake: boolean;
  isCancelled: boolean;
  asked: number;
  worker: string | undefined;
  fence: number;
  attempts: number;
  renewedMs: number;
  lostMs: number | undefined;
  result: unknown;
  endedMs: number | undefined;
}

/** Milliseconds that ended work stays. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** Creates a queue for one process. Its work ends with the process. */
export function memoryQueue({ leaseMs = WORK_LEASE_MS }: { readonly leaseMs?: number } = {}): WorkQueue {
  const items = new Map<string, Item>();
  const state = openItems(items, leaseMs);
  return {
    name: 'memory',
    leftMs: (timeMs) => timeMs - Date.now(),
    ...callerMethods(items, state),
    ...workerMethods(state),
    ...clusterMethods(items, state),
    async [Symbol.asyncDispose]() {
      items.clear();
    },
  };
}

type Items = ReturnType<typeof openItems>;

function openItems(items: ReadonlyMap<string, Item>, leaseMs: number) {
  const servedAt = new Map<string, number>();
  let served = 0;
  const inState = (state: WorkState) => [...items.values()].filter((item) => item.state === state);
  const held = ({ id, worker, fence }: HeldWork) => {
    const item = items.get(id);
    return item?.state === 'running' && item.worker === worker && item.fence === fence ? item : undefined;
  };
  const ofUser = (id: string, user: string) => {
    const item = items.get(id);
    return item?.user === user ? item : undefined;
  };
  const revive = () => {
    const now = performance.now();
    const lost = inState('running').filter(({ renewedMs }) => renewedMs + leaseMs <= now);
    const due = inState('waiting').filter(({ dueMs }) => dueMs <= now);
    for (const item of lost) item.lostMs = item.renewedMs;
    for (const item of [...lost, ...due]) makeReady(item);
    return lost.length + due.length;
  };
  const noteServed = (item: Item) => void servedAt.set(item.user, ++served);
  const nextReady = ({ kinds, perUser }: { readonly kinds: readonly string[]; readonly perUser: number }) => {
    const running = inState('running');
    const runningOf = (user: string) => running.filter((item) => item.user === user).length;
    const isBusy = (item: Item) => item.session !== undefined && running.some((other) => sameSession(item, other));
    const candidates = inState('ready').filter(
      (item) => kinds.includes(item.kind) && runningOf(item.user) < perUser && !isBusy(item),
    );
    const turn = (item: Item) => [
      ...[runningOf(item.user), servedAt.get(item.user) ?? 0],
      ...[item.priority, item.number],
    ];
    return candidates.sort((a, b) => compare(turn(a), turn(b)))[0];
  };
  const leave = (work: HeldWork, next: WorkState, { delayMs = 0, isOrderly = true, ...more }: Leaving) => {
    const item = held(work);
    if (!item) return undefined;
    if (isOrderly) item.attempts = 0;
    if ('result' in more) item.result = structuredClone(more.result);
    item.dueMs = performance.now() + delayMs;
    const state = next === 'waiting' && (item.isAwake || item.isCancelled) ? 'ready' : next;
    item.lostMs = isOrderly ? undefined : item.renewedMs;
    if (state === 'ready') makeReady(item);
    else Object.assign(item, { state, worker: undefined, isAwake: false });
    if (state === 'ended') item.endedMs = performance.now();
    return state;
  };
  return { inState, held, ofUser, revive, nextReady, noteServed, leave };
}

function callerMethods(
  items: Map<string, Item>,
  { ofUser }: Items,
): Pick<WorkQueue, 'submit' | 'wake' | 'cancel' | 'reopen' | 'outcomes' | 'find' | 'remove'> {
  let submitted = 0;
  return {
    async submit({ priority = 0, delayMs = 0, ...work }) {
      if (items.has(work.id)) return false;
      const now = performance.now();
      items.set(work.id, {
        ...work,
        request: structuredClone(work.request),
        priority,
        number: ++submitted,
        submittedMs: now,
        state: delayMs > 0 ? 'waiting' : 'ready',
        dueMs: now + delayMs,
        readyMs: now,
        renewedMs: 0,
        isAwake: false,
        isCancelled: false,
        asked: 0,
        worker: undefined,
        fence: 0,
        attempts: 0,
        lostMs: undefined,
        result: undefined,
        endedMs: undefined,
      });
      return true;
    },
    async wake(id) {
      const item = items.get(id);
      const state = item?.state;
      if (item && state === 'waiting') makeReady(item);
      if (item && state === 'running') item.isAwake = true;
      return state;
    },
    async cancel(id, user) {
      const item = ofUser(id, user);
      const state = item?.state;
      if (!item || state === 'ended') return state;
      item.isCancelled = true;
      if (item.fence > 0) {
        if (state === 'waiting') makeReady(item);
        return state;
      }
      Object.assign(item, { state: 'ended', endedMs: performance.now() });
      return 'cancelled';
    },
    async reopen(id, user, request, priority = 0) {
      const item = ofUser(id, user);
      const state = item?.state;
      if (!item || state === 'ready' || state === 'running') return state;
      const fresh = { isCancelled: false, asked: 0, attempts: 0, result: undefined, endedMs: undefined };
      Object.assign(item, { request: structuredClone(request), priority, lostMs: undefined, ...fresh });
      makeReady(item);
      return state;
    },
    outcomes: async (ids) => ids.flatMap((id) => items.get(id) ?? []).map(outcomeOf),
    async find(id, user) {
      const item = ofUser(id, user);
      if (!item) return undefined;
      const endedAt = item.endedMs === undefined ? {} : { endedAt: timeOf(item.endedMs) };
      return { ...outcomeOf(item), request: item.request, submittedAt: timeOf(item.submittedMs), ...endedAt };
    },
    async remove(id, user) {
      if (ofUser(id, user)?.state === 'ended') items.delete(id);
    },
  };
}

function workerMethods({
  inState,
  held,
  revive,
  nextReady,
  noteServed,
  leave,
}: Items): Pick<WorkQueue, 'claim' | 'renew' | 'finish' | 'suspend' | 'release' | 'ask'> {
  return {
    async claim({ worker, most, ...options }) {
      revive();
      const claimed: ClaimedWork[] = [];
      while (claimed.length < most) {
        const item = nextReady(options);
        if (!item) break;
        item.fence++;
        item.attempts++;
        const now = performance.now();
        Object.assign(item, { state: 'running', worker, renewedMs: now, isAwake: false });
        noteServed(item);
        claimed.push(claimedOf(item, worker, now));
      }
      return claimed;
    },
    async renew(worker, ids) {
      const own = inState('running').filter((item) => item.worker === worker && ids.includes(item.id));
      for (const item of own) item.renewedMs = performance.now();
      return own.map(({ id, fence, isCancelled }) => ({ id, fence, isCancelled }));
    },
    finish: async (work, result) => leave(work, 'ended', { result }) !== undefined,
    suspend: async (work, { delayMs, result }) => leave(work, 'waiting', { delayMs, result }),
    release: async (work, { delayMs = 0, isLost = false } = {}) =>
      leave(work, delayMs > 0 ? 'waiting' : 'ready', { delayMs, isOrderly: !isLost }) !== undefined,
    async ask(work) {
      const item = held(work);
      if (item) item.asked++;
    },
  };
}

function clusterMethods(items: Map<string, Item>, { inState, revive }: Items): Pick<WorkQueue, 'reconcile' | 'counts'> {
  return {
    async reconcile(_process, most) {
      const revived = revive();
      const old = performance.now() - KEPT_MS;
      for (const { id, endedMs } of inState('ended')) if ((endedMs ?? 0) <= old) items.delete(id);
      const ready = inState('ready').sort((a, b) => compare([a.priority, a.number], [b.priority, b.number]));
      return { revived, ready: ready.slice(0, most).map(({ id }) => id), unqueued: [] };
    },
    async counts() {
      const now = performance.now();
      const [ready, running] = [inState('ready'), inState('running')];
      return {
        ready: ready.length,
        running: running.length,
        waiting: inState('waiting').length,
        oldestReadyMs: Math.max(0, ...ready.map(({ readyMs }) => now - readyMs)),
        leaseAgeMs: Math.max(0, ...running.map(({ renewedMs }) => now - renewedMs)),
      };
    },
  };
}

interface Leaving {
  readonly delayMs?: number;
  readonly isOrderly?: boolean;
  readonly result?: unknown;
}

function makeReady(item: Item): void {
  Object.assign(item, { state: 'ready', worker: undefined, isAwake: false, readyMs: performance.now() });
}

function sameSession(one: Item, other: Item): boolean {
  return one.session === other.session && one.user === other.user && one.kind === other.kind;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function claimedOf(item: Item, worker: string, now: number): ClaimedWork {
  const { id, kind, request, fence, attempts, isCancelled, readyMs, lostMs } = item;
  const lost = lostMs === undefined ? {} : { lostMs: now - lostMs };
  return { id, kind, request, fence, worker, attempts, isCancelled, waitedMs: now - readyMs, ...lost };
}

function outcomeOf({ id, state, isCancelled, asked, result }: Item): WorkOutcome {
  return { id, state, isCancelled, asked, result };
}

function timeOf(monotonicMs: number): string {
  return new Date(performance.timeOrigin + monotonicMs).toISOString();
}
