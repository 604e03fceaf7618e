// Serves the API and the dashboard with a sandbox that runs nothing: real sandboxes cannot run 200 programs per second on two cores.
// All else of an execution is real: check of the request, language worker, journal, index and events. Prints its URL. Answers each message
// with the executions that have ended since the last one, as pairs of id and time.
import { createToolwright } from '@toolwright/core';
import { createHttpServer } from '@toolwright/server';

const noSandbox = {
  name: 'none',
  isolation: 'It runs no program.',
  languages: ['javascript'],
  run: async () => ({ status: 'completed', value: '"done"' }),
  [Symbol.asyncDispose]: async () => undefined,
};
const ends = [];
const toolwright = await createToolwright({ dataDir: process.env.TOOLWRIGHT_DATA_DIR, sandbox: noSandbox });
const measured = {
  ...toolwright,
  async execute(...given) {
    const result = await toolwright.execute(...given);
    ends.push([result.executionId, Date.now()]);
    return result;
  },
};
const server = await createHttpServer({ toolwright: measured, port: 0 });
process.on('message', () => process.send(ends.splice(0)));
// As "toolwright serve" does: else the first reader would pay for the index.
await toolwright.executions.find({ limit: 1 });
console.log(server.url);
