/** A time in a URL: some hours before now, or from one time until another. */
export interface TimeRange {
  /** Hours before now. The other two are absent then. */
  readonly hours?: number;
  /** The first time that counts, ISO 8601. */
  readonly from?: string;
  /** The first time that no longer counts, ISO 8601. */
  readonly to?: string;
}

const MAX_HOURS = 24 * 365;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Somebody who types a year begins with `0002`. */
const FIRST_YEAR = '2000';

/** Returns the valid parts of the time in a URL. */
export function timeRangeOf(given: Readonly<Record<string, unknown>>): TimeRange {
  const hours = Number(given.hours);
  if (Number.isFinite(hours) && hours > 0) return { hours: Math.min(hours, MAX_HOURS) };
  const [from, to] = [isoOf(String(given.from ?? '')), isoOf(String(given.to ?? ''))];
  return { from, to };
}

/** Returns the times of a range. Hours before now begin at a whole minute, so that equal ranges have equal times. */
export function timesOf({ hours, from, to }: TimeRange, now: number): { readonly from?: string; readonly to?: string } {
  if (hours === undefined) return { from, to };
  return { from: new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS - hours * HOUR_MS).toISOString() };
}

/** Returns a time as the value of a field: the time of this time zone, to the minute. */
export function fieldTime(time: string): string {
  return new Date(time).toLocaleString('sv').slice(0, 16).replace(' ', 'T');
}

/** Returns the time of a text, ISO 8601 in UTC; `undefined` for a text that is none, or that is not complete. */
export function isoOf(text: string): string | undefined {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  const time = new Date(ms).toISOString();
  // Years with more digits have a sign.
  return time >= FIRST_YEAR && /^\d/.test(time) ? time : undefined;
}
