// Reads one description in a process of its own and prints the time, the memory and the number of tools as JSON.
// The base is the memory of the process with the connector loaded, before it reads.
import { openApiConnector } from '../../packages/connectors/build/openapi/openapi.js';

const [, , file = '', kept = ''] = process.argv;
const megabytes = (bytes) => bytes / 1024 / 1024;
globalThis.gc?.();
const before = process.memoryUsage();
const connector = openApiConnector('bench', { openapi: file, baseUrl: 'https://api.example.com' });
const start = performance.now();
const cpu = process.cpuUsage();
const tools = await connector.tools();
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
// In kilobytes, of the whole life of the process.
const peak = process.resourceUsage().maxRSS / 1024;
await new Promise((resolve) => setTimeout(resolve, 50));
globalThis.gc?.();
globalThis.gc?.();
const after = process.memoryUsage();
const result = {
  tools: tools.length,
  omitted: connector.status().omittedTools?.length ?? 0,
  ms,
  cpuMs: (user + system) / 1000,
  baseMb: megabytes(before.rss),
  peakMb: peak,
  keptMb: megabytes(after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers),
};
if (kept === 'schemas') {
  const started = performance.now();
  result.largest = Math.max(...tools.map((tool) => JSON.stringify(tool).length));
  result.schemasMs = performance.now() - started;
}
console.log(JSON.stringify(result));
