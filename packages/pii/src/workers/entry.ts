import { fileURLToPath } from 'node:url';

/** Path of the program of a worker that searches large texts. */
export const SEARCH_ENTRY: string = fileURLToPath(new URL('../search-worker.js', import.meta.url));
