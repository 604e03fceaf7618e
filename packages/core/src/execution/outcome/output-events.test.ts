import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NO_REDACTION, type Redactor } from '../../../../pii/src/redaction/redactor.ts';
import { createOutputEvents } from './output-events.ts';

test('progress that arrives faster than its redaction is bounded: the first values and the newest are kept', async () => {
  let go = () => {};
  const slow: Redactor = {
    ...NO_REDACTION,
    async redact(value) {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return value;
    },
  };
  const reported: unknown[] = [];
  const outputEvents = createOutputEvents({ redactor: slow, onProgress: (value) => reported.push(value) });
  for (let value = 0; value < 5_000; value++) outputEvents.progress(value);
  outputEvents.log({ level: 'info', text: 'between' });
  const ended = outputEvents.end();
  for (let turn = 0; turn < 10; turn++) {
    go();
    await setImmediate();
  }
  expect(await ended).toEqual([{ level: 'info', text: 'between' }]);
  expect(reported).toHaveLength(1_001);
  expect([reported[0], reported[1], reported.at(-1)]).toEqual([0, 1, 4_999]);
});
