import { expect, it } from 'vitest';
import { createRecords } from './call-record.ts';

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
