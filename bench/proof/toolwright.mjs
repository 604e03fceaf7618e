// A Toolwright in a process of its own, which the benchmark can kill at any moment.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url));

/** Starts one. Resolves when it knows the tools. `ask` rejects with the error of the request, and with `KILLED` after `kill`. */
export async function startToolwright(dataDir, urls, variant) {
  const child = fork(CHILD, [dataDir, JSON.stringify(urls), JSON.stringify(variant)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
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
  await ready.catch(() => {
    throw new Error(`Toolwright did not start: ${errors}`);
  });
  return {
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
