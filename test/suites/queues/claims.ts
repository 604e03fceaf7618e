import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { claim, claimOne, expired, type QueueCase, SUITE_LEASE_MS, submitted } from './case.ts';

const ODD_USER = `\u0000\u{1F600}${'x'.repeat(250)}`;

export const claimCases: readonly QueueCase[] = [
  {
    name: 'stores work once, and gives it to one worker with its request',
    async run({ queue, other }) {
      const request = { text: 'a\u0000"\u{1F600}', list: [1, null, { deep: true }] };
      const id = await submitted(queue, { user: ODD_USER, session: 's'.repeat(10_000), request });
      assert.equal(await other.submit({ id, kind: 'execution', user: 'bob', request: {} }), false);
      const [work, ...more] = await claim(other, { most: 5 });
      assert.deepEqual([work?.id, work?.request, work?.fence, work?.attempts], [id, request, 1, 1]);
      assert.deepEqual([more, await claim(queue)], [[], []]);
    },
  },
  {
    name: 'claims no work of another kind',
    async run({ queue }) {
      const id = await submitted(queue, { kind: 'task' });
      assert.deepEqual(await claim(queue), []);
      assert.equal((await claimOne(queue, { kinds: ['execution', 'task'] })).id, id);
    },
  },
  {
    name: 'claims each work once, with many workers at once',
    async run({ queue, other }) {
      const ids = await Promise.all(
        Array.from({ length: 60 }, (_, index) => submitted(queue, { user: `u${index % 3}` })),
      );
      const claimed: string[] = [];
      const work = async (from: typeof queue) => {
        for (let found = await claim(from, { most: 3 }); found.length > 0; found = await claim(from, { most: 3 }))
          claimed.push(...found.map(({ id }) => id));
      };
      await Promise.all([queue, other, queue, other].map(work));
      assert.deepEqual(claimed.sort(), ids.sort());
    },
  },
  {
    name: 'claims for the users with the fewest running works first, whatever one of them has queued',
    async run({ queue }) {
      for (let count = 0; count < 120; count++) await submitted(queue, { user: 'flood' });
      for (let count = 0; count < 49; count++) await submitted(queue, { user: `user${count}`, request: count });
      const floods = async (most: number) =>
        (await claim(queue, { most })).filter(({ request }) => typeof request !== 'number').length;
      assert.deepEqual([await floods(25), await floods(25)].sort(), [0, 1]);
      // All other works run.
      assert.equal(await floods(9), 9);
    },
  },
  {
    name: 'lets no user exceed the limit, with workers that claim at once',
    async run({ queue, other }) {
      for (let count = 0; count < 20; count++) await submitted(queue);
      const claims = Array.from({ length: 10 }, (_, index) =>
        claim(index % 2 ? queue : other, { most: 4, perUser: 3 }),
      );
      const [first, ...rest] = (await Promise.all(claims)).flat();
      assert.equal(rest.length + 1, 3);
      assert.ok(first && (await queue.finish(first, null)));
      assert.equal((await claim(other, { most: 4, perUser: 3 })).length, 1);
    },
  },
  {
    name: 'runs one work of a session at once; other sessions, users and kinds are separate',
    async run({ queue, other }) {
      const ids = [await submitted(queue, { session: 's' }), await submitted(queue, { session: 's' })];
      const free = [await submitted(queue, { session: 't' }), await submitted(queue, { session: 's', user: 'bob' })];
      const task = await submitted(queue, { session: 's', kind: 'task' });
      const kinds = ['execution', 'task'] as const;
      const claimed = (await Promise.all([queue, other].map((from) => claim(from, { most: 5, kinds })))).flat();
      assert.deepEqual(claimed.map(({ id }) => id).sort(), [ids[0], ...free, task].sort());
      const first = claimed.find(({ id }) => id === ids[0]);
      assert.ok(first && (await queue.finish(first, null)));
      assert.equal((await claimOne(other, { kinds })).id, ids[1]);
    },
  },
  {
    name: 'claims work of a user by priority, then by age',
    async run({ queue }) {
      const [last, second, first] = [
        await submitted(queue, { priority: 5 }),
        await submitted(queue),
        await submitted(queue, { priority: -1 }),
      ];
      const third = await submitted(queue);
      const claimed = await claim(queue, { most: 4 });
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [first, second, third, last],
      );
    },
  },
  {
    name: 'gives work whose lease has expired to another worker, after which the first one changes nothing',
    async run({ queue, other }) {
      const id = await submitted(queue, { session: 's' });
      const lost = await claimOne(queue);
      assert.deepEqual(await claim(other), []);
      await expired();
      const taken = await claimOne(other);
      assert.deepEqual([taken.id, taken.fence, taken.attempts], [id, 2, 2]);
      assert.ok((taken.lostMs ?? 0) > 0);
      assert.equal(await queue.finish(lost, 'late'), false);
      assert.equal(await queue.suspend(lost, { delayMs: 0, result: 'late' }), undefined);
      assert.equal(await queue.release(lost), false);
      await queue.ask(lost);
      assert.deepEqual(await queue.renew(lost.worker, [id]), []);
      assert.deepEqual(await queue.outcomes([id]), [
        { id, state: 'running', isCancelled: false, asked: 0, result: undefined },
      ]);
      assert.equal(await other.finish(taken, 'in time'), true);
      assert.equal((await queue.outcomes([id]))[0]?.result, 'in time');
    },
  },
  {
    name: 'renews the named leases of a worker, and no others',
    async run({ queue, other }) {
      const worker = randomUUID();
      await submitted(queue);
      await submitted(queue);
      const forgotten = await submitted(queue, { priority: 1 });
      const own = await claim(queue, { worker, most: 2 });
      const ids = own.map(({ id }) => id);
      // A work of this worker whose end a crash has forgotten: nothing names it.
      assert.equal((await claimOne(queue, { worker })).id, forgotten);
      for (let beat = 0; beat < 5; beat++) {
        const renewed = await queue.renew(worker, ids);
        assert.deepEqual(renewed.map(({ id }) => id).sort(), [...ids].sort());
        await new Promise((resolve) => setTimeout(resolve, SUITE_LEASE_MS / 4));
      }
      const claimed = await claim(other, { most: 3 });
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [forgotten],
      );
    },
  },
];
