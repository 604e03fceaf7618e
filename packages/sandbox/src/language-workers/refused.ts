import { createHash } from 'node:crypto';
import type { SandboxError } from '../errors.ts';
import type { WorkerRequest } from './worker.ts';

/** Requests that are remembered; the oldest one is forgotten first. */
const MAX_REMEMBERED = 1_000;

/** The requests that ended a worker. They are refused without another attempt. */
export interface RefusedRequests {
  find(request: WorkerRequest): SandboxError | undefined;
  add(request: WorkerRequest, error: SandboxError): void;
}

/** Creates an empty memory of refused requests. */
export function rememberRefused(): RefusedRequests {
  const known = new Map<string, SandboxError>();
  return {
    find: (request) => (known.size === 0 ? undefined : known.get(keyOf(request))),
    add(request, error) {
      known.set(keyOf(request), error);
      const [oldest] = known.keys();
      if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
    },
  };
}

function keyOf({ operation, input }: WorkerRequest): string {
  return createHash('sha256').update(operation).update(JSON.stringify(input)).digest('base64');
}
