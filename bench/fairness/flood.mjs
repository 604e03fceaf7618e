// The other users of bench/fairness.mjs, in a process of their own: node bench/fairness/flood.mjs URL PART CHECK CREDENTIALS.
// Prints "sending" at its first request, and the statuses by user when its input ends.
import { setTimeout as sleep } from 'node:timers/promises';
import { client } from '../http/client.mjs';

const FLOODING_REQUESTS = 64;
const BURST_REQUESTS = 500;
const CPU_BOUND = 'const end = Date.now() + 2000; while (Date.now() < end); return 1';
const CALL_BOUND = "for (let n = 0; n < 300; n++) await fs.writeFile('f' + (n % 10), 'x'.repeat(1000)); return 2";
const SHORT_CPU_BOUND = 'const end = Date.now() + 100; while (Date.now() < end); return 3';

const [url, part, check, given] = process.argv.slice(2);
const credentials = JSON.parse(given);
const { post } = client(url);
const statuses = {};

/** Sends a request and counts its status. Requests that the end of the server interrupts are not counted. */
async function send(userId, code) {
  const { status } = await post('/execute', { code, check: check === 'true' }, credentials[userId]).catch(() => ({}));
  statuses[userId] ??= {};
  if (status !== undefined) statuses[userId][status] = (statuses[userId][status] ?? 0) + 1;
  return status;
}

/** Keeps a number of requests of a user in flight. */
function flood(userId, code) {
  const keepSending = async () => {
    for (;;) if ((await send(userId, code)) !== 200) await sleep(100);
  };
  for (let request = 0; request < FLOODING_REQUESTS; request++) void keepSending();
}

console.log('sending');
if (part === 'flood') {
  flood('ada', CPU_BOUND);
  flood('bob', CALL_BOUND);
} else for (let request = 0; request < BURST_REQUESTS; request++) void send('ada', SHORT_CPU_BOUND);

process.stdin.resume().on('end', () => {
  console.log(JSON.stringify(statuses));
  process.exit();
});
