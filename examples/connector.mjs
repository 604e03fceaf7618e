// A source of tools of your own: implements the port `Connector` for any functions, and runs its conformance suite.

import { CONFORMANCE_TOOLS, connectorCases, runConnectorCase } from '@toolwright/conformance/connector';
import { createToolwright, ToolwrightError } from 'toolwright';

function functionConnector(name, functions) {
  let state = 'ready';
  return {
    name,
    status: () => ({ state, starts: 0 }),
    onToolsChanged: () => () => {},
    tools: async () =>
      Object.entries(functions).map(([tool, { description, inputSchema }]) => ({
        name: tool,
        description,
        inputSchema,
      })),
    async call(tool, args, { signal, timeoutMs = 60_000 } = {}) {
      if (state === 'closed') throw new ToolwrightError('CLOSED', `${name} is closed.`);
      if (!Object.hasOwn(functions, tool)) throw new ToolwrightError('UNKNOWN_TOOL', `${name} has no tool ${tool}.`);
      const timeout = AbortSignal.timeout(timeoutMs);
      const stop = AbortSignal.any(signal ? [signal, timeout] : [timeout]);
      const stopped = new Promise((_resolve, reject) => {
        const end = () =>
          reject(new ToolwrightError(timeout.aborted ? 'TOOL_TIMEOUT' : 'CANCELLED', `${tool} was stopped.`));
        if (stop.aborted) end();
        stop.addEventListener('abort', end);
      });
      const work = (async () => functions[tool].run(structuredClone(args)))().catch((error) => {
        throw new ToolwrightError('TOOL_FAILED', error.message);
      });
      return Promise.race([stopped, work]);
    },
    async [Symbol.asyncDispose]() {
      state = 'closed';
    },
  };
}

for (const testCase of connectorCases) {
  await runConnectorCase(() => functionConnector('suite', CONFORMANCE_TOOLS), testCase);
}
const toolwright = await createToolwright({ connectors: [functionConnector('own', CONFORMANCE_TOOLS)] });
console.log(await toolwright.describe('own__echo'));
await toolwright.close();
