import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Journal } from '../../../packages/core/src/journal/journal.ts';
import type { StoredDecision } from '../../../packages/core/src/journal/questions/decisions.ts';
import { readRequest } from '../../../packages/sandbox/src/bridge/protocol.ts';
import type { ExecutionStorageCase } from './case.ts';
import { acquired, eventually, LIMITS, listed, PROCESS, recordingOf, start } from './steps.ts';

function decision(executionId: string, more: Partial<StoredDecision> = {}): StoredDecision {
  const at = '2026-01-01T00:00:00.000Z';
  return { executionId, number: 1, action: 'approve', binding: 'b', at, value: { secret: 'ann@example.com' }, ...more };
}

/** Writes a question about a call. */
function ask(journal: Journal, expiresMs: number): void {
  journal.receive(readRequest(1, '["call","a__b",{}]'), false);
  const asked = { kind: 'approval' as const, tool: 'a__b', arguments: {}, binding: 'b', toolBinding: 't' };
  journal.ask({ number: 1, request: 1, ...asked, expiresMs });
}

/** The rules of decisions, requests to cancel, searches and removal. */
export const otherStateCases: readonly ExecutionStorageCase[] = [
  {
    name: 'keeps the first decision of each question until the end, and reports it to every process',
    async run({ one, other, user }) {
      const id = randomUUID();
      const { journal } = await start(one, user, { id });
      ask(journal, Date.now() + 3_600_000);
      const reported: string[] = [];
      const end = one.decisions.onDecision((each) => reported.push(each));
      const added = await Promise.all([
        one.decisions.add(decision(id, { by: 'ann' })),
        other.decisions.add(decision(id, { by: 'bob' })),
        other.decisions.add(decision(id, { number: 2, question: 3, action: 'deny' })),
      ]);
      assert.deepEqual([added.slice(0, 2).sort(), added[2]], [[false, true], true]);
      const found = await other.decisions.find(id, 1);
      assert.deepEqual([found?.action, found?.value], ['approve', { secret: 'ann@example.com' }]);
      assert.deepEqual((await one.decisions.find(id, 1))?.by, found?.by);
      assert.equal((await one.decisions.find(id, 2, 3))?.action, 'deny');
      assert.equal(await one.decisions.find(id, 2), undefined);
      await eventually(() => reported.includes(id));
      end();
      await other.decisions.forget(id, 1);
      assert.equal(await one.decisions.find(id, 1), undefined);
      assert.equal(await one.decisions.add(decision(id)), true);
      journal.close('completed');
      await journal.flushed();
      assert.deepEqual([await one.decisions.find(id, 1), await one.decisions.find(id, 2, 3)], [undefined, undefined]);
    },
  },
  {
    name: 'keeps a decision about a dry run after its end, until it is removed',
    async run({ one, other, user }) {
      const id = randomUUID();
      const { journal, lease } = await start(one, user, { id, dryRun: true });
      journal.close('completed');
      await journal.flushed();
      await lease.release();
      assert.equal(await other.decisions.add(decision(id, { number: 0 })), true);
      assert.equal((await one.decisions.find(id, 0))?.action, 'approve');
      assert.ok((await other.remove(id, user)) > 100);
      assert.equal(await one.decisions.find(id, 0), undefined);
      assert.deepEqual(
        [await one.ends(id, 'head'), await listed(one, user), await one.bytes(user)],
        [undefined, [], 0],
      );
    },
  },
  {
    name: 'carries a request to cancel to the process that runs an execution',
    async run({ one, other, user }) {
      const id = randomUUID();
      const cancelled: string[] = [];
      one.onCancelRequest((each) => cancelled.push(each) > 0);
      other.onCancelRequest(() => false);
      await start(one, user, { id });
      await other.requestCancel(id);
      await eventually(() => cancelled.includes(id));
    },
  },
  {
    name: 'finds suspended executions whose time has come or that have a new decision',
    async run({ one, other, key, user }) {
      const [due, later] = [randomUUID(), randomUUID()];
      for (const [id, wakeMs] of [
        [due, Date.now() - 1_000],
        [later, Date.now() + 3_600_000],
      ] as const) {
        const { journal, lease } = await start(one, user, { id });
        ask(journal, wakeMs);
        journal.suspend({ waitingFor: ['approval'], wakeMs, ranMs: 1 });
        await journal.flushed();
        await lease.release();
      }
      const find = async (...skipped: string[]) => {
        const found = await other.findSuspended(new Set(skipped));
        return found.map(({ id }) => id).filter((id) => id === due || id === later);
      };
      assert.deepEqual([await find(), await find(due)], [[due], []]);
      await one.decisions.add(decision(later));
      assert.deepEqual(await find(due), [later]);
      const seen = await recordingOf(other, later, key);
      const { lease, ...claim } = await acquired(other, seen);
      const journal = await claim.resume(seen, PROCESS, LIMITS);
      assert.deepEqual(await find(due), []);
      journal.decide({ number: 1, action: 'approve' });
      journal.suspend({ waitingFor: ['timer'], wakeMs: Date.now() + 3_600_000, ranMs: 1 });
      await journal.flushed();
      await lease.release();
      // The decision is applied.
      assert.deepEqual(await find(due), []);
    },
  },
  {
    name: 'purges executions that were last used before a time, except those that run or wait',
    async run({ one, other, user }) {
      const [ended, running, waiting] = [randomUUID(), randomUUID(), randomUUID()];
      const first = await start(one, user, { id: ended });
      first.journal.close('completed');
      await first.journal.flushed();
      await start(one, user, { id: running, session: 'r' });
      const third = await start(one, user, { id: waiting, session: 'w' });
      third.journal.suspend({ waitingFor: ['approval'], wakeMs: Date.now() + 3_600_000, ranMs: 1 });
      await third.journal.flushed();
      const { signal } = new AbortController();
      const now = Date.now();
      const kept = await other.purge({ oldestMs: Number.NEGATIVE_INFINITY, now, signal });
      assert.deepEqual([kept.journals, kept.usedSessions.has('r'), kept.usedSessions.has('w')], [0, true, true]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const purged = await other.purge({ oldestMs: Date.now(), now: Date.now(), signal });
      assert.ok(purged.journals >= 1);
      const left = await Promise.all([ended, running, waiting].map((id) => one.ends(id, 'head')));
      assert.deepEqual(
        left.map((ends) => ends !== undefined),
        [false, true, true],
      );
    },
  },
];
