import { expect, test } from 'vitest';
import { readRow } from './read-row.ts';

const at = (ms: number) => new Date(Date.parse('2026-03-01T00:00:00Z') + ms).toISOString();
const line = (entry: string, ms: number, members: object) => JSON.stringify({ entry, at: at(ms), ...members });
const call = (number: number, ms: number, tool: string) => line('call', ms, { number, tool, arguments: {} });
const answer = (number: number, ms: number, ok = true) => line('answer', ms, { number, ok, result: null });

const rowOf = (lines: readonly string[]) => {
  async function* read() {
    yield [line('start', 0, { id: 'x', language: 'typescript', sandbox: 'quickjs', source: '' }), ...lines];
  }
  return readRow({ read, ends: async () => undefined }, 'x');
};

test('the times of calls are counted by tool, without failures, open calls and pauses', async () => {
  const row = await rowOf([
    call(1, 0, 'a__b'),
    call(2, 5, 'a__b'),
    answer(2, 17),
    answer(1, 1_234),
    call(3, 2_000, 'a__b'),
    answer(3, 9_000, false),
    call(4, 10_000, 'a__ask'),
    line('pause', 10_010, { number: 4 }),
    line('send', 900_000, { number: 4 }),
    answer(4, 900_012),
    call(5, 900_020, 'a__open'),
  ]);
  expect(row?.tools).toEqual([
    { tool: 'a__b', calls: 3, failed: 1, times: { 12: 1, 1200: 1 } },
    { tool: 'a__ask', calls: 1, failed: 0, times: { 12: 1 } },
    { tool: 'a__open', calls: 1, failed: 0 },
  ]);
});
