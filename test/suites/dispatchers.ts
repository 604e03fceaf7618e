import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@toolwright/sandbox/internal';
import type { Dispatcher } from '../../packages/server/src/cluster/dispatchers/dispatcher.ts';

/** One rule that every dispatcher must keep. */
export interface DispatcherCase {
  readonly name: string;
  /** Rejects with an `AssertionError` when the dispatcher breaks the rule. `other` is that of another process, or the same one. */
  run(run: { readonly dispatcher: Dispatcher; readonly other: Dispatcher }): Promise<void>;
}

const DEADLINE_MS = 30_000;
/** A report that has not arrived by then is lost. */
const LOST_MS = 3_000;

async function until(isSo: () => boolean, rule: string): Promise<void> {
  for (const end = Date.now() + DEADLINE_MS; !isSo(); await sleep(10))
    assert.ok(Date.now() < end, `${rule}: not within ${DEADLINE_MS} ms`);
}

interface Counter {
  reports: number;
  onReady(): Promise<void>;
}

/** Counts the reports that a process gets. */
function counter(): Counter {
  const counted = { reports: 0, async onReady() {} };
  counted.onReady = async () => void counted.reports++;
  return counted;
}

const works = (count: number) => Array.from({ length: count }, () => ({ id: randomUUID() }));

/** Resolves when reports of a dispatcher reach all listeners, with counts of 0: a new listener may miss some. */
async function reachAll(dispatcher: Dispatcher, counters: readonly Counter[]): Promise<void> {
  const sum = () => counters.reduce((total, { reports }) => total + reports, 0);
  const deadline = Date.now() + DEADLINE_MS;
  while (counters.some(({ reports }) => reports === 0)) {
    assert.ok(Date.now() < deadline, 'a listener gets no reports');
    const before = sum();
    dispatcher.notify(works(1));
    for (const end = Date.now() + LOST_MS; sum() === before && Date.now() < end; ) await sleep(5);
  }
  for (const each of counters) each.reports = 0;
}

export const dispatcherCases: readonly DispatcherCase[] = [
  {
    name: 'gives each report to one listener, of any process',
    async run({ dispatcher, other }) {
      const [here, there] = [counter(), counter()];
      dispatcher.listen(here.onReady);
      other.listen(there.onReady);
      await reachAll(dispatcher, [here, there]);
      dispatcher.notify(works(30));
      for (const work of works(30)) other.notify([work]);
      await until(() => here.reports + there.reports >= 60, 'all reports');
      await sleep(100);
      assert.equal(here.reports + there.reports, 60);
      assert.ok(here.reports > 0 && there.reports > 0);
    },
  },
  {
    name: 'reports work with a delay at its time, also where the same work was reported before',
    async run({ dispatcher, other }) {
      const here = counter();
      other.listen(here.onReady);
      await reachAll(dispatcher, [here]);
      const work = { id: randomUUID() };
      const started = Date.now();
      dispatcher.notify([{ ...work, delayMs: 2_000 }]);
      dispatcher.notify([work]);
      await until(() => here.reports === 1, 'the first report');
      assert.ok(Date.now() - started < 2_000);
      await until(() => here.reports === 2, 'the second report');
      assert.ok(Date.now() - started >= 1_990);
    },
  },
  {
    name: 'gives a paused listener no reports',
    async run({ dispatcher, other }) {
      const [here, there] = [counter(), counter()];
      const listening = dispatcher.listen(here.onReady);
      other.listen(there.onReady);
      await reachAll(dispatcher, [here, there]);
      dispatcher.notify(works(4));
      await until(() => here.reports + there.reports === 4, 'reports');
      listening.pause();
      const before = here.reports;
      for (const work of works(20)) dispatcher.notify([work]);
      await until(() => here.reports + there.reports === 24, 'reports to the other one');
      assert.equal(here.reports, before);
      listening.resume();
      for (let round = 0; here.reports === before; round++) {
        assert.ok(round < 200, 'no report after resume');
        dispatcher.notify(works(2));
        await sleep(20);
      }
    },
  },
  {
    name: 'goes on after a listener that failed, and stops after close',
    async run({ dispatcher }) {
      let reports = 0;
      const listening = dispatcher.listen(async () => {
        reports++;
        throw new Error('a defect of this listener');
      });
      dispatcher.notify(works(1));
      await until(() => reports === 1, 'the first report');
      dispatcher.notify(works(1));
      await until(() => reports === 2, 'the second report');
      await listening.close();
      dispatcher.notify(works(3));
      await sleep(200);
      assert.equal(reports, 2);
    },
  },
];

/** Runs one case. Rejects with an error that names the broken rule. */
export async function runDispatcherCase(
  open: () => Promise<{ readonly dispatcher: Dispatcher; readonly other: Dispatcher }>,
  testCase: DispatcherCase,
): Promise<void> {
  const run = await open();
  try {
    await testCase.run(run);
  } catch (error) {
    const message = `A dispatcher breaks the rule "${testCase.name}": ${messageOf(error)}`;
    throw new Error(message, { cause: error });
  } finally {
    await run.dispatcher[Symbol.asyncDispose]();
    await run.other[Symbol.asyncDispose]();
  }
}
