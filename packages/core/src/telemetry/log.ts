import { trace } from '@opentelemetry/api';
import { redactLogLine } from '@toolwright/pii/internal';
import { type DestinationStream, pino } from 'pino';
import { logIds } from './log-ids.ts';
import { REDACTED, SECRET_PATHS, withoutSecrets } from './log-secrets.ts';

/** What Toolwright writes its log to; a pino logger fits. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LoggerOptions {
  /** `debug`, `info`, `warn`, `error` or `silent`. Default: `TOOLWRIGHT_LOG`, else `warn`; so is any other word. */
  readonly level?: string;
  /**
   * Takes out of a line, which is JSON, what must not leave, and returns JSON. A line that it fails on is withheld.
   * Default: personal data by the built-in rules.
   */
  readonly redactLine?: (line: string) => string;
  /** Where lines go; default: stderr, so that stdout stays for results. */
  readonly destination?: DestinationStream;
}

/** Logs JSON lines to stderr. `TOOLWRIGHT_LOG` sets the level, default `warn`. */
export function stderrLogger(level?: string): Logger {
  return createLogger(level === undefined ? {} : { level });
}

/**
 * Logs JSON lines, each with the ids of what is being worked on (`request`, `task`, `execution`, and `trace_id` and
 * `span_id` within a trace). What looks like a secret is replaced, by its name or by its looks.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = process.env.TOOLWRIGHT_LOG ?? 'warn', redactLine = redactLogLine } = options;
  const known = Object.hasOwn(pino.levels.values, level) || level === 'silent';
  const settings = {
    name: 'toolwright',
    level: known ? level : 'warn',
    redact: { paths: SECRET_PATHS, censor: REDACTED },
    mixin: () => ({ ...logIds(), ...traceIds() }),
    hooks: { streamWrite: (line: string) => outgoing(line, redactLine) },
  };
  const logger = pino(settings, options.destination ?? pino.destination({ dest: 2, sync: true }));
  if (!known) logger.warn({ levels: LEVELS }, `there is no log level ${JSON.stringify(level)}: it is "warn"`);
  return logger;
}

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** Every line goes through here, as it is written. */
function outgoing(line: string, redactLine: (line: string) => string): string {
  try {
    return redactLine(withoutSecrets(line));
  } catch {
    // The error may quote the line.
    return `${JSON.stringify({ level: pino.levels.values.error, time: Date.now(), name: 'toolwright', msg: WITHHELD })}\n`;
  }
}

const WITHHELD = 'a line was withheld: it could not be swept';

function traceIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
