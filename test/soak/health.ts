import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 100;
const LATEST_MS = 10_000;

/** Asks `/health` until the signal aborts. Returns the milliseconds of each answer; a missing answer has the maximum. */
export async function probeUntil(signal: AbortSignal, url: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  while (!signal.aborted) {
    times.push(await timeOf(`${url}/health`, agent));
    await sleep(INTERVAL_MS);
  }
  agent.destroy();
  return times;
}

/** Returns the time below which this share of all times is. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function timeOf(url: string, agent: Agent): Promise<number> {
  const started = performance.now();
  return new Promise((resolve) => {
    const asked = get(url, { agent, timeout: LATEST_MS }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200 ? performance.now() - started : LATEST_MS));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(LATEST_MS));
  });
}
