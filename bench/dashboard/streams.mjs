// The cost of open dashboards for the server: its throughput with and without their event streams, in turns.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { client } from '../http/client.mjs';
import { percentiles, round } from '../measure.mjs';

/** Milliseconds before a refused request is sent again. */
const BUSY_MS = 100;
const STREAMS = 50;
const CLIENTS = 8;
const ROUND_MS = 2_500;
const ROUNDS = 24;
const TICK_MS = 10;
const readers = fileURLToPath(new URL('stream-readers.mjs', import.meta.url));

/** Runs pairs of rounds, without and with streams. Every second pair has the other order. */
export async function streams(server) {
  await throughput(server);
  const rounds = { without: [], with: [] };
  let kB = 0;
  for (let pair = 0; pair < ROUNDS; pair++) {
    for (const kind of pair % 2 === 0 ? ['without', 'with'] : ['with', 'without']) {
      const reading = kind === 'with' ? await openStreams(server.url) : undefined;
      rounds[kind].push(await throughput(server));
      if (reading) kB += await reading.end();
    }
  }
  const middle = (list, name) => percentiles(list.map((each) => each[name])).p50;
  const ratios = (name) => rounds.with.map((each, pair) => (each[name] / rounds.without[pair][name] - 1) * 100);
  return {
    perSecond: {
      without: round(middle(rounds.without, 'perSecond'), 0),
      with: round(middle(rounds.with, 'perSecond'), 0),
    },
    cpuMs: { without: middle(rounds.without, 'cpuMs'), with: middle(rounds.with, 'cpuMs') },
    throughputPercent: round(percentiles(ratios('perSecond')).p50, 1),
    cpuPercent: round(percentiles(ratios('cpuMs')).p50, 1),
    kBPerStream: round(kB / ROUNDS / STREAMS, 0),
  };
}

/** Returns the executions per second of some clients, and the processor time of the server for each. */
async function throughput({ url, child }) {
  const { post, close } = client(url);
  let executions = 0;
  const [start, cpuBefore] = [performance.now(), cpuMs(child.pid)];
  const work = async () => {
    while (performance.now() - start < ROUND_MS) {
      const { status } = await post('/execute', { code: `return ${executions}`, check: false });
      // The server is busy, and its client waits.
      if (status === 503) await sleep(BUSY_MS);
      else if (status === 200) executions++;
      else throw new Error(`/execute answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  const seconds = (performance.now() - start) / 1_000;
  close();
  return { perSecond: executions / seconds, cpuMs: round((cpuMs(child.pid) - cpuBefore) / executions, 3) };
}

/** Returns the processor time of a process, without its children. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Opens streams in another process. `end` resolves to the received kB. */
async function openStreams(url) {
  const child = fork(readers, [url, `${STREAMS}`]);
  await once(child, 'message');
  return {
    async end() {
      child.send('end');
      return (await once(child, 'message'))[0] / 1_000;
    },
  };
}
