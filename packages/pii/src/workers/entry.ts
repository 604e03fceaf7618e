import { fileURLToPath } from 'node:url';

/** Path of the program of a worker that searches large texts. */
export const SEARCH_ENTRY: string = fileURLToPath(new URL('./main.js', import.meta.url));
