import { createRequire } from 'node:module';
import { trace } from '@opentelemetry/api';
import { redactLogLine } from '@toolwright/pii/internal';
import { logIds } from './log-ids.ts';
import { visibleText } from './visible-text.ts';

/** Receives warnings. */
export interface WarningLog {
  warn(fields: object, message: string): void;
}

/** The log of Toolwright. A pino logger implements it. */
export interface Logger extends WarningLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
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
  readonly destination?: { write(line: string): void };
}

/** The replacement of a secret. */
const REDACTED = '[redacted]';

/** Fields whose values are always secrets. */
const SECRET_FIELDS = [
  'authorization',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'Cookie',
  'set-cookie',
  'x-api-key',
  'X-API-Key',
  'apiKey',
  'api_key',
  'token',
  'accessToken',
  'access_token',
  'password',
  'secret',
];
/** Objects in which every field may be a secret: servers get keys in headers and variables with any name. */
const SECRET_OBJECTS = ['headers', 'env'];
/** The levels of a log line at which fields are redacted. No line of Toolwright is deeper. */
const DEPTHS = ['', '*.', '*.*.'];

/** Paths for pino's `redact`. */
const SECRET_PATHS: string[] = DEPTHS.flatMap((above) => [
  ...SECRET_FIELDS.map((name) => (above === '' ? `["${name}"]` : `${above.slice(0, -1)}["${name}"]`)),
  ...SECRET_OBJECTS.map((name) => `${above}${name}.*`),
]);

/** Patterns of secrets, with their replacements. No pattern matches beyond the end of a JSON string. */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b(twk_[0-9a-f]{16})_[0-9a-f]{8,}/g, `$1_${REDACTED}`],
  [/\b(Bearer|Basic) +[^\s"\\,]+/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/(:\/\/)[^\s"\\/@]+@/g, `$1${REDACTED}@`],
];

/** Creates a logger that writes JSON lines to stderr. Default level: `TOOLWRIGHT_LOG`, else `warn`. */
export function stderrLogger(level?: string): Logger {
  return createLogger({ level });
}

/**
 * Creates a logger that writes JSON lines. Each line has the ids of the current work (`request`, `task`, `execution`, and
 * within a trace `trace_id` and `span_id`). Secrets are redacted by the name of their field or by their pattern.
 */
export function createLogger({ level = process.env.TOOLWRIGHT_LOG ?? 'warn', ...options }: LoggerOptions = {}): Logger {
  const least = LEVELS.get(level);
  const known = least === undefined ? 'warn' : level;
  let library: Logger | undefined;
  const isLevelEnabled = (other: string) => (LEVELS.get(other) ?? 0) >= (least ?? WARN);
  const write = (name: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (!isLevelEnabled(name)) return;
    library ??= openLibrary(known, options);
    library[name](fields, message);
  };
  const logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isLevelEnabled,
  };
  if (least === undefined) {
    logger.warn({ levels: NAMED_LEVELS }, `unknown log level ${JSON.stringify(level)}: using "warn"`);
  }
  return logger;
}

const require = createRequire(import.meta.url);
const WARN = 40;
const ERROR = 50;
/** The levels of the library, with those that no line of Toolwright has. */
const LEVELS: ReadonlyMap<string, number> = new Map([
  ['trace', 10],
  ['debug', 20],
  ['info', 30],
  ['warn', WARN],
  ['error', ERROR],
  ['fatal', 60],
  ['silent', Number.POSITIVE_INFINITY],
]);
const NAMED_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** Opens the library, at the first line. */
function openLibrary(level: string, { redactLine = redactLogLine, destination }: LoggerOptions): Logger {
  const { pino }: typeof import('pino') = require('./pino.cjs');
  // A person reads a terminal. Programs read pipes and files.
  const shown = destination === undefined && process.stderr.isTTY ? terminalLine : (line: string) => line;
  const settings = {
    name: 'toolwright',
    level,
    redact: { paths: SECRET_PATHS, censor: REDACTED },
    mixin: () => ({ ...logIds(), ...traceIds() }),
    hooks: { streamWrite: (line: string) => shown(outgoing(line, redactLine)) },
  };
  return pino(settings, destination ?? pino.destination({ dest: 2, sync: true }));
}

/** Redacts a line before it is written. A reader of the log must not interpret its texts. */
function outgoing(line: string, redactLine: (line: string) => string): string {
  try {
    return visibleText(redactLine(withoutSecrets(line)));
  } catch {
    // The error may contain the line, so it is not logged.
    return `${JSON.stringify({ level: ERROR, time: Date.now(), name: 'toolwright', msg: WITHHELD })}\n`;
  }
}

const WITHHELD = 'a line was not logged: its redaction failed';

function traceIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** Redacts keys, tokens and the credentials of URLs in a text. */
function withoutSecrets(text: string): string {
  return SECRET_TEXTS.reduce((redacted, [pattern, rest]) => redacted.replace(pattern, rest), text);
}

const LEVEL_NAMES: ReadonlyMap<unknown, string> = new Map([
  [20, 'debug'],
  [30, 'info'],
  [40, 'warning'],
  [50, 'error'],
]);
/** Fields that every line has, or that only programs need. */
const HIDDEN: ReadonlySet<string> = new Set(['level', 'time', 'name', 'pid', 'hostname', 'msg', 'err']);

/** Returns a JSON line of the log as one line for a person: time, level, message, fields, and the first line of an error. */
export function terminalLine(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line);
  const [reason] = typeof err?.message === 'string' ? err.message.split(/\n|\\n/) : [];
  const shown = Object.entries(fields).filter(([key]) => !HIDDEN.has(key));
  const parts = [
    new Date(time).toTimeString().slice(0, 8),
    LEVEL_NAMES.get(level) ?? String(level),
    reason === undefined ? msg : `${msg}: ${reason}`,
    ...shown.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  ];
  return `${parts.join('  ').replaceAll('\n', ' ')}\n`;
}
