// watch.js LABEL [SOCKET]: waits for the end of its standard input, which ends with the host, then removes the containers with
// the label. A guest that is busy does not notice the end of its own input.
import { setTimeout as sleep } from 'node:timers/promises';

/** A container that was being created when the host ended appears later. */
const LOOKS = 10;
const LOOK_MS = 300;

const [label, socketPath] = process.argv.slice(2);
process.stdin.resume();
await new Promise((resolve) => process.stdin.once('close', resolve));

const { default: Modem } = await import('docker-modem');
const modem = new Modem(socketPath ? { socketPath } : {});

/**
 * @param {string} method
 * @param {string} path
 * @param {object} query
 * @returns {Promise<unknown>}
 */
function call(method, path, query) {
  /** @type {Record<number, true>} */
  const statusCodes = { 200: true, 204: true };
  return new Promise((resolve) => {
    modem.dial({ method, path: `${path}?`, options: query, statusCodes }, (error, answer) =>
      resolve(error ? undefined : answer),
    );
  });
}

const query = { all: 1, filters: JSON.stringify({ label: [label] }) };
for (let look = 0; look < LOOKS; look++) {
  const found = await call('GET', '/containers/json', query);
  if (Array.isArray(found)) {
    await Promise.all(found.map(({ Id }) => call('DELETE', `/containers/${Id}`, { force: 1, v: 1 })));
  }
  await sleep(LOOK_MS);
}
