/** Milliseconds between two fetches of data whose changes the stream does not have. */
export const REFRESH_MS = 15_000;
