const NUMBERS = new Intl.NumberFormat('en');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1_024;

/** Formats a count: `12,345`. */
export function count(value: number): string {
  return NUMBERS.format(value);
}

/** Formats a duration in milliseconds: `12 ms`, `1.2 s`, `3 min 4 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0)} s`;
  if (ms < HOUR) return two(ms, MINUTE, 'min', SECOND, 's');
  return ms < DAY ? two(ms, HOUR, 'h', MINUTE, 'min') : two(ms, DAY, 'd', HOUR, 'h');
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** Formats a number of bytes: `812 B`, `1.5 KiB`. */
export function bytes(value: number): string {
  if (value < KIB) return `${value} B`;
  if (value < KIB * KIB) return `${(value / KIB).toFixed(1)} KiB`;
  return `${(value / KIB / KIB).toFixed(1)} MiB`;
}

/** Formats an amount of US dollars: `$0.0042`, `$12.30`. */
export function dollars(value: number): string {
  return `$${value === 0 || value >= 1 ? value.toFixed(2) : value.toPrecision(2)}`;
}

/** Formats the age of a time: `now`, `5 min ago`. */
export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (ms < 5 * SECOND) return 'now';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  return ms < DAY ? `${Math.floor(ms / HOUR)} h ago` : `${Math.floor(ms / DAY)} d ago`;
}

/** Formats a time of this time zone: `14:03:22` today, else `2026-11-25 14:03`. */
export function clock(time: string, now: number = Date.now()): string {
  const date = new Date(time);
  const [day, today] = [date, new Date(now)].map((each) => each.toLocaleDateString('sv'));
  return day === today ? date.toLocaleTimeString('sv') : `${day} ${date.toLocaleTimeString('sv').slice(0, 5)}`;
}
