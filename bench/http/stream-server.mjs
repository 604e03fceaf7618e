// Serves the HTTP API with tasks that emit endless events, for the benchmark of stuck readers. Prints its URL.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stderrLogger } from '../../packages/core/build/telemetry/log.js';
import { createToolwright } from '../../packages/core/build/toolwright.js';
import { listen } from '../../packages/server/build/listen.js';
import { mcpServers } from '../../packages/server/build/mcp.js';

const EVENT_CHARACTERS = 8_000;
const text = 'x'.repeat(EVENT_CHARACTERS);
const toolwright = await createToolwright({ dataDir: mkdtempSync(join(tmpdir(), 'toolwright-bench-')) });
const logger = stderrLogger();
const task = { id: 't', session: 's', user: 'local', task: '', model: 'none', status: 'running' };
const tasks = {
  start: async () => task,
  get: async () => task,
  ended: () => new Promise(() => undefined),
  async *events(_id, { signal }) {
    for (let number = 1; !signal.aborted; number++) {
      yield { number, type: 'text-delta', text };
      // Simulates a fast model.
      await sleep(1);
    }
  },
};
const mcp = mcpServers({ open: async () => toolwright, logger });
const { url } = await listen({ toolwright, mcp, logger, tasks, host: '127.0.0.1', port: 0 });
process.on('message', () => process.send(process.memoryUsage().rss));
console.log(url);
