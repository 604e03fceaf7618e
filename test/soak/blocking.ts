import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import type { Service } from './served.ts';

/** How long a server could not answer. */
export interface Blocking {
  /** The most processor time of the main thread between two answers of `/health`, in milliseconds. */
  readonly mostMs: number;
}

const NANOSECONDS = 1e6;

/**
 * Asks `/health` again and again, and measures the processor time of the server's main thread between two answers. A machine that
 * does other work makes answers late, and does not change this time. Only Linux has it.
 */
export function watchBlocking({ url, pid }: Pick<Service, 'url' | 'pid'>): { end(): Promise<Blocking> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let hasEnded = false;
  let mostMs = 0;
  const watch = async () => {
    let last = mainThreadMs(pid);
    while (!hasEnded) {
      await health(url, agent);
      const now = mainThreadMs(pid);
      mostMs = Math.max(mostMs, now - last);
      last = now;
    }
    agent.destroy();
  };
  const watching = watch();
  return {
    async end() {
      hasEnded = true;
      await watching;
      return { mostMs };
    },
  };
}

/** The first number of the kernel's scheduling figures is the time on a processor, in nanoseconds. */
function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / NANOSECONDS;
}

function health(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve) => {
    const asked = get(`${url}/health`, { agent }, (response) => response.resume().on('end', resolve));
    asked.on('error', () => resolve());
  });
}
