import { SandboxError } from '../errors.ts';

/** Requests of one guest that may be pending, timers included. */
const MAX_PENDING = 20_000;
/** Approximate bytes of memory that the pending requests of one guest may use. */
const MAX_PENDING_BYTES = 128 * 1024 * 1024;

/** Runs `work` on the message that `read` returns. Rejects with `BUSY` when too many requests are pending. */
export type Admission = (
  read: () => { readonly value: unknown; readonly bytes: number },
  work: (message: unknown) => Promise<string>,
) => Promise<string>;

/** Creates the bound on the pending requests of one guest, by their number and by their memory. */
export function createAdmission(): Admission {
  let pending = 0;
  let pendingBytes = 0;
  return async (read, work) => {
    pending++;
    let bytes = 0;
    try {
      if (pending > MAX_PENDING) {
        throw new SandboxError(
          'BUSY',
          `More than ${MAX_PENDING} requests are pending. Await some before you send more.`,
        );
      }
      const message = read();
      if (pending > 1 && pendingBytes + message.bytes > MAX_PENDING_BYTES) {
        const text = `More than ${MAX_PENDING_BYTES} bytes of requests are pending. Await some before you send more.`;
        throw new SandboxError('BUSY', text);
      }
      bytes = message.bytes;
      pendingBytes += bytes;
      return await work(message.value);
    } finally {
      pending--;
      pendingBytes -= bytes;
    }
  };
}
