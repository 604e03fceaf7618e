// Runs client.mjs when no other one runs in this folder. The suite starts the clients of all scenarios at once. A client that waits too
// long for a processor finds its idle connection closed by the other side.
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TURN = 'turn';
const LOOK_MS = 20;

for (;;) {
  try {
    writeFileSync(TURN, String(process.pid), { flag: 'wx' });
    break;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    await sleep(LOOK_MS);
  }
}
process.on('exit', () => rmSync(TURN));
await import('./client.mjs');
