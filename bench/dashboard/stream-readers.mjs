// Reads event streams like dashboards, without a screen. Reports when all are open. At its end, it reports the received bytes.
import { get } from 'node:http';

const [url, count] = process.argv.slice(2);
const headers = { accept: 'text/event-stream' };
let bytes = 0;
const open = () =>
  new Promise((resolve, reject) => {
    const asked = get(`${url}/executions/events`, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a stream was answered with ${response.statusCode}`));
      response.on('data', (chunk) => {
        bytes += chunk.length;
      });
      resolve();
    });
    asked.on('error', reject);
  });
await Promise.all(Array.from({ length: Number(count) }, open));
process.on('message', () => process.send(bytes, () => process.exit()));
process.send('open');
