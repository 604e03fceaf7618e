import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Guard, NO_GUARD } from '../../../pii/src/redactor.ts';
import { createOutbound } from './output-events.ts';

test('progress that comes faster than it is guarded does not pile up: the first values and the newest are told', async () => {
  let go = () => {};
  const slow: Guard = {
    ...NO_GUARD,
    async forModel(value) {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return value;
    },
  };
  const told: unknown[] = [];
  const outbound = createOutbound({ guard: slow, onProgress: (value) => told.push(value) });
  for (let value = 0; value < 5_000; value++) outbound.progress(value);
  outbound.log({ level: 'info', text: 'between' });
  const ended = outbound.end();
  for (let turn = 0; turn < 10; turn++) {
    go();
    await setImmediate();
  }
  expect(await ended).toEqual([{ level: 'info', text: 'between' }]);
  expect(told).toHaveLength(1_001);
  expect([told[0], told[1], told.at(-1)]).toEqual([0, 1, 4_999]);
});
