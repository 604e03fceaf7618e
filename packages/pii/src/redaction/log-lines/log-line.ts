import { createRequire } from 'node:module';
import { LOG_LINE_ENTRY } from './log-line-entry.ts';

type Redaction = typeof import('./redact-log-line.ts');

const require = createRequire(import.meta.url);

/** Redacts a JSON line of a log; see `redact-log-line.ts`, which loads at the first line. */
export const redactLogLine: Redaction['redactLogLine'] = (line) => {
  const { redactLogLine: redact }: Redaction = require(LOG_LINE_ENTRY);
  return redact(line);
};
