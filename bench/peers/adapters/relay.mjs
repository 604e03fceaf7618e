// The limit of a program that calls tools: a process that runs it, without a sandbox, and this process, which only forwards.

import { asyncDialect } from '../jobs.mjs';
import { startRelay } from '../relay.mjs';

export async function open(server) {
  const { run, client, close } = await startRelay(server);
  const dialect = asyncDialect((tool, args) => `call('${tool}', ${args})`);
  return { dialect, run, close, shown: async () => JSON.stringify((await client.listTools()).tools) };
}
