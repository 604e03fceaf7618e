/** How long a client wants to wait for the end of its request. */
export interface ResponsePreference {
  /** Whether the answer may be 202, before the work has ended. */
  readonly isAsync: boolean;
  /** Milliseconds to wait for the end before that. Default: 0. */
  readonly waitMs: number;
}

/** The longest wait in seconds. Proxies close connections that are silent for longer. */
const MAX_WAIT_SECONDS = 60;

/** Parses the header `Prefer` (RFC 7240, sections 4.1 and 4.3). A preference that is unknown or malformed is ignored. */
export function parsePrefer(header: string | undefined): ResponsePreference {
  const preferences = (header ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  const waits = preferences.flatMap((preference) => {
    const [, seconds] = /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference) ?? [];
    return seconds === undefined ? [] : [Number(seconds)];
  });
  const [seconds = 0] = waits;
  return { isAsync: preferences.includes('respond-async'), waitMs: Math.min(seconds, MAX_WAIT_SECONDS) * 1_000 };
}
