import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, ask } from '../fixtures/http-server.ts';
import type { Service, User } from './served.ts';

/** A client gives up after this time. No program of the soak test runs as long. */
export const PATIENCE_MS = 60_000;
const RETRY_MS = 150;

/** Counts of events and kinds of work, by name. */
export type Tally = Map<string, number>;

/** The place that a client sends its requests to. */
export interface Target extends Pick<Service, 'url'> {
  /** Milliseconds after which the client sends a request again. Default: a minute. */
  readonly timeoutMs?: number;
}

/** Sends requests of one user, and counts the answers. */
export interface Requests {
  readonly service: Target;
  readonly user: User;
  /** Sends one request. Resolves to `undefined` without an answer: the client or the service cut the connection. */
  send(path: string, init?: Parameters<typeof ask>[1]): Promise<Answer | undefined>;
  /** Sends a request until it has an answer other than that the service cannot work now. */
  persist(path: string, init?: Parameters<typeof ask>[1]): Promise<Answer | undefined>;
  /** Runs a program with an idempotency key, again and again until there is a definite answer. Some clients leave earlier. */
  once(key: string, body: object, leaveMs?: number): Promise<Answer | undefined>;
  count(kind: string): void;
}

/** Opens the requests of a user. `onAnswer` receives each answer. */
export function requestsOf(
  service: Target,
  user: User,
  tally: Tally,
  onAnswer?: (path: string, answer: Answer) => void,
): Requests {
  const count = (kind: string) => void tally.set(kind, (tally.get(kind) ?? 0) + 1);
  const { timeoutMs = PATIENCE_MS } = service;
  const send: Requests['send'] = async (path, init = {}) => {
    const headers = { ...user.headers, ...init.headers };
    try {
      const answer = await ask(`${service.url}${path}`, { signal: AbortSignal.timeout(timeoutMs), ...init, headers });
      onAnswer?.(path, answer);
      if (answer.body?.code === 'INTERNAL' || answer.body?.error?.code === 'INTERNAL') count('internal errors');
      return answer;
    } catch {
      count('connections cut');
      return undefined;
    }
  };
  return {
    ...{ service, user, send, count },
    async persist(path, init) {
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
        const answer = await send(path, init);
        if (answer && answer.status < 500) return answer;
        await sleep(RETRY_MS);
      }
      return undefined;
    },
    async once(key, json, leaveMs) {
      const headers = { 'idempotency-key': key };
      const deadline = performance.now() + PATIENCE_MS;
      if (leaveMs !== undefined) {
        const answer = await send('/execute', { json, headers, signal: AbortSignal.timeout(leaveMs) });
        if (isDefinite(answer)) return answer;
      }
      let last: Answer | undefined;
      while (performance.now() < deadline) {
        const answer = await send('/execute', { json, headers });
        if (isDefinite(answer)) return answer;
        last = answer ?? last;
        await sleep(RETRY_MS);
      }
      count('no definite answer');
      count(`last answer without one: ${last?.status} ${last?.body?.code ?? last?.body?.status}`);
      return undefined;
    },
  };
}

/** Returns whether an answer is the outcome of the key. An interrupted execution has none yet: the server continues it. */
function isDefinite(answer: Answer | undefined): answer is Answer {
  return answer?.status === 200 && answer.body.status !== 'interrupted';
}
