import { expect, test } from 'vitest';
import { requestsInFlight } from './requests-in-flight.ts';

test('requests of some methods are over before the others', async () => {
  const inFlight = requestsInFlight();
  const request = (id: number, method: string) => inFlight.receive({ jsonrpc: '2.0', id, method });
  request(1, 'initialize');
  request(2, 'tools/call');
  const ended: string[] = [];
  const start = inFlight.whenIdle((method) => method !== 'tools/call').then(() => ended.push('start'));
  const all = inFlight.whenIdle().then(() => ended.push('all'));
  inFlight.settle({ jsonrpc: '2.0', id: 1, result: {} });
  await start;
  expect([ended, inFlight.size]).toEqual([['start'], 1]);
  inFlight.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await all;
  await inFlight.whenIdle();
  expect(ended).toEqual(['start', 'all']);
});
