import { expect, it } from 'vitest';
import { monotonicMs } from '../clocks/machine-clock.ts';
import type { RenewedRow } from './renewal-orders.ts';
import { openRowLeases } from './row-leases.ts';

const TTL_MS = 60_000;

/** Opens leases on rows that a test changes. */
function openLeases() {
  const rows = new Map<string, RenewedRow>();
  const leases = openRowLeases({
    ttlMs: TTL_MS,
    renew: async (_owner, ids) => ids.flatMap((id) => rows.get(id) ?? []),
  });
  const heard: unknown[] = [];
  const take = (id: string, { ageMs = 0, keeps = false } = {}) => {
    rows.set(id, { id, fence: '1', isWanted: false });
    return leases.add({
      id,
      fence: '1',
      sinceMs: monotonicMs() - ageMs,
      onRenewed: (isWanted) => heard.push([id, isWanted]),
      onLost: () => {
        heard.push([id, 'lost']);
        return !keeps;
      },
    });
  };
  return { rows, leases, heard, take };
}

it('renews all leases, and reports what others ask for', async () => {
  const { rows, leases, heard, take } = openLeases();
  const [one, two] = [take('one', { ageMs: TTL_MS }), take('two', { ageMs: TTL_MS - 1_000 })];
  expect([one.isHeld(), two.isHeld()]).toEqual([false, true]);
  rows.set('two', { id: 'two', fence: '1', isWanted: true });
  await leases.renew();
  expect([one.isHeld(), two.isHeld(), one.ageMs() < TTL_MS / 2]).toEqual([true, true, true]);
  expect(heard).toEqual([
    ['one', false],
    ['two', true],
  ]);
});

it('loses the rows that another owner has, for ever', async () => {
  const { rows, leases, heard, take } = openLeases();
  const [gone, taken, leaving] = [take('gone'), take('taken'), take('leaving', { keeps: true })];
  rows.delete('gone');
  rows.set('taken', { id: 'taken', fence: '2', isWanted: false });
  rows.delete('leaving');
  await leases.renew();
  expect([gone, taken, leaving].map((lease) => lease.isHeld())).toEqual([false, false, true]);
  rows.set('gone', { id: 'gone', fence: '1', isWanted: false });
  await leases.renew();
  expect([gone.isHeld(), heard]).toEqual([
    false,
    [
      ['gone', 'lost'],
      ['taken', 'lost'],
      ['leaving', 'lost'],
      ['leaving', 'lost'],
    ],
  ]);
});

it('judges no lease by a renewal that began before it was taken', async () => {
  let answer: (rows: readonly RenewedRow[]) => void = () => undefined;
  const leases = openRowLeases({
    ttlMs: TTL_MS,
    renew: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const lost: string[] = [];
  const take = (fence: string) =>
    leases.add({ id: 'row', fence, sinceMs: monotonicMs(), onLost: () => void lost.push(fence) });
  take('1');
  const renewing = leases.renew();
  const again = take('2');
  answer([]);
  await renewing;
  expect([again.isHeld(), lost]).toEqual([true, []]);
});

it('renews once for many calls at once', async () => {
  let renewals = 0;
  const leases = openRowLeases({
    ttlMs: TTL_MS,
    renew: async () => {
      renewals++;
      return [];
    },
  });
  leases.add({ id: 'row', fence: '1', sinceMs: monotonicMs() });
  await Promise.all([leases.renew(), leases.renew()]);
  expect(renewals).toBe(1);
});
