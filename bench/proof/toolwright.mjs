// A Toolwright, or a peer, in a process of its own, which the benchmark can kill at any moment.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A peer that needs longer does not start. */
const PEER_START_MS = 60_000;

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Starts a Toolwright for the programs of a variant. */
export function startToolwright(dataDir, urls, variant) {
  return startProcess('child.mjs', [dataDir, JSON.stringify(urls), JSON.stringify(variant)]);
}

/** Starts a peer, whose server on stdio leads to the tools. `template` of the result is a call in its dialect. */
export function startPeer({ adapter, settings = {} }, { folder, node }, url) {
  const server = { command: process.execPath, args: [pathOf('bridge.mjs'), url] };
  const texts = [server, { ...settings, folder }].map((value) => JSON.stringify(value));
  return startProcess('peer.mjs', [adapter, ...texts], { execPath: node, limitMs: PEER_START_MS });
}

/** Resolves when the process knows the tools. `ask` rejects with the error of the request, and with `KILLED` after `kill`. */
async function startProcess(program, args, { limitMs, ...options } = {}) {
  const child = fork(pathOf(program), args, { ...options, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors = `${errors}${text}`.slice(-2_000);
  });
  const waiting = new Map();
  const end = () => {
    for (const { reject } of waiting.values()) reject(new Error('KILLED'));
    waiting.clear();
  };
  child.on('message', ({ number, result, error }) => {
    const { resolve, reject } = waiting.get(number) ?? {};
    waiting.delete(number);
    if (error === undefined) resolve?.(result);
    else reject?.(new Error(error));
  });
  child.on('exit', end);
  let last = 0;
  const ready = new Promise((resolve, reject) => waiting.set(0, { resolve, reject }));
  const limit = limitMs && setTimeout(() => child.kill('SIGKILL'), limitMs);
  const template = await ready.catch(() => {
    throw new Error(`${program} did not start: ${errors}`);
  });
  clearTimeout(limit);
  return {
    template,
    ask(request) {
      last++;
      const answer = new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
      child.send({ ...request, number: last });
      return answer;
    },
    /** Ends the process without a warning. */
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async close() {
      await this.ask({ do: 'close' }).catch(() => {});
      if (child.exitCode === null && child.signalCode === null) child.kill();
    },
  };
}
