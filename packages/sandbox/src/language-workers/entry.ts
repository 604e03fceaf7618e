import { fileURLToPath } from 'node:url';

/** Path of the program of a language worker. */
export const WORKER_ENTRY: string = fileURLToPath(new URL('./main.js', import.meta.url));
