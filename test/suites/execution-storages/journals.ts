import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readRequest } from '../../../packages/sandbox/src/bridge/protocol.ts';
import type { ExecutionStorageCase } from './case.ts';
import { acquired, eventually, LIMITS, listed, PROCESS, recordingOf, start } from './steps.ts';

const SUSPENSION = { waitingFor: ['approval' as const], wakeMs: Date.now() + 3_600_000, ranMs: 1 };

/** The rules of journals, owners and histories. */
export const journalCases: readonly ExecutionStorageCase[] = [
  {
    name: 'has an execution from its start to its end, for every process',
    async run({ one, other, key, user }) {
      const id = randomUUID();
      assert.equal(await other.ends(id, 'whole'), undefined);
      const { journal, lease } = await start(one, user, { id, session: 's1' });
      assert.deepEqual([(await other.ends(id, 'whole'))?.start?.user, lease.isHeld()], [user, true]);
      assert.equal((await other.ends(id, 'head'))?.isRunning, true);
      journal.receive(readRequest(1, '["call","a__b",{}]'), false);
      journal.begin({ number: 1, request: 1, tool: 'a__b', arguments: '{"text":"snow ☃"}' });
      await journal.flushed();
      assert.equal((await recordingOf(other, id, key)).calls.get(1)?.tool, 'a__b');
      journal.end({ number: 1, request: 1, ok: true, result: '{"text":"𝄞"}' });
      journal.close('completed', { result: { value: 7 } });
      await journal.flushed();
      await lease.release();
      const ends = await other.ends(id, 'whole');
      assert.deepEqual([ends?.end?.status, ends?.isRunning, ends?.start?.source], ['completed', false, 'return "ü\n"']);
      const content = await other.content(id);
      assert.deepEqual([content?.status, content?.calls[0]?.answer?.result], ['completed', { text: '𝄞' }]);
      assert.deepEqual(
        (await listed(other, user)).map(({ status, session }) => [status, session]),
        [['completed', 's1']],
      );
      assert.ok((await other.bytes(user)) > 100);
    },
  },
  {
    name: 'refuses an id that another execution has',
    async run({ one, other, user }) {
      const id = randomUUID();
      const { journal } = await start(one, user, { id });
      await assert.rejects(start(other, user, { id }), { code: 'CONFIG_INVALID' });
      journal.close('completed');
      await journal.flushed();
      await assert.rejects(start(one, user, { id }), { code: 'CONFIG_INVALID' });
      assert.equal((await other.ends(id, 'head'))?.end?.status, 'completed');
    },
  },
  {
    name: 'lets one process continue a suspended execution, and nobody an ended one',
    async run({ one, other, key, user }) {
      const id = randomUUID();
      const first = await start(one, user, { id });
      const seen = await recordingOf(other, id, key);
      assert.equal(await other.acquire(seen), undefined);
      first.journal.suspend(SUSPENSION);
      await first.journal.flushed();
      await first.lease.release();
      const suspended = await recordingOf(other, id, key);
      assert.deepEqual((await other.ends(id, 'head'))?.suspension?.waitingFor, ['approval']);
      const claim = await acquired(other, suspended);
      assert.deepEqual([await one.acquire(suspended), await other.acquire(suspended)], [undefined, undefined]);
      const journal = await claim.resume(suspended, PROCESS, LIMITS);
      const running = await one.ends(id, 'head');
      assert.deepEqual([running?.isRunning, running?.suspension], [true, undefined]);
      journal.close('failed');
      await journal.flushed();
      await claim.lease.release();
      const ended = await recordingOf(one, id, key);
      assert.deepEqual([ended.resumes, ended.end?.status, ended.owner === ended.start.owner], [1, 'failed', false]);
      assert.deepEqual(
        (await listed(one, user)).map(({ status }) => status),
        ['failed'],
      );
    },
  },
  {
    name: 'gives an execution of a dead process to one other, and refuses the former owner for ever',
    async run({ one, other, key, user, kill }) {
      const id = randomUUID();
      const lost: string[] = [];
      one.onLost((each) => lost.push(each));
      const former = await start(one, user, { id });
      former.journal.begin({ number: 1, tool: 'a__b', arguments: '{}' });
      await former.journal.flushed();
      const seen = await recordingOf(other, id, key);
      await kill(former);
      assert.equal((await other.ends(id, 'head'))?.isRunning, false);
      const found = await other.findSuspended(new Set());
      assert.deepEqual(
        found.filter((each) => each.id === id).map(({ userId }) => userId),
        [user],
      );
      const tries = await Promise.all([other.acquire(seen), other.acquire(seen)]);
      const [claim, ...more] = tries.filter((each) => each !== undefined);
      assert.ok(claim && more.length === 0);
      const journal = await claim.resume(await recordingOf(other, id, key), PROCESS, LIMITS);
      for (let attempt = 0; attempt < 2; attempt++) {
        const late = async () => {
          former.lease.check();
          former.journal.begin({ number: 2, tool: 'a__b', arguments: '{}' });
          await former.journal.flushed();
        };
        await assert.rejects(late(), { code: 'OWNERSHIP_LOST' });
      }
      await assert.rejects(former.lease.confirm(), { code: 'OWNERSHIP_LOST' });
      assert.equal(former.lease.isHeld(), false);
      await eventually(() => lost.includes(id));
      // The release of the former owner leaves the new lease alone.
      await former.lease.release().catch(() => undefined);
      assert.equal(await one.acquire(seen), undefined);
      journal.close('completed');
      await journal.flushed();
      assert.equal((await recordingOf(other, id, key)).end?.status, 'completed');
    },
  },
  {
    name: 'lists the executions of a user in pages, newest first, and of no other user',
    async run({ one, other, user }) {
      const ids: string[] = [];
      for (let number = 0; number < 5; number++) {
        const id = randomUUID();
        ids.unshift(id);
        const { journal } = await start(one, user, { id, session: number % 2 === 0 ? 'even' : undefined });
        if (number > 0) journal.close(number === 1 ? 'failed' : 'completed');
        await journal.flushed();
        // Executions of one millisecond are in the order of their ids.
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      await start(one, `${user}2`);
      const all = await listed(other, user);
      assert.deepEqual(
        all.map(({ id }) => id),
        ids,
      );
      const [, second] = all;
      assert.deepEqual(await listed(other, user, { before: second?.key }), all.slice(2));
      assert.deepEqual(await listed(other, user, { before: 'no key' }).then(({ length }) => length <= 5), true);
      assert.equal((await listed(other, user, { sessionId: 'even' })).length, 3);
      // One that has not ended may have any status.
      assert.equal((await listed(other, user, { status: 'failed' })).length, 2);
      assert.deepEqual(await listed(other, `${user}3`), []);
    },
  },
];
