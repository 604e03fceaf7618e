import assert from 'node:assert/strict';
import type { ConnectorCase } from './case.ts';
import { CONFORMANCE_TOOLS } from './tools.ts';

export const LISTING_CASES: readonly ConnectorCase[] = [
  {
    name: 'has a name and a state before its first use',
    async run({ connector }) {
      assert.ok(connector.name.length > 0);
      assert.ok(['idle', 'connecting', 'ready'].includes(connector.status().state), connector.status().state);
    },
  },
  {
    name: 'lists its tools, each name once, with the input schema of an object',
    async run({ connector }) {
      const tools = await connector.tools();
      const names = tools.map(({ name }) => name);
      assert.equal(new Set(names).size, names.length);
      for (const [name, { description }] of Object.entries(CONFORMANCE_TOOLS)) {
        const tool = tools.find((listed) => listed.name === name);
        assert.ok(tool, `The tool ${name} is missing.`);
        assert.equal(tool.description, description);
        assert.equal(Object(tool.inputSchema).type, 'object');
      }
    },
  },
  {
    name: 'lists the same tools again, also in concurrent listings',
    async run({ connector }) {
      const [first, second] = await Promise.all([connector.tools(), connector.tools()]);
      assert.deepEqual(second, first);
      assert.deepEqual(await connector.tools(), first);
    },
  },
  {
    name: 'accepts a listener for changes, and its removal more than once',
    async run({ connector }) {
      const remove = connector.onToolsChanged(() => undefined);
      await connector.tools();
      remove();
      remove();
    },
  },
];
