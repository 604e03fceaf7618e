import { expect, it } from 'vitest';
import { memoryJournal } from '../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../test/fixtures/partial.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { newRedactor } from '../../../../test/fixtures/tool-calls.ts';
import { NO_REDACTION } from '../../../pii/src/redaction/redactor.ts';
import { ToolwrightError } from '../errors.ts';
import { openEntries } from './journal.ts';

const call = {
  number: 3,
  tool: 'crm__find',
  args: { to: 'ada@example.com' },
  argumentText: '{"to":"ada@example.com"}',
};

function open(redactor = NO_REDACTION) {
  const { journal, entries } = memoryJournal();
  const ending = new AbortController();
  return {
    written: entries,
    ending,
    entries: openEntries(call, partial({ journal, redactor, signal: ending.signal })),
  };
}

it('writes a call and its result', async () => {
  const { entries, written } = open();
  await entries.begin();
  expect(written).toEqual([['begin', 3, 'crm__find', '{"to":"ada@example.com"}']]);
  entries.end('[1]');
  expect(written.slice(1)).toEqual([['end', 3, true, '[1]']]);
});

it('writes the error of a sent call', async () => {
  const { entries, written } = open();
  await entries.begin();
  await entries.fail(partial({ journalText: '{"code":"TOOL_FAILED"}' }));
  expect(written.map(([kind]) => kind)).toEqual(['begin', 'end']);
  expect(written[1]).toEqual(['end', 3, false, '{"code":"TOOL_FAILED"}']);
});

it('writes a refused call before its error', async () => {
  const { entries, written } = open();
  await entries.fail(partial({ journalText: '{"code":"UNKNOWN_TOOL"}' }));
  expect(written).toEqual([
    ['begin', 3, 'crm__find', '{"to":"ada@example.com"}'],
    ['end', 3, false, '{"code":"UNKNOWN_TOOL"}'],
  ]);
});

it('redacts the arguments of programs that have values', async () => {
  const { entries, written } = open(newRedactor({ clear: new Set(['crm']) }));
  await entries.begin();
  expect(written).toEqual([['begin', 3, 'crm__find', '{"to":"[EMAIL_1]"}']]);
});

it('does not write a call again after writing failed', async () => {
  let attempts = 0;
  const begin = () => {
    attempts++;
    throw new ToolwrightError('JOURNAL_FULL', 'full');
  };
  const { signal } = new AbortController();
  const { journal } = memoryJournal();
  const entries = openEntries(call, partial({ journal: { ...journal, begin }, redactor: NO_REDACTION, signal }));
  expect((await failureOf(entries.begin())).code).toBe('JOURNAL_FULL');
  expect((await failureOf(entries.fail(partial({ journalText: '{}' })))).code).toBe('JOURNAL_FULL');
  expect(attempts).toBe(1);
});

it('writes nothing after the execution has ended', async () => {
  const { entries, written, ending } = open();
  await entries.begin();
  ending.abort(new ToolwrightError('CANCELLED', 'over'));
  expect(() => entries.end('1')).toThrow('over');
  expect((await failureOf(entries.fail(partial({ journalText: '{}' })))).code).toBe('CANCELLED');
  const other = open();
  other.ending.abort(new ToolwrightError('CANCELLED', 'over'));
  expect((await failureOf(other.entries.begin())).code).toBe('CANCELLED');
  expect([written.length, other.written]).toEqual([1, []]);
});
