// A server on stdio that passes each message on to a URL: node bridge.mjs URL. Most peers start their servers.
import { createInterface } from 'node:readline';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const [url] = process.argv.slice(2);
let session = {};

/** Messages go one after the other: a call needs the session of the first one. */
let last = Promise.resolve();
createInterface({ input: process.stdin }).on('line', (line) => {
  last = last.then(() => pass(line));
});
process.stdin.on('end', () => process.exit());

async function pass(body) {
  const response = await fetch(url, { method: 'POST', headers: { ...HEADERS, ...session }, body });
  const id = response.headers.get('mcp-session-id');
  if (id !== null) session = { 'mcp-session-id': id };
  const text = await response.text();
  if (text !== '') process.stdout.write(`${text}\n`);
}
