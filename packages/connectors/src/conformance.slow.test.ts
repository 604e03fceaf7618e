import {
  CONFORMANCE_TOOLS,
  type ConnectorCase,
  connectorCases,
  runConnectorCase,
} from '@toolwright/conformance/connector';
import { describe, expect, it } from 'vitest';
import { fixture, listen } from '../../../test/fixtures/server.ts';
import type { Connector } from './connector.ts';
import { inlineConnector } from './inline/inline.ts';
import { mcpConnector } from './mcp.ts';

const inline = () => inlineConnector('suite', { tools: CONFORMANCE_TOOLS });

describe('inline', () => {
  it.for(connectorCases)('$name', (testCase) => runConnectorCase(inline, testCase));
});

describe('mcp over stdio', () => {
  it.for(connectorCases)('$name', (testCase) =>
    runConnectorCase(() => mcpConnector('suite', fixture('conformance')), testCase),
  );
});

describe('mcp over HTTP', async () => {
  const server = await listen('conformance', 'http');
  it.for(connectorCases)('$name', (testCase) =>
    runConnectorCase(() => mcpConnector('suite', { url: `${server.origin}/mcp` }), testCase),
  );
  it('stops the server', () => server.close());
});

/** A connector that breaks one rule, and the rule. */
const BROKEN: readonly [rule: string, broken: Partial<Connector>][] = [
  ['lists its tools, each name once, with the input schema of an object', { tools: async () => [] }],
  ['passes arguments and results unchanged', { call: async (_tool, args) => ({ ...args, extra: 1 }) }],
  ['passes Unicode unchanged', { call: async () => ({ control: 'ab' }) }],
  [
    'reports the failure of a tool as TOOL_FAILED, with the message of the tool',
    { call: async () => Promise.reject(new Error('No such deal ☃.')) },
  ],
  ['ends a call with CANCELLED when its signal is aborted', { call: async () => ({}) }],
  ['closes more than once, also concurrently', { status: () => ({ state: 'ready', starts: 1 }) }],
];

it.for(BROKEN)('a broken connector fails with the name of the rule: %s', async ([rule, broken]) => {
  const testCase = connectorCases.find(({ name }) => name === rule) as ConnectorCase;
  await expect(runConnectorCase(() => ({ ...inline(), ...broken }), testCase)).rejects.toThrow(
    `The connector breaks the rule "${rule}": `,
  );
});
