import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, childrenOf } from '../fixtures/processes.ts';
import type { Random } from '../fixtures/random.ts';
import type { Tally } from './requests.ts';
import type { Service } from './served.ts';

const LEAST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 4_000;
const FROZEN_MS = 2_000;

/** Returns all processes that a process has started, and those that they have started. */
export function descendantsOf(pid: number): Child[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child.pid)]);
}

const isServer = ({ command }: Child) => command.includes('effects.mjs');

/** Breaks parts of the service until the signal aborts. The seed of `random` determines the order and the pauses. */
export async function breakUntil(signal: AbortSignal, service: Service, random: Random, tally: Tally): Promise<void> {
  const faults: Readonly<Record<string, () => Promise<void>>> = {
    'servers killed': async () => killOne(childrenOf(service.pid).filter(isServer), random),
    'guests and workers killed': async () =>
      killOne(
        childrenOf(service.pid).filter((child) => !isServer(child)),
        random,
      ),
    'servers frozen': () => freeze(childrenOf(service.pid).filter(isServer)),
    'web servers killed': () => service.crashWeb(),
  };
  const names = Object.keys(faults);
  while (!signal.aborted) {
    await sleep(random.integer(LEAST_PAUSE_MS, MOST_PAUSE_MS), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const name = random.pick(names);
    await faults[name]?.();
    tally.set(name, (tally.get(name) ?? 0) + 1);
  }
}

function killOne(children: readonly Child[], random: Random): void {
  if (children.length > 0) send(random.pick(children).pid, 'SIGKILL');
}

async function freeze(children: readonly Child[]): Promise<void> {
  for (const { pid } of children) send(pid, 'SIGSTOP');
  await sleep(FROZEN_MS);
  for (const { pid } of children) send(pid, 'SIGCONT');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
