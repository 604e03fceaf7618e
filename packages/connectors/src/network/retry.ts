/** Methods whose request may be sent again after the server has refused it. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
/** Statuses of a server that refuses a request for now. */
const REFUSED: ReadonlySet<number> = new Set([429, 503]);
/** How often one request is sent again. */
export const MAX_RETRIES = 3;
const FIRST_DELAY_MS = 500;
/** A longer pause is for the program to decide about. */
const MAX_DELAY_MS = 30_000;

/** Returns the milliseconds before a request is sent again; undefined for an answer that stays. */
export function retryDelayMs(
  {
    method,
    isIdempotent = IDEMPOTENT.has(method),
  }: { readonly method: string; readonly isIdempotent?: boolean | undefined },
  { status, headers }: Response,
  retries: number,
  remainingMs: number,
): number | undefined {
  if (!REFUSED.has(status) || !isIdempotent || retries >= MAX_RETRIES) return undefined;
  const delayMs = retryAfterMs(headers) ?? FIRST_DELAY_MS * 2 ** retries * (0.75 + Math.random() / 2);
  return delayMs <= Math.min(MAX_DELAY_MS, remainingMs) ? delayMs : undefined;
}

/** Returns the milliseconds of the header `Retry-After`, which has seconds or a date; undefined without one. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
