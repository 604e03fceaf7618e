import { fileURLToPath } from 'node:url';

/** Version of the readings. Increase it when the workers can read texts that they refused before. */
export const READING_VERSION = 1;

/** Path of the program of a language worker. */
export const WORKER_ENTRY: string = fileURLToPath(new URL('../language-worker.js', import.meta.url));
