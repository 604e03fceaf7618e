import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bridgeHostFixture } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { ToolwrightError } from '../errors.ts';
import type { Limits } from '../execution/limits.ts';
import { createToolCalls } from './calls.ts';
import type { ToolCallRecord } from './record.ts';

const now = async () => undefined;

function bench(limits: Partial<Limits> = {}) {
  const tooMany: string[] = [];
  const { options, entries } = bridgeHostFixture(
    {
      echo: { run: ({ value }) => value },
      refuse: {
        run: () => {
          throw new Error('no');
        },
      },
      wait: { run: ({ ms }) => sleep(Number(ms), 'done') },
    },
    limits,
  );
  const calls = createToolCalls({ ...options, onTooMany: () => tooMany.push('too many') });
  return { calls, entries, tooMany };
}

const withoutTimes = (records: readonly ToolCallRecord[]) => records.map(({ durationMs: _time, ...rest }) => rest);

test('a call is journalled before and after, and recorded', async () => {
  const { calls, entries } = bench();
  expect(await calls.call('t__echo', { value: { ü: 1 } }, now)).toBe('{"ü":1}');
  expect(entries).toEqual([
    ['begin', 1, 't__echo', '{"value":{"ü":1}}'],
    ['end', 1, true, '{"ü":1}'],
  ]);
  expect(withoutTimes(calls.records())).toEqual([
    { number: 1, tool: 't__echo', status: 'answered', argumentBytes: 18, resultBytes: 8 },
  ]);
});

test('a call that fails is journalled with its code, and recorded', async () => {
  const { calls, entries } = bench();
  const codes = [
    (await failureOf(calls.call('t__refuse', {}, now))).code,
    (await failureOf(calls.call('t__gone', {}, now))).code,
  ];
  expect(codes).toEqual(['TOOL_FAILED', 'UNKNOWN_TOOL']);
  expect(entries.map(([kind, number, third]) => [kind, number, third])).toEqual([
    ['begin', 1, 't__refuse'],
    ['end', 1, false],
    ['begin', 2, 't__gone'],
    ['end', 2, false],
  ]);
  expect(entries[1]?.[3]).toBe('{"code":"TOOL_FAILED","message":"no"}');
  expect(calls.records().map(({ status, code }) => [status, code])).toEqual([
    ['failed', 'TOOL_FAILED'],
    ['failed', 'UNKNOWN_TOOL'],
  ]);
});

test('arguments over the limit are not sent', async () => {
  const { calls, entries } = bench({ callArgumentBytes: 20 });
  expect(await calls.call('t__echo', { value: '12345678' }, now)).toBe('"12345678"');
  const failure = await failureOf(calls.call('t__echo', { value: '123456789' }, now));
  expect(failure.message).toBe('The arguments of t__echo have 21 bytes, the limit is 20. Send less at once.');
  expect(entries.filter(([kind]) => kind === 'begin').map(([, number]) => number)).toEqual([1]);
});

test('an answer over the limit is told as one failure that took effect', async () => {
  const { calls, entries } = bench({ callResultBytes: 10 });
  expect(await calls.call('t__echo', { value: '12345678' }, now)).toBe('"12345678"');
  const failure = await failureOf(calls.call('t__echo', { value: '123456789' }, now));
  const message =
    't__echo answered with 11 bytes, the limit is 10. The call took effect; ask for less, by page or by filter.';
  expect([failure.code, failure.message]).toEqual(['TOOL_RESULT_TOO_LARGE', message]);
  expect(entries.slice(2)).toEqual([
    ['begin', 2, 't__echo', '{"value":"123456789"}'],
    ['end', 2, false, JSON.stringify({ code: 'TOOL_RESULT_TOO_LARGE', message })],
  ]);
  expect(withoutTimes(calls.records())[1]).toEqual({
    number: 2,
    tool: 't__echo',
    status: 'failed',
    argumentBytes: 21,
    resultBytes: 11,
    code: 'TOOL_RESULT_TOO_LARGE',
  });
});

test('one call more than allowed ends it all and is not sent', async () => {
  const { calls, entries, tooMany } = bench({ toolCalls: 2 });
  await calls.call('t__echo', {}, now);
  await calls.call('t__echo', {}, now);
  expect(tooMany).toEqual([]);
  const failure = await failureOf(calls.call('t__echo', {}, now));
  expect([failure.code, tooMany, entries.length]).toEqual(['CANCELLED', ['too many'], 4]);
});

test('closing cuts off what is in flight, refuses what waits, and journals nothing more', async () => {
  const { calls, entries } = bench({ parallelCalls: 1 });
  const cut = failureOf(calls.call('t__wait', { ms: 5_000 }, now));
  const waiting = failureOf(calls.call('t__echo', {}, now));
  await sleep(20);
  calls.close();
  expect([(await cut).code, (await waiting).code]).toEqual(['CANCELLED', 'CANCELLED']);
  expect((await failureOf(calls.call('t__echo', {}, now))).code).toBe('CANCELLED');
  expect(entries).toEqual([['begin', 1, 't__wait', '{"ms":5000}']]);
  expect(calls.records().map(({ tool, status }) => [tool, status])).toEqual([['t__wait', 'unanswered']]);
});

test('an absurd name is neither looked up nor journalled', async () => {
  const { calls, entries } = bench();
  const failure = await failureOf(calls.call('t__'.padEnd(1_001, 'x'), {}, now));
  expect([failure.code, entries]).toEqual(['UNKNOWN_TOOL', []]);
});

test('a journal that cannot be written to stops the call before it is sent', async () => {
  const sent: unknown[] = [];
  const { options } = bridgeHostFixture({ echo: { run: (args) => sent.push(args) } });
  const full = () => {
    throw new Error('ENOSPC');
  };
  const calls = createToolCalls({ ...options, journal: { begin: full, end: full }, onTooMany: () => undefined });
  await expect(calls.call('t__echo', {}, now)).rejects.not.toBeInstanceOf(ToolwrightError);
  expect(sent).toEqual([]);
});
