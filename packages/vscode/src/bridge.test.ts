import { expect, test } from 'vitest';
import { parseMessage } from './bridge.ts';

const request = { is: 'request', id: 1, method: 'GET', path: 'executions', headers: {} };

test('returns messages of a page', () => {
  for (const message of [
    ...[request, { ...request, method: 'PUT', body: new ArrayBuffer(2) }, { is: 'ready' }, { is: 'cancel', id: 1 }],
    ...[
      { is: 'follow', id: 2, path: 'executions/events' },
      { is: 'download', path: 'a', name: 'b' },
    ],
  ])
    expect(parseMessage(message)).toBe(message);
});

test.each([
  [undefined],
  ['ready'],
  [{ is: 'constructor' }],
  [{ ...request, id: '1' }],
  [{ ...request, method: 'TRACE' }],
  [{ ...request, path: 7 }],
  [{ ...request, headers: { accept: 1 } }],
  [{ ...request, headers: undefined }],
  [{ ...request, body: { a: 1 } }],
  [{ is: 'open', url: ['https://example.com'] }],
  [{ is: 'save', name: 'a' }],
])('ignores %j', (message) => {
  expect(parseMessage(message)).toBeUndefined();
});
