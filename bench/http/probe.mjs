// Requests /health in a loop. Sends `ready` after the first answer. On the first message, it sends all times and exits.
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
