import assert from 'node:assert/strict';
import { type ConnectorCase, failureOf } from './case.ts';

/** Longer than any case waits for it. */
const LONG_MS = 30_000;
const TIMEOUT_MS = 300;
/** Milliseconds within which a cancelled call must end, on a busy machine too. */
const PROMPT_MS = 20_000;

export const FAILURE_CASES: readonly ConnectorCase[] = [
  {
    name: 'reports the failure of a tool as TOOL_FAILED, with the message of the tool',
    async run({ connector }) {
      const { message } = await failureOf(connector.call('fail', { message: 'No such deal ☃.' }), 'TOOL_FAILED');
      assert.ok(message.includes('No such deal ☃.'), `The message is: ${message}`);
    },
  },
  {
    name: 'stays usable after the failure of a tool',
    async run({ connector }) {
      await failureOf(connector.call('fail', { message: 'x' }), 'TOOL_FAILED');
      assert.deepEqual(await connector.call('echo', { a: 1 }), { a: 1 });
    },
  },
  {
    name: 'reports a tool that does not exist as UNKNOWN_TOOL or TOOL_FAILED',
    async run({ connector }) {
      for (const name of ['no_such_tool', 'constructor', '__proto__']) {
        await failureOf(connector.call(name, {}), 'UNKNOWN_TOOL', 'TOOL_FAILED');
      }
    },
  },
  {
    name: 'ends a call with CANCELLED when its signal is aborted',
    async run({ connector }) {
      await connector.call('echo', {});
      const controller = new AbortController();
      const start = performance.now();
      const call = failureOf(connector.call('wait', { ms: LONG_MS }, { signal: controller.signal }), 'CANCELLED');
      setTimeout(() => controller.abort(), 50);
      await call;
      assert.ok(performance.now() - start < PROMPT_MS, 'The call ended too late.');
      assert.deepEqual(await connector.call('echo', { a: 1 }), { a: 1 });
    },
  },
  {
    name: 'rejects a call with CANCELLED when its signal is already aborted',
    async run({ connector }) {
      await failureOf(connector.call('wait', { ms: LONG_MS }, { signal: AbortSignal.abort() }), 'CANCELLED');
    },
  },
  {
    name: 'ends a call with TOOL_TIMEOUT after its time',
    async run({ connector }) {
      await connector.call('echo', {});
      const start = performance.now();
      await failureOf(connector.call('wait', { ms: LONG_MS }, { timeoutMs: TIMEOUT_MS }), 'TOOL_TIMEOUT');
      assert.ok(performance.now() - start < PROMPT_MS, 'The call ended too late.');
      assert.deepEqual(await connector.call('echo', { a: 1 }), { a: 1 });
    },
  },
];
