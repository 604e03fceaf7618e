import { twentyCalls } from '../cluster/clients.ts';
import { ask } from '../fixtures/http-server.ts';
import { createRandom } from '../fixtures/random.ts';
import { until } from '../fixtures/server.ts';
import { type Blocking, watchBlocking } from './blocking.ts';
import { program, recordingPython, type Work } from './clients.ts';
import { createLedger } from './ledger.ts';
import { atMost, type Figure, finish, shown } from './report.ts';
import { requestsOf, type Tally } from './requests.ts';
import type { User } from './served.ts';

/** A process that must answer again after a fault, without a restart. */
export interface Place {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Whether it accepts programs of clients. */
  readonly isApi: boolean;
}

/** Processes with the clients that use them. */
export interface Steady {
  readonly places: readonly Place[];
  readonly users: readonly User[];
  /** The file with the effects of all tools. */
  readonly effects: string;
  /** Returns the log of a process, for a broken bound. */
  details(): string;
}

const CLIENTS = 4;
/** Milliseconds until a process works again after a fault. */
const RECOVERY_MS = 120_000;

/**
 * Lets clients work during faults, which happen one after the other. After each, all processes must serve as before. Prints the figures, and
 * raises an error with the broken bounds. Returns the requests that count events.
 */
export async function underFaults(
  title: string,
  { places, users, effects, details }: Steady,
  faults: Readonly<Record<string, (work: Work) => Promise<void>>>,
): Promise<void> {
  const tally: Tally = new Map();
  const ledger = createLedger(effects);
  const ended = new AbortController();
  const apis = places.filter(({ isApi }) => isApi);
  const workOf = (index: number, service = apis[index % apis.length]): Work => {
    const [user = { name: '', headers: {} }] = users.slice(index % users.length);
    return { requests: requestsOf(service as Place, user, tally), ledger, random: createRandom(index + 1) };
  };
  const python = program('python', recordingPython);
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    for (const work = workOf(index); !ended.signal.aborted; ) {
      await (work.random.next() < 0.2 ? python : twentyCalls)(work);
      work.requests.count('programs of clients');
    }
  });
  const figures: Figure[] = [];
  for (const [name, fault] of Object.entries(faults)) {
    const watching = places.map((place) => watchBlocking(place));
    await fault(workOf(0));
    let notReady = 0;
    for (const place of places) if (!(await servesAgain(place, workOf(0, place)))) notReady++;
    const blocked: Blocking[] = await Promise.all(watching.map((each) => each.end()));
    figures.push(atMost(`processes that do not serve after "${name}"`, notReady, 0));
    const most = Math.max(...blocked.map(({ mostMs }) => mostMs));
    // The bound is for inputs: the first programs of a process load its code.
    figures.push(shown(`/health blocked during "${name}"`, `${Math.round(most)} ms`));
  }
  ended.abort();
  await Promise.all(clients);
  const balance = await ledger.balance();
  figures.push(
    ...[...tally].map(([name, count]) => shown(name, count)),
    shown('acknowledged executions and effects', balance.acknowledged),
    atMost('lost', balance.lost.length, 0),
    atMost('doubled effects', balance.doubled.length, 0),
    atMost('executions without an end', tally.get('executions without an end') ?? 0, 0),
    atMost('requests without a definite answer', tally.get('no definite answer') ?? 0, 0),
    atMost('internal errors', tally.get('internal errors') ?? 0, 0),
    atMost('ends of processes', places.filter(({ pid }) => !isAlive(pid)).length, 0),
  );
  finish(title, figures, () => `${JSON.stringify({ ...balance, acknowledged: undefined })}\n${details()}`);
}

/** Returns whether a process is ready, and an api process runs a program with a key. */
async function servesAgain({ url, isApi }: Place, { requests, ledger }: Work): Promise<boolean> {
  const isReady = async () => (await ask(`${url}/ready`).catch(() => undefined))?.status === 200;
  const isBack = await until(isReady, RECOVERY_MS).then(
    () => true,
    () => false,
  );
  return isBack && (!isApi || (await requests.once(ledger.newId(), { code: 'return 1' }))?.body.value === 1);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
