import { expect, it } from 'vitest';
import { redactLogLine } from './redact-log-line.ts';

const HEAD = { level: 50, time: 1_763_800_000_123, pid: 4_711, hostname: 'build-7.internal' };

it('redacts texts, keys and numbers, and returns JSON', () => {
  const line = JSON.stringify({
    ...HEAD,
    err: { message: 'no user ada@example.com', stack: 'Error: no user ada@example.com\n    at a.js:1:2' },
    phone: 4_206_012_345_678,
    numbers: [{ phone: 4_206_012_345_678 }],
    msg: 'card 4929 1234 5678 9104 of 536-22-1234',
  });
  const redacted = redactLogLine(`${line}\n`);
  expect(redacted).not.toMatch(/ada@|4929|536-22|4206012345678/);
  expect(JSON.parse(redacted)).toMatchObject({
    ...HEAD,
    err: { message: 'no user [EMAIL]' },
    phone: '[PHONE]',
    numbers: [{ phone: '[PHONE]' }],
  });
});

it.each([
  {
    execution: 'b3ad7c8e-4f0c-4a4e-9d4c-2f6f3c1f5d1a',
    ms: 15.25,
    tool: 'crm__list',
    bytes: 123_456_789,
    msg: 'call ended',
  },
  { server: 'files', url: 'http://127.0.0.1:8377/mcp', version: '2.4.0', msg: 'listening' },
  { guest: 'javascript', sandbox: 'jail', reason: 'bubblewrap 0.8.0 works', msg: 'sandbox chosen' },
])('does not change a line without personal data: %j', (fields) => {
  const line = JSON.stringify({ ...HEAD, ...fields });
  expect(redactLogLine(line)).toBe(line);
});
