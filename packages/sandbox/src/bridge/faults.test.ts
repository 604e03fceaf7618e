import { expect, test } from 'vitest';
import { ToolwrightError } from '../../../core/src/errors.ts';
import { createFaultMemory, toFault } from './faults.ts';

const refuse = () => {
  throw new Error('no defect');
};

test.each<[ToolwrightError, object]>([
  [
    new ToolwrightError('TOOL_FAILED', 'no', { details: { server: 's' }, cause: new Error('secret') }),
    { name: 'ToolError', code: 'TOOL_FAILED', message: 'no', details: { server: 's' } },
  ],
  [new ToolwrightError('UNKNOWN_TOOL', 'which?'), { name: 'ToolError', code: 'UNKNOWN_TOOL', message: 'which?' }],
  [
    new ToolwrightError('FILE_ERROR', 'ENOENT: gone', { details: { errno: 'ENOENT' } }),
    { name: 'Error', code: 'ENOENT', message: 'ENOENT: gone' },
  ],
  [new ToolwrightError('WORKSPACE_FULL', 'full'), { name: 'Error', code: 'WORKSPACE_FULL', message: 'full' }],
  [
    new ToolwrightError('TOOL_FAILED', 'no', { details: { errno: 'SANDBOX_LOST' } }),
    { name: 'ToolError', code: 'TOOL_FAILED', message: 'no' },
  ],
])('the guest receives the message of a Toolwright error: %s', (error, fault) => {
  expect(toFault(error, refuse)).toEqual({ code: error.code, fault });
});

test.each([
  [new Error('password=hunter2 in /etc/host')],
  [new ToolwrightError('INTERNAL', 'password=hunter2')],
  ['a text'],
  [undefined],
])('the guest receives only the id of a defect, the host all of it: %s', (error) => {
  const defects: unknown[] = [];
  const { code, fault } = toFault(error, (...defect) => defects.push(defect));
  const id = /^Internal error \[([0-9a-f]{8})\]\. The log of the host has the details\.$/.exec(fault.message)?.[1];
  expect([code, fault.name, fault.code, fault.details, defects]).toEqual([
    'INTERNAL',
    'ToolError',
    'INTERNAL',
    undefined,
    [[id, error]],
  ]);
});

test('keeps the last faults, each in its latest version, with a part of their messages', () => {
  const memory = createFaultMemory(2);
  memory.add(1, { code: 'BUSY', message: 'a' });
  memory.add(2, { code: 'CLOSED', message: 'b' });
  memory.add(1, { code: 'INTERNAL', message: 'x'.repeat(100_000) });
  memory.add(3, { code: 'TOOL_FAILED', message: 'c' });
  expect([1, 2, 3].map((id) => memory.get(id)?.code)).toEqual(['INTERNAL', undefined, 'TOOL_FAILED']);
  expect(memory.get(1)?.message).toHaveLength(8_192);
});
