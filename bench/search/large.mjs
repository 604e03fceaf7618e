// Measures an index of 50,000 tools: its time, its memory, and how long it keeps the event loop from other work.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createToolIndex } from '../../packages/core/dist/catalog/search/tool-index.js';
import { percentile, round } from './quality.mjs';

const TOOLS = 50_000;

/** Indexes copies of a catalog under other names, all as the tools of one server. */
export async function largeCatalog(servers, queries) {
  const all = servers.flatMap(({ tools }) => tools);
  const tools = Array.from({ length: TOOLS }, (_, number) => {
    const { definition } = all[number % all.length];
    const name = `${definition.name}_${Math.floor(number / all.length)}`;
    return { id: `large__${name}_${number}`, server: 'large', definition: { ...definition, name } };
  });
  const index = createToolIndex();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const memory = process.memoryUsage().heapUsed;
  const cpu = process.cpuUsage();
  delay.enable();
  await index.load('large', { tools });
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const times = queries.map(({ query }) => {
    const start = performance.now();
    index.search(query, { limit: 5 });
    return performance.now() - start;
  });
  return {
    tools: TOOLS,
    indexCpuMs: Math.round((user + system) / 1_000),
    heapMiB: Math.round((process.memoryUsage().heapUsed - memory) / 2 ** 20),
    longestPauseMs: Math.round(delay.max / 1e6),
    p50Ms: round(percentile(times, 0.5)),
    p99Ms: round(percentile(times, 0.99)),
  };
}
