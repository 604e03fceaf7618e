import { redactLogLine } from '@toolwright/pii/internal';
import type { Logger } from './log.ts';

/** Returns a logger that redacts messages, texts and errors by the built-in rules before it passes them to another one. */
export function redactedLogger(logger: Logger): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (logger.isLevelEnabled?.(level) === false) return;
    const redacted = Object.entries(fields).map(([name, value]) => [name, redactedField(value)]);
    logger[level](Object.fromEntries(redacted), redactedText(message));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isLevelEnabled: logger.isLevelEnabled ? (level) => logger.isLevelEnabled?.(level) ?? false : undefined,
  };
}

function redactedField(value: unknown): unknown {
  if (typeof value === 'string') return redactedText(value);
  if (!(value instanceof Error)) return value;
  const { message, stack = '' } = value;
  // The error keeps its class, code and cause.
  return Object.create(value, {
    message: { value: redactedText(message), enumerable: true },
    stack: { value: redactedText(stack), enumerable: true },
  });
}

function redactedText(text: string): string {
  return JSON.parse(redactLogLine(JSON.stringify(text)));
}
