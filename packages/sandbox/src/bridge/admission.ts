import { SandboxError } from '../errors.ts';
import type { GuestMessage } from './json.ts';

/** Requests of one guest that may be pending, timers included. */
const MAX_PENDING = 20_000;
/** Approximate bytes of memory that the pending requests of one guest may use. */
const MAX_PENDING_BYTES = 128 * 1024 * 1024;

/** The bound on the pending requests of one guest, by their number and by their memory. */
export interface Admission {
  /** Raises `BUSY` when too many requests are pending. Call it before a request is parsed. */
  check(): void;
  /** Adds and returns a request. Call `leave` when it has its answer. Raises `BUSY` when the pending ones use too much memory. */
  enter(message: GuestMessage): GuestMessage;
  leave(message: GuestMessage): void;
}

/** Creates the bound for one guest. */
export function createAdmission(): Admission {
  let pending = 0;
  let pendingBytes = 0;
  return {
    check() {
      if (pending < MAX_PENDING) return;
      const text = `More than ${MAX_PENDING} requests are pending. Await some before you send more.`;
      throw new SandboxError('BUSY', text);
    },
    enter(message) {
      if (pending > 0 && pendingBytes + message.bytes > MAX_PENDING_BYTES) {
        const text = `More than ${MAX_PENDING_BYTES} bytes of requests are pending. Await some before you send more.`;
        throw new SandboxError('BUSY', text);
      }
      pending++;
      pendingBytes += message.bytes;
      return message;
    },
    leave({ bytes }) {
      pending--;
      pendingBytes -= bytes;
    },
  };
}
