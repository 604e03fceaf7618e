import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, test } from 'vitest';
import { bridgeHostFixture } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf, until } from '../../../../test/fixtures/server.ts';
import type { Limits } from '../config/sections/limits.ts';
import { ToolwrightError } from '../errors.ts';
import type { ToolCallRecord } from '../journal/call-record.ts';
import { createRecords, createToolCalls } from './calls.ts';

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
  const calls = createToolCalls({ ...options, onTooMany: () => tooMany.push('too many'), onWarning: () => undefined });
  return { calls, entries, tooMany };
}

const withoutTimes = (records: readonly ToolCallRecord[]) => records.map(({ durationMs: _time, ...rest }) => rest);

test('journals a call before and after it is sent, and records it', async () => {
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

test('journals and records the code of a failed or refused call', async () => {
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

test('neither sends nor journals a call with too large arguments', async () => {
  const { calls, entries } = bench({ callArgumentBytes: 20 });
  expect(await calls.call('t__echo', { value: '12345678' }, now)).toBe('"12345678"');
  const failure = await failureOf(calls.call('t__echo', { value: '123456789' }, now));
  expect(failure.message).toBe('The arguments of t__echo have 21 bytes, the limit is 20. Send less at once.');
  expect(entries.map(([kind, number]) => [kind, number])).toEqual([
    ['begin', 1],
    ['end', 1],
  ]);
  expect(withoutTimes(calls.records())[1]).toEqual({
    number: 2,
    tool: 't__echo',
    status: 'failed',
    argumentBytes: 21,
    resultBytes: 0,
    code: 'ARGUMENTS_TOO_LARGE',
  });
});

test('fails a call whose result is too large', async () => {
  const { calls, entries } = bench({ callResultBytes: 10 });
  expect(await calls.call('t__echo', { value: '12345678' }, now)).toBe('"12345678"');
  const failure = await failureOf(calls.call('t__echo', { value: '123456789' }, now));
  const message = 't__echo returned 11 bytes, the limit is 10. The call took effect. Request less, by page or filter.';
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

test('does not send a call beyond the limit, and reports it', async () => {
  const { calls, entries, tooMany } = bench({ toolCalls: 2 });
  await calls.call('t__echo', {}, now);
  await calls.call('t__echo', {}, now);
  expect(tooMany).toEqual([]);
  const failure = await failureOf(calls.call('t__echo', {}, now));
  expect([failure.code, tooMany, entries.length]).toEqual(['CANCELLED', ['too many'], 4]);
  expect(failure.message).toMatch(/^The execution made more than 2 tool calls\./);
});

test('cancels running calls and refuses waiting ones on close, and journals nothing more', async () => {
  const { calls, entries } = bench({ parallelCalls: 1 });
  const cut = failureOf(calls.call('t__wait', { ms: 5_000 }, now));
  const waiting = failureOf(calls.call('t__echo', {}, now));
  await until(() => entries.length > 0);
  calls.close();
  expect([(await cut).code, (await waiting).code]).toEqual(['CANCELLED', 'CANCELLED']);
  expect((await failureOf(calls.call('t__echo', {}, now))).code).toBe('CANCELLED');
  expect(entries).toEqual([['begin', 1, 't__wait', '{"ms":5000}']]);
  expect(calls.records().map(({ tool, status }) => [tool, status])).toEqual([['t__wait', 'unanswered']]);
});

test('neither counts nor journals a call with too long a name', async () => {
  const { calls, entries } = bench();
  const failure = await failureOf(calls.call('t__'.padEnd(1_001, 'x'), {}, now));
  expect([failure.code, entries, calls.records()]).toEqual(['UNKNOWN_TOOL', [], []]);
});

test('does not send a call that cannot be journalled', async () => {
  const sent: unknown[] = [];
  const { options } = bridgeHostFixture({ echo: { run: (args) => sent.push(args) } });
  const full = () => {
    throw new Error('ENOSPC');
  };
  const calls = createToolCalls({
    ...options,
    journal: { begin: full, pause: full, resend: full, end: full, flushed: async () => undefined },
    onTooMany: () => undefined,
    onWarning: () => undefined,
  });
  await expect(calls.call('t__echo', {}, now)).rejects.not.toBeInstanceOf(ToolwrightError);
  expect(sent).toEqual([]);
});

test('processes one result at a time, when the bridge has capacity', async () => {
  const { calls, entries } = bench();
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  let asked = 0;
  // The second request for capacity comes before the result is processed.
  const roomAfterSending = () => (++asked === 2 ? gate : now());
  const first = calls.call('t__echo', { value: 1 }, roomAfterSending);
  const second = calls.call('t__echo', { value: 2 }, now);
  await until(() => asked === 2 && entries.length === 2);
  expect(entries.map(([kind]) => kind)).toEqual(['begin', 'begin']);
  go();
  expect(await Promise.all([first, second])).toEqual(['1', '2']);
});

const OPEN = { status: 'unanswered', durationMs: 0, argumentBytes: 0, resultBytes: 0 };

it('lists records by number, unanswered until they are closed', () => {
  const records = createRecords();
  const third = records.open({ number: 3, tool: 't__c' });
  records.open({ number: 1, tool: 't__a' });
  expect(records.list()).toEqual([
    { number: 1, tool: 't__a', ...OPEN },
    { number: 3, tool: 't__c', ...OPEN },
  ]);
  third.argumentBytes = 2;
  third.resultBytes = 4;
  records.close(third, 'answered');
  expect(records.list()[1]).toEqual({
    number: 3,
    tool: 't__c',
    status: 'answered',
    durationMs: expect.any(Number),
    argumentBytes: 2,
    resultBytes: 4,
  });
  expect(records.list()[1]?.durationMs).toBeGreaterThan(0);
});

it('keeps the code of a failed call, and a list does not change later', () => {
  const records = createRecords();
  const record = records.open({ number: 1, tool: 't__a' });
  const before = records.list();
  records.close(record, 'failed', 'TOOL_FAILED');
  expect(before).toEqual([{ number: 1, tool: 't__a', ...OPEN }]);
  expect(records.list()).toMatchObject([{ status: 'failed', code: 'TOOL_FAILED' }]);
});
