import { pino } from 'pino';

/** What Toolwright writes its log to; a pino logger fits. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logs JSON lines to stderr, so that stdout stays for results. `TOOLWRIGHT_LOG` sets the level, default `warn`. */
export function stderrLogger(level: string = process.env.TOOLWRIGHT_LOG ?? 'warn'): Logger {
  const known = Object.hasOwn(pino.levels.values, level) || level === 'silent';
  return pino({ name: 'toolwright', level: known ? level : 'warn' }, pino.destination({ dest: 2, sync: true }));
}
