const KEY_BYTES = 16;

/** Returns a new `Idempotency-Key`. Also in a page over plain HTTP, in which browsers have no `crypto.randomUUID`. */
export function newRequestKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
