import assert from 'node:assert/strict';
import { type ConnectorCase, failureOf } from './case.ts';

export const LIFETIME_CASES: readonly ConnectorCase[] = [
  {
    name: 'closes more than once, also concurrently',
    async run({ connector }) {
      await connector.call('echo', {});
      await Promise.all([connector[Symbol.asyncDispose](), connector[Symbol.asyncDispose]()]);
      await connector[Symbol.asyncDispose]();
      assert.equal(connector.status().state, 'closed');
    },
  },
  {
    name: 'closes before its first use',
    async run({ connector }) {
      await connector[Symbol.asyncDispose]();
      assert.equal(connector.status().state, 'closed');
    },
  },
  {
    name: 'rejects calls after closing with CLOSED',
    async run({ connector }) {
      await connector.call('echo', {});
      await connector[Symbol.asyncDispose]();
      await failureOf(connector.call('echo', {}), 'CLOSED');
    },
  },
];
