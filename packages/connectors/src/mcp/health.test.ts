import { ProtocolError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import { until } from '../../../../test/fixtures/server.ts';
import { watchHealth } from './health.ts';

test('a connection without an answer to a ping is dead; an error is an answer', async () => {
  let pings = 0;
  let dead = 0;
  const ping = async (): Promise<Record<string, never>> => {
    pings++;
    if (pings === 1) throw new ProtocolError(-32601, 'no ping here');
    if (pings === 3) throw new Error('timed out');
    return {};
  };
  watchHealth(
    partial({ ping }),
    () => true,
    () => dead++,
    5,
  );
  await until(() => dead > 0);
  expect([pings, dead]).toEqual([3, 1]);
});

test('a busy connection gets no ping, and a stopped watch does nothing', async () => {
  let looks = 0;
  const ping = (): Promise<never> => Promise.reject(new Error('must not be asked'));
  const isIdle = (): boolean => {
    looks++;
    return false;
  };
  let dead = 0;
  const stop = watchHealth(partial({ ping }), isIdle, () => dead++, 5);
  await until(() => looks > 2);
  stop();
  expect(dead).toBe(0);
});
