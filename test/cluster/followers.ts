import { setTimeout as sleep } from 'node:timers/promises';
import { eventsOf } from '../fixtures/http-server.ts';
import type { Random } from '../fixtures/random.ts';
import type { User } from '../soak/served.ts';
import type { Nodes } from './cluster.ts';

const LEAST_MS = 500;
const MOST_MS = 4_000;
const RETRY_MS = 200;
/** A follower that has no end of its task by then has lost it. */
const PATIENCE_MS = 90_000;

/** The events of one task, as a follower saw them who moved from process to process. */
export interface Followed {
  readonly task: string;
  /** The numbers of all events, in the order of their arrival. */
  readonly numbers: readonly number[];
  readonly hasEnd: boolean;
}

/** Follows a task to its end. It leaves each process after a while, and continues at another one with `Last-Event-ID`. */
export async function followTask(cluster: Nodes, user: User, { task, random }: FollowOptions): Promise<Followed> {
  const numbers: number[] = [];
  let hasEnd = false;
  for (const until = performance.now() + PATIENCE_MS; !hasEnd && performance.now() < until; ) {
    const headers = { ...user.headers, 'last-event-id': String(numbers.at(-1) ?? 0) };
    const signal = AbortSignal.timeout(random.integer(LEAST_MS, MOST_MS));
    const seen = await readEvents(`${cluster.url()}/tasks/${task}/events`, headers, signal);
    for (const { id, event } of seen) {
      numbers.push(id);
      hasEnd ||= event === 'end';
    }
    if (seen.length === 0) await sleep(RETRY_MS);
  }
  return { task, numbers, hasEnd };
}

interface FollowOptions {
  readonly task: string;
  readonly random: Random;
}

/** Returns the complete events that a stream sent until it ended, broke or the signal aborted. */
async function readEvents(url: string, headers: Record<string, string>, signal: AbortSignal) {
  let text = '';
  try {
    const response = await fetch(url, { headers, signal });
    if (response.status !== 200) return [];
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    // The process died, or this follower moves on.
  }
  // An event counts with its empty line.
  return eventsOf(text.slice(0, text.lastIndexOf('\n\n') + 2));
}

/** Returns the mistakes in the events of a follower: a number that is missing, twice, or in the wrong place; a missing end. */
export function mistakesOf({ task, numbers, hasEnd }: Followed): string[] {
  const wrong = numbers.find((number, index) => number !== index + 1);
  return [
    ...(wrong === undefined ? [] : [`${task}: the event ${wrong} is in the wrong place of ${numbers.join(' ')}`]),
    ...(hasEnd ? [] : [`${task}: no end after ${numbers.length} events`]),
  ];
}
