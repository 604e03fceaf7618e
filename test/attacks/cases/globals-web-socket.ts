import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ port }) => `const seen = [];
for (const name of ['WebSocket', 'XMLHttpRequest', 'EventSource', 'navigator', 'Worker', 'SharedWorker', 'importScripts', 'Image'])
  try { seen.push(String(new globalThis[name]('ws://127.0.0.1:${port}/'))) } catch (error) { seen.push(error.message) }
await sleep(50);
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
