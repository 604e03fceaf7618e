// Asks a server for /health again and again; says `ready` after the first answer, and all milliseconds when it is told to end.
import { setTimeout as sleep } from 'node:timers/promises';
import { client } from './client.mjs';

const [url = '', everyMs = '20'] = process.argv.slice(2);
const { get } = client(url);
const samples = [];
let isOver = false;
process.on('message', () => {
  isOver = true;
});
await get('/health');
process.send('ready');
while (!isOver) {
  samples.push((await get('/health')).ms);
  await sleep(Number(everyMs));
}
process.send(samples, () => process.exit());
