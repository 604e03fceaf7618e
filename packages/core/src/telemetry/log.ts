import { trace } from '@opentelemetry/api';
import { redactLogLine } from '@toolwright/pii/internal';
import { type DestinationStream, pino } from 'pino';
import { logIds } from './log-ids.ts';
import { REDACTED, SECRET_PATHS, withoutSecrets } from './log-secrets.ts';

/** The log of Toolwright. A pino logger implements it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Returns whether lines of a level are written. Default: lines of the level `debug` are not. */
  isLevelEnabled?(level: string): boolean;
}

export interface LoggerOptions {
  /** `debug`, `info`, `warn`, `error` or `silent`. Default: `TOOLWRIGHT_LOG`, else `warn`. An unknown level means `warn`. */
  readonly level?: string;
  /**
   * Redacts a log line, which is JSON, and returns JSON. If it throws, the line is not logged. Default: redacts personal
   * data with the built-in rules.
   */
  readonly redactLine?: (line: string) => string;
  /** The destination of lines. Default: stderr, because stdout is for results. */
  readonly destination?: DestinationStream;
}

/** Creates a logger that writes JSON lines to stderr. Default level: `TOOLWRIGHT_LOG`, else `warn`. */
export function stderrLogger(level?: string): Logger {
  return createLogger(level === undefined ? {} : { level });
}

/**
 * Creates a logger that writes JSON lines. Each line has the ids of the current work (`request`, `task`, `execution`, and
 * within a trace `trace_id` and `span_id`). Secrets are redacted by the name of their field or by their pattern.
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
  if (!known) logger.warn({ levels: LEVELS }, `unknown log level ${JSON.stringify(level)}: using "warn"`);
  return logger;
}

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** Redacts a line before it is written. */
function outgoing(line: string, redactLine: (line: string) => string): string {
  try {
    return redactLine(withoutSecrets(line));
  } catch {
    // The error may contain the line, so it is not logged.
    return `${JSON.stringify({ level: pino.levels.values.error, time: Date.now(), name: 'toolwright', msg: WITHHELD })}\n`;
  }
}

const WITHHELD = 'a line was not logged: its redaction failed';

function traceIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
