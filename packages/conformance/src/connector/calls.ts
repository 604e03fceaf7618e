import assert from 'node:assert/strict';
import type { ConnectorCase } from './case.ts';

const VALUES = {
  text: 'a "quoted" text',
  empty: '',
  number: -1.5,
  zero: 0,
  yes: true,
  nothing: null,
  list: [1, [2, []], { three: 3 }],
  nested: { a: { b: { c: [] } } },
  'odd key': 'x',
};
const UNICODE = { 'ключ ☃': 'snow ☃ 𝄞 é e\u0301 \u2028\u2029 \u200d العربية 👩‍👩‍👧', control: 'a\n\t\u0001b' };
const LARGE_CHARACTERS = 2_000_000;
const CONCURRENT_CALLS = 50;
const WAIT_MS = 500;

export const CALL_CASES: readonly ConnectorCase[] = [
  {
    name: 'calls a tool without a listing before',
    async run({ connector }) {
      assert.deepEqual(await connector.call('echo', { a: 1 }), { a: 1 });
      assert.equal(connector.status().state, 'ready');
    },
  },
  {
    name: 'passes arguments and results unchanged',
    async run({ connector }) {
      assert.deepEqual(await connector.call('echo', VALUES), VALUES);
      assert.deepEqual(await connector.call('echo', {}), {});
    },
  },
  {
    name: 'passes Unicode unchanged',
    async run({ connector }) {
      assert.deepEqual(await connector.call('echo', UNICODE), UNICODE);
    },
  },
  {
    name: 'does not change the arguments',
    async run({ connector }) {
      const args = Object.freeze({ list: Object.freeze([1, 2]), nested: Object.freeze({ a: 1 }) });
      await connector.call('echo', args);
      assert.deepEqual(args, { list: [1, 2], nested: { a: 1 } });
    },
  },
  {
    name: `returns a result of ${LARGE_CHARACTERS} characters`,
    async run({ connector }) {
      const { text } = Object(await connector.call('large', { characters: LARGE_CHARACTERS }));
      assert.equal(String(text).length, LARGE_CHARACTERS);
    },
  },
  {
    name: 'returns each result to its own call when calls are concurrent',
    async run({ connector }) {
      const calls = Array.from({ length: CONCURRENT_CALLS }, (_, index) => connector.call('echo', { index }));
      assert.deepEqual(
        await Promise.all(calls),
        calls.map((_, index) => ({ index })),
      );
    },
  },
  {
    name: 'runs concurrent calls at the same time',
    async run({ connector }) {
      await connector.call('echo', {});
      const start = performance.now();
      await Promise.all(Array.from({ length: 8 }, () => connector.call('wait', { ms: WAIT_MS })));
      const tookMs = performance.now() - start;
      assert.ok(tookMs < 6 * WAIT_MS, `8 calls of ${WAIT_MS} ms took ${Math.round(tookMs)} ms.`);
    },
  },
];
