import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { claim, claimOne, expired, type QueueCase, submitted } from './case.ts';

const stateOf = async (
  queue: { outcomes(ids: readonly string[]): Promise<readonly { state: string }[]> },
  id: string,
) => (await queue.outcomes([id]))[0]?.state;

export const stateCases: readonly QueueCase[] = [
  {
    name: 'stores any JSON as result, and reports the outcomes of known ids',
    async run({ queue, other }) {
      const id = await submitted(queue);
      const result = { value: ['\u0000', 'a'.repeat(100_000), null], nothing: null };
      assert.equal(await queue.finish(await claimOne(queue), result), true);
      const outcome = { id, state: 'ended', isCancelled: false, asked: 0, result };
      assert.deepEqual(await other.outcomes([randomUUID(), id]), [outcome]);
      assert.deepEqual(await other.outcomes([]), []);
      const found = await other.find(id, 'ada');
      assert.deepEqual([found?.request, found?.result, await other.find(id, 'bob')], [{ id }, result, undefined]);
      assert.ok(Date.parse(found?.submittedAt ?? '') <= Date.parse(found?.endedAt ?? ''));
      await queue.remove(id, 'bob');
      assert.equal(await stateOf(other, id), 'ended');
      await queue.remove(id, 'ada');
      assert.deepEqual(await other.outcomes([id]), []);
    },
  },
  {
    name: 'makes submitted and suspended work ready at its time',
    async run({ queue, other }) {
      const late = await submitted(queue, { delayMs: 300 });
      const id = await submitted(queue);
      assert.equal(await queue.suspend(await claimOne(queue), { delayMs: 300, result: 'waits' }), 'waiting');
      assert.deepEqual(await claim(other), []);
      assert.deepEqual(await queue.outcomes([id]), [
        { id, state: 'waiting', isCancelled: false, asked: 0, result: 'waits' },
      ]);
      await sleep(350);
      const claimed = await claim(other, { most: 3 });
      assert.deepEqual(claimed.map((work) => work.id).sort(), [id, late].sort());
      assert.deepEqual(
        claimed.map(({ attempts }) => attempts),
        [1, 1],
      );
    },
  },
  {
    name: 'makes waiting work ready at a wake-up, also at one that came before it waits',
    async run({ queue, other }) {
      const id = await submitted(queue);
      const work = await claimOne(queue);
      await queue.suspend(work, { delayMs: 60_000, result: null });
      assert.equal(await other.wake(id), 'waiting');
      const again = await claimOne(queue);
      assert.deepEqual([again.id, again.fence], [id, 2]);
      assert.equal(await other.wake(id), 'running');
      assert.equal(await queue.suspend(again, { delayMs: 60_000, result: null }), 'ready');
      const third = await claimOne(other);
      assert.equal(await other.suspend(third, { delayMs: 60_000, result: null }), 'waiting');
      assert.equal(await queue.wake(randomUUID()), undefined);
    },
  },
  {
    name: 'ends cancelled work that no worker had begun',
    async run({ queue, other }) {
      const ids = [await submitted(queue), await submitted(queue, { delayMs: 60_000 })];
      for (const id of ids) {
        assert.equal(await other.cancel(id, 'bob'), undefined);
        assert.equal(await other.cancel(id, 'ada'), 'cancelled');
        assert.equal(await other.cancel(id, 'ada'), 'ended');
      }
      assert.deepEqual(await claim(queue), []);
      assert.deepEqual(
        (await queue.outcomes(ids)).map(({ state, isCancelled }) => [state, isCancelled]),
        [
          ['ended', true],
          ['ended', true],
        ],
      );
    },
  },
  {
    name: 'lets workers cancel work that was begun: running, waiting, and running until it waits',
    async run({ queue, other }) {
      const id = await submitted(queue);
      const worker = randomUUID();
      const work = await claimOne(queue, { worker });
      assert.equal(await other.cancel(id, 'ada'), 'running');
      assert.deepEqual(await queue.renew(worker, [id]), [{ id, fence: 1, isCancelled: true }]);
      assert.equal(await queue.suspend(work, { delayMs: 60_000, result: null }), 'ready');
      const again = await claimOne(other);
      assert.equal(again.isCancelled, true);
      await other.finish(again, 'over');
      const waiting = await submitted(queue);
      await queue.suspend(await claimOne(queue), { delayMs: 60_000, result: null });
      assert.equal(await other.cancel(waiting, 'ada'), 'waiting');
      assert.equal((await claimOne(queue)).isCancelled, true);
    },
  },
  {
    name: 'makes waiting and ended work ready again with another request',
    async run({ queue, other }) {
      const id = await submitted(queue);
      assert.equal(await other.reopen(id, 'ada', 'second'), 'ready');
      const work = await claimOne(queue);
      assert.deepEqual([work.request, await other.reopen(id, 'ada', 'second')], [{ id }, 'running']);
      await queue.finish(work, 'first result');
      assert.equal(await other.reopen(id, 'bob', 'second'), undefined);
      assert.equal(await other.reopen(id, 'ada', 'second'), 'ended');
      assert.deepEqual(await queue.outcomes([id]), [
        { id, state: 'ready', isCancelled: false, asked: 0, result: undefined },
      ]);
      const again = await claimOne(other);
      assert.deepEqual([again.request, again.fence, again.attempts], ['second', 2, 1]);
    },
  },
  {
    name: 'releases work to other workers, and counts lost runs',
    async run({ queue, other }) {
      await submitted(queue);
      assert.equal(await queue.release(await claimOne(queue)), true);
      const second = await claimOne(other);
      assert.deepEqual([second.attempts, second.fence, second.lostMs], [1, 2, undefined]);
      assert.equal(await other.release(second, { isLost: true, delayMs: 100 }), true);
      assert.deepEqual(await claim(queue), []);
      await sleep(150);
      assert.equal((await claimOne(queue)).attempts, 2);
    },
  },
  {
    name: 'counts questions, and works by their state',
    async run({ queue, other }) {
      const before = await queue.counts();
      const ids = [await submitted(queue), await submitted(queue), await submitted(queue, { delayMs: 60_000 })];
      const work = await claimOne(other);
      await other.ask(work);
      await other.ask(work);
      assert.equal((await queue.outcomes([work.id]))[0]?.asked, 2);
      await sleep(20);
      const after = await queue.counts();
      const added = (['ready', 'running', 'waiting'] as const).map((state) => after[state] - before[state]);
      assert.deepEqual(added, [1, 1, 1]);
      assert.ok(after.oldestReadyMs > 0 && after.leaseAgeMs > 0);
      for (const id of ids) await queue.cancel(id, 'ada');
    },
  },
  {
    name: 'reports to one process at a time the work that needs a worker',
    async run({ queue, other }) {
      const [leader, process] = [randomUUID(), randomUUID()];
      const ready = await submitted(queue, { priority: -9 });
      await queue.reconcile(leader, 1_000);
      const lost = await claimOne(queue);
      const due = await submitted(queue, { delayMs: 100, priority: -9 });
      await expired();
      const found = await queue.reconcile(leader, 1_000);
      assert.ok(found && found.revived >= 2);
      assert.deepEqual(found.ready.filter((id) => [lost.id, due].includes(id)).sort(), [lost.id, due].sort());
      assert.equal(lost.id, ready);
      assert.deepEqual((await queue.reconcile(leader, 1))?.ready.length, 1);
      if (queue !== other) assert.equal(await other.reconcile(process, 1_000), undefined);
    },
  },
];
