import { fileURLToPath } from 'node:url';

/** Path of the module that redacts log lines. */
export const LOG_LINE_ENTRY: string = fileURLToPath(new URL('./redact-log-line.cjs', import.meta.url));
