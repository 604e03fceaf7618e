// The public API as a user of the installed packages sees it: main.mjs type-checks this file and runs it.
import { deepStrictEqual } from 'node:assert';
import { connectorCases } from '@toolwright/conformance/connector';
import { detectorCases } from '@toolwright/conformance/detector';
import { modelCases } from '@toolwright/conformance/model';
import { sandboxCases } from '@toolwright/conformance/sandbox';
import { storeCases } from '@toolwright/conformance/store';
import { n8nPlugin } from '@toolwright/n8n';
import { createRedactor } from '@toolwright/pii';
import { runCode } from '@toolwright/sandbox';
import { createHttpServer } from '@toolwright/server';
import { pino } from 'pino';
import { createToolwright, inlineConnector, memoryStore, type Plugin, type Store } from 'toolwright';
import * as z from 'zod';

const store: Store = memoryStore();
const greeter: Plugin<{ greeting: string }> = {
  name: 'greeter',
  key: 'greeter',
  schema: () => z.strictObject({ greeting: z.string().default('Hello') }),
  connectors: ({ greeting }) => [inlineConnector('greeter', { tools: { greet: { run: () => greeting } } })],
};
const toolwright = await createToolwright({
  store,
  logger: pino({ level: 'silent' }),
  tools: {
    math: {
      tools: { double: { input: z.object({ amount: z.number() }), run: ({ amount }) => ({ doubled: amount * 2 }) } },
    },
  },
  plugins: [n8nPlugin({ catalog: 'example' }), greeter],
});
const result = await toolwright.execute<number>(`
  import { double } from './servers/math/index.js';
  return (await double({ amount: 21 })).doubled;`);
deepStrictEqual(result.status === 'completed' && result.value, 42);
const greeting = await toolwright.execute(`return callMCPTool('greeter__greet')`);
deepStrictEqual(greeting.status === 'completed' && greeting.value, 'Hello');

const server = await createHttpServer({ toolwright, port: 0 });
deepStrictEqual((await fetch(`${server.url}/health`)).status, 200);
await server.close();
await toolwright.close();

deepStrictEqual(await createRedactor().redact('Mail ada@example.com'), 'Mail [EMAIL_1]');
deepStrictEqual((await runCode('return 1 + 1')).status, 'completed');

const connector = inlineConnector('math', { tools: { one: { run: () => 1 } } });
deepStrictEqual((await connector.tools()).length, 1);
const suites = { connectorCases, detectorCases, modelCases, sandboxCases, storeCases };
for (const [name, cases] of Object.entries(suites)) deepStrictEqual([name, cases.length > 0], [name, true]);
